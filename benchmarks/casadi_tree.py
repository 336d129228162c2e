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
The recursions of a tree as expressions of CasADi, for the C that CasADi generates of them.

Articulated bodies and Newton-Euler as Featherstone's book has them, in body axes, angular first,
with Plücker matrices, as urdf2casadi and adam write them, on scalars (SX), whose zeros and ones
CasADi folds away.

"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import casadi
import numpy as np

FUNCTIONS = ('forward_dynamics', 'inverse_dynamics')


def write_c(peer: Any, path: Path) -> None:
    """Write C with functions ``generated_...`` of (q, v, tau or qdd) of a Pinocchio model."""
    q, v, third = (casadi.SX.sym(name, size) for name, size in (
        ('q', peer.nq), ('v', peer.nv), ('third', peer.nv)))
    generator = casadi.CodeGenerator(path.name)
    for name, result in (('forward_dynamics', articulated(peer, q, v, third)),
                         ('inverse_dynamics', _newton_euler(peer, q, v, third))):
        generator.add(casadi.Function(f'generated_{name}', [q, v, third], [result], {
            'cse': True}))
    generator.generate(f'{path.parent}/')


def _skew(x: Any) -> Any:
    return casadi.vertcat(casadi.horzcat(0, -x[2], x[1]), casadi.horzcat(x[2], 0, -x[0]),
                          casadi.horzcat(-x[1], x[0], 0))


def _motion_map(rotation: Any, place: Any) -> Any:
    """Return the Plücker matrix from the parent to axes turned by ``rotation``, at ``place``."""
    turned = rotation.T
    return casadi.vertcat(casadi.horzcat(turned, casadi.SX(3, 3)),
                          casadi.horzcat(-casadi.mtimes(turned, _skew(place)), turned))


def _cross(v: Any) -> Any:
    return casadi.vertcat(casadi.horzcat(_skew(v[:3]), casadi.SX(3, 3)),
                          casadi.horzcat(_skew(v[3:]), _skew(v[:3])))


def _inertia(body: Any) -> Any:
    mass, lever = body.mass, np.asarray(body.lever)
    c = np.array([[0, -lever[2], lever[1]], [lever[2], 0, -lever[0]], [-lever[1], lever[0], 0]])
    return casadi.sparsify(casadi.SX(np.block([
        [np.asarray(body.inertia) + mass * c @ c.T, mass * c],
        [mass * c.T, mass * np.eye(3)]])))


