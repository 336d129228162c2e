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

"""Runs a program as machine code, unrolled or rolled, one state or many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import contextlib
import ctypes
from dataclasses import dataclass
import functools
import math
import threading
from typing import TypeAlias
import weakref

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.ir.batch import batch_ir
from mbd_ros.execution.ir.machine_code import address_ir, address_of, MachineCode, vector_lanes
from mbd_ros.execution.ir.origin import origin_of
from mbd_ros.execution.ir.straight_line import SCALAR, Width
from mbd_ros.execution.ir.workspace import DECLARATIONS, give_ir, RELEASE, take_ir
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.interpreted import Interpreted
from mbd_ros.execution.program.kernel import all_finite, Batches, FastBatches, Kernel
from mbd_ros.execution.program.sweeps import LARGEST_FOLDED, Program, Tie
from mbd_ros.execution.program.tree import result_shape, sizes, tree_of
from mbd_ros.execution.rolled.body_classes import Kind
from mbd_ros.execution.rolled.bundles import Bundles, bundles_code, PAYS, rolled_bundles_of
from mbd_ros.execution.rolled.code import rolled_code, RolledCode
from mbd_ros.execution.rolled.segments import Segments, segments_code, segments_of
from mbd_ros.execution.rolled.tables import folds, rolled_kinds, rolled_tables
from mbd_ros.execution.threads.partition import Partition
from mbd_ros.execution.threads.subtrees import subtrees_code
from mbd_ros.execution.unrolled.bundles import Node
from mbd_ros.execution.unrolled.code import bundles_that_pay, folded_operations, unrolled_ir
from mbd_ros.execution.unrolled.copies import Copies, copies_of
from mbd_ros.model import Model
from mbd_ros.model.caches import owned

LONG_CHAIN = 200
"""
Bodies from which on segments of a chain or large subtrees run side by side unasked; with loops,
whose rows make each step longer, all that is not unrolled.
"""
ORDERED_AGAIN = 8
"""
Lanes from which on instructions of straight-line code are put in order once more when registers
are given out: 1.04 to 1.07 times as fast with 512 bits, no difference with fewer (Zen 4).
"""
ParallelPlan: TypeAlias = 'tuple[Node, ...] | Bundles | Segments | Partition | Copies | None'


@dataclass(frozen=True)
class Compiled:
    """
    The executor that runs machine code.

    Parameters
    ----------
    shape : str
        ``'unrolled'``: straight-line code for one model, its constants folded; the fastest for
        small robots, but the time to compile grows faster than the number of bodies.
        ``'rolled'``: loops over bodies; compiled once for all robots with the same joint types.
        ``'auto'``: unrolled up to the number of bodies that the program names; loops, beyond
        that, by loops over bodies with the constants folded that all bodies share.

    """

    shape: str = 'auto'

    def __post_init__(self) -> None:
        """Check the shape."""
        if self.shape not in ('auto', 'rolled', 'unrolled'):
            raise InvalidValueError('shape', self.shape, "'auto', 'rolled' or 'unrolled'")

    @property
    def name(self) -> str:
        """Name that answers report."""
        return 'compiled' if self.shape == 'auto' else self.shape

    def unrolls(self, program: Program, model: Model) -> bool:
        """Return whether a program becomes straight-line code."""
        if isinstance(program, ArrayProgram):
            return self.shape != 'rolled' and program.traces(model)
        if self.shape != 'auto' or model.nb <= program.largest_unrolled:
            return self.shape != 'rolled' or model.nb == 0
        return model.nb <= LARGEST_FOLDED and 0 < program.largest_folded >= folded_operations(
            program, model)

    def kernel(self, program: Program, model: Model) -> Kernel:
        """
        Return the kernel of a program for a model, compiled now or earlier.

        Where the model's constants alone lead to a division by zero, the kernel is interpreted:
        its results are not finite, and the caller explains which joint is at fault.
        """
        rolled = not self.unrolls(program, model)
        if isinstance(program, ArrayProgram):
            return program.kernel(model, self) if rolled and not program.rolls(
                model) else compiled_kernel(program, model, rolled)
        if self.shape != 'auto':
            return compiled_kernel(program, model, rolled)
        swarm = copies_of(program, model) if model.nb > program.largest_unrolled else None
        if swarm is not None and swarm.number >= vector_lanes():
            return compiled_kernel(program, model, rolled, swarm)
        folded = model.nb > program.largest_unrolled and folds(program, model)
        side_by_side: ParallelPlan = None
        if folded or (rolled and model.nb >= LONG_CHAIN) or (
                model.loops and (rolled or model.nb > program.largest_unrolled)):
            side_by_side = long_way(program, model, vector_lanes(), swarms=rolled)
        if isinstance(side_by_side, Bundles) and not (folded or rolled):
            side_by_side = None  # straight-line code is faster
        if side_by_side is None and not rolled:
            with contextlib.suppress(ZeroDivisionError):  # compiled_kernel meets it again
                side_by_side = bundles_that_pay(program, model)
        return compiled_kernel(program, model, rolled, side_by_side, folded=folded and rolled)


def long_way(program: Program, model: Model, width: int, swarms: bool = True
             ) -> Bundles | Segments | None:
    """Return what of a large robot may run side by side in lanes, if there is something."""
    bundles = rolled_bundles_of(program, model, width, True, swarms)
    segments = segments_of(program, model, width)
    most = bundles.steps(model) if bundles else PAYS * model.nb
    if segments is not None and segments.steps(model) < most:
        return segments
    return bundles


@owned(1)
def compiled_kernel(program: Program, model: Model, rolled: bool,
                    side_by_side: ParallelPlan = None, width: int | None = None,
                    folded: bool = False) -> Kernel:
    """Return a ``CompiledKernel``, made now or earlier, or an interpreted one."""
    try:
        return CompiledKernel(program, model, rolled, side_by_side, width, folded)
    except ZeroDivisionError:
        return Interpreted().kernel(program, model)


class CompiledKernel:
    """
    A kernel of machine code.

    Parameters
    ----------
    program : Program
        What it runs.
    model : Model
        For which model.
    rolled : bool
        Whether it loops over bodies.
    side_by_side : sequence of Node, Bundles, Segments, Partition or Copies, optional
        What runs at the same time when there is one state: subtrees in lanes, segments of
        chains in lanes, subtrees on threads, or the robots of a swarm.
    width : int, optional
        States of a batch that run side by side; as many as a register holds if left out.
    folded : bool
        Whether the code that loops over bodies is for this robot alone, and knows the constants
        that its bodies share (``rolled/traces.py``).

    """

    def __init__(self, program: Program, model: Model, rolled: bool,
                 side_by_side: ParallelPlan = None, width: int | None = None,
                 folded: bool = False) -> None:
        self.program = program
        self.model = model
        self.shape = result_shape(program, model)
        self._width = Width(width or vector_lanes())
        self._code: Callable[..., tuple[MachineCode, object]] = (
            program.rolled if isinstance(program, ArrayProgram) and program.rolled and rolled
            else functools.partial(_rolled, folded=folded) if rolled else _unrolled)
        self.name = self._kind = 'folded' if folded else 'rolled' if rolled else 'unrolled'
        if isinstance(side_by_side, Bundles):
            self._one, self._alive = bundles_code(program, model, side_by_side)
            way = 'folded' if side_by_side.folded else 'rolled'
            self.name = f'{way}, {side_by_side.width} lanes'
        elif isinstance(side_by_side, Segments):
            self._one, self._alive = segments_code(program, model, side_by_side)
            self.name = f'folded, {len(side_by_side.firsts)} segments in lanes'
        elif isinstance(side_by_side, Partition):
            self._one, self._alive = subtrees_code(program, model, side_by_side)
            way = 'folded' if side_by_side.folded else 'rolled'
            self.name = f'{way}, {1 + max(part.share for part in side_by_side.parts)} threads'
        elif isinstance(side_by_side, Copies):
            self._one, self._alive = _copied(program, side_by_side)
            self.name = f'{side_by_side.number} copies, {vector_lanes()} lanes'
        elif side_by_side:
            self._one, self._alive = _unrolled(program, model, SCALAR, side_by_side)
            self.name = f'unrolled, {max(node.lanes for node in side_by_side)} lanes'
        else:
            self._one, self._alive = self._code(program, model, SCALAR)
        self.address: int | None = self._one.address('kernel')
        self._lock = threading.Lock()
        self._compiled: list[Batches] = []
        self._told: list[Callable[[Batches], None]] = []
        if not isinstance(side_by_side, Copies) and (
                rolled or isinstance(side_by_side, (Bundles, Segments))):
            weakref.finalize(self, _release, self._one).atexit = False

    def how(self, count: int) -> str:
        """Return what runs so many states."""
        return self.name if count == 1 else f'{self._kind}, {self._width.lanes} lanes'

    @property
    def fast_batches(self) -> FastBatches:
        """How batches run without Python in between."""
        return FastBatches(self._width.lanes, 1, self.follow_batches)

    def follow_batches(self, told: Callable[[Batches], None]) -> None:
        """Register a callback for the code of batches once it is compiled."""
        with self._lock:
            if not self._compiled:
                self._told.append(told)
                return
        told(self._compiled[0])

    def run(self, arguments: list[NDArray[np.float64]], world: NDArray[np.float64],
            out: NDArray[np.float64]) -> bool:
        """Run on N states without the interpreter's lock; see ``Kernel``."""
        count, lanes = out.shape[0], self._width.lanes
        if count == 0:
            return True
        if count == 1:
            self._call_one(*(a.ctypes.data for a in arguments), world.ctypes.data,
                           out.ctypes.data)
            return all_finite(*arguments, out)
        if count < lanes:
            padded = [np.concatenate([a, np.repeat(a[-1:], lanes - count, axis=0)])
                      for a in arguments]
            results = np.empty((lanes, *self.shape))
            finite = self.run(padded, world, results)
            out[...] = results[:count]
            return finite
        return bool(self.batches.call(count, *(a.ctypes.data for a in arguments),
                                      world.ctypes.data, out.ctypes.data))

    @functools.cached_property
    def _call_one(self) -> Callable[..., None]:
        pointers = [ctypes.c_void_p] * (len(self.program.inputs) + 2)
        return ctypes.CFUNCTYPE(None, *pointers)(self._one.address('kernel'))

    @functools.cached_property
    def batches(self) -> Batches:
        """Return what runs batches, compiled at the first one; two threads may come at a time."""
        width = self._width
        kernel, alive = self._code(self.program, self.model, width)
        loop = _batch(self.program, self.model, kernel, width)
        pointers = [ctypes.c_void_p] * (len(self.program.inputs) + 2)
        call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, *pointers)(loop.address('batch'))
        found = Batches(call, loop.address('rows'), width.lanes, (kernel, alive, loop))
        with self._lock:
            self._compiled.append(found)
            told = self._told.copy()
            self._told.clear()
        for one in told:
            one(found)
        return found


