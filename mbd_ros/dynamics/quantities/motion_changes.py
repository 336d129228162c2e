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
How motions and momenta change with configuration and velocity: text for ``loop_code``.

In the notation of ``composites``. A displacement along coordinate k turns the body b that it moves
and all that b carries about ``s_k``, and leaves the motion V_p, A_p of the parent as it is::

    dV_i/dq_k = s_k x (V_i - V_p)              dA_i/dq_k = s_k x (A_i - A_p) + r x (V_i - V_p)
    dA_i/dv_k = V_b x s_k + s_k x (V_i - V_p)                                   r = V_p x s_k

and for momentum ``h = sum I_i V_i`` and its rate ``f = sum (I_i A_i + V_i x* I_i V_i)``, of which
b and what it carries have h_b and f_b, and B^c twice the matrix of ``coriolis_of_body``::

    dh/dq_k = s_k x* h_b + I^c r
    df/dq_k = s_k x* f_b + B^c r + I^c (V_p x r + A_p x s_k)
    df/dv_k = B^c s_k + I^c (V_b + V_p) x s_k

References
----------
Carpentier, Mansard, Analytical derivatives of rigid body dynamics algorithms, 2018.

"""

import numpy as np

from mbd_ros.dynamics.quantities.composites import (
    accelerations, accumulate_subtrees, add_cross, coriolis_of_body, cross, inertia_in_world,
    momentum, motion_cross, rates_of, screws, Vector, velocities)


def wrench_cross(twist: Vector, wrench: Vector, out: Vector) -> None:
    """Write V x* f (6,) of a twist and a wrench."""
    cross(twist[3:6], wrench[0:3], out[0:3])
    cross(twist[3:6], wrench[3:6], out[3:6])
    add_cross(twist[0:3], wrench[0:3], out[3:6])


def shift(motion: Vector, place: Vector, out: Vector) -> None:
    """Write a motion (6,) of the point at a place instead of that at the world's origin."""
    cross(motion[3:6], place, out[0:3])
    for k in range(3):
        out[k] += motion[k]
        out[3 + k] = motion[3 + k]


def changes_of_link(poses: Vector, bodies: Vector, coordinates: Vector, v: Vector, qdd: Vector,
                    link: Vector, result: Vector, nb: int, nv: int) -> None:
    """
    Write derivatives (4, 6, nv) in one state: velocity by q, acceleration by q, v and qdd.

    Of a point of a link, the acceleration is the classical one. ``link`` (15,): the body, whether
    the point moves with it (or is at the world's origin), whether the axes turn with it (or are
    those of the world), then translation and rotation of the frame in the body.
    """
    turn = np.empty((3, 3))
    axes = np.empty((nv, 6))
    rates = np.empty((nv, 6))
    twists = np.empty((nb, 6))
    spatial = np.empty((nb, 6))
    place = np.empty(3)
    moved = np.empty(3)
    velocity = np.empty(6)
    acceleration = np.empty(6)
    held = np.empty(6)
    gained = np.empty(6)
    relative = np.empty(6)
    beyond_it = np.empty(6)
    swept = np.empty(6)
    changes = np.empty((4, 6))
    raw = np.empty((4, 6))
    for c in range(4):
        for k in range(6):
            for j in range(nv):
                result[c, k, j] = 0.0
    body = int(link[0])
    if body >= 0:
        screws(poses, coordinates, axes, nv)
        velocities(bodies, axes, v, twists, nb)
        rates_of(coordinates, axes, twists, rates, nv)
        accelerations(bodies, axes, rates, v, qdd, spatial, nb)
        for k in range(3):
            place[k] = link[1] * poses[body, k, 3]
            for c in range(3):
                place[k] += link[1] * link[3 + c] * poses[body, k, c]
                turn[k, c] = 0.0
                if link[2] == 0.0 and k == c:
                    turn[k, c] = 1.0
                if link[2] != 0.0:
                    for r in range(3):
                        turn[k, c] += poses[body, k, r] * link[6 + 3 * r + c]
        shift(twists[body], place, velocity)
        shift(spatial[body], place, acceleration)
        add_cross(velocity[3:6], velocity[0:3], acceleration[0:3])
    above = body
    for _ in range(nb):   # from body to body towards the ground
        if above < 0:
            break
        parent = int(bodies[above, 0])
        for k in range(6):
            held[k] = 0.0
            gained[k] = 0.0
            if parent >= 0:
                held[k] = twists[parent, k]
                gained[k] = spatial[parent, k]
            relative[k] = twists[body, k] - held[k]
            beyond_it[k] = spatial[body, k] - gained[k]
        first = int(bodies[above, 1])
        beyond = first + int(bodies[above, 2])
        for j in range(first, beyond):
            motion_cross(axes[j], relative, raw[0])
            motion_cross(held, axes[j], swept)
            motion_cross(swept, relative, raw[1])
            motion_cross(axes[j], beyond_it, swept)
            motion_cross(twists[above], axes[j], raw[2])
            for k in range(6):
                raw[1, k] += swept[k]
                raw[2, k] += raw[0, k]
                raw[3, k] = axes[j, k]
            for c in range(4):
                shift(raw[c], place, changes[c])
            for k in range(3):
                moved[k] = link[1] * changes[3, k]
            add_cross(twists[body][3:6], moved, changes[0][0:3])
            add_cross(spatial[body][3:6], moved, changes[1][0:3])
            add_cross(changes[0][3:6], velocity[0:3], changes[1][0:3])   # of w x v
            add_cross(velocity[3:6], changes[0][0:3], changes[1][0:3])
            add_cross(changes[3][3:6], velocity[0:3], changes[2][0:3])
            add_cross(velocity[3:6], changes[3][0:3], changes[2][0:3])
            for k in range(3):
                moved[k] = link[2] * axes[j, 3 + k]
            add_cross(velocity[0:3], moved, changes[0][0:3])   # of axes that turn
            add_cross(velocity[3:6], moved, changes[0][3:6])
            add_cross(acceleration[0:3], moved, changes[1][0:3])
            add_cross(acceleration[3:6], moved, changes[1][3:6])
            for c in range(4):
                for k in range(3):
                    for r in range(3):
                        result[c, k, j] += turn[r, k] * changes[c, r]
                        result[c, 3 + k, j] += turn[r, k] * changes[c, 3 + r]
        above = parent


