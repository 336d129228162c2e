"""
The driver for subtrees of equal shape that run in the lanes of a vector, within one state.

It runs the sweeps on *nodes* (``bundles.py``) instead of bodies. The records of a node with W
lanes hold symbols of W lanes each: ``pack`` makes one of W scalars, ``lane`` takes a scalar out.
A constant that is the same in all lanes stays a float, so that it folds as ever.

Any program of ``Outward`` and ``Inward`` sweeps runs this way, as long as its steps compute with
scalars only by their operators, ``sine`` and ``cosine`` (``spatial/vector.py``), and the records
that ``Inward`` sweeps hand on are summed by ``+``. Between them ``Ties`` run one by one; each lane
carries the rows of loops in slots of its own (``lane_slots.py``).

"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any

from mbd_ros.execution.ir.trace import Operand, Symbol, Trace
from mbd_ros.execution.program.records import flatten, mapped
from mbd_ros.execution.program.sweeps import (
    Inward, Layout, Outward, place_out, Program, Step, tie_all, Ties, Tree, World)
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


class SideBySide:
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
        self._program, self._tree, self._nodes, self._trace = program, tree, nodes, trace
        self._place = {i: (number, k) for number, node in enumerate(nodes)
                       for k, i in enumerate(node.bodies[:node.used])}
        self._above = [self._straight_above(node) for node in nodes]
        self._slots = LaneSlots(tree, nodes, self._above)
        self._bodies = [
            self._packed(alike([tree.bodies[i]._replace(closes=()) for i in node.bodies]))
            ._replace(closes=self._slots.closes(number)) for number, node in enumerate(nodes)]
        self._joints = [self._joint([joints[i] for i in node.bodies]) for node in nodes]

    def run(self, world: World) -> list[Operand]:
        """Return the result, flat in row-major order."""
        kept: list[tuple[Any, ...]] = [()] * len(self._nodes)
        results: list[Operand] = [0.0] * self._size()
        ground, steps = Step(), list[Step]()
        for sweep in self._program.sweeps:
            if isinstance(sweep, Ties):
                self._tie(sweep, world, ground, steps, kept)
                continue
            if isinstance(sweep, Outward):
                ground = (sweep.start(world, ground.hand) if sweep.settles
                          else Step(sweep.start(world)))
                steps = self._outward(sweep, ground.hand, kept)
            elif isinstance(sweep, Inward):
                ground, steps = self._inward(sweep, kept)
            else:
                raise TypeError(f'{type(sweep).__name__} does not run in lanes')
            if ground.out:
                place_out(self._program, self._tree, -1, ground.out, results)
            for number, (node, step) in enumerate(zip(self._nodes, steps)):
                if step.keep is not None:
                    kept[number] = (*kept[number], step.keep)
                for k, i in enumerate(node.bodies[:node.used]):
                    if step.out:
                        place_out(self._program, self._tree, i,
                                  self._given_out(step.out, number, k), results)
        return results

    def _given_out(self, out: tuple[Operand, ...], number: int, k: int) -> tuple[Operand, ...]:
        """Return what body k of a node gives out."""
        if self._nodes[number].lanes == 1:
            return out
        values = [lane(x, k) for x in out]
        if self._program.layout is Layout.MOTION:
            axes = len(self._joints[number].axes)
            back = inverse(self._slots.order(number, k))
            values[axes:] = [value for slot in back for value in (
                values[axes + 2 * slot:axes + 2 * slot + 2] if slot >= 0 else (0.0, 0.0))]
        return tuple(values)

    def _handed(self, i: int, ground: Any, steps: Sequence[Step]) -> Any:
        """Return what a body or the ground has handed on."""
        if i < 0:
            return ground
        number, k = self._place[i]
        return self._in_lane(steps[number].hand, number, k)

    def _tie(self, sweep: Ties, world: World, ground: Step, steps: Sequence[Step],
             kept: list[tuple[Any, ...]]) -> None:
        sums, _ = tie_all(sweep, self._tree.ties, world,
                          lambda i: self._handed(i, ground.hand, steps))
        for number, node in enumerate(self._nodes):
            record = sweep.zero if sums.keys().isdisjoint(node.bodies) else self._in_lanes(
                [sums.get(i, sweep.zero) for i in node.bodies], number)
            kept[number] = (*kept[number], record)

    def _outward(self, sweep: Outward, ground: Any, kept: Sequence[tuple[Any, ...]]
                 ) -> list[Step]:
        steps: list[Step] = []
        for number, node in enumerate(self._nodes):
            above = self._above[number]
            record = (steps[above].hand if above is not None else self._in_lanes(
                [self._handed(self._tree.parents[i], ground, steps) for i in node.bodies],
                number))
            steps.append(sweep.step(self._bodies[number], self._joints[number], record,
                                    *kept[number]))
        return steps

    def _inward(self, sweep: Inward, kept: Sequence[tuple[Any, ...]]) -> tuple[Step, list[Step]]:
        """Return the steps of the ground, which hands on what it was handed, and of all nodes."""
        count = len(self._nodes)
        sums: list[Any] = [None] * (count + 1)  # the ground's is the last
        of_lanes: list[dict[int, Any]] = [{} for _ in range(count)]
        steps: list[Step] = [Step()] * count
        for number in reversed(range(count)):
            node = self._nodes[number]
            if of_lanes[number]:
                apart = self._in_lanes([of_lanes[number].get(
                    k if k < node.used else 0, sweep.zero) for k in range(node.lanes)], number)
                sums[number] = _total(sums[number], apart)
            handed = sweep.zero if sums[number] is None else sums[number]
            steps[number] = sweep.step(self._bodies[number], self._joints[number], handed,
                                       *kept[number])
            self._hand_inward(number, steps[number].hand, sums, of_lanes)
        return Step(sweep.zero if sums[-1] is None else sums[-1]), steps

    def _hand_inward(self, number: int, hand: Any, sums: list[Any],
                     of_lanes: list[dict[int, Any]]) -> None:
        """Add what a node hands on to the sums of the nodes above it, in a fixed order."""
        node, parents = self._nodes[number], self._tree.parents
        above = self._above[number]
        if above is not None:
            sums[above] = _total(sums[above], hand)
            return
        places = [self._place[parents[i]] if parents[i] >= 0 else (-1, 0) for i in node.bodies]
        (to, _), *others = places
        alone = to < 0 or self._nodes[to].lanes == 1
        if (alone and others and all(there == to for there, _ in others)
                and node.used == node.lanes and self._slots.common(number)):
            total = mapped(hand, lambda x: summed(x, node.lanes))
            sums[to] = _total(sums[to], in_slots(total, inverse(self._slots.order(number, 0))))
            return
        for own, (to, k) in enumerate(places[:node.used]):
            part = self._in_lane(hand, number, own)
            if to < 0 or self._nodes[to].lanes == 1:
                sums[to] = _total(sums[to], part)
            else:
                of_lanes[to][k] = _total(of_lanes[to].get(k), part)

    def _straight_above(self, node: Node) -> int | None:
        """Return the node that holds the parents in the same lanes, if there is one."""
        parent = self._tree.parents[node.bodies[0]]
        if parent < 0:
            return None
        number = self._place[parent][0]
        above = tuple(self._tree.parents[i] for i in node.bodies)
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

    def _size(self) -> int:
        tree = self._tree
        return math.prod(self._program.shape(len(tree.bodies), tree.nv, tree.count))


def _total(total: Any, part: Any) -> Any:
    return part if total is None else total + part
