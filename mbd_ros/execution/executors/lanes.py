# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

"""Lanes of vector registers: states of a batch, or subtrees of equal shape within one state."""

from __future__ import annotations

from dataclasses import dataclass

from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.executors.compiled import Compiled, compiled_kernel, long_way
from mbd_ros.execution.ir.machine_code import vector_lanes
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.kernel import Kernel
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.rolled.bundles import Bundles
from mbd_ros.execution.rolled.segments import Segments
from mbd_ros.execution.rolled.tables import folds
from mbd_ros.execution.unrolled.code import bundles_of
from mbd_ros.model import Model


@dataclass(frozen=True)
class Lanes:
    """
    The executor that runs equal work in lanes, whether that pays or not.

    With one state, a lane is one of several subtrees whose bodies have pairwise the same joints
    (``bundles.py`` finds them), or a segment of a chain (``rolled/segments.py``); with a batch, a
    state.

    Parameters
    ----------
    width : int, optional
        Number of lanes, 2, 4 or 8; as many as a register of the CPU holds if left out.

    """

    width: int | None = None

    def __post_init__(self) -> None:
        """Check the width."""
        if self.width not in (None, 2, 4, 8):
            raise InvalidValueError('width', self.width, '2, 4 or 8 lanes')

    @property
    def name(self) -> str:
        """Name that answers report."""
        return f'{self.width or vector_lanes()} lanes'

    def kernel(self, program: Program, model: Model) -> Kernel:
        """Return the kernel of a program for a model, compiled now or earlier."""
        width = self.width or vector_lanes()
        if isinstance(program, ArrayProgram):
            traces = program.traces(model)
            return (compiled_kernel(program, model, not traces, None, width)
                    if traces or program.rolls(model) else program.kernel(model, self))
        way = long_way(program, model, width)
        if model.nb > program.largest_unrolled and (
                isinstance(way, Segments) or (isinstance(way, Bundles) and way.folded)):
            rolled = not Compiled().unrolls(program, model)
            return compiled_kernel(program, model, rolled, way, width,
                                   folded=rolled and folds(program, model))
        nodes = bundles_of(program, model, width)
        straight = (len(nodes or model.parents) <= program.largest_unrolled
                    or Compiled().unrolls(program, model))
        if not straight:
            return compiled_kernel(program, model, True, way, width)
        return compiled_kernel(program, model, False, nodes, width)
