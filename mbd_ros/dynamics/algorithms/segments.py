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
Trees and closed loops whose long chains are cut into segments that run side by side.

Between two segments of a chain there is one body. It is taken off its joint: it floats, and the
directions in which the joint does not move become rows that tie it to the last body T of the
segment before, like those of any joint that closes a loop. With e an axis of the body that its
joint leaves out, a its acceleration and X, c as in ``body_motion.py``::

    e . (a - X a_T - c) = 0

A segment is then a branch with the rows at its last body, an articulated body with two handles;
all segments are eliminated at the same time. The body that floats frees its six axes and closes
nothing; all rows meet at the ground. So the elimination is that of ``aba_loops.py``, of
another robot with the same motion. An axis whose rotor has inertia r is a row as well, of
compliance 1/r: its multiplier is ``tau - r qdd``.

Poses and velocities are surveyed in each segment against its parent first.

References
----------
Featherstone, A divide-and-conquer articulated-body algorithm, 1999, joins such segments by their
handles; Fijany, Sharf, D'Eleuterio, Parallel O(log n) algorithms for computation of manipulator
forward dynamics, 1995, by the constraint forces between them, as here.

"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from mbd_ros.dynamics.algorithms.aba_loops import (
    accelerate, articulate, base_reaction, carried_nothing, close_at_ground, CutRow, Eliminated,
    LoopLoads, LoopSubtree, no_loop_loads, NO_ROW, Reaction)
from mbd_ros.dynamics.algorithms.body_motion import (
    base_acceleration, body_state, BodyState, ground_state, states, states_along, VelocityTerms)
from mbd_ros.dynamics.algorithms.joint_springs import driving
from mbd_ros.dynamics.algorithms.loop_rows import apply_tie, Balance
from mbd_ros.execution.program.driver import tie_all
from mbd_ros.execution.program.sweeps import Body, Inward, Outward, Step, Tie, Ties, Tree, World
from mbd_ros.spatial import (
    IDENTITY, Joint, Link, Scalar, Twist, Vector3, Wrench, ZERO3, ZERO_TWIST, ZERO_WRENCH)
from mbd_ros.spatial.inertia import NO_ARTICULATED_INERTIA
from mbd_ros.spatial.joints import Coordinates, Floating

ORDER = (3, 4, 5, 0, 1, 2)
"""Axes of the rows between segments: points first, as rows of loop joints."""
FREE = Floating(Coordinates((0.0,) * 7, (0.0,) * 6, (0.0,) * 6, (0.0,) * 6))
AT_PARENT = Link(IDENTITY, ZERO3)


class Hinge(NamedTuple):
    """The joint a body is taken off: its rows (slot, axis), and those with a rotor's inertia."""

    rows: tuple[tuple[int, int], ...]
    rotors: dict[int, Scalar]


def survey(body: Body, joint: Joint, parent: BodyState) -> Step:
    """Outward: pose and velocity against the segment's parent."""
    link = joint.link(body.placement)
    return Step(hand=body_state(joint, link, parent), keep=link)


def move(body: Body, joint: Joint, parent: BodyState, link: Link) -> Step:
    """Outward: true pose and velocity, as far as they are read, and what follows from them."""
    return states_along(body, joint, link, parent)


def eliminate(body: Body, joint: Joint, beyond: LoopSubtree, link: Link,
              moving: VelocityTerms) -> Step:
    """Inward: project out the joint of a body between ties."""
    return articulate(body, joint, beyond, moving, no_loop_loads(len(beyond.rows)))


def release(body: Body, joint: Joint, parent: Reaction, link: Link, moving: VelocityTerms,
            freed: Eliminated) -> Step:
    """Outward: the joint's accelerations."""
    return accelerate(False, body, joint, parent, moving, freed)


SWEEPS = (Outward(survey, ground_state), Outward(move, ground_state),
          Inward(eliminate, None), Outward(release, base_reaction))
"""Of a segment; what they are handed, the other bodies say."""


