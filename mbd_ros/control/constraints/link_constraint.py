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
Constraints on how a link is placed or moves, from one function on scalars.

A constraint says what ``phi`` (or ``psi``) is of a link's pose (and velocity) and of a reference
that changes with time. What follows from it along the link's motion, ``phi_dot``, ``A`` and ``b``,
is recorded by differentiating, exactly: with the pose's rates ``pdot = v``, ``Rdot = [omega] R``.
Rows of A are wrenches on the link, ``W = d phi / d twist``, times its Jacobian, ``A = W J``.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.constraints.recorded import CompiledRows, differentiated, Known, Rows
from mbd_ros.control.references.arguments import checked_point, require_prepared
from mbd_ros.control.references.scalars import Row, sum_of
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import UnknownNameError
from mbd_ros.execution.ir.trace import Operand, Symbol
from mbd_ros.simulation.manifold import Vector
from mbd_ros.spatial import Rotation, Scalar, Vector3, ZERO3

MOTION = 28
"""Pose (4, 4), velocity (6,) and acceleration (6,), as the kernel ``motion`` gives them."""

AXES3 = (Vector3(1.0, 0.0, 0.0), Vector3(0.0, 1.0, 0.0), Vector3(0.0, 0.0, 1.0))


class Moving(NamedTuple):
    """A link's axes and origin in the world, and the velocity of both, on scalars."""

    rotation: Rotation
    position: Vector3
    velocity: Vector3
    spin: Vector3

    def at(self, point: Vector3 | None) -> Vector3:
        """Return where a point of the link is, its origin if None."""
        return self.position if point is None else self.position + self.rotation.apply(point)


class LinkConstraint(CompiledRows):
    """
    A constraint on one link; a subclass says ``phi`` and, if that changes, the reference.

    ``rows`` is their number, ``data`` what else the function depends on beside the reference.
    ``holonomic``: whether the function is a ``phi`` of the pose, or a ``psi`` of the velocity;
    ``reference_size``: length of the reference with its two rates behind it, zero where it is
    fixed. Raises UnknownNameError or InvalidValueError if the robot has no such link.
    """

    holonomic = True

    def __init__(self, dyn: PreparedDynamics, link: str, rows: int, *data: Hashable) -> None:
        require_prepared(dyn)
        if link not in dyn.model.links:
            raise UnknownNameError('link', link, dyn.model.links)
        self.link = link
        super().__init__(dyn.model, rows, link, data, holonomic=self.holonomic)
        self.quantities = (('jacobian', link), ('motion', link))
        self.state_sizes = (*self.state_sizes, 6 * dyn.model.nv, MOTION)
        self._dyn = dyn

    def function(self, moving: Moving, reference: Row) -> Sequence[Scalar]:
        """Return ``phi`` of a pose, or ``psi`` of a pose and velocity."""
        raise NotImplementedError

    def rows(self, known: Known) -> Rows:
        """Return the rows at a state."""
        jacobian, motion = (known.of_links[quantity] for quantity in self.quantities)
        found, n = self._derived(motion, known.reference), len(known.v)
        return found._replace(matrix=[
            [sum_of(w * jacobian[n * k + j] for k, w in enumerate(wrench)) for j in range(n)]
            for wrench in found.matrix])

    def _state(self, q: Vector, v: Vector) -> tuple[Vector, ...]:
        """Return the state, the Jacobian and the motion of the link."""
        motion = self._dyn.link_motion(q, v, self.link)
        return (q, v, self._dyn.jacobian(q, self.link).ravel(),
                np.concatenate((motion.pose.ravel(), motion.velocity, motion.acceleration)))

    def _where(self, state: tuple[Vector, ...], entry: int) -> tuple[str, str]:
        """Return what is not finite, and where, for an error."""
        return f"constraint on link '{self.link}'", f'its function at {state[3][3:12:4].tolist()}'

    def _derived(self, motion: list[Symbol], reference: list[list[Symbol]]) -> Rows:
        """Return the rows with wrenches in place of A."""
        R = Rotation(*(Vector3(*(motion[4 * row + k] for row in range(3))) for k in range(3)))
        p = Vector3(*(motion[4 * row + 3] for row in range(3)))
        v, spin, acceleration, spin_rate = (
            Vector3(*motion[k:k + 3]) for k in (16, 19, 22, 25))
        known = reference[0] if reference else []
        third = len(known) // 3
        target, rate, second = known[:third], known[third:2 * third], known[2 * third:]
        values = list(self.function(Moving(R, p, v, spin), target))

        def along(linear: Vector3, angular: Vector3) -> dict[Symbol, Operand]:
            """Return the rates of a pose that moves with a twist."""
            turned = [angular.cross(column) for column in R]
            return {**dict(zip(p, linear)), **{
                entry: change for column, changes in zip(R, turned)
                for entry, change in zip(column, changes)}}
        moving = {**along(v, spin), **dict(zip(target, rate)), **dict(zip(v, acceleration)),
                  **dict(zip(spin, spin_rate)), **dict(zip(rate, second))}
        columns: list[dict[Symbol, Operand]] = [{entry: 1.0} for entry in (*v, *spin)]
        if self.holonomic:
            columns = [*(along(axis, ZERO3) for axis in AXES3),
                       *(along(ZERO3, axis) for axis in AXES3)]
        return differentiated(motion[0].trace, values, columns, moving, holonomic=self.holonomic)


def point_of_link(point: ArrayLike | None) -> Vector3 | None:
    """Return a point in a link's axes [m], None for its origin."""
    arm = None if point is None else checked_point('point', point)
    return None if arm is None or not arm.any() else Vector3(*arm.tolist())
