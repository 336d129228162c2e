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
Large subtrees of equal shape in the lanes of a vector, by loops over bodies.

The same as ``side_by_side.py`` for trees too large for straight-line code: long legs, the halves
of a long loop. Bodies outside the bundles, the trunk, are swept one by one; a bundle is swept by
rolled code in W lanes, whose constants are kept lane beside lane. Ties run one by one: they read
what their two bodies have handed outward from their lanes, and put what they do to them there. Any
program of ``Outward``, ``Ties`` and ``Inward`` sweeps that gives out a value for each entry of v
runs this way, and multipliers of loops that are closed in the trunk.

"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.ir.interleave import added_ir, aligned, packed_ir, unpacked_ir
from mbd_ros.execution.ir.machine_code import address_of, MachineCode
from mbd_ros.execution.ir.straight_line import SCALAR, StraightLine, Width
from mbd_ros.execution.ir.workspace import DECLARATIONS, give_ir, take_ir
from mbd_ros.execution.program.sweeps import Inward, Layout, Outward, Program, Tie, Ties
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.execution.rolled.body_classes import Kind, varying
from mbd_ros.execution.rolled.code import chain_code, RolledCode, subtree_code
from mbd_ros.execution.rolled.plan import call_ir, phases
from mbd_ros.execution.rolled.tables import folds, rolled_kinds, rolled_tables, slot_rows
from mbd_ros.execution.rolled.ties_in_place import declared, Place, ties_in_place
from mbd_ros.model import Model

SMALLEST = 8
"""Bodies of a subtree below which it is not worth the work at its root."""
PAYS = 0.7
"""Share of the bodies' steps that may be left."""
MOST_TIES = 32
"""Loop joints and springs beyond which the code that runs them one by one grows too long."""


class Bundle(NamedTuple):
    """First bodies of subtrees of ``size`` bodies; lanes from ``used`` on repeat the first."""

    roots: tuple[int, ...]
    used: int
    size: int


class Bundles(NamedTuple):
    """
    The bundles of a tree; all other bodies are the trunk.

    Where all subtrees are chains with ties at their last bodies alone, what they hand on stays in
    one place. Where code is ``folded``, it knows what is the same at all bodies of the robot.
    """

    bundles: tuple[Bundle, ...]
    width: int
    chains: bool
    folded: bool = False

    def trunk(self, count: int) -> list[int]:
        """Return the bodies that run one by one."""
        taken = {i for bundle in self.bundles for root in bundle.roots
                 for i in range(root, root + bundle.size)}
        return [i for i in range(count) if i not in taken]

    def steps(self, model: Model) -> int:
        """Return how many steps one after the other it all takes."""
        return len(self.trunk(model.nb)) + sum(bundle.size for bundle in self.bundles)