def _joint(peer: Any, i: int, q: Any) -> tuple[Any, Any, slice]:
    """Return map from the parent, motion subspace, and the entries of v."""
    joint, place = peer.joints[i], peer.jointPlacements[i]
    kind = joint.shortname()
    rows = slice(joint.idx_v, joint.idx_v + joint.nv)
    fixed = np.asarray(place.rotation)
    fixed = casadi.sparsify(casadi.SX(fixed))
    shift = casadi.sparsify(casadi.SX(np.asarray(place.translation)))
    if kind == 'JointModelFreeFlyer':
        position, (x, y, z, w) = q[:3], casadi.vertsplit(q[3:7])
        turn = casadi.vertcat(
            casadi.horzcat(1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            casadi.horzcat(2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            casadi.horzcat(2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)))
        return (_motion_map(casadi.mtimes(fixed, turn), shift + casadi.mtimes(fixed, position)),
                casadi.SX(np.roll(np.eye(6), 3, axis=0)), rows)
    angle = q[joint.idx_q]
    axis = np.eye(3)['XYZ'.index(kind[-1])] if kind[-1] in 'XYZ' else np.asarray(
        joint.extract().axis if hasattr(joint, 'extract') else joint.axis)
    if kind.startswith('JointModelP'):
        return (_motion_map(fixed, shift + casadi.mtimes(fixed, axis * angle)),
                casadi.sparsify(casadi.SX(np.concatenate([np.zeros(3), axis]))), rows)
    c, s = casadi.cos(angle), casadi.sin(angle)
    outer = casadi.sparsify(casadi.SX(np.outer(axis, axis)))
    turn = (c * casadi.SX.eye(3) + (1 - c) * outer
            + s * casadi.sparsify(casadi.SX(np.array([
                [0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]]))))
    return (_motion_map(casadi.mtimes(fixed, turn), shift),
            casadi.sparsify(casadi.SX(np.concatenate([axis, np.zeros(3)]))), rows)


def _base() -> Any:
    return casadi.SX(np.array([0.0, 0.0, 0.0, 0.0, 0.0, 9.81]))


def _newton_euler(peer: Any, q: Any, v: Any, qdd: Any) -> Any:
    count = peer.njoints
    joints = [None, *(_joint(peer, i, q) for i in range(1, count))]
    motion, rate, force = [casadi.SX(6, 1)] * count, [_base()] * count, [None] * count
    for i in range(1, count):
        x, s, own = joints[i]
        parent, inertia = peer.parents[i], _inertia(peer.inertias[i])
        speed = casadi.mtimes(s, v[own])
        motion[i] = casadi.mtimes(x, motion[parent]) + speed
        rate[i] = (casadi.mtimes(x, rate[parent]) + casadi.mtimes(s, qdd[own])
                   + casadi.mtimes(_cross(motion[i]), speed))
        force[i] = (casadi.mtimes(inertia, rate[i])
                    - casadi.mtimes(_cross(motion[i]).T, casadi.mtimes(inertia, motion[i])))
    tau = [None] * count
    for i in range(count - 1, 0, -1):
        x, s, own = joints[i]
        rotor = casadi.SX(np.asarray(peer.armature)[own])
        tau[i] = casadi.mtimes(s.T, force[i]) + rotor * qdd[own]
        if peer.parents[i]:
            force[peer.parents[i]] += casadi.mtimes(x.T, force[i])
    return casadi.vertcat(*tau[1:])


def articulated(peer: Any, q: Any, v: Any, tau: Any) -> Any:
    """Return accelerations of a Pinocchio model by articulated bodies."""
    count = peer.njoints
    joints = [None, *(_joint(peer, i, q) for i in range(1, count))]
    motion = [casadi.SX(6, 1)] * count
    coriolis, inertia, bias = [None] * count, [None] * count, [None] * count
    for i in range(1, count):
        x, s, own = joints[i]
        speed = casadi.mtimes(s, v[own])
        motion[i] = casadi.mtimes(x, motion[peer.parents[i]]) + speed
        coriolis[i] = casadi.mtimes(_cross(motion[i]), speed)
        inertia[i] = _inertia(peer.inertias[i])
        bias[i] = -casadi.mtimes(_cross(motion[i]).T, casadi.mtimes(inertia[i], motion[i]))
    u, inverse, rest = [None] * count, [None] * count, [None] * count
    for i in range(count - 1, 0, -1):
        x, s, own = joints[i]
        parent = peer.parents[i]
        u[i] = casadi.mtimes(inertia[i], s)
        d = casadi.mtimes(s.T, u[i]) + casadi.diag(casadi.SX(np.asarray(peer.armature)[own]))
        inverse[i] = 1 / d if d.numel() == 1 else casadi.inv(d)
        rest[i] = tau[own] - casadi.mtimes(s.T, bias[i])
        if parent:
            gain = casadi.mtimes(u[i], inverse[i])
            left = inertia[i] - casadi.mtimes(gain, u[i].T)
            push = bias[i] + casadi.mtimes(left, coriolis[i]) + casadi.mtimes(gain, rest[i])
            inertia[parent] += casadi.mtimes(x.T, casadi.mtimes(left, x))
            bias[parent] += casadi.mtimes(x.T, push)
    rate, qdd = [_base()] * count, [None] * count
    for i in range(1, count):
        x, s, own = joints[i]
        carried = casadi.mtimes(x, rate[peer.parents[i]]) + coriolis[i]
        qdd[i] = casadi.mtimes(inverse[i], rest[i] - casadi.mtimes(u[i].T, carried))
        rate[i] = carried + casadi.mtimes(s, qdd[i])
    return casadi.vertcat(*qdd[1:])
