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
The driver for subtrees of equal shape that run in the lanes of a vector, within one state.

The sweeps run on *nodes* (``bundles.py``) instead of bodies. The records of a node with W lanes
hold symbols of W lanes each: ``pack`` makes one of W scalars, ``lane`` takes a scalar out. A
constant that is the same in all lanes stays a float, so that it folds as ever.

Any program of ``Outward`` and ``Inward`` sweeps runs this way, as long as its steps compute with
scalars only by their operators, ``sine`` and ``cosine`` (``spatial/vector.py``), and the records
that ``Inward`` sweeps hand on are summed by ``+``. Between them ``Ties`` run one by one; each lane
carries the rows of loops in slots of its own (``lane_slots.py``).

"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mbd_ros.execution.ir.trace import Operand, Symbol, Trace
from mbd_ros.execution.program.driver import Driver
from mbd_ros.execution.program.records import flatten, mapped
from mbd_ros.execution.program.sweeps import Layout, Program, Tree, Walk
from mbd_ros.execution.unrolled.bundles import Node
from mbd_ros.execution.unrolled.equivalent import alike
from mbd_ros.execution.unrolled.lane_slots import in_slots, inverse, LaneSlots
from mbd_ros.spatial import Joint
from mbd_ros.spatial.joints import Coordinates


def pack(trace: Trace, scalars: Sequence[Operand]) -> Operand:
    """Return a value whose lanes are the scalars; a float if they are the same number."""
    first = scalars[0]
    if not isinstance(first, Symbol):
        if all(scalar == first for scalar in scalars):  # a symbol equals no number
            return first
    elif first.name == 'lane' and list(scalars) == [
            trace.record('lane', first.first, k) for k in range(len(scalars))] and (
            lanes_of(first.first) == len(scalars)):
        vector: Symbol = first.first
        return vector
    return trace.record('pack', tuple(scalars))


def lane(value: Operand, k: int) -> Operand:
    """Return the scalar in lane k."""
    if not isinstance(value, Symbol):
        return value
    if value.name == 'pack':
        scalar: Operand = value.first[k]
        return scalar
    return value.trace.record('lane', value, k)


