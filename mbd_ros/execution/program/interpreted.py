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

"""Runs the steps with Python floats: the reference for every other executor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.driver import run
from mbd_ros.execution.program.kernel import all_finite, Kernel
from mbd_ros.execution.program.records import filled
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.program.tree import joints_of, result_shape, tree_of, world_of
from mbd_ros.model import Model


@dataclass(frozen=True)
class InterpretedKernel:
    """A kernel that calls each step as it stands."""

    program: Program
    model: Model
    shape: tuple[int, ...]
    address: None = None
    name: str = 'interpreted'

    def how(self, count: int) -> str:
        """Return what runs so many states."""
        return self.name

    def run(self, arguments: list[NDArray[np.float64]], world: NDArray[np.float64],
            out: NDArray[np.float64]) -> bool:
        """Run on N states, one after the other; see ``Kernel``."""
        if not all_finite(*arguments):
            return False
        around = filled(world_of(self.model), world.tolist().__getitem__)
        tree = tree_of(self.model).within(around)
        rows = [argument.tolist() for argument in arguments]
        for k in range(out.shape[0]):
            coordinates = {name: row[k] for name, row in zip(self.program.inputs, rows)}
            try:
                result = run(self.program, tree, joints_of(self.model, coordinates), around)
            except ZeroDivisionError:
                out[k] = np.nan
            else:
                out[k] = np.reshape(result, self.shape)
        return all_finite(out)


@dataclass(frozen=True)
class Interpreted:
    """The executor that runs the steps with Python floats."""

    name: str = 'interpreted'

    def kernel(self, program: Program, model: Model) -> Kernel:
        """Return the kernel of a program for a model."""
        if isinstance(program, ArrayProgram):
            return program.kernel(model, self)
        return InterpretedKernel(program, model, result_shape(program, model))
