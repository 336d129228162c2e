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
The steps of the articulated-body algorithm for trees and closed loops, at one body each.

From the tips inwards a branch hands its articulated inertia and the rows of the loops that it
carries (``branches.py``), none in a tree; where the branches of a loop meet, its rows are
eliminated like axes of joints. Outwards, accelerations and multipliers follow. ``recursive.py``
makes programs of them, ``segments.py`` runs them on segments of long chains.

References
----------
As in ``recursive.py``.

"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mbd_ros.dynamics.formulations.branches import (
    added, Branch, close_all, Closed, Pivot, react, Reaction, yield_to)
from mbd_ros.dynamics.formulations.motion import base_acceleration, Moving, turn
from mbd_ros.dynamics.formulations.rows import coordinate, Seen
from mbd_ros.dynamics.formulations.ties import Held
from mbd_ros.environment.law import Motion, surroundings
from mbd_ros.execution.program.sweeps import Body, Step, World
from mbd_ros.spatial import IDENTITY, Joint, Link, Scalar, Twist, ZERO3, ZERO_TWIST, ZERO_WRENCH

Freed = tuple[tuple[Pivot, ...], tuple[Closed, ...]]
"""What a body keeps of its joint's axes and of the rows closed there."""


def on_ground(world: World) -> Seen:
    """Return pose and velocity of the ground."""
    return Seen(Link(IDENTITY, ZERO3), ZERO_TWIST)


def sight(joint: Joint, link: Link, parent: Seen) -> Seen:
    """Return pose and velocity of a body."""
    return Seen(parent.pose.compose(link),
                link.twist_to_child(parent.velocity) + joint.span(joint.v), *coordinate(joint))


def look(body: Body, joint: Joint, parent: Seen) -> Step:
    """Outward: pose and velocity, for springs and force laws; what these laws add."""
    seen = sight(joint, joint.link(body.placement), parent)
    return Step(hand=seen, keep=surroundings(body, Motion(seen.pose, seen.velocity)))


def see(body: Body, joint: Joint, parent: Seen) -> Step:
    """Outward: pose and velocity, for ties and force laws; what velocities alone say."""
    return see_along(body, joint, joint.link(body.placement), parent)


def see_along(body: Body, joint: Joint, link: Link, parent: Seen) -> Step:
    """Return the same where the link is known."""
    seen = sight(joint, link, parent)
    velocity, coriolis = turn(joint, link, parent.velocity.angular)
    bias, added = surroundings(body, Motion(seen.pose, seen.velocity))
    return Step(hand=seen, keep=Moving(link, coriolis, body.inertia.gyroscopic(velocity) + bias,
                                       added))


def see_still(body: Body, joint: Joint, parent: Seen) -> Step:
    """Outward: as ``see``, for a question in which velocities cause no accelerations."""
    step = see(body, joint, parent)
    return step._replace(keep=step.keep._replace(coriolis=ZERO_TWIST, wrench=ZERO_WRENCH))


def articulate(body: Body, joint: Joint, children: Branch, moving: Moving,
               held: Held | None = None) -> Step:
    """Inward: close the loops whose branches meet here, then project out the joint's axes."""
    branch = Branch(body.inertia.articulated() + moving.added + children.inertia,
                    moving.wrench + children.wrench, children.rows, children.couplings)
    efforts: tuple[Scalar, ...] = ()
    if held is not None:  # by ties; what has none is a tree
        branch = branch._replace(wrench=branch.wrench + held.load * -1.0,
                                 rows=added(branch.rows, held.rows))
        efforts = held.efforts
    branch, closed = close_all(branch, body.closes if branch.rows else ())
    branch = branch._replace(
        wrench=branch.wrench + branch.inertia.apply(moving.coriolis),
        rows=tuple(row._replace(rest=row.rest + row.wrench.dot(moving.coriolis))
                   for row in branch.rows))
    pivots = []
    for axis, effort, rotor in zip(joint.axes, joint.tau, body.armature):
        branch, pivot = yield_to(branch, axis, effort, rotor, efforts)
        pivots.append(pivot)
    link = moving.link
    return Step(hand=Branch(link.articulated_to_parent(branch.inertia),
                            link.wrench_to_parent(branch.wrench),
                            tuple(row._replace(wrench=link.wrench_to_parent(row.wrench))
                                  for row in branch.rows), branch.couplings),
                keep=(tuple(pivots), closed))


def base_reaction(world: World) -> Reaction:
    """Return what the base of a tree hands outwards."""
    return Reaction(base_acceleration(world), ())


def at_rest(world: World) -> Twist:
    """Return the base acceleration without gravity."""
    return ZERO_TWIST


def settle(slots: int, reports: bool, ground: Callable[[World], Twist], world: World,
           branch: Branch) -> Step:
    """Close the loops that meet at the ground, whose acceleration accounts for gravity."""
    _, closed = close_all(branch, range(slots))
    return _react_all(slots, reports, Reaction(ground(world), (0.0,) * slots),
                      tuple(zip(range(slots), closed)), ())


def accelerate(reports: bool, body: Body, joint: Joint, parent: Reaction, moving: Moving,
               *kept: Any) -> Step:
    """Outward: the joint's accelerations, then the multipliers of the loops that meet here."""
    freed: Freed = kept[-1]
    pivots, closed = freed
    acceleration = moving.link.twist_to_child(parent.acceleration)
    rates = []
    for axis, column, drive, pulls in reversed(pivots):
        rate = drive  # what does not wait for the acceleration first
        for pull_r, multiplier in zip(pulls, parent.multipliers):
            rate = rate + pull_r * multiplier
        rate = rate - column.dot(acceleration)
        acceleration = acceleration.plus_along(axis, rate)
        rates.append(rate)
    reaction = Reaction(acceleration + moving.coriolis, parent.multipliers)
    return _react_all(len(parent.multipliers), reports, reaction,
                      tuple(zip(body.closes, closed)), tuple(reversed(rates)))


def _react_all(slots: int, reports: bool, reaction: Reaction,
               closed: tuple[tuple[int, Closed], ...], rates: tuple[Scalar, ...]) -> Step:
    """Return the step of a body once the multipliers of the rows closed there are known."""
    multipliers, report = list(reaction.multipliers), [0.0] * (2 * slots)
    for slot, _ in closed:
        multipliers[slot] = 0.0
    for slot, row in reversed(closed):
        multipliers[slot] = react(row, reaction.acceleration, tuple(multipliers))
        report[2 * slot:2 * slot + 2] = multipliers[slot], row.independence
    return Step(hand=reaction._replace(multipliers=tuple(multipliers)),
                out=(*rates, *report) if reports else rates)
