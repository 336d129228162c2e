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
Sums over the bodies that a joint carries, state by state, with loops: text for ``loop_code``.

All motions and wrenches are in world axes at the world's origin, linear, then angular, where they
add. With ``s_j`` the screw of velocity coordinate j, ``V_i`` the twist of body i and ``I_i`` its
inertia, as ten numbers: mass m, first moment m c, then xx, xy, xz, yy, yz, zz about the origin::

    V_i = sum of s_j v_j over the coordinates j that carry body i
    ds_j/dt = V_b x s_j       b the body that the coordinate moves: its axes are fixed in b
    I_j^c = sum of I_i over the bodies i that coordinate j carries (composite inertia)

``bodies`` (nb, 16): parent, first coordinate, number of coordinates, mass, mass centre (3) and
inertia about it (3, 3) in body axes. ``coordinates`` (nv, 3): body, axis of it, and whether the
coordinate turns. ``poses`` (N, nb, 4, 4), ``v``, ``qdd`` (N, nv); ``count`` is (1,): N.

References
----------
Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 2 and 6.

"""

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def cross(a: Vector, b: Vector, out: Vector) -> None:
    """Write a x b."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


def add_cross(a: Vector, b: Vector, out: Vector) -> None:
    """Add a x b."""
    out[0] += a[1] * b[2] - a[2] * b[1]
    out[1] += a[2] * b[0] - a[0] * b[2]
    out[2] += a[0] * b[1] - a[1] * b[0]


def dot(a: Vector, b: Vector, n: int) -> float:
    """Return the product of two vectors (n,)."""
    total = 0.0
    for k in range(n):
        total += a[k] * b[k]
    return total


def motion_cross(twist: Vector, motion: Vector, out: Vector) -> None:
    """Write V x m (6,) of a twist and a motion."""
    cross(twist[3:6], motion[0:3], out[0:3])
    add_cross(twist[0:3], motion[3:6], out[0:3])
    cross(twist[3:6], motion[3:6], out[3:6])


def momentum(inertia: Vector, motion: Vector, out: Vector) -> None:
    """Write I m (6,) of an inertia (10,) and a motion."""
    cross(motion[3:6], inertia[1:4], out[0:3])
    for k in range(3):
        out[k] += inertia[0] * motion[k]
    out[3] = inertia[4] * motion[3] + inertia[5] * motion[4] + inertia[6] * motion[5]
    out[4] = inertia[5] * motion[3] + inertia[7] * motion[4] + inertia[8] * motion[5]
    out[5] = inertia[6] * motion[3] + inertia[8] * motion[4] + inertia[9] * motion[5]
    add_cross(inertia[1:4], motion[0:3], out[3:6])


def screws(poses: Vector, coordinates: Vector, axes: Vector, nv: int) -> None:
    """Write, of all coordinates, the axes as motions (nv, 6)."""
    place = np.empty(3)
    along = np.empty(3)
    for j in range(nv):
        body = int(coordinates[j, 0])
        axis = int(coordinates[j, 1])
        turns = coordinates[j, 2]
        for k in range(3):
            place[k] = poses[body, k, 3]
            along[k] = poses[body, k, axis]
        cross(place, along, axes[j][0:3])
        for k in range(3):
            axes[j, k] = turns * axes[j, k] + (1.0 - turns) * along[k]
            axes[j, 3 + k] = turns * along[k]


def inertia_in_world(pose: Vector, body: Vector, out: Vector) -> None:
    """Write the inertia (10,) of a body (16,) at a pose (4, 4)."""
    center = np.empty(3)
    turned = np.empty((3, 3))
    for r in range(3):
        center[r] = pose[r, 3]
        for k in range(3):
            center[r] += pose[r, k] * body[4 + k]
            turned[r, k] = 0.0
            for c in range(3):
                turned[r, k] += pose[r, c] * body[7 + 3 * c + k]
    mass = body[3]
    out[0] = mass
    square = dot(center, center, 3)
    entry = 4
    for r in range(3):
        out[1 + r] = mass * center[r]
        for k in range(r, 3):
            out[entry] = -mass * center[r] * center[k]
            for c in range(3):
                out[entry] += turned[r, c] * pose[k, c]
            if r == k:
                out[entry] += mass * square
            entry += 1


