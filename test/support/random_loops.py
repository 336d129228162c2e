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

"""Random mechanisms with closed loops, assembled so that a given configuration is consistent."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbd_ros import link_poses
from mbd_ros.description.records.mechanism import (
    Inertia, Joint, Link, LoopJoint, Mechanism, Pose, SpringDamper)
from mbd_ros.description.records.poses import matrix3
from mbd_ros.model import build_model, Model, state

CUTS = ('revolute', 'spherical', 'universal', 'prismatic', 'fixed', 'planar', 'distance')
JOINTS = ('continuous', 'prismatic', 'spherical', 'planar')


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """Return a rotation matrix, uniform."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


def random_loops(seed: int, bodies: int, loops: int, springs: int = 0,
                 cuts: Any = CUTS, joints: Any = JOINTS) -> tuple[Model, np.ndarray, np.ndarray]:
    """Return a model and a random state that satisfies its loops' positions, not velocities."""
    rng = np.random.default_rng(seed)
    names = ['ground', *(f'b{i:02}' for i in range(bodies))]
    parts, tree = [Link('ground')], []
    for i in range(bodies):
        A = rng.normal(size=(3, 3))
        tensor = A @ A.T * 0.02 + 0.05 * np.eye(3)
        parts.append(Link(names[i + 1], Inertia(
            float(rng.uniform(0.5, 2.0)), tuple(rng.uniform(-0.3, 0.3, 3)),
            matrix3(0.5 * (tensor + tensor.T)))))
        parent = names[max(0, i + 1 - int(rng.integers(1, 4)))]
        kind = 'continuous' if rng.random() < 0.6 else str(rng.choice(joints))
        axis = random_rotation(rng)[0]
        tree.append(Joint(f'j{i:02}', kind, parent, names[i + 1],  # type: ignore[arg-type]
                          Pose(matrix3(random_rotation(rng)), tuple(rng.uniform(-0.5, 0.5, 3))),
                          tuple(axis / np.linalg.norm(axis))))
    open_tree = Mechanism('random', 'ground', tuple(parts), tuple(tree))
    model = build_model(open_tree)
    q = state.random_configuration(model, rng)
    poses = link_poses(model, q)
    closing, tied = [], []
    for k in range(loops + springs):
        one, other = rng.choice(len(names), 2, replace=False)
        first = np.eye(4)
        first[:3, :3], first[:3, 3] = random_rotation(rng), rng.uniform(-0.3, 0.3, 3)
        kind = str(rng.choice(cuts))
        there = poses[names[one]] @ first
        distance = None
        if k >= loops or kind == 'distance':
            distance = float(rng.uniform(0.3, 1.0))
            there[:3, 3] += distance * random_rotation(rng)[0]
        second = np.linalg.inv(poses[names[other]]) @ there
        frames = [Pose(matrix3(frame[:3, :3]), tuple(frame[:3, 3].tolist()))
                  for frame in (first, second)]
        if k < loops:
            closing.append(LoopJoint(f'cut{k}', kind, names[one], names[other],  # type: ignore
                                     *frames, distance=distance if kind == 'distance' else None))
        else:
            tied.append(SpringDamper(
                f's{k}', names[one], names[other], frames[0].translation, frames[1].translation,
                float(rng.uniform(1, 20)), float(rng.uniform(0, 2)), 0.5 * float(distance or 0)))
    mechanism = Mechanism('random', 'ground', tuple(parts), tuple(tree),
                          loop_joints=tuple(closing), springs=tuple(tied))
    return build_model(mechanism), q, rng.normal(size=model.nv)
