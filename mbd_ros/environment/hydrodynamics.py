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

r"""
The physics of a link in a fluid: buoyancy, drag, added mass, current and free surface.

All of it is a wrench on a body B about its origin Bo, in body axes, that depends on the motion of
B and is linear in its acceleration. With V = (w, v) the velocity of B, u that of the undisturbed
fluid at the centre of buoyancy Fo, ``V_r = (w, v - R_WB^T u)`` and A the added mass about Bo::

    wrench = load - A a
    load   = A (0, R_WB^T Du/Dt + w x v_r)        the fluid's acceleration, and turning axes
             - V_r x* (A V_r)                     Coriolis and Munk moment: w x P, w x H + v_r x P
             + rho V R_WB^T (Du/Dt - g) at Fo     Froude-Krylov force and buoyancy
             - (D_1 + D_2 |V_r|) V_r   at Fo      drag, component by component in the axes of F
             + c x_r y_r (y_r, -x_r) / |(x_r, y_r)|   at Fo   lift in the x-y plane of F, and x-z

where a is the acceleration of Bo (classical, in body axes) and ``A V_r = (H, P)`` the momentum of
the fluid around the link. ``-A V_r' - V_r x* A V_r`` is Kirchhoff's equation, so that without drag
the power of the wrench is the rate of ``-(1/2 V_r A V_r + U)``.

**Current**: ``u(x) = u_0 + G x`` and ``Du/Dt = u_0' + G u``; x from the world's origin. That the
fluid itself turns where it is sheared is neglected.

**Free surface**: volume, drag and added mass are multiplied with the wetted fraction f of a sphere
of the link's volume, whose centre is d below the surface. f is smooth, and Kirchhoff's equation
for ``1/2 f(d) V_r A V_r`` has two terms more, ``-f' d' A V_r`` and ``1/2 V_r A V_r grad f``.

References
----------
Fossen, Handbook of Marine Craft Hydrodynamics and Motion Control, 2011, chapters 6 to 8; Kirchhoff
1869; Auton, Hunt, Prud'homme, The force exerted on a body in inviscid unsteady non-uniform
rotational flow, 1988.

"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.program.records import rotation_record, vector_record
from mbd_ros.model import SubmergedLink
from mbd_ros.spatial import (
    absolute, ArticulatedInertia, Link, positive_part, root, Scalar, Symmetric3, Twist, Vector3,
    Wrench, ZERO3)
from mbd_ros.spatial.rotation import Matrix3

NO_SURFACE = 1e9
"""Height of a surface that nothing reaches [m]."""
STILL = 1e-9
"""Speed beside which none counts, so that the direction of no flow has a derivative [m/s]."""
LEAST_RADIUS = 0.01
"""Of the sphere that stands for a link at the surface, also for one without volume [m]."""


class Submerged(NamedTuple):
    """
    The constants of a link in a fluid.

    Attributes
    ----------
    frame : Link
        Pose of F in the body: the centre of buoyancy and the axes of drag.
    volume : float
        [m^3].
    radius : float
        Of the sphere that stands for the link where it meets the surface [m].
    added : ArticulatedInertia
        A: about the body's origin, in body axes.
    linear, quadratic : Wrench
        Coefficients of drag in the axes of F.
    lift : tuple of float
        Coefficients in the x-y and the x-z plane of F; empty: no lift.

    """

    frame: Link
    volume: Scalar
    radius: Scalar
    added: ArticulatedInertia
    linear: Wrench
    quadratic: Wrench
    lift: tuple[Scalar, ...] = ()


class Water(NamedTuple):
    """
    The state of the fluid, the same for all bodies.

    Attributes
    ----------
    density : float
        [kg/m^3].
    velocity : Vector3
        Of the fluid at the world's origin [m/s], world axes.
    rate : Vector3
        Its rate at a fixed point [m/s^2].
    gradient : Matrix3
        Rows of ``d u_i / d x_j`` [1/s].
    surface : float
        Height of the free surface above the world's origin [m].

    """

    density: Scalar = 1000.0
    velocity: Vector3 = ZERO3
    rate: Vector3 = ZERO3
    gradient: Matrix3 = Matrix3(ZERO3, ZERO3, ZERO3)
    surface: Scalar = NO_SURFACE


class Wetting(NamedTuple):
    """
    How far a link is in the fluid.

    Attributes
    ----------
    fraction : float
        f, from 0 to 1.
    slope : float
        df/dd, by the depth of the centre of buoyancy [1/m].
    excess : float
        The integral of f over the depth, less the depth [m]: zero under water.

    """

    fraction: Scalar
    slope: Scalar
    excess: Scalar


UP = Vector3(0.0, 0.0, 1.0)
WET = Wetting(1.0, 0.0, 0.0)


def wetting(depth: Scalar, radius: Scalar) -> Wetting:
    """
    Return how much of a sphere is below the surface.

    Parameters
    ----------
    depth : float
        Of its centre [m].
    radius : float
        [m].

    Returns
    -------
    Wetting
        With ``t = (d / r + 1) / 2`` from 0 to 1, ``f = t^2 (3 - 2 t)`` and its integral
        ``r (2 t^3 - t^4)``.

    """
    t = 1.0 - positive_part(1.0 - positive_part((depth * (1.0 / radius) + 1.0) * 0.5))
    integral = t * t * t * (2.0 - t) * radius
    return Wetting(t * t * (3.0 - t * 2.0), t * (1.0 - t) * (3.0 / radius),
                   integral - radius + positive_part(radius - depth))


class Meeting(NamedTuple):
    """
    A link in the fluid at one moment; vectors in body axes.

    Attributes
    ----------
    relative : Twist
        ``V_r = (w, v - u)`` of the body's origin.
    acceleration : Vector3
        Du/Dt of the fluid at the centre of buoyancy [m/s^2].
    gravity, up : Vector3
        Gravity [m/s^2], and the normal of the surface.
    wet : Wetting
        How far it is in the fluid.

    """

    relative: Twist
    acceleration: Vector3
    gravity: Vector3
    up: Vector3
    wet: Wetting


def meet(link: Submerged, pose: Link, velocity: Twist, gravity: Vector3, water: Water, *,
         varies: bool = True, surface: bool = True) -> Meeting:
    """
    Return how a link and the fluid meet.

    Parameters
    ----------
    link : Submerged
        Its constants.
    pose : Link
        Of the body B in the world.
    velocity : Twist
        Of B, in body axes.
    gravity : Vector3
        [m/s^2], world axes.
    water : Water
        The fluid.
    varies, surface : bool
        Whether the current varies in space or time, and whether there is a surface; without, the
        terms that are zero are left out.

    Returns
    -------
    Meeting
        In body axes.

    """
    R_WB, p_WF = pose.rotation, center_of_buoyancy(link, pose)
    u, Du_Dt = water.velocity, ZERO3
    if varies:
        u = u + water.gradient.apply(p_WF)
        Du_Dt = R_WB.apply_inverse(water.rate + water.gradient.apply(u))
    return Meeting(
        velocity._replace(linear=velocity.linear - R_WB.apply_inverse(u)), Du_Dt,
        R_WB.apply_inverse(gravity), R_WB.apply_inverse(UP),
        wetting(water.surface - p_WF.z, link.radius) if surface else WET)


def center_of_buoyancy(link: Submerged, pose: Link) -> Vector3:
    """Return ``p_WF`` of a link on a body with a pose in the world [m]."""
    return pose.translation + pose.rotation.apply(link.frame.translation)


def buoyancy(link: Submerged, at: Meeting, density: Scalar) -> Wrench:
    """Return ``rho V (Du/Dt - g)`` at the centre of buoyancy: buoyancy and Froude-Krylov force."""
    force = (at.acceleration - at.gravity) * (density * link.volume * at.wet.fraction)
    return Wrench(link.frame.translation.cross(force), force)


def drag(link: Submerged, at: Meeting) -> Wrench:
    """
    Return ``-(D_1 + D_2 |V_r|) V_r``, component by component in the axes of F, and lift.

    Lift is normal to the flow in the plane, so that it has no power as seen by who drifts.
    """
    relative = link.frame.twist_to_child(at.relative)

    def against(velocity: Vector3, linear: Vector3, quadratic: Vector3) -> Vector3:
        return Vector3(*((c1 + c2 * absolute(v)) * v * -at.wet.fraction
                         for v, c1, c2 in zip(velocity, linear, quadratic)))

    force = against(relative.linear, link.linear.force, link.quadratic.force)
    if link.lift:
        force = force + lift(relative.linear, link.lift) * at.wet.fraction
    return link.frame.wrench_to_parent(Wrench(
        against(relative.angular, link.linear.moment, link.quadratic.moment), force))


def lift(velocity: Vector3, coefficients: tuple[Scalar, ...]) -> Vector3:
    """Return the sum of ``c x y (y, -x) / |(x, y)|`` of the x-y and the x-z plane."""
    x, y, z = velocity
    in_y, in_z = (c * x * across / root(x * x + across * across + STILL * STILL)
                  for c, across in zip(coefficients, (y, z)))
    return Vector3(in_y * y + in_z * z, in_y * x * -1.0, in_z * x * -1.0)


def kirchhoff(link: Submerged, at: Meeting, velocity: Twist) -> Wrench:
    """
    Return what accelerating the fluid around a link takes, but for ``-f A (a - g)``.

    Parameters
    ----------
    link : Submerged
        Its constants.
    at : Meeting
        How it meets the fluid.
    velocity : Twist
        Of the body, in body axes: where the link leaves or enters the fluid.

    Returns
    -------
    Wrench
        ``f (A (0, Du/Dt + w x v_r - g) - V_r x* A V_r)``, and where f changes
        ``-f' d' A V_r + 1/2 V_r A V_r f' grad d``.

    """
    relative = at.relative
    momentum = link.added.apply(relative)
    steady = (link.added.apply(Twist(
        ZERO3, at.acceleration + relative.angular.cross(relative.linear) - at.gravity))
        + relative.cross_wrench(momentum) * -1.0) * at.wet.fraction
    if at.wet is WET:
        return steady
    p, slope = link.frame.translation, at.wet.slope
    sinking = at.up.dot(velocity.linear + velocity.angular.cross(p)) * -1.0
    lift = at.up * (momentum.dot(relative) * slope * -0.5)
    return steady + momentum * (slope * sinking * -1.0) + Wrench(p.cross(lift), lift)


def energies(link: Submerged, at: Meeting, p_WF: Vector3, gravity: Vector3, density: Scalar
             ) -> tuple[Scalar, Scalar]:
    """
    Return the energies of the fluid that a link moves and displaces [J].

    Parameters
    ----------
    link : Submerged
        Its constants.
    at : Meeting
        How it meets the fluid.
    p_WF, gravity : Vector3
        Centre of buoyancy [m] and gravity [m/s^2] in world axes.
    density : float
        Of the fluid [kg/m^3].

    Returns
    -------
    (float, float)
        Kinetic, ``1/2 f V_r A V_r`` as seen by who drifts with the current; and potential, zero
        at the world's origin.

    """
    kinetic = link.added.apply(at.relative).dot(at.relative) * (at.wet.fraction * 0.5)
    return kinetic, (gravity.dot(p_WF) - gravity.z * at.wet.excess) * (density * link.volume)


def submerged(link: SubmergedLink) -> Submerged:
    """Return the constants of a link of a model."""
    frame = Link(rotation_record(link.frame.rotation), vector_record(link.frame.translation))
    a = link.added_mass.astype(float)
    block = [[Vector3(*a[i, j:j + 3].tolist()) for i in range(k, k + 3)]
             for k, j in ((3, 3), (3, 0), (0, 0))]
    rotational, coupling, linear = (Matrix3(*rows) for rows in block)
    return Submerged(
        frame, float(link.volume),
        max(LEAST_RADIUS, (0.75 * link.volume / math.pi) ** (1.0 / 3.0)),
        frame.articulated_to_parent(ArticulatedInertia(
            Symmetric3.upper(rotational), coupling, Symmetric3.upper(linear))),
        _coefficients(link.linear_drag), _coefficients(link.quadratic_drag),
        tuple(link.lift) if any(link.lift) else ())


def _coefficients(values: NDArray[np.float64]) -> Wrench:
    force, moment = vector_record(values[:3]), vector_record(values[3:])
    return Wrench(moment, force)