def composite_inertias(poses: Vector, bodies: Vector, inertias: Vector, nb: int) -> None:
    """Write the inertias (nb, 10) of each body and all that it carries."""
    for i in range(nb):
        inertia_in_world(poses[i], bodies[i], inertias[i])
    accumulate_subtrees(bodies, inertias, nb, 10)


def accumulate_subtrees(bodies: Vector, sums: Vector, nb: int, n: int) -> None:
    """Add to what bodies have (nb, n) what those that they carry have."""
    for i in range(nb - 1, -1, -1):
        parent = int(bodies[i, 0])
        if parent >= 0:
            for k in range(n):
                sums[parent, k] += sums[i, k]


def velocities(bodies: Vector, axes: Vector, v: Vector, twists: Vector, nb: int) -> None:
    """Write the twists (nb, 6) of all bodies."""
    for i in range(nb):
        parent = int(bodies[i, 0])
        first = int(bodies[i, 1])
        beyond = first + int(bodies[i, 2])
        for k in range(6):
            twists[i, k] = 0.0
            if parent >= 0:
                twists[i, k] = twists[parent, k]
            for j in range(first, beyond):
                twists[i, k] += axes[j, k] * v[j]


def rates_of(coordinates: Vector, axes: Vector, twists: Vector, rates: Vector, nv: int) -> None:
    """Write the rates of the screws (nv, 6)."""
    for j in range(nv):
        motion_cross(twists[int(coordinates[j, 0])], axes[j], rates[j])


def accelerations(bodies: Vector, axes: Vector, rates: Vector, v: Vector, qdd: Vector,
                  spatial: Vector, nb: int) -> None:
    """Write the rates of the twists (nb, 6) of all bodies, spatial accelerations."""
    for i in range(nb):
        parent = int(bodies[i, 0])
        first = int(bodies[i, 1])
        beyond = first + int(bodies[i, 2])
        for k in range(6):
            spatial[i, k] = 0.0
            if parent >= 0:
                spatial[i, k] = spatial[parent, k]
            for j in range(first, beyond):
                spatial[i, k] += axes[j, k] * qdd[j] + rates[j, k] * v[j]


def first_moment(poses: Vector, bodies: Vector, whole: Vector, nb: int) -> None:
    """Write mass and first moment (4,) of the robot."""
    for k in range(4):
        whole[k] = 0.0
    for i in range(nb):
        whole[0] += bodies[i, 3]
        for r in range(3):
            along = poses[i, r, 3]
            for k in range(3):
                along = along + poses[i, r, k] * bodies[i, 4 + k]
            whole[1 + r] += bodies[i, 3] * along


def center_of_mass(count: Vector, poses: Vector, bodies: Vector, result: Vector, nb: int) -> None:
    """Write the mass centre (N, 3)."""
    whole = np.empty(4)
    for state in range(int(count[0])):
        first_moment(poses[state], bodies, whole, nb)
        for k in range(3):
            result[state, k] = whole[1 + k] / whole[0]


def center_of_mass_jacobian(count: Vector, poses: Vector, bodies: Vector, coordinates: Vector,
                            result: Vector, nb: int, nv: int) -> None:
    """Write J (N, 3, nv): ``J v`` is the velocity of the mass centre."""
    axes = np.empty((nv, 6))
    moments = np.empty((nb, 4))
    along = np.empty(3)
    for state in range(int(count[0])):
        screws(poses[state], coordinates, axes, nv)
        mass = 0.0
        for i in range(nb):
            mass += bodies[i, 3]
            moments[i, 0] = bodies[i, 3]
            for r in range(3):
                place = poses[state, i, r, 3]
                for k in range(3):
                    place = place + poses[state, i, r, k] * bodies[i, 4 + k]
                moments[i, 1 + r] = bodies[i, 3] * place
        accumulate_subtrees(bodies, moments, nb, 4)
        for j in range(nv):
            body = int(coordinates[j, 0])
            cross(axes[j][3:6], moments[body][1:4], along)
            for k in range(3):
                result[state, k, j] = (along[k] + moments[body, 0] * axes[j, k]) / mass


