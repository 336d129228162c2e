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

"""
Shares of one state on several threads: subtrees on threads that wait for work in native code.

The caller sweeps the *trunk* (``partition.py``); between its sweeps it hands each share of the
subtrees to a worker (``workers_ir.py``) and does the first share itself. Each share has a *job*: a
piece of memory with copies of its coordinates, its work space and its results. So a thread that
lost the processor in the middle of its task does not hold the caller up: the caller gives the job
up, does all by itself in memory of its own, and the thread frees the job when it comes back.

What the parts hand to the trunk is added in a fixed order, independent of the threads: results
are the same bits from run to run. Ties are the caller's, between two rounds of handing work over.
Any program of ``Outward``, ``Ties`` and ``Inward`` sweeps that gives out a value for each entry of
v runs this way, and multipliers of loops that are closed in the trunk.

"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.ir.machine_code import MachineCode, vector_lanes
from mbd_ros.execution.ir.straight_line import SCALAR
from mbd_ros.execution.program.records import flatten
from mbd_ros.execution.program.sweeps import Inward, Layout, Outward, Program, Ties
from mbd_ros.execution.program.tree import tree_of, world_of
from mbd_ros.execution.rolled.bundles import MOST_TIES
from mbd_ros.execution.rolled.code import RolledCode, subtree_code
from mbd_ros.execution.rolled.segments import segments_of
from mbd_ros.execution.rolled.tables import folds, rolled_kinds, rolled_tables, slot_rows
from mbd_ros.execution.rolled.ties_in_place import Place, ties_in_place
from mbd_ros.execution.threads.partition import Part, Partition, partition
from mbd_ros.execution.threads.subtrees_ir import Bodies, subtrees_ir
from mbd_ros.execution.threads.workers import available, native, workers
from mbd_ros.model import Model

_FREE_JOINT = 3.0
"""Work for a body with six freedoms, as a multiple of one with one."""
_KEPT: list[object] = []
"""Code that a thread which was given up may still run: never released."""


def partition_of(program: Program, model: Model, count: int, folded: bool = False
                 ) -> Partition | None:
    """
    Return the trunk and the shares of a tree for some threads; None if it does not pay.

    Where it may be ``folded``, the code is for this robot alone if its bodies are alike; loops
    are left to segments of chains in lanes then, if these leave fewer steps than threads would.
    """
    if not available() or program.layout not in (Layout.JOINTS, Layout.MOTION) or not all(
            isinstance(sweep, (Outward, Inward, Ties)) for sweep in program.sweeps) or (
            program.ties and len(tree_of(model).ties) > MOST_TIES):
        return None
    weights = [1.0 + (_FREE_JOINT - 1.0) * (kind.nv - 1) / 5 for kind in model.joint_types]
    way = partition(model.parents, weights, count)
    if way is not None and program.layout is Layout.MOTION and any(
            tree_of(model).bodies[i].closes for part in way.parts
            for i in range(part.first, part.last)):
        return None
    segments = segments_of(program, model, vector_lanes()) if folded and model.loops else None
    if segments is not None and segments.steps(model) * count < model.nb:
        return None
    return way and way._replace(folded=folded and folds(program, model))


def subtrees_code(program: Program, model: Model, way: Partition) -> tuple[MachineCode, object]:
    """Return ``void kernel(argument..., world, result)`` for one state, and what it needs."""
    kinds, classes, shapes, _ = rolled_kinds(model, program, way.folded)
    rolled = subtree_code(program, kinds, SCALAR, shapes, tree_of(model).slots)
    shared = MachineCode(rolled.ir, optimization=2)
    constants, topology = rolled_tables(model, classes, ())
    constants = constants.reshape(model.nb, -1)
    tables = [_trunk_tables(model, way, constants, topology)]
    tables += [_part_tables(model, part, constants, topology) for part in way.parts]
    trunk = Bodies(len(way.trunk), ((0, model.nq), (0, model.nv)))
    parts = [Bodies(part.last - part.first, _spans(model, part),
                    1 + way.trunk.index(part.parent) if part.parent >= 0 else 0, part.share)
             for part in way.parts]
    calls = [native().address(name) for name in ('claim', 'post', 'finish', 'leave', 'now')]
    functions = [shared.address(f'{what}{k}') for k in program.swept
                 for what in ('begin', 'sweep')]
    places = _places(model, way, rolled, classes) if program.ties else {}
    ties = {k: ties_in_place(program, model, k, places, rolled.shapes[k - 1])
            for k, sweep in enumerate(program.sweeps) if isinstance(sweep, Ties)}
    world = len(flatten(world_of(model)))
    code = MachineCode(subtrees_ir(program, rolled, trunk, parts, ties, world), addresses=[
        *calls, *functions, *(array.ctypes.data for pair in tables for array in pair),
        *workers(max(part.share for part in way.parts))])
    alive = (shared, tables)
    _KEPT.append((code, alive))
    return code, alive


def _places(model: Model, way: Partition, rolled: RolledCode, classes: Sequence[int]
            ) -> dict[int, list[Place]]:
    """Return where the row of each body is."""
    rows = {body: ('%work', k + 1) for k, body in enumerate(way.trunk)}
    for number, part in enumerate(way.parts):
        rows.update({body: (f'%p{number}.rows', body - part.first + 1)
                     for body in range(part.first, part.last)})
    return {body: [Place(work, row * rolled.row, tuple(
        None if slot is None else row * rolled.row + slot
        for slot in rolled.tied[classes[body]]), 1)] for body, (work, row) in rows.items()}


def _spans(model: Model, part: Part) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return first entry and number of entries of a part in q and in v."""
    def span(offsets: Sequence[int], total: int) -> tuple[int, int]:
        first = offsets[part.first]
        return first, (offsets[part.last] if part.last < model.nb else total) - first

    return span(model.q_offsets, model.nq), span(model.v_offsets, model.nv)


Tables = tuple[NDArray[np.float64], NDArray[np.int64]]


def _trunk_tables(model: Model, way: Partition, constants: NDArray[np.float64],
                  topology: NDArray[np.int64]) -> Tables:
    chosen, nb = list(way.trunk), model.nb
    place = {body: k for k, body in enumerate(way.trunk)}
    parents = [place.get(model.parents[i], -1) for i in chosen]
    rest = [topology[nb * k:nb * (k + 1)][chosen] for k in (1, 2, 3)]
    return (np.ascontiguousarray(constants[chosen]), np.concatenate([
        np.array(parents, dtype=np.int64), *rest, slot_rows(model, chosen)]).astype(np.int64))


def _part_tables(model: Model, part: Part, constants: NDArray[np.float64],
                 topology: NDArray[np.int64]) -> Tables:
    chosen, nb = slice(part.first, part.last), model.nb
    parents, classes, q, v = (topology[nb * k:nb * (k + 1)][chosen] for k in range(4))
    local = np.where(parents == part.parent, -1, parents - part.first)
    return constants[chosen], np.concatenate([
        local, classes, q - q[0], v - v[0], slot_rows(model, range(part.first, part.last))])
