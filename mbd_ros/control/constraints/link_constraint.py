"""
Constraints on how a link is placed or moves, from one function on scalars.

A constraint says what ``phi`` (or ``psi``) is of a link's pose (and velocity) and of a reference
that changes with time. What follows from it along the link's motion, ``phi_dot``, ``A`` and ``b``,
is recorded by differentiating, exactly: with the pose's rates ``pdot = v``, ``Rdot = [omega] R``.
Rows of A are wrenches on the link, ``W = d phi / d twist``, times its Jacobian, ``A = W J``.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.constraints.compiled_rows import CompiledRows
from mbd_ros.control.constraints.recorded import Known, Rows
from mbd_ros.control.references.arguments import checked_point, require_prepared
from mbd_ros.control.references.scalars import Row, sum_of
from mbd_ros.control.references.time_code import TimeCode
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import UnknownNameError
from mbd_ros.execution.ir.differentiation import tangents
from mbd_ros.execution.ir.trace import Operand, Symbol, Trace
from mbd_ros.simulation.manifold import Matrix, Vector
from mbd_ros.spatial import Rotation, Scalar, Vector3

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
    ``reference_sizes``: length of the reference with its two rates behind it, none where it is
    fixed. Raises UnknownNameError or InvalidValueError if the robot has no such link.
    """

    holonomic = True

    def __init__(self, dyn: PreparedDynamics, link: str, rows: int, *data: Hashable) -> None:
        require_prepared(dyn)
        if link not in dyn.model.links:
            raise UnknownNameError('link', link, dyn.model.links)
        self.link = link
        super().__init__(dyn.model, (rows if self.holonomic else 0, rows, rows), link, data)
        self.quantities = (('jacobian', link), ('motion', link))
        self.state_sizes = (MOTION,)
        self._dyn = dyn

    def function(self, moving: Moving, reference: Row) -> Sequence[Scalar]:
        """Return ``phi`` of a pose, or ``psi`` of a pose and velocity."""
        raise NotImplementedError

    @functools.cached_property
    def _codes(self) -> tuple[TimeCode, ...] | None:
        return self._coded()

    def time_codes(self) -> tuple[TimeCode, ...] | None:
        """Return machine code for the reference, None where a user's class gives it."""
        return self._codes

    def _coded(self) -> tuple[TimeCode, ...] | None:
        """Return it, made for the first time."""
        return None if self.reference_sizes else ()

    def reference(self, t: float) -> tuple[Vector, ...]:
        """Return what the function's reference is at a time [s], its two rates behind it."""
        codes = self._codes
        return self._followed(t) if codes is None else tuple([code(t) for code in codes])

    def _followed(self, t: float) -> tuple[Vector, ...]:
        """Return the reference from a user's path or orientation."""
        raise NotImplementedError

    def rows(self, known: Known) -> Rows:
        """Return the rows at a state."""
        jacobian, motion = (known.of_links[quantity] for quantity in self.quantities)
        phi, rate, wrenches, b = self._derived(motion, known.reference)
        n = len(known.v)
        matrix = [[sum_of(w * jacobian[n * k + j] for k, w in enumerate(wrench))
                   for j in range(n)] for wrench in wrenches]
        return Rows(phi, rate, matrix, b)

    def record(self, _: Trace, *given: list[Symbol]) -> list[Operand]:
        """Return phi, its rate, b and wrenches for a motion and the reference, on symbols."""
        motion, *reference = given
        phi, rate, wrenches, b = self._derived(motion, reference)
        return [*phi, *rate, *b, *(entry for wrench in wrenches for entry in wrench)]

    def matrix(self, q: Vector, v: Vector, t: float) -> Matrix:
        """Return ``A`` (m, nv)."""
        matrix: Matrix = super().matrix(q, v, t).dot(self._dyn.jacobian(q, self.link))
        return matrix

    def _state(self, q: Vector, v: Vector) -> tuple[Vector, ...]:
        """Return the motion of the link."""
        motion = self._dyn.link_motion(q, v, self.link)
        return (np.concatenate((motion.pose.ravel(), motion.velocity, motion.acceleration)),)

    def _where(self, state: tuple[Vector, ...], entry: int) -> tuple[str, str]:
        """Return what is not finite, and where, for an error."""
        return f"constraint on link '{self.link}'", f'its function at {state[0][3:12:4].tolist()}'

    def _derived(self, motion: list[Symbol], reference: list[list[Symbol]]
                 ) -> tuple[Row, Row, list[Row], Row]:
        """Return phi, its rate, wrenches and b; psi without phi."""
        R = Rotation(*(Vector3(*(motion[4 * row + k] for row in range(3))) for k in range(3)))
        p = Vector3(*(motion[4 * row + 3] for row in range(3)))
        v, spin, acceleration, spin_rate = (
            Vector3(*motion[k:k + 3]) for k in (16, 19, 22, 25))
        trace = motion[0].trace
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
        zero = Vector3(0.0, 0.0, 0.0)
        if self.holonomic:
            rates = tangents(trace, values, moving)
            columns = [along(axis, zero) for axis in AXES3] + [along(zero, axis) for axis in AXES3]
        else:
            values, rates = [], values
            columns = [{entry: 1.0} for entry in (*v, *spin)]
        slopes = [tangents(trace, values or rates, column) for column in columns]
        wrenches = [[slope[i] for slope in slopes] for i in range(len(rates))]
        return values, rates, wrenches, [-x for x in tangents(trace, rates, moving)]


def point_of_link(point: ArrayLike | None) -> Vector3 | None:
    """Return a point in a link's axes [m], None for its origin."""
    arm = None if point is None else checked_point('point', point)
    return None if arm is None or not arm.any() else Vector3(*arm.tolist())