def centroidal_momentum(count: Vector, poses: Vector, bodies: Vector, coordinates: Vector,
                        v: Vector, result: Vector, nb: int, nv: int) -> None:
    """Write the momentum (N, 6) about the mass centre."""
    axes = np.empty((nv, 6))
    twists = np.empty((nb, 6))
    inertia = np.empty(10)
    whole = np.empty(4)
    moved = np.empty(6)
    about = np.empty(3)
    for state in range(int(count[0])):
        for k in range(6):
            result[state, k] = 0.0
        screws(poses[state], coordinates, axes, nv)
        velocities(bodies, axes, v[state], twists, nb)
        for i in range(nb):
            inertia_in_world(poses[state][i], bodies[i], inertia)
            momentum(inertia, twists[i], moved)
            for k in range(6):
                result[state, k] += moved[k]
        first_moment(poses[state], bodies, whole, nb)
        cross(whole[1:4], result[state][0:3], about)
        for k in range(3):
            result[state, 3 + k] -= about[k] / whole[0]


def link_poses(count: Vector, poses: Vector, links: Vector, result: Vector, n_links: int) -> None:
    """
    Write the poses (N, links, 4, 4) of all links.

    ``links`` (n, 13): the body, -1 for the ground, then translation and rotation of the link's
    frame in the body.
    """
    for state in range(int(count[0])):
        for i in range(n_links):
            body = int(links[i, 0])
            for r in range(3):
                for k in range(4):
                    if body < 0:
                        if k < 3:
                            result[state, i, r, k] = links[i, 4 + 3 * r + k]
                        if k == 3:
                            result[state, i, r, k] = links[i, 1 + r]
                    if body >= 0:
                        total = 0.0
                        if k == 3:
                            total = poses[state, body, r, 3]
                        for c in range(3):
                            if k < 3:
                                total += poses[state, body, r, c] * links[i, 4 + 3 * c + k]
                            if k == 3:
                                total += poses[state, body, r, c] * links[i, 1 + c]
                        result[state, i, r, k] = total
            for k in range(3):
                result[state, i, 3, k] = 0.0
            result[state, i, 3, 3] = 1.0


def centroidal_map(count: Vector, poses: Vector, bodies: Vector, coordinates: Vector,
                   result: Vector, nb: int, nv: int) -> None:
    """Write A (N, 6, nv): ``A v`` is the momentum about the mass centre."""
    axes = np.empty((nv, 6))
    inertias = np.empty((nb, 10))
    whole = np.empty(4)
    moved = np.empty(6)
    about = np.empty(3)
    for state in range(int(count[0])):
        screws(poses[state], coordinates, axes, nv)
        composite_inertias(poses[state], bodies, inertias, nb)
        for k in range(4):
            whole[k] = 0.0
            for i in range(nb):
                if bodies[i, 0] < 0.0:
                    whole[k] += inertias[i, k]
        for j in range(nv):
            momentum(inertias[int(coordinates[j, 0])], axes[j], moved)
            cross(whole[1:4], moved[0:3], about)
            for k in range(3):
                result[state, k, j] = moved[k]
                result[state, 3 + k, j] = moved[3 + k] - about[k] / whole[0]


