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

"""Random linkages in a plane on a carrier that leans, against a dense solve in world axes."""

from hypothesis import given, settings, strategies as st
import numpy as np
from random_loops import random_rotation
from scipy.spatial.transform import Rotation

import mbd_ros
from mbd_ros.description.records.mechanism import Inertia, Joint, Link, LoopJoint, Mechanism, Pose
from mbd_ros.description.records.poses import matrix3
from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.dynamics.prepared.rank import dense_solution
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.model import build_model, state

CUTS = ('revolute', 'spherical', 'universal', 'fixed', 'prismatic')


def frame(rotation, point):
    """Return a pose of arrays."""
    return Pose(matrix3(rotation), tuple(np.asarray(point).tolist()))


def linkage(seed, bodies, loops, carrier, leaning):
    """
    Return a model and a configuration with closed loops.

    Joints turn about the normal of a plane, or slide in it; most cuts have their z along it. The
    places of joints and cuts are apart across the plane, too.
    """
    rng = np.random.default_rng(seed)
    normal = random_rotation(rng)[0]
    names = ['ground', 'carrier', *(f'b{i}' for i in range(bodies))]
    links = [Link('ground'), *(Link(name, Inertia(
        float(rng.uniform(0.5, 2.0)), tuple(rng.uniform(-0.3, 0.3, 3)),
        matrix3(np.diag(rng.uniform(0.05, 0.09, 3))))) for name in names[1:])]
    joints = [Joint('base', carrier, 'ground', 'carrier', frame(np.eye(3), np.zeros(3)),
                    tuple(random_rotation(rng)[0]))]
    for i in range(bodies):
        turns = rng.random() < 0.75
        axis = normal * rng.choice([-1, 1]) if turns else np.cross(normal, rng.normal(size=3))
        joints.append(Joint(
            f'j{i}', 'continuous' if turns else 'prismatic',
            names[max(1, i + 2 - int(rng.integers(1, 4)))], names[i + 2],
            frame(Rotation.from_rotvec(rng.uniform(-3, 3) * normal).as_matrix(),
                  rng.uniform(-0.5, 0.5, 3)), tuple(axis / np.linalg.norm(axis))))
    tree = Mechanism('random', 'ground', tuple(links), tuple(joints))
    model = build_model(tree)
    q = state.random_configuration(model, rng)
    if carrier == 'floating':
        q[3:7] = Rotation.from_rotvec(leaning * random_rotation(rng)[0]).as_quat()
    else:
        q[0] = leaning
    poses, cuts = mbd_ros.link_poses(model, q), []
    for k in range(loops):
        one, other = rng.choice(names[1:], 2, replace=False)
        z = normal if rng.random() < 0.7 else random_rotation(rng)[0]
        x = np.cross(z, rng.normal(size=3))
        x /= np.linalg.norm(x)
        first = np.eye(4)
        first[:3, :3], first[:3, 3] = np.column_stack([x, np.cross(z, x), z]), rng.normal(size=3)
        second = np.linalg.inv(poses[other]) @ poses[one] @ first
        cuts.append(LoopJoint(f'cut{k}', str(rng.choice(CUTS)), str(one), str(other), *(
            frame(pose[:3, :3], pose[:3, 3]) for pose in (first, second))))
    return build_model(Mechanism('random', 'ground', tuple(links), tuple(joints),
                                 loop_joints=tuple(cuts))), q


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), bodies=st.integers(3, 7), loops=st.integers(1, 2),
       carrier=st.sampled_from(('floating', 'continuous')),
       leaning=st.sampled_from((0.0, 1e-12, 1e-9, 1e-6, 1e-4, 1e-2, 0.3, 2.0)))
def test_accelerations_and_rows(seed, bodies, loops, carrier, leaning):
    model, q = linkage(seed, bodies, loops, carrier, leaning)
    rng, dyn = np.random.default_rng(seed), mbd_ros.compile(model, executor='interpreted')
    rest = np.zeros(model.nv)
    rows, own = dyn.loop_rows(q, rest), dyn.own_loop_rows(q, rest)
    np.testing.assert_allclose(rows[:, 0], 0.0, atol=1e-12)
    for tie, loop in zip(tree_of(model).ties, model.loops):
        part = slice(tie.row, tie.row + len(loop.rows))
        # A^T A does not change when rows are combined by a rotation, but for rows of rounding.
        grams = [A[part, VALUES:].T @ A[part, VALUES:] for A in (rows, own)]
        np.testing.assert_allclose(grams[0], grams[1], atol=1e-12 * max(1.0, np.abs(grams).max()))
    space = RowSpace(model, rows[:, VALUES:])
    unclear = (space.sigma > 1e-9) & (space.sigma < 3e-3 * space.sigma[0])
    if unclear.any():
        return  # on the verge of a change point two decisions may differ
    v = space.motions() @ rng.normal(size=model.nv - int(space.rank))
    tau = rng.normal(size=model.nv)
    expected = dense_solution(dyn, 'accelerations', q, v, tau)
    # Rows that are 3e-3 apart may cost five of fifteen digits; of 475 cases the worst had 3e-12.
    np.testing.assert_allclose(dyn.forward_dynamics(q, v, tau), expected, rtol=0.0,
                               atol=1e-8 * max(1.0, np.abs(expected).max()))
