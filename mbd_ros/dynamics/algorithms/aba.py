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
Forward dynamics of trees by the articulated-body algorithm, O(n).

The subtree of a body, its joints free to move, resists the acceleration a of the body as one rigid
body would: ``f = I a + p``. In three passes over the tree:

1. outwards: velocities, and with them c and the gyroscopic wrenches (``body_motion.py``);
2. inwards: the articulated inertia of each subtree. Each axis s of the joint below it is
   eliminated, ``qdd = (tau - s . (I a + p)) / d``, with the rotor's inertia r::

       U = I s      d = s . U + r      u = tau - s . p
       I <- I - U U^T / d              p <- p + U u / d

3. outwards: accelerations, ``a = X a_P``, then for each axis ``qdd = (u - U . a) / d`` and ``a <-
   a + s qdd``, at last ``a <- a + c``.

======================  =========================
here                    Featherstone, table 7.1
======================  =========================
``inertia``             I^A
``wrench``              p^A
``column``              U
``compliance``          D^-1
``drive``               D^-1 u
``coriolis``            c (of classical accelerations)
======================  =========================

A joint of several axes is a chain of massless joints. Closed loops: ``aba_loops.py``.

References
----------
Featherstone, Rigid Body Dynamics Algorithms, 2008, table 7.1.

"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mbd_ros.dynamics.algorithms.body_motion import (
    base_acceleration, no_rotation, velocities, VelocityTerms)
from mbd_ros.dynamics.algorithms.joint_springs import driving
from mbd_ros.execution.program.sweeps import Body, Inward, Outward, Step
from mbd_ros.spatial import ArticulatedInertia, Joint, Scalar, Twist, Wrench, ZERO_WRENCH
from mbd_ros.spatial.inertia import NO_ARTICULATED_INERTIA


class ArticulatedBody(NamedTuple):
    """The equation ``f = I a + p`` of a body with the subtree that it carries."""

    inertia: ArticulatedInertia
    wrench: Wrench

    def __add__(self, other: ArticulatedBody) -> ArticulatedBody:  # type: ignore[override]
        """Return two subtrees on the same parent as one."""
        return ArticulatedBody(self.inertia + other.inertia, self.wrench + other.wrench)


class Pivot(NamedTuple):
    """An axis of a joint, eliminated: ``qdd = drive - column . a``, with column = U / d."""

    axis: int
    column: Wrench
    drive: Scalar


def along_axis(inertia: ArticulatedInertia, axis: int, rotor: Scalar) -> tuple[Wrench, Scalar]:
    """Return U and 1 / d of an axis."""
    column = inertia.column(axis)
    return column, 1.0 / (column.along(axis) + rotor)


def eliminate_axis(subtree: ArticulatedBody, axis: int, effort: Scalar, column: Wrench,
                   compliance: Scalar) -> tuple[ArticulatedBody, Pivot]:
    """Return what resists an acceleration beyond an axis whose effort is given."""
    drive = (effort - subtree.wrench.along(axis)) * compliance
    beyond = ArticulatedBody(subtree.inertia.minus_square(column, compliance),
                             subtree.wrench + column * drive)
    return beyond, Pivot(axis, column * compliance, drive)


def joint_accelerations(pivots: Sequence[Pivot], drives: Sequence[Scalar], acceleration: Twist
                        ) -> tuple[tuple[Scalar, ...], Twist]:
    """Return qdd of a joint, and the acceleration beyond it, from that before it."""
    rates = []
    for pivot, drive in zip(reversed(pivots), reversed(drives)):
        rate = drive - pivot.column.dot(acceleration)
        acceleration = acceleration.plus_along(pivot.axis, rate)
        rates.append(rate)
    return tuple(reversed(rates)), acceleration


def articulate(body: Body, joint: Joint, children: ArticulatedBody, terms: VelocityTerms) -> Step:
    """Inward: add what the children resist, and eliminate the axes of the joint."""
    subtree = ArticulatedBody(body.inertia.articulated(), terms.wrench) + children
    subtree = subtree._replace(wrench=subtree.wrench + subtree.inertia.apply(terms.coriolis))
    pivots = []
    for axis, effort, rotor in zip(joint.axes, driving(body, joint), body.armature):
        subtree, pivot = eliminate_axis(subtree, axis, effort,
                                        *along_axis(subtree.inertia, axis, rotor))
        pivots.append(pivot)
    return Step(hand=ArticulatedBody(terms.link.articulated_to_parent(subtree.inertia),
                                     terms.link.wrench_to_parent(subtree.wrench)),
                keep=tuple(pivots))


def accelerate(body: Body, joint: Joint, parent: Twist, terms: VelocityTerms,
               pivots: tuple[Pivot, ...]) -> Step:
    """Outward: the joint's accelerations and the body's."""
    rates, acceleration = joint_accelerations(
        pivots, [pivot.drive for pivot in pivots], terms.link.twist_to_child(parent))
    return Step(hand=acceleration + terms.coriolis, out=rates)


ARTICULATED_BODIES = (
    Outward(velocities, no_rotation),
    Inward(articulate, ArticulatedBody(NO_ARTICULATED_INERTIA, ZERO_WRENCH)),
    Outward(accelerate, base_acceleration))
"""The three passes; ``forward_dynamics.py`` makes a program of them."""
