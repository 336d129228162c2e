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
Dynamics in maximal coordinates: six a body, every joint as equations, one dense solve.

It shares nothing with the recursion: the equations of joints are written as functions of poses
alone. Along a motion whose rotation is the truncated series ``(1 + [w]t + [w]^2 t^2 / 2) R`` they
are polynomials of degree four at most, so that central differences with long steps are exact.

"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from mbd_ros.model import JointType, Model

Array = Any
KIND = {JointType.REVOLUTE: 'revolute', JointType.PRISMATIC: 'prismatic',
        JointType.SPHERICAL: 'spherical', JointType.PLANAR: 'planar'}
GROUND = (np.eye(3), np.zeros(3))


def cross(w: Array) -> Array:
    """Return the matrix of the vector product."""
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def violation(kind: str, first: Any, second: Any, distance: float = 0.0) -> Array:
    """Return what has to vanish between two frames in the world, as (rotation, origin)."""
    (X, P), (Y, Q) = first, second
    d = Q - P
    planes = {'revolute': [(2, 0), (2, 1)], 'universal': [(0, 1)], 'planar': [(2, 0), (2, 1)],
              'prismatic': [(1, 0), (2, 1), (0, 2)], 'fixed': [(1, 0), (2, 1), (0, 2)]}
    points = {'prismatic': [X[:, 0] @ d, X[:, 1] @ d], 'planar': [X[:, 2] @ d],
              'distance': [d @ d - distance ** 2]}
    return np.array([*points.get(kind, d), *(X[:, i] @ Y[:, j] for i, j in planes.get(kind, ()))])


def body_accelerations(model: Model, poses: Array, twists: Array, tau: Array, gravity: Array
                       ) -> Array:
    """
    Return the accelerations of all bodies.

    Parameters
    ----------
    model : Model
        With joints of one axis, spherical, planar or floating; without rotor inertia.
    poses : array
        (nb, 4, 4) of the bodies' frames in the world.
    twists : array
        (nb, 6) angular, then linear velocity of the bodies' origins, world axes.
    tau : array
        (nv,) [N m, N].
    gravity : array
        (3,).

    Returns
    -------
    array
        (nb, 6) angular, then linear acceleration of the bodies' origins, world axes.

    """
    joints = [(KIND[kind], (parent, model.rotations[i], model.translations[i]),
               (i, np.eye(3), np.zeros(3)), 0.0)
              for i, (kind, parent) in enumerate(zip(model.joint_types, model.parents))
              if kind in KIND]
    joints += [(loop.kind, tuple(loop.frame1), tuple(loop.frame2), loop.distance)
               for loop in model.loops]

    def moved(frame: Any, motion: Array, t: float) -> Any:
        body, rotation, origin = frame
        if body < 0:
            return rotation, origin
        w = cross(motion[body, :3])
        R = (np.eye(3) + w * t + w @ w * t * t / 2) @ poses[body, :3, :3]
        return R @ rotation, poses[body, :3, 3] + motion[body, 3:] * t + R @ origin

    def violations(joint: Any, motion: Array, t: float) -> Array:
        kind, first, second, distance = joint
        return violation(kind, moved(first, motion, t), moved(second, motion, t), distance)

    rows, bias = [], []
    for joint in joints:
        _, first, second, _ = joint
        phi = partial(violations, joint)
        columns = np.zeros((len(phi(twists, 0.0)), 6 * model.nb))
        for body in {first[0], second[0]} - {-1}:
            for k in range(6):
                unit = np.zeros((model.nb, 6))
                unit[body, k] = 1.0
                columns[:, 6 * body + k] = (
                    8 * (phi(unit, 1.0) - phi(unit, -1.0)) - phi(unit, 2.0) + phi(unit, -2.0)) / 12
        rows.append(columns)
        bias.append((16 * (phi(twists, 1.0) + phi(twists, -1.0)) - phi(twists, 2.0)
                     - phi(twists, -2.0) - 30 * phi(twists, 0.0)) / 12)
    J, b = np.concatenate(rows), np.concatenate(bias)
    M, f = _inertias_and_forces(model, poses, twists, tau, gravity)
    n, m = len(M), len(J)
    matrix = np.block([[M, J.T], [J, np.zeros((m, m))]])
    solution = np.linalg.lstsq(matrix, np.concatenate([f, -b]), rcond=1e-13)[0]
    return solution[:n].reshape(-1, 6)


def _inertias_and_forces(model: Model, poses: Array, twists: Array, tau: Array, gravity: Array
                         ) -> tuple[Array, Array]:
    M, f = np.zeros((6 * model.nb, 6 * model.nb)), np.zeros((model.nb, 6))

    def act(body: int, moment: Array, force: Array, point: Array) -> None:
        if body >= 0:
            f[body, :3] += moment + np.cross(point - poses[body, :3, 3], force)
            f[body, 3:] += force

    for i in range(model.nb):
        R, p, w = poses[i, :3, :3], poses[i, :3, 3], twists[i, :3]
        m, c = model.masses[i], R @ model.mass_centers[i]
        inertia = R @ model.inertias[i] @ R.T
        about = inertia - m * cross(c) @ cross(c)
        M[6 * i:6 * i + 6, 6 * i:6 * i + 6] = np.block(
            [[about, m * cross(c)], [-m * cross(c), m * np.eye(3)]])
        act(i, np.zeros(3), m * np.asarray(gravity), p + c)
        f[i, :3] -= np.cross(w, about @ w)
        f[i, 3:] -= m * np.cross(w, np.cross(w, c))
        kind, first = model.joint_types[i], model.v_offsets[i]
        efforts = [tau[first + k] * R[:, axis % 3] for k, axis in enumerate(kind.pair.axes)]
        for axis, effort in zip(kind.pair.axes, efforts):
            moment, force = (effort, np.zeros(3)) if axis < 3 else (np.zeros(3), effort)
            act(i, moment, force, p)
            act(model.parents[i], -moment, -force, p)
    for spring in model.springs:
        (P, u), (Q, v) = (_point(frame, poses, twists) for frame in (spring.frame1, spring.frame2))
        length = np.linalg.norm(Q - P)
        n = (Q - P) / length
        pull = (spring.stiffness * (length - spring.length) + spring.damping * n @ (v - u)) * n
        act(spring.frame1.body, np.zeros(3), pull, P)
        act(spring.frame2.body, np.zeros(3), -pull, Q)
    return M, f.ravel()


def _point(frame: Any, poses: Array, twists: Array) -> Any:
    body, _, place = frame
    if body < 0:
        return place, np.zeros(3)
    lever = poses[body, :3, :3] @ place
    return poses[body, :3, 3] + lever, twists[body, 3:] + np.cross(twists[body, :3], lever)
