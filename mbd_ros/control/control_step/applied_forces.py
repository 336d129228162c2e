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
Forces that the nominal model applies beside the constraint force.

The Udwadia-Kalaba force does no work along the constraint manifold: whatever the constraint leaves
free moves as a passive mechanism under gravity would, it falls and swings. A robot with more
joints than constraint rows therefore needs an applied force that holds the free part.
"""

from __future__ import annotations

from collections.abc import Iterable
import math
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.references.paths import quintic
from mbd_ros.control.references.scalars import Row
from mbd_ros.control.references.splines import PiecewisePolynomial, trajectory
from mbd_ros.control.references.time_code import TimeCode
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.model import Model
from mbd_ros.model.state import floating_base, simple_entries
from mbd_ros.simulation.manifold import checked, displaced, displacement, is_flat, Matrix, Vector
from mbd_ros.spatial import positive_part, root


AVOIDED, LEAST_FREE = 0.2, 0.1
"""Width of the zone before a limit that is avoided [rad or m], at most as a part of the range."""

UNHURRIED = 0.7
"""Above this part of its velocity limit a joint is braked."""

REPULSION, BRAKES = 10.0, 3.0
"""How much stiffer than the springs zones are, and than the dampers brakes."""

STEPS_AHEAD = 2.0
"""
Integration steps by which the velocity of dampers is ahead: with brakes, ``1 + BRAKES`` times as
strong, the fastest free motion is 2 per step, and RK4 is stable up to 2.78.
"""


class AppliedForce(Protocol):
    """A generalized force as a function of the state."""

    def __call__(self, t: float, q: Vector, v: Vector, mass_matrix: Matrix, /) -> Vector:
        """Return the force (nv,) [N m or N]; ``M(q)`` is at hand and so handed in."""
        ...


def dampers(damping: float, roots: Row, inertia: Row) -> Row:
    """Return ``2 zeta sqrt(k m_ii)`` [N m s/rad or N s/m], on scalars (nv); roots: of k."""
    return [(2.0 * damping) * s * root(m) for s, m in zip(roots, inertia)]


def spring_force(damping: float, roots: Row, weight: Row, way: Row, rate: Row, inertia: Row
                 ) -> Row:
    """Return ``g + k way + 2 zeta sqrt(k m_ii) rate``, on scalars (nv each); roots: of k."""
    return [g + s * s * x + c * dx for s, c, g, x, dx in zip(
        roots, dampers(damping, roots, inertia), weight, way, rate)]


class Room(NamedTuple):
    """
    Where one joint moves freely between its limits, for ``avoiding_force``.

    Entries in q and v; least and greatest position, and width of the zone between these and the
    limits [rad or m]; greatest speed [rad/s or m/s]; infinite where there is no limit.
    """

    q: int
    v: int
    low: float
    high: float
    zone: float
    speed: float


def rooms(model: Model) -> tuple[Room, ...]:
    """Return where the joints with one coordinate, and with a limit, move freely."""
    found = []
    for q, v in zip(*(at.tolist() for at in simple_entries(model))):
        low, high = float(model.lower[v]), float(model.upper[v])
        zone = min(AVOIDED, LEAST_FREE * (high - low))
        room = Room(q, v, low + zone, high - zone, zone, UNHURRIED * model.velocity_limits[v])
        if zone > 0.0 and not all(map(math.isinf, room[2:4] + room[5:])):
            found.append(room)
    return tuple(found)


def away_from_limits(model: Model, q: Vector) -> Vector:
    """Return the nearest configuration (nq,) to one in which no joint is led away from a limit."""
    away = q.copy()
    for room in rooms(model):
        away[room.q] = min(max(q[room.q], room.low), room.high)
    return away


def avoiding_force(rooms: Iterable[Room], damping: float, roots: Row, q: Row, v: Row, inertia: Row
                   ) -> Row:
    """
    Return what leads joints away from their limits before they are there, on scalars (nv each).

    Where a joint is in the zone before a limit, by x: ``REPULSION k x^2 / zone``; where it is
    faster than ``UNHURRIED`` allows, by y: ``BRAKES 2 zeta sqrt(k m_ii) y``.
    """
    force: Row = [0.0] * len(v)
    brakes = dampers(BRAKES * damping, roots, inertia)
    for room in rooms:
        s = roots[room.v]
        if math.isfinite(room.low):
            deep = positive_part(room.low - q[room.q])
            force[room.v] += REPULSION / room.zone * s * s * deep * deep
        if math.isfinite(room.high):
            deep = positive_part(q[room.q] - room.high)
            force[room.v] -= REPULSION / room.zone * s * s * deep * deep
        if math.isfinite(room.speed):
            beyond = positive_part(v[room.v] - room.speed) - positive_part(-v[room.v] - room.speed)
            force[room.v] -= brakes[room.v] * beyond
    return force


class Lead(NamedTuple):
    """What springs set out from: configuration (nq,), begin and duration of the way [s]."""

    start: Vector
    begin: float
    duration: float


class PostureSpring:
    """
    Carry the robot's weight, and draw it to a posture by springs and dampers at its joints.

    ``tau = g(q) + k (q_0 - q) - 2 zeta sqrt(k m_ii(q)) v``. Springs and dampers only store and
    dissipate energy, so the free part of the motion cannot become unstable; gravity is balanced
    and does not pull. Along the constrained directions the constraint force outweighs them. Where
    the constraint leaves a choice, equal springs share a displacement among the joints by their
    lever, not by their inertia: without them the light wrist of an arm would do all the work.

    A damper that suits ``m_ii`` is too strong for an explicit integrator where joints can turn
    against each other with hardly any inertia, as the first and third of an arm that is folded
    upwards. Dampers may therefore act on the velocity some time ``T`` ahead, ``v + T vdot``:
    ``C`` of them is like inertia ``T C`` beside ``M``, and since ``(M + T C)^-1 C`` has no
    eigenvalue above ``1 / T``, no configuration makes the motion faster than that.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics; a floating base is not pulled.
    posture : array_like
        ``q_0`` (nq,) [rad or m].
    stiffness : float or array_like, optional
        ``k``, one or (nv,) [N m/rad or N/m].
    damping : float, optional
        Damping ratio ``zeta`` of each joint moving alone.
    avoiding : bool, optional
        Whether more forces lead joints away from their limits, see ``avoiding_force``: up to
        ``2 REPULSION`` times as stiff, for which the integration steps have to be short enough.
    ahead : float, optional
        ``T`` [s]; ``STEPS_AHEAD`` integration steps keep RK4 stable, brakes included.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If the posture does not fit the robot, or a constant is not positive.

    """

    def __init__(
        self, dyn: PreparedDynamics, posture: ArrayLike, *, stiffness: ArrayLike = 20.0,
        damping: float = 1.0, avoiding: bool = False, ahead: float = 0.0,
    ) -> None:
        model = dyn.model
        spring = np.array(stiffness, np.float64)
        if spring.shape not in ((), (model.nv,)):
            raise ShapeError('stiffness', spring.shape, f'() or ({model.nv},)')
        if not ((spring > 0.0) & np.isfinite(spring)).all():
            raise InvalidValueError('stiffness', stiffness, 'positive numbers')
        if not 0.0 <= damping < math.inf:
            raise InvalidValueError('damping', damping, 'a number not below zero')
        if not 0.0 <= ahead < math.inf:
            raise InvalidValueError('ahead', ahead, 'a number of seconds not below zero')
        self.posture = checked(model, 'posture', posture, model.nq).copy()
        base = floating_base(model)
        each: Vector = np.broadcast_to(spring, (model.nv,)).copy()
        if base is not None:
            each[base.v] = 0.0
        self.roots: Vector = np.sqrt(each)
        self.damping, self.ahead = damping, ahead
        self.dyn = dyn
        self.rooms = rooms(model) if avoiding else ()
        self._rest = np.zeros(model.nv)
        self._lead: Lead | None = None
        self._path = self._from(self.posture, 0.0, 1.0)

    def lead(self, q: Vector, begin: float, duration: float, rate: Vector | None = None,
             roots: tuple[Vector, Vector] | None = None) -> None:
        """
        Let the springs pull to where the robot is, and take them to the posture from there.

        Parameters
        ----------
        q : Vector
            Where it is (nq,).
        begin, duration : float
            When the springs set out, and how long they take to the posture [s].
        rate : Vector, optional
            How fast what they pull to moves at first (nv,), where configurations just add; zero
            if not given, and elsewhere.
        roots : tuple of Vector, optional
            Square roots of the stiffness at first, and how fast they change (nv,); as at the end
            if not given.

        """
        self._lead = Lead(q.copy(), begin, duration)
        self._path = self._from(q, begin, duration, rate, roots)

    def _from(self, q: Vector, begin: float, duration: float, rate: Vector | None = None,
              roots: tuple[Vector, Vector] | None = None) -> PiecewisePolynomial:
        """Return the way to posture (where configurations just add) and roots (nq + nv,)."""
        first, changing = (self.roots, self._rest) if roots is None else roots
        slope = np.zeros(len(q)) if rate is None or not is_flat(self.dyn.model) else rate
        ends = (q, first), (self.posture, self.roots)
        rates = (slope, changing), (np.zeros(len(q)), self._rest)
        return trajectory(
            (begin, begin + duration), [np.concatenate(one) for one in ends],
            [np.concatenate(one) for one in rates], np.zeros((2, len(q) + len(first))))

    def target_code(self) -> TimeCode | None:
        """
        Return machine code for target and ``strength``, their rates and second rates (6 nv,).

        It is another one after ``lead``. None where configurations do not just add.
        """
        return self._path.time_code() if is_flat(self.dyn.model) else None

    def strength(self, t: float) -> tuple[Vector, Vector]:
        """Return the square roots of the stiffness at a time [s], and their rates (nv,) each."""
        values, rates, _ = self._path.at(t)
        return values[-len(self.roots):], rates[-len(self.roots):]

    def target(self, t: float) -> tuple[Vector, Vector]:
        """Return where the springs pull to at a time [s], and how fast that moves (nv,) each."""
        if self._lead is None:
            return self.posture, self._rest
        start, begin, duration = self._lead
        if t >= begin + duration:
            return self.posture, self._rest
        if is_flat(self.dyn.model):
            values, rates, _ = self._path.at(t)
            return values[:len(start)], rates[:len(start)]
        s, rate, _ = quintic(t - begin, duration)
        way = displacement(self.dyn.model, start, self.posture)
        return displaced(self.dyn.model, start, s * way), rate * way

    def inertia_ahead(self, t: float, mass_matrix: Matrix) -> Vector | None:
        """Return ``T C`` (nv,) [kg m^2 or kg], None where dampers act on the velocity now."""
        if not self.ahead:
            return None
        return self.ahead * np.array(dampers(
            self.damping, self.strength(t)[0].tolist(), mass_matrix.diagonal().tolist()))

    def __call__(self, t: float, q: Vector, v: Vector, mass_matrix: Matrix, /) -> Vector:
        """Return the force (nv,) [N m or N], that of dampers for the velocity now."""
        target, rate = self.target(t)
        weight: Vector = self.dyn.bias_forces(q, self._rest)
        way = displacement(self.dyn.model, q, target)
        roots, inertia = self.strength(t)[0].tolist(), mass_matrix.diagonal().tolist()
        return np.array(spring_force(
            self.damping, roots, weight.tolist(), way.tolist(), (rate - v).tolist(), inertia)
        ) + np.array(avoiding_force(
            self.rooms, self.damping, roots, q.tolist(), v.tolist(), inertia))


def same_spring(one: AppliedForce | None, other: AppliedForce | None) -> bool:
    """Return whether two forces are one, or springs that draw to one posture equally strongly."""
    if isinstance(one, PostureSpring) and isinstance(other, PostureSpring):
        return (np.array_equal(one.posture, other.posture)
                and np.array_equal(one.roots, other.roots)
                and (one.rooms, one.ahead) == (other.rooms, other.ahead))
    return one is other