def summed(value: Operand, lanes: int) -> Operand:
    """Return the sum over all lanes, by halves."""
    if not isinstance(value, Symbol):
        return value * lanes
    if lanes == 2:
        return lane(value, 0) + lane(value, 1)
    first, second = (value.trace.record('half', value, half) for half in (0, 1))
    return summed(first + second, lanes // 2)


def lanes_of(symbol: Symbol) -> int:
    """Return the number of lanes of a value: that of its operands, which are as wide as it."""
    halved = 0
    while symbol.name not in ('pack', 'input', 'lane'):
        halved += symbol.name == 'half'
        symbol = symbol.first if isinstance(symbol.first, Symbol) else symbol.second
    return (len(symbol.first) if symbol.name == 'pack' else 1) >> halved


class ParallelPlan(Driver):
    """
    Runs a program on the nodes of a tree.

    Parameters
    ----------
    program : Program
        Outward and inward sweeps.
    tree : Tree
        Bodies and their parents.
    nodes : sequence of Node
        Bodies that run at the same time, parents first.
    joints : sequence of Joint
        The joints with their coordinates, in the order of the bodies.
    trace : Trace
        Where operations are recorded.

    """

    def __init__(self, program: Program, tree: Tree, nodes: Sequence[Node],
                 joints: Sequence[Joint], trace: Trace) -> None:
        self.tree, self._nodes, self._trace = tree, nodes, trace
        self._place = {i: (number, k) for number, node in enumerate(nodes)
                       for k, i in enumerate(node.bodies[:node.used])}
        self._above = [self._straight_above(node) for node in nodes]
        self._slots = LaneSlots(tree, nodes, self._above)
        self._of_lanes: dict[tuple[int, int], Any] = {}
        super().__init__(program, tree, [
            self._packed(alike([tree.bodies[i]._replace(closes=()) for i in node.bodies]))
            ._replace(closes=self._slots.closes(number)) for number, node in enumerate(nodes)],
            [self._joint([joints[i] for i in node.bodies]) for node in nodes])

    def given_out(self, k: int, out: tuple[Operand, ...]
                  ) -> Iterable[tuple[int, tuple[Operand, ...]]]:
        """Return the bodies of a node with what each gives out."""
        node = self._nodes[k]
        return ((i, self._out_of(out, k, place)) for place, i in enumerate(
            node.bodies[:node.used]))

    def _out_of(self, out: tuple[Operand, ...], number: int, k: int) -> tuple[Operand, ...]:
        if self._nodes[number].lanes == 1:
            return out
        values = [lane(x, k) for x in out]
        if self.program.layout is Layout.MOTION:
            axes = len(self.joints[number].axes)
            back = inverse(self._slots.order(number, k))
            values[axes:] = [value for slot in back for value in (
                values[axes + 2 * slot:axes + 2 * slot + 2] if slot >= 0 else (0.0, 0.0))]
        return tuple(values)

    def handed_on(self, i: int) -> Any:
        """Return what a body or the ground has handed on."""
        if i < 0:
            return self.ground.hand
        number, k = self._place[i]
        return self._in_lane(self.steps[number].hand, number, k)

    def of_ties(self, k: int, sums: Mapping[int, Any], zero: Any) -> Any:
        """Return what a node keeps of the ties at its bodies."""
        bodies = self._nodes[k].bodies
        if sums.keys().isdisjoint(bodies):
            return zero
        return self._in_lanes([sums.get(i, zero) for i in bodies], k)

    def handed_outward(self, k: int) -> Any:
        """Return what a node is handed by the parents of its bodies."""
        above = self._above[k]
        if above is not None:
            return self.steps[above].hand
        return self._in_lanes([self.handed_on(self.tree.parents[i])
                               for i in self._nodes[k].bodies], k)

    def handed_inward(self, k: int, zero: Any) -> Any:
        """Return what a node is handed by all children of its bodies."""
        node = self._nodes[k]
        apart = [self._of_lanes.pop((k, place), None) for place in range(node.used)]
        if any(record is not None for record in apart):
            apart = [zero if record is None else record for record in apart]
            self.add(k, self._in_lanes([*apart, *apart[:1] * (node.lanes - node.used)], k))
        return super().handed_inward(k, zero)

    def hand_inward(self, k: int, hand: Any) -> None:
        """Add what a node hands on to what the nodes above it are handed, in a fixed order."""
        node, parents = self._nodes[k], self.tree.parents
        above = self._above[k]
        if above is not None:
            self.add(above, hand)
            return
        places = [self._place[parents[i]] if parents[i] >= 0 else (-1, 0) for i in node.bodies]
        (to, _), *others = places
        alone = to < 0 or self._nodes[to].lanes == 1
        if (alone and others and all(there == to for there, _ in others)
                and node.used == node.lanes and self._slots.common(k)):
            total = mapped(hand, lambda x: summed(x, node.lanes))
            self.add(to, in_slots(total, inverse(self._slots.order(k, 0))))
            return
        for own, (to, place) in enumerate(places[:node.used]):
            part = self._in_lane(hand, k, own)
            if to < 0 or self._nodes[to].lanes == 1:
                self.add(to, part)
            else:
                before = self._of_lanes.get((to, place))
                self._of_lanes[to, place] = part if before is None else before + part

    def walk(self, walk: Walk, results: list[Operand]) -> None:
        """Refuse: walks do not run in lanes."""
        raise TypeError('Walk does not run in lanes')

    def _straight_above(self, node: Node) -> int | None:
        """Return the node that holds the parents in the same lanes, if there is one."""
        parent = self.tree.parents[node.bodies[0]]
        if parent < 0:
            return None
        number = self._place[parent][0]
        above = tuple(self.tree.parents[i] for i in node.bodies)
        return number if above == self._nodes[number].bodies else None

    def _in_lane(self, record: Any, number: int, k: int) -> Any:
        """Return the record of one lane of a node, with the slots of the tree."""
        if self._nodes[number].lanes == 1:
            return record
        return in_slots(mapped(record, lambda x: lane(x, k)),
                        inverse(self._slots.order(number, k)))

    def _in_lanes(self, records: Sequence[Any], number: int) -> Any:
        """Return records with the slots of the tree as one record of a node."""
        return self._packed(records if len(records) == 1 else [
            in_slots(record, self._slots.order(number, k)) for k, record in enumerate(records)])

    def _packed(self, records: Sequence[Any]) -> Any:
        """Return records of scalars, one for each lane, as one record."""
        if len(records) == 1:
            return records[0]
        leaves = zip(*map(flatten, records))
        return mapped(records[0], lambda _: pack(self._trace, next(leaves)))

    def _joint(self, joints: Sequence[Joint]) -> Joint:
        coordinates = self._packed([Coordinates(j.q, j.v, j.qdd, j.tau) for j in joints])
        return type(joints[0])(coordinates)