class BetweenSegments:
    """
    What happens at the bodies that are in no segment: between the sweeps of the segments.

    Parameters
    ----------
    balance : callable, optional
        As in ``loop_rows.py``; None where there are no loops.
    tree : Tree
        The bodies.
    joints : sequence of Joint
        Their joints; those of segments are not used.
    world : World
        Gravity.
    firsts : sequence of int
        First bodies of the segments; each segment is a chain, with ties and children at its last
        body alone, and its parent is in none.
    length : int
        Number of bodies of each.

    """

    sweeps = SWEEPS

    def __init__(self, balance: Balance | None, tree: Tree, joints: Sequence[Joint], world: World,
                 firsts: Sequence[int], length: int) -> None:
        self._tree, self._joints, self._world = tree, joints, world
        self._parents = [tree.parents[first] for first in firsts]
        self._tips = {first + length - 1: k for k, first in enumerate(firsts)}
        inside = {first + k for first in firsts for k in range(length)}
        self._others = [i for i in range(len(tree.bodies)) if i not in inside]
        self._hinges: dict[int, Hinge] = {}
        slots = 0
        for i in self._others:
            if tree.parents[i] in self._tips:
                rotors = dict(zip(joints[i].axes, tree.bodies[i].armature))
                axes = [axis for axis in ORDER if rotors.get(axis, 1.0)]
                self._hinges[i] = Hinge(tuple(enumerate(axes, slots)), rotors)
                slots += len(axes)
        ends = [({i, tree.parents[i]}, [slot for slot, _ in hinge.rows])
                for i, hinge in self._hinges.items()]
        self._ties: list[Tie] = []
        for tie in tree.ties:
            taken = {slot: slots + k for k, slot in enumerate(sorted(tie.slots))}
            self._ties.append(tie._replace(slots=tuple(taken[slot] for slot in tie.slots)))
            ends.append(({tie.first, tie.second}, list(taken.values())))
            slots += len(taken)
        self._slots = slots
        self._balance = balance
        carried: list[list[int]] = [[] for _ in firsts]
        self._closes: dict[int, list[int]] = {i: [] for i in (-1, *self._others)}
        for bodies, rows in ends:
            ways = [self._way(body) for body in bodies]
            self._closes[next(i for i in ways[0] if all(i in way for way in ways))] += rows
            for body in bodies & self._tips.keys():
                carried[self._tips[body]] += rows
        most = max(map(len, carried))
        self._carried = [[*rows, *[-1] * (most - len(rows))] for rows in carried]
        self._seen: dict[int, BodyState] = {-1: ground_state(world)}
        self._moving: dict[int, VelocityTerms] = {}
        self._held: dict[int, LoopLoads] = {}

    def _way(self, body: int) -> list[int]:
        """Return the bodies from one to the ground that are in no segment, the ground last."""
        way = []
        while body >= 0:
            if body in self._tips:
                body = self._parents[self._tips[body]]
                continue
            way.append(body)
            body = -1 if body in self._hinges else self._tree.parents[body]
        return [*way, -1]

    def outward(self, surveyed: Sequence[BodyState]) -> list[BodyState]:
        """Return poses and velocities of the segments' parents."""
        lasts = {tip: surveyed[k] for tip, k in self._tips.items()}

        def body_state(body: int) -> BodyState:
            if body not in self._seen:
                parent, last = self._seen[self._parents[self._tips[body]]], lasts[body]
                self._seen[body] = BodyState(
                    parent.pose.compose(last.pose),
                    last.velocity + last.pose.twist_to_child(parent.velocity))
            return self._seen[body]

        for i in self._others:
            step = states(self._tree.bodies[i], self._joints[i], body_state(self._tree.parents[i]))
            self._seen[i], self._moving[i] = step.hand, step.keep
        for tip in self._tips:
            body_state(tip)
        return [self._seen[parent] for parent in self._parents]

    def tie(self) -> list[LoopSubtree]:
        """Return what is beyond the last body of each segment."""
        none = no_loop_loads(self._slots)
        if self._balance is not None:
            step = partial(apply_tie, self._slots, self._balance, True, True)
            self._held, _ = tie_all(Ties(step, none), self._ties, self._world,
                                    self._seen.__getitem__)
        for i, hinge in self._hinges.items():
            own, others = self._hung(i, hinge)
            for body, held in ((i, own), (self._tree.parents[i], others)):
                self._held[body] = self._held.get(body, none) + held
        beyond = []
        for tip, k in self._tips.items():
            held = self._held.get(tip, none)
            beyond.append(carried_nothing(self._slots)._replace(
                wrench=held.load * -1.0, rows=held.rows).in_slots(self._carried[k]))
        return beyond

    def _hung(self, i: int, hinge: Hinge) -> tuple[LoopLoads, LoopLoads]:
        """Return what its joint does to a body, and to the one before it."""
        moving, joint = self._moving[i], self._joints[i]
        efforts = dict(zip(joint.axes, driving(self._tree.bodies[i], joint)))
        rows, others = [NO_ROW] * self._slots, [NO_ROW] * self._slots
        for slot, axis in hinge.rows:
            rest = -_entry(moving.coriolis, axis)
            if axis in efforts:
                rest = rest - efforts.pop(axis) * (1.0 / hinge.rotors[axis])
            rows[slot] = CutRow(_unit(axis), rest, 0.0)
            others[slot] = CutRow(moving.link.wrench_to_parent(_unit(axis)) * -1.0, 0.0, 0.0)
        load = ZERO_WRENCH
        for axis, effort in efforts.items():
            load = load + _unit(axis) * effort
        none = (0.0,) * self._slots
        return (LoopLoads(load, tuple(rows), none),
                LoopLoads(moving.link.wrench_to_parent(load) * -1.0, tuple(others), none))

    def solve_between(self, handed: Sequence[LoopSubtree]
                      ) -> tuple[list[Reaction], dict[int, Scalar]]:
        """Return what the segments are handed, and accelerations by entry of v."""
        none, order = no_loop_loads(self._slots), range(self._slots)
        sums: dict[int, LoopSubtree] = {
            i: carried_nothing(self._slots) for i in (-1, *self._others)}
        for parent, branch, carried in zip(self._parents, handed, self._carried):
            sums[parent] = sums[parent] + branch.in_slots(
                [carried.index(slot) if slot in carried else -1 for slot in order])
        kept = {}
        for i in reversed(self._others):
            step = articulate(*self._at(i), sums[i], self._carrier(i), self._held.get(i, none))
            parent, hand = self._tree.parents[i], step.hand
            if i in self._hinges:  # all six axes are free: the ground feels but the rows
                parent, hand = -1, self._afloat(i, hand)
            sums[parent] = sums[parent] + hand
            kept[i] = step.keep
        ground = close_at_ground(self._slots, False, base_acceleration, self._world,
                                 self._sure(sums[-1]))
        self._reactions: dict[int, Reaction] = {-1: ground.hand}
        results: dict[int, Scalar] = {}
        for i in self._others:
            before = (ground.hand._replace(acceleration=ZERO_TWIST) if i in self._hinges
                      else self._reactions[self._tree.parents[i]])
            step = accelerate(False, *self._at(i), before, self._carrier(i), kept[i])
            self._reactions[i] = step.hand
            if i not in self._hinges:
                results.update(enumerate(step.out, self._tree.v_offsets[i]))
        return ([self._reactions[parent].in_slots(carried)
                 for parent, carried in zip(self._parents, self._carried)], results)

    def _at(self, i: int) -> tuple[Body, Joint]:
        """Return a body and the joint on which it moves now."""
        body = self._tree.bodies[i]._replace(closes=tuple(self._closes[i]))
        if i in self._hinges:
            return body._replace(armature=(0.0,) * 6, springs=()), FREE
        return body, self._joints[i]

    def _carrier(self, i: int) -> VelocityTerms:
        """Return the motion of a body relative to its present parent."""
        moving = self._moving[i]
        return (moving._replace(link=AT_PARENT, coriolis=ZERO_TWIST) if i in self._hinges
                else moving)

    def _afloat(self, i: int, hand: LoopSubtree) -> LoopSubtree:
        """Return the rows that a floating body hands to the ground, and those of its rotors."""
        compliances = {slot: 1.0 / self._hinges[i].rotors[axis]
                       for slot, axis in self._hinges[i].rows if axis in self._hinges[i].rotors}
        return LoopSubtree(NO_ARTICULATED_INERTIA, ZERO_WRENCH,
                           tuple(row._replace(wrench=ZERO_WRENCH) for row in hand.rows),
                           tuple((*line[:-1], line[-1] + compliances.get(r, 0.0))
                                 for r, line in enumerate(hand.couplings)))

    def _sure(self, branch: LoopSubtree) -> LoopSubtree:
        """Return a branch whose rows between segments depend on no others: bodies have mass."""
        between = {slot for hinge in self._hinges.values() for slot, _ in hinge.rows}
        return branch._replace(rows=tuple(row._replace(size=0.0) if slot in between else row
                                          for slot, row in enumerate(branch.rows)))

    def rates(self, handed: Sequence[Reaction]) -> dict[int, Scalar]:
        """Return the accelerations of the joints between segments by entry of v."""
        results: dict[int, Scalar] = {}
        for i in self._hinges:
            moving, own = self._moving[i], self._reactions[i].acceleration
            before = moving.link.twist_to_child(
                handed[self._tips[self._tree.parents[i]]].acceleration) + moving.coriolis
            results.update(enumerate((_entry(own, axis) - _entry(before, axis)
                                      for axis in self._joints[i].axes), self._tree.v_offsets[i]))
        return results


def _unit(axis: int) -> Wrench:
    """Return the unit moment or force along an axis."""
    entries = [1.0 if k == axis else 0.0 for k in range(6)]
    return Wrench(Vector3(*entries[:3]), Vector3(*entries[3:]))


def _entry(twist: Twist, axis: int) -> Scalar:
    return (*twist.angular, *twist.linear)[axis]