def _release(code: MachineCode) -> None:
    """Free the memory that a kernel keeps for its next call."""
    ctypes.CFUNCTYPE(None)(code.address(RELEASE))()


def _unrolled(program: Program, model: Model, width: Width, nodes: Sequence[Node] = ()
              ) -> tuple[MachineCode, object]:
    """Return straight-line code; see ``ORDERED_AGAIN``."""
    return MachineCode(
        lambda: unrolled_ir(program, model, width, nodes),
        2 if width.lanes >= ORDERED_AGAIN else 1,
        origin=origin_of(program, model, 'unrolled', width, tuple(nodes)), scheduled=False), None


def _batch(program: Program, model: Model, kernel: MachineCode, width: Width) -> MachineCode:
    """Return the loop over the rows of batches; see ``batch_ir``."""
    return MachineCode(batch_ir(
        sizes(model, program.inputs), math.prod(result_shape(program, model)), width),
        addresses=[kernel.address('kernel')])


def _copied(program: Program, way: Copies) -> tuple[MachineCode, object]:
    """Return code for one state of a swarm: that of a batch of one of its robots."""
    width = Width(vector_lanes())
    kernel, alive = _unrolled(program, way.one, width)
    loop = _batch(program, way.one, kernel, width)
    parameters = ', '.join(f'ptr %{name}' for name in (
        *(f'a{k}' for k in range(len(program.inputs))), 'world', 'result'))
    code = MachineCode('\n'.join([
        f'define void @kernel({parameters}) nounwind {{', address_ir('%batch', 0),
        f'  call i64 %batch(i64 {way.number}, {parameters})', '  ret void', '}']),
        addresses=[loop.address('batch')])
    return code, (kernel, alive, loop)