def coriolis_of_body(inertia: Vector, twist: Vector, out: Vector) -> None:
    """
    Write B^T (6, 6) with ``B V = V x* I V`` and ``dI/dt - 2 B`` skew.

    ``B = (V x* I - I V x + (I V) xbar*) / 2``, where ``h xbar* m = m x* h``.

    References
    ----------
    Echeandia, Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols
    for rigid-body systems, 2021, equation 24.

    """
    unit = np.empty(6)
    of_unit = np.empty(6)
    turned = np.empty(6)
    of_turned = np.empty(6)
    held = np.empty(6)
    column = np.empty(6)
    momentum(inertia, twist, held)
    for c in range(6):
        for k in range(6):
            unit[k] = 0.0
        unit[c] = 1.0
        momentum(inertia, unit, of_unit)
        motion_cross(twist, unit, turned)
        momentum(inertia, turned, of_turned)
        cross(twist[3:6], of_unit[0:3], column[0:3])   # V x* I e
        cross(twist[3:6], of_unit[3:6], column[3:6])
        add_cross(twist[0:3], of_unit[0:3], column[3:6])
        add_cross(unit[3:6], held[0:3], column[0:3])   # e x* h
        add_cross(unit[3:6], held[3:6], column[3:6])
        add_cross(unit[0:3], held[0:3], column[3:6])
        for k in range(6):
            out[c, k] = 0.5 * (column[k] - of_turned[k])


def coriolis_matrix(count: Vector, poses: Vector, bodies: Vector, coordinates: Vector, v: Vector,
                    result: Vector, nb: int, nv: int) -> None:
    """
    Write C (N, nv, nv) with ``C v`` the velocity terms and ``dM/dt - 2 C`` skew-symmetric.

    ``C_kj = s_k^T (I^c ds_j/dt + B^c s_j)`` with the composites of what both joints carry.
    """
    axes = np.empty((nv, 6))
    rates = np.empty((nv, 6))
    twists = np.empty((nb, 6))
    inertias = np.empty((nb, 10))
    coriolis = np.empty((nb, 36))
    own = np.empty((6, 6))
    wrench = np.empty(6)
    moved = np.empty(6)
    for state in range(int(count[0])):
        for j in range(nv):
            for i in range(nv):
                result[state, j, i] = 0.0
        screws(poses[state], coordinates, axes, nv)
        velocities(bodies, axes, v[state], twists, nb)
        rates_of(coordinates, axes, twists, rates, nv)
        for i in range(nb):
            inertia_in_world(poses[state][i], bodies[i], inertias[i])
            coriolis_of_body(inertias[i], twists[i], own)
            for r in range(6):
                for k in range(6):
                    coriolis[i, 6 * r + k] = own[r, k]
        accumulate_subtrees(bodies, inertias, nb, 10)
        accumulate_subtrees(bodies, coriolis, nb, 36)
        for j in range(nv):
            body = int(coordinates[j, 0])
            momentum(inertias[body], rates[j], wrench)
            for r in range(6):
                for k in range(6):
                    wrench[k] += coriolis[body, 6 * r + k] * axes[j, r]
            momentum(inertias[body], axes[j], moved)
            above = body
            for _ in range(nb):   # from body to body towards the ground
                if above < 0:
                    break
                first = int(bodies[above, 1])
                beyond = first + int(bodies[above, 2])
                for i in range(first, beyond):
                    result[state, i, j] = dot(axes[i], wrench, 6)
                    if above != body:
                        total = dot(moved, rates[i], 6)
                        for r in range(6):
                            for k in range(6):
                                total += (coriolis[body, 6 * r + k] * axes[j, k]) * axes[i, r]
                        result[state, j, i] = total
                above = int(bodies[above, 0])