def rolled_bundles_of(program: Program, model: Model, width: int, folded: bool = False,
                      swarms: bool = True) -> Bundles | None:
    """
    Return the bundles of a tree; None where they would not pay or the program cannot.

    Where it may be ``folded``, the code is for this robot alone if its bodies are alike. Without
    ``swarms`` small subtrees are left alone, for which straight-line code is faster.
    """
    if program.layout not in (Layout.JOINTS, Layout.MOTION) or not all(
            isinstance(sweep, (Outward, Inward, Ties)) for sweep in program.sweeps):
        return None
    _, classes, _, of_ties = rolled_kinds(model, program)
    if len(of_ties) > MOST_TIES:
        return None
    kinds = list(zip(model.joint_types, classes))
    found = bundled(model.parents, kinds, width, swarms)
    most = max((bundle.used for bundle in found), default=width)
    if 2 * most <= width:  # half a register does
        return rolled_bundles_of(program, model, width // 2, folded, swarms)
    steps = model.nb - sum(bundle.size * (bundle.used - 1) for bundle in found)
    closed = any(tree_of(model).bodies[i].closes for bundle in found for root in bundle.roots
                 for i in range(root, root + bundle.size))
    if steps >= PAYS * model.nb or (program.layout is Layout.MOTION and closed):
        return None
    inside = {i for bundle in found for root in bundle.roots
              for i in range(root, root + bundle.size - 1)}
    chains = all(model.parents[i + 1] == i for i in inside) and not any(
        {tie.first, tie.second} & inside for tie in (tree_of(model).ties if of_ties else ()))
    return Bundles(tuple(found), width, chains, folded and folds(program, model))


def bundled(parents: Sequence[int], kinds: Sequence[Hashable], width: int, swarms: bool = True
            ) -> list[Bundle]:
    """
    Return bundles of subtrees of equal shape, those that save most steps first.

    Shapes are compared body by body in the order of the bodies, depth first. Many small ones on
    one parent, a swarm, are swept as a few large ones: each lane has as many.
    """
    count = len(parents)
    below: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    sizes, shapes, numbers = [1] * count, [0] * count, dict[Hashable, int]()
    for i in reversed(range(count)):
        shapes[i] = numbers.setdefault((kinds[i], tuple(sorted(below[i]))), len(numbers))
        if parents[i] >= 0:
            sizes[parents[i]] += sizes[i]
            below[parents[i]].append((i - parents[i], shapes[i]))
    free = {i for i in range(count) if sizes[i] >= SMALLEST}
    found: list[Bundle] = []
    while free:
        alike: dict[int, list[int]] = defaultdict(list)
        for i in sorted(free):
            alike[shapes[i]].append(i)
        roots = max(alike.values(), key=lambda group: (sizes[group[0]] * (
            len(group) - -(-len(group) // width)), sizes[group[0]]))
        if len(roots) < 2:
            break
        size = sizes[roots[0]]
        for first in range(0, len(roots), width):
            group = roots[first:first + width]
            if len(group) > 1:
                found.append(Bundle((*group, *group[:1] * (width - len(group))), len(group),
                                    size))
        for root in roots:  # with all above and below
            free.difference_update(range(root, root + size))
            while root >= 0:
                free.discard(root)
                root = parents[root]
    taken = {i for bundle in found for root in bundle.roots
             for i in range(root, root + bundle.size)}
    return found + [
        Bundle(tuple(range(first, first + width * size, size)), width, size)
        for first, size in (_swarms(parents, sizes, shapes, width) if swarms else ())
        if first not in taken]


def _swarms(parents: Sequence[int], sizes: Sequence[int], shapes: Sequence[int], width: int
            ) -> list[tuple[int, int]]:
    """Return first body and bodies of a lane of rows of equal small subtrees on one parent."""
    found, i = [], 0
    while i < len(parents):
        size, last = sizes[i], i
        if size < SMALLEST:
            while (last < len(parents) and (parents[last], shapes[last])
                   == (parents[i], shapes[i])):
                last += size
            each = (last - i) // (width * size) * size
            if each >= SMALLEST:
                found.append((i, each))
        i = max(last, i + 1)
    return found


def bundles_code(program: Program, model: Model, way: Bundles) -> tuple[MachineCode, object]:
    """Return ``void kernel(argument..., world, result)`` for one state, and what it needs."""
    kinds, classes, shapes, _ = rolled_kinds(model, program, way.folded)
    slots = tree_of(model).slots
    one, single = _sweeps(program, kinds, shapes, slots, SCALAR)
    many, lanes = _sweeps(program, kinds, shapes, slots, Width(way.width), way.chains)
    constants, topology = rolled_tables(model, classes, ())
    constants, topology = constants.reshape(model.nb, -1), topology[:4 * model.nb]
    trunk = way.trunk(model.nb)
    tables = [(np.ascontiguousarray(constants[trunk]), np.concatenate([_local(
        topology.reshape(4, -1), trunk, absolute=True), slot_rows(model, trunk)]))]
    for bundle in way.bundles:
        table = aligned((bundle.size, constants.shape[1], way.width))
        for lane, root in enumerate(bundle.roots):
            table[:, :, lane] = constants[root:root + bundle.size]
        bodies = list(range(bundle.roots[0], bundle.roots[0] + bundle.size))
        tables.append((table, np.concatenate([_local(
            topology.reshape(4, -1), bodies, absolute=False), slot_rows(model, bodies)])))
    numbers = program.swept
    functions = [*(single.address(f'{what}{k}') for k in numbers for what in ('begin', 'sweep')),
                 *(lanes.address(f'sweep{k}' if way.chains else f'{what}{k}')
                   for k in numbers for what in ('begin', 'sweep'))]
    code = MachineCode(_Driver(program, model, way, one, many, classes).ir(), addresses=[
        *functions, *(address_of(array) for pair in tables for array in pair)])
    return code, (single, lanes, tables)


@functools.lru_cache(maxsize=64)
def _sweeps(program: Program, kinds: tuple[Kind, ...], shapes: tuple[Tie, ...], slots: int,
            width: Width, chains: bool = False) -> tuple[RolledCode, MachineCode]:
    rolled = (chain_code if chains else subtree_code)(program, kinds, width, shapes, slots)
    return rolled, MachineCode(rolled.ir, optimization=2)


def _local(topology: NDArray[np.int64], bodies: list[int], absolute: bool) -> NDArray[np.int64]:
    """Return the topology of some bodies, their parents counted among them."""
    place = {body: k for k, body in enumerate(bodies)}
    parents, classes, q, v = topology[:, bodies]
    if not absolute:
        q, v = q - q[0], v - v[0]
    local = np.array([place.get(int(parent), -1) for parent in parents], dtype=np.int64)
    return np.concatenate([local, classes, q, v])


def _lined(size: int) -> int:
    """Return a number of doubles rounded up to whole cache lines."""
    return -(-size // 8) * 8


class _Driver:
    """Writes the function that runs trunk and bundles."""

    def __init__(self, program: Program, model: Model, way: Bundles, one: RolledCode,
                 many: RolledCode, classes: Sequence[int]) -> None:
        self._program, self._model, self._way = program, model, way
        self._one, self._many, self._classes = one, many, classes
        self._trunk = {body: k for k, body in enumerate(way.trunk(model.nb))}
        self._inputs = [f'a{k}' for k in range(len(program.inputs))]
        self._lines: list[str] = []
        self._label = 'taken'

    def ir(self) -> str:
        """Return the text."""
        place, rooms = _lined(self._one.work_size(len(self._trunk), 0)), []
        for bundle in self._way.bundles:
            room = {}
            for name in (*self._inputs, 'result', 'rows'):
                room[name] = place
                place += _lined(self._way.width * (
                    self._many.work_size(bundle.size, 0) if name == 'rows'
                    else self._span(name, bundle.roots[0], bundle.size)[1]))
            rooms.append(room)
        parameters = ', '.join(f'ptr %{name}' for name in (*self._inputs, 'world', 'result'))
        self._lines = [DECLARATIONS, *declared(self._program),
                       f'define void @kernel({parameters}) nounwind {{', 'entry:',
                       *take_ir('%work', 8 * place)]
        for number, (bundle, room) in enumerate(zip(self._way.bundles, rooms)):
            for name, offset in room.items():
                self._lines.append(f'  %b{number}.{name} = getelementptr double, ptr %work, '
                                   f'i64 {offset}')
            for name in self._inputs:
                offsets, count = self._offsets(name, bundle)
                self._add(packed_ir, f'p{number}.{name}', f'%{name}', f'%b{number}.{name}',
                          offsets, count)
        for kind, sweeps in phases(self._program):
            for k in sweeps:
                if kind == 'ties':
                    self._lines += ties_in_place(self._program, self._model, k, self._places(),
                                                 self._one.shapes[k - 1])
                elif kind == 'trunk':
                    self._sweep_trunk(k)
                else:
                    for number in range(len(self._way.bundles)):
                        self._sweep_bundle(number, k)
        for number, bundle in enumerate(self._way.bundles):
            offsets, count = self._offsets('result', bundle)
            self._add(unpacked_ir, f'u{number}', '%result', f'%b{number}.result', offsets, count)
        return '\n'.join([*self._lines, *give_ir(), '  ret void', '}'])

    def _places(self) -> dict[int, list[Place]]:
        """Return where the row of each body is, once for each lane that it is in."""
        places: dict[int, list[Place]] = defaultdict(list)

        def note(body: int, code: RolledCode, work: str, hand: int, kept: int, lane: int) -> None:
            lanes = code.width.lanes
            places[body].append(Place(work, hand * lanes + lane, tuple(
                None if slot is None else (kept + slot) * lanes + lane
                for slot in code.tied[self._classes[body]]), lanes))

        for body, k in self._trunk.items():
            note(body, self._one, '%work', (k + 1) * self._one.row, (k + 1) * self._one.row, 0)
        many = self._many
        for number, bundle in enumerate(self._way.bundles):
            for lane, root in enumerate(bundle.roots):
                for k in range(bundle.size):
                    row = (0, k * many.kept) if self._way.chains else ((k + 1) * many.row,) * 2
                    note(root + k, many, f'%b{number}.rows', *row, lane)
        return places

    def _span(self, name: str, root: int, size: int) -> tuple[int, int]:
        """Return first entry and number of entries of a subtree."""
        of_q = name != 'result' and self._program.inputs[int(name[1:])] == 'q'
        model = self._model
        offsets, total = ((model.q_offsets, model.nq) if of_q else (model.v_offsets, model.nv))
        last = root + size
        return offsets[root], (offsets[last] if last < model.nb else total) - offsets[root]

    def _offsets(self, name: str, bundle: Bundle) -> tuple[list[int], int]:
        spans = [self._span(name, root, bundle.size) for root in bundle.roots]
        return [first for first, _ in spans], spans[0][1]

    def _rows(self, bundle: Bundle) -> list[int]:
        """Return where in the trunk's work the rows are on which the subtrees hang."""
        parents = [self._model.parents[root] for root in bundle.roots]
        return [(self._trunk[parent] + 1 if parent >= 0 else 0) * self._one.row
                for parent in parents]

    def _add(self, write: object, name: str, *arguments: object) -> None:
        assert callable(write)
        self._lines += write(name, *arguments, self._label)
        self._label = f'{name}.done'

    def _run(self, name: str, what: str, k: int, number: int, pointers: Sequence[str], count: int
             ) -> None:
        """Write the call of ``begin`` or ``sweep`` k for the trunk (0) or a bundle."""
        sweeps = self._program.swept
        function = 2 * sweeps.index(k) + (what == 'sweep') + (2 * len(sweeps) if number else 0)
        self._lines += call_ir(name, function, 4 * len(sweeps) + 2 * number, pointers, count)

    def _sweep_trunk(self, k: int) -> None:
        pointers = [*(f'%{name}' for name in self._inputs), '%world', '%result', '%work']
        self._run(f't.b{k}', 'begin', k, 0, pointers, len(self._trunk))
        if isinstance(self._program.sweeps[k], Inward):
            for number, bundle in enumerate(self._way.bundles):
                self._add(added_ir, f'i{k}.{number}', '%work', f'%b{number}.rows',
                          self._rows(bundle), bundle.used, self._many.hands[k])
        self._run(f't.s{k}', 'sweep', k, 0, pointers, len(self._trunk))

    def _sweep_bundle(self, number: int, k: int) -> None:
        bundle, b, sweep = self._way.bundles[number], f'b{number}', self._program.sweeps[k]
        pointers = [*(f'%{b}.{name}' for name in self._inputs), '%world', f'%{b}.result',
                    f'%{b}.rows']
        if isinstance(sweep, Outward):
            self._add(packed_ir, f'o{k}.{number}', '%work', f'%{b}.rows', self._rows(bundle),
                      self._many.hands[k])
        elif self._way.chains:
            assert isinstance(sweep, Inward)
            block = StraightLine(f'{b}.z{k}.', {}, self._many.width)
            for entry, value in enumerate(varying(sweep.zero, self._many.shapes[k])):
                self._lines += block.store(value, f'%{b}.rows', entry)
        else:
            self._run(f'{b}.b{k}', 'begin', k, number + 1, pointers, bundle.size)
        self._run(f'{b}.s{k}', 'sweep', k, number + 1, pointers, bundle.size)