def _rolled(program: Program, model: Model, width: Width, folded: bool = False
            ) -> tuple[MachineCode, object]:
    """Return a kernel that calls the shared rolled code with the tables of one model."""
    kinds, classes, shapes, of_ties = rolled_kinds(model, program, folded)
    rolled, shared = rolled_machine_code(program, kinds, width, shapes, tree_of(model).slots
                                         if shapes else 0)
    constants, topology = rolled_tables(model, classes, of_ties)
    work = 8 * width.lanes * rolled.work_size(model.nb, model.nv)
    names = [*(f'%a{k}' for k in range(len(program.inputs))), '%world', '%result']
    parameters = ', '.join(f'ptr {name}' for name in names)
    code = MachineCode('\n'.join([
        DECLARATIONS, f'define void @kernel({parameters}) nounwind {{', 'entry:',
        *take_ir('%work', work),
        *(address_ir(name, k) for k, name in enumerate(('%rolled', '%constants', '%topology'))),
        f'  call void %rolled({parameters}, ptr %constants, ptr %topology, i64 {model.nb}, '
        f'i64 {model.nv}, ptr %work)', *give_ir(), '  ret void', '}']),
        addresses=[shared.address('rolled'), address_of(constants), address_of(topology)])
    return code, (shared, constants, topology)


@functools.lru_cache(maxsize=64)
def rolled_machine_code(program: Program, kinds: tuple[Kind, ...], width: Width,
                        shapes: tuple[Tie, ...] = (), slots: int = 0
                        ) -> tuple[RolledCode, MachineCode]:
    """Return the rolled code of a program, which all models with these joint types share."""
    rolled = rolled_code(program, kinds, width, shapes, slots)
    return rolled, MachineCode(rolled.ir, optimization=2)