def regressor_of_body(a: Vector, w: Vector, alpha: Vector, out: Vector) -> None:
    """
    Write the wrench of a body as a matrix (6, 10) times its parameters, in body axes.

    With a the acceleration of its origin less gravity, w and alpha its angular velocity and
    acceleration::

        force = a m + ([alpha] + [w]^2) m c
        moment = -[a] m c + (L(alpha) + [w] L(w)) I      L(x) I = I x

    References
    ----------
    Atkeson, An, Hollerbach, Estimation of inertial parameters of manipulator loads and links,
    1986.

    """
    unit = np.empty(3)
    first = np.empty(3)
    second = np.empty(3)
    for r in range(3):
        out[r, 0] = a[r]
        out[3 + r, 0] = 0.0
    for c in range(3):   # of the first moment
        for k in range(3):
            unit[k] = 0.0
        unit[c] = 1.0
        cross(w, unit, first)
        cross(w, first, second)
        add_cross(alpha, unit, second)
        cross(unit, a, first)
        for r in range(3):
            out[r, 1 + c] = second[r]
            out[3 + r, 1 + c] = first[r]
    place = 4
    for c in range(3):   # of the inertia: xx, xy, yy, xz, yz, zz
        for b in range(c + 1):
            for r in range(3):
                first[r] = 0.0
                second[r] = 0.0
            first[b] = w[c]
            first[c] = w[b]
            cross(w, first, second)
            second[b] += alpha[c]
            if b != c:
                second[c] += alpha[b]
            for r in range(3):
                out[r, place] = 0.0
                out[3 + r, place] = second[r]
            place += 1


def regressor(count: Vector, poses: Vector, bodies: Vector, coordinates: Vector, v: Vector,
              qdd: Vector, gravity: Vector, result: Vector, nb: int, nv: int) -> None:
    """Write Y (N, nv, 10 nb): inverse dynamics without rotors are Y times the parameters."""
    axes = np.empty((nv, 6))
    rates = np.empty((nv, 6))
    twists = np.empty((nb, 6))
    spatial = np.empty((nb, 6))
    place = np.empty(3)
    velocity = np.empty(3)
    classical = np.empty(3)
    a = np.empty(3)
    w = np.empty(3)
    alpha = np.empty(3)
    wrench = np.empty((6, 10))
    linear = np.empty(3)
    screw = np.empty(6)
    for state in range(int(count[0])):
        for j in range(nv):
            for c in range(10 * nb):
                result[state, j, c] = 0.0
        screws(poses[state], coordinates, axes, nv)
        velocities(bodies, axes, v[state], twists, nb)
        rates_of(coordinates, axes, twists, rates, nv)
        accelerations(bodies, axes, rates, v[state], qdd[state], spatial, nb)
        for i in range(nb):
            for k in range(3):
                place[k] = poses[state, i, k, 3]
                velocity[k] = twists[i, k]
                classical[k] = spatial[i, k] - gravity[k]
            add_cross(twists[i][3:6], place, velocity)
            add_cross(spatial[i][3:6], place, classical)
            add_cross(twists[i][3:6], velocity, classical)
            for k in range(3):
                a[k] = 0.0
                w[k] = 0.0
                alpha[k] = 0.0
                for r in range(3):
                    a[k] += poses[state, i, r, k] * classical[r]
                    w[k] += poses[state, i, r, k] * twists[i, 3 + r]
                    alpha[k] += poses[state, i, r, k] * spatial[i, 3 + r]
            regressor_of_body(a, w, alpha, wrench)
            above = i
            for _ in range(nb):   # from body to body towards the ground
                if above < 0:
                    break
                first = int(bodies[above, 1])
                beyond = first + int(bodies[above, 2])
                for j in range(first, beyond):
                    for k in range(3):
                        linear[k] = axes[j, k]
                    add_cross(axes[j][3:6], place, linear)
                    for k in range(3):   # the screw in the axes of the body
                        screw[k] = 0.0
                        screw[3 + k] = 0.0
                        for r in range(3):
                            screw[k] += poses[state, i, r, k] * linear[r]
                            screw[3 + k] += poses[state, i, r, k] * axes[j, 3 + r]
                    for c in range(10):
                        for k in range(6):
                            result[state, j, 10 * i + c] += screw[k] * wrench[k, c]
                above = int(bodies[above, 0])