def link_changes(count: Vector, poses: Vector, bodies: Vector, coordinates: Vector, v: Vector,
                 qdd: Vector, link: Vector, result: Vector, nb: int, nv: int) -> None:
    """Write the same of N states (N, 4, 6, nv)."""
    for state in range(int(count[0])):
        changes_of_link(poses[state], bodies, coordinates, v[state], qdd[state], link,
                        result[state], nb, nv)


def jacobian_changes(count: Vector, poses: Vector, bodies: Vector, coordinates: Vector,
                     link: Vector, result: Vector, nb: int, nv: int) -> None:
    """
    Write the derivatives (N, 6, nv, nv) of a Jacobian: entry i, j, k is that of i, j by q_k.

    Column j is the velocity at a unit rate of coordinate j.
    """
    unit = np.empty(nv)
    rest = np.empty(nv)
    changes = np.empty((4, 6, nv))
    for state in range(int(count[0])):
        for k in range(nv):
            unit[k] = 0.0
            rest[k] = 0.0
        for j in range(nv):
            unit[j] = 1.0
            changes_of_link(poses[state], bodies, coordinates, unit, rest, link, changes, nb, nv)
            unit[j] = 0.0
            for i in range(6):
                for k in range(nv):
                    result[state, i, j, k] = changes[0, i, k]


def momentum_changes(count: Vector, poses: Vector, bodies: Vector, coordinates: Vector, v: Vector,
                     qdd: Vector, result: Vector, nb: int, nv: int) -> None:
    """
    Write derivatives (N, 4, 6, nv): momentum by q, its rate by q, v and qdd.

    About the mass centre, which moves with q, in world axes.
    """
    axes = np.empty((nv, 6))
    rates = np.empty((nv, 6))
    twists = np.empty((nb, 6))
    spatial = np.empty((nb, 6))
    inertias = np.empty((nb, 10))
    coriolis = np.empty((nb, 36))
    momenta = np.empty((nb, 12))
    own = np.empty((6, 6))
    held = np.empty(6)
    gained = np.empty(6)
    swept = np.empty(6)
    second = np.empty(6)
    part = np.empty(6)
    whole = np.empty(16)
    changes = np.empty((4, 6))
    for state in range(int(count[0])):
        screws(poses[state], coordinates, axes, nv)
        velocities(bodies, axes, v[state], twists, nb)
        rates_of(coordinates, axes, twists, rates, nv)
        accelerations(bodies, axes, rates, v[state], qdd[state], spatial, nb)
        for i in range(nb):
            inertia_in_world(poses[state][i], bodies[i], inertias[i])
            momentum(inertias[i], twists[i], momenta[i][0:6])
            momentum(inertias[i], spatial[i], momenta[i][6:12])
            wrench_cross(twists[i], momenta[i][0:6], part)
            coriolis_of_body(inertias[i], twists[i], own)
            for r in range(6):
                momenta[i, 6 + r] += part[r]
                for k in range(6):
                    coriolis[i, 6 * r + k] = 2.0 * own[r, k]
        accumulate_subtrees(bodies, inertias, nb, 10)
        accumulate_subtrees(bodies, coriolis, nb, 36)
        accumulate_subtrees(bodies, momenta, nb, 12)
        for k in range(16):
            whole[k] = 0.0
        for i in range(nb):
            if bodies[i, 0] < 0.0:
                for k in range(4):
                    whole[k] += inertias[i, k]
                for k in range(12):
                    whole[4 + k] += momenta[i, k]
        for k in range(1, 4):
            whole[k] = whole[k] / whole[0]   # the mass centre
        for j in range(nv):
            body = int(coordinates[j, 0])
            parent = int(bodies[body, 0])
            for k in range(6):
                held[k] = 0.0
                gained[k] = 0.0
                if parent >= 0:
                    held[k] = twists[parent, k]
                    gained[k] = spatial[parent, k]
            motion_cross(held, axes[j], swept)
            motion_cross(held, swept, second)
            motion_cross(gained, axes[j], part)
            for k in range(6):
                second[k] += part[k]
                held[k] += twists[body, k]
            wrench_cross(axes[j], momenta[body][0:6], changes[0])
            momentum(inertias[body], swept, part)
            wrench_cross(axes[j], momenta[body][6:12], changes[1])
            momentum(inertias[body], second, gained)
            motion_cross(held, axes[j], second)
            momentum(inertias[body], second, changes[2])
            momentum(inertias[body], axes[j], changes[3])
            for k in range(6):
                changes[0, k] += part[k]
                changes[1, k] += gained[k]
                for r in range(6):
                    changes[1, k] += coriolis[body, 6 * r + k] * swept[r]
                    changes[2, k] += coriolis[body, 6 * r + k] * axes[j, r]
            for k in range(3):
                part[k] = changes[3, k] / whole[0]   # how the mass centre moves
            add_cross(whole[4:7], part[0:3], changes[0][3:6])
            add_cross(whole[10:13], part[0:3], changes[1][3:6])
            for c in range(4):
                add_cross(changes[c][0:3], whole[1:4], changes[c][3:6])
                for k in range(6):
                    result[state, c, k, j] = changes[c, k]
