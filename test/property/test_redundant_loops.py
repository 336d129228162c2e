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

"""Loops with redundant and nearly redundant rows, light and heavy bodies, large and small."""

from dataclasses import replace

from described import bare, joint, link, robot
from hypothesis import example, given, settings, strategies as st
import numpy as np
import pytest
from random_loops import random_loops
import scipy

import mbd_ros
from mbd_ros.description.records.mechanism import Inertia, Pose
from mbd_ros.description.records.poses import matrix3
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.model import build_model

GRAVITY = np.array([0.0, 0.0, -9.81])
LIMIT = '<limit lower="-9" upper="9" effort="1" velocity="1"/>'
APART = (0.5, 2e-4, 1e-8)
"""Of two points that coincide [m]: a hinge, hardly one, and none in a robot of this size."""


def sized(pose, size):
    """Return a pose whose lengths are multiplied."""
    return Pose(pose.rotation, tuple(size * x for x in pose.translation))


def along(pose, way):
    """Return a pose a way further on its z axis."""
    return replace(pose, translation=tuple(
        np.array(pose.translation) + way * np.array(pose.rotation)[:, 2]))


def closed_more_than_once(model, rng, size, spread):
    """Return a model of another size, with other masses, and loops closed again."""
    mechanism = model.mechanism
    links = []
    for part in mechanism.links:
        own = part.inertia
        if own is not None:
            factor = 10.0 ** rng.uniform(-spread, spread)
            own = Inertia(own.mass * factor, tuple(size * x for x in own.center),
                          matrix3(np.array(own.tensor) * factor * size * size))
        links.append(replace(part, inertia=own))
    loops = []
    for loop in mechanism.loop_joints:
        one = replace(loop, frame1=sized(loop.frame1, size), frame2=sized(loop.frame2, size),
                      distance=None if loop.distance is None else size * loop.distance)
        loops.append(one)
        if loop.kind == 'revolute':  # once more, and as two points on its axis
            loops.append(replace(one, name=f'{loop.name} again'))
            for k, apart in enumerate((0.0, rng.choice(APART))):
                loops.append(replace(one, name=f'{loop.name} {k}', kind='spherical',
                                     frame1=along(one.frame1, size * apart),
                                     frame2=along(one.frame2, size * apart)))
        elif loop.kind == 'spherical':
            loops.append(replace(one, name=f'{loop.name} near', frame1=along(
                one.frame1, size * 1e-8), frame2=along(one.frame2, size * 1e-8)))
    return replace(mechanism, links=tuple(links), loop_joints=tuple(loops), joints=tuple(
        replace(joint, origin=sized(joint.origin, size)) for joint in mechanism.joints))


def dense(model, q, v, tau):
    """Return accelerations and rank of a dense solve, with gaps of the singular values."""
    dyn = mbd_ros.compile(model, executor='interpreted')
    rows = dyn.loop_rows(q, v)
    A, bias = rows[:, VALUES:], rows[:, VALUES - 1]
    sizes = np.linalg.norm(A, axis=1)
    scale = 1.0 / np.where(sizes > 1e-9 * sizes.max(), sizes, np.inf)
    left, sigma, right = np.linalg.svd(A * scale[:, None])
    rank = int((sigma > 3e-6 * sigma[0]).sum())
    motion = -right[:rank].T @ ((left[:, :rank].T @ (scale * bias)) / sigma[:rank])
    N, M = right[rank:].T, dyn.mass_matrix(q)
    if N.shape[1]:
        drive = N.T @ (tau - dyn.bias_forces(q, v) - M @ motion)
        motion = motion + N @ scipy.linalg.solve(N.T @ M @ N, drive, assume_a='pos')
    relative = sigma / sigma[0]
    return motion, rank, relative[(relative > 1e-9) & (relative < 1e-4)].size == 0, dyn


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), bodies=st.integers(3, 7), loops=st.integers(1, 2),
       size=st.sampled_from((1.0, 1e-3, 30.0)), spread=st.sampled_from((0.0, 4.0)))
@example(seed=73, bodies=6, loops=2, size=1e-3, spread=4.0)
def test_redundant_rows(seed, bodies, loops, size, spread):
    """Accelerations, rank and redundant rows, in three orders of the loops."""
    rng = np.random.default_rng(seed)
    model, q, v = random_loops(seed, bodies, loops, cuts=('revolute', 'spherical', 'universal'),
                               joints=('continuous', 'spherical'))
    mechanism = closed_more_than_once(model, rng, size, spread)
    model = build_model(mechanism)
    q, v = mbd_ros.close_loops(model, q, v, executor='interpreted')
    # Efforts as gravity has them, lest light bodies hide what heavy ones do.
    tau = rng.normal(size=model.nv) * mbd_ros.bias_forces(model, q, 0.0 * v)
    expected, rank, clear, _ = dense(model, q, v, tau)
    if not clear:
        return  # on the verge of a change point two decisions may differ
    scale = max(9.81 / size, np.abs(expected).max())
    for order in (range(len(model.loops)), reversed(range(len(model.loops))),
                  rng.permutation(len(model.loops))):
        other = build_model(replace(mechanism, loop_joints=tuple(
            mechanism.loop_joints[k] for k in order)))
        found = mbd_ros.constrained_dynamics(other, q, v, tau, executor='interpreted')
        assert found.rank == rank
        # Masses 1e8 apart leave nine of sixteen digits, rows 1e-4 apart four fewer.
        np.testing.assert_allclose(found.accelerations, expected, rtol=0.0, atol=1e-5 * scale)
        rows = mbd_ros.compile(other, executor='interpreted').loop_rows(q, v)[:, VALUES:]
        names = [name for loop in other.loops for name in loop.row_names]
        kept = [k for k, name in enumerate(names) if name not in found.redundant]
        assert len(kept) == rank
        scaled = rows[kept] / np.linalg.norm(rows[kept], axis=1, keepdims=True)
        assert np.linalg.matrix_rank(scaled, tol=1e-7) == rank


def test_a_row_that_only_a_heavy_slide_obeys():
    """Beside a gram on a hinge, which the row cannot move, a ton on a slide is not lost."""
    hinge = '<origin xyz="{} 0 0"/><axis xyz="0 0 1"/>'.format
    model = mbd_ros.load(robot(
        bare('base'), link('ton', mass=1e3, moments=(1e3, 1e3, 1e3)),
        *(link(name, mass=1e-5, center='0.005 0 0', moments=(1e-10,) * 3)
          for name in ('one', 'two', 'three')),
        joint('slide', 'prismatic', 'base', 'ton', '<axis xyz="0 0 1"/>' + LIMIT),
        joint('a', 'continuous', 'ton', 'one', hinge(0)),
        joint('b', 'continuous', 'one', 'two', hinge(0.01)),
        joint('c', 'continuous', 'base', 'three', hinge(0.01)),
        '<loop_joint name="pin" type="spherical"><link1 link="two" xyz="0.01 0 0"/>'
        '<link2 link="three" xyz="0.01 0 0"/></loop_joint>'))
    q, v = mbd_ros.close_loops(model, [0.0, 1.0, -1.0, 1.0], [0.0, 1.0, -1.0, 1.0])
    solution = mbd_ros.constrained_dynamics(model, q, v, np.zeros(4))
    assert solution.rank == 3
    # Inertias 1e12 apart leave four of sixteen digits.
    np.testing.assert_allclose(solution.accelerations[0], 0.0, atol=1e-3)
    assert abs(solution.multipliers[2]) == pytest.approx(9.81 * 1000.00002, rel=1e-6)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), bodies=st.integers(3, 6), loops=st.integers(1, 2))
@example(seed=1, bodies=4, loops=2)  # pivots say three rows of five, accelerations are 67 % off
def test_masses_too_far_apart_for_pivots(seed, bodies, loops):
    """Of milligrams and kilotons: rank and accelerations are those of a dense solve."""
    rng = np.random.default_rng(seed)
    model, q, v = random_loops(seed, bodies, loops, cuts=('distance', 'planar', 'spherical'),
                               joints=('continuous', 'spherical'))
    factors = 10.0 ** rng.permutation(np.linspace(-6.0, 6.0, bodies))
    model = build_model(replace(model.mechanism, links=tuple(
        part if part.inertia is None else replace(part, inertia=replace(
            part.inertia, mass=part.inertia.mass * factors[k - 1],
            tensor=matrix3(np.array(part.inertia.tensor) * factors[k - 1])))
        for k, part in enumerate(model.mechanism.links))))
    q, v = mbd_ros.close_loops(model, q, v, executor='interpreted')
    tau = rng.normal(size=model.nv) * mbd_ros.bias_forces(model, q, 0.0 * v)
    expected, rank, clear, _ = dense(model, q, v, tau)
    if not clear:
        return  # on the verge of a change point two decisions may differ
    found = mbd_ros.constrained_dynamics(model, q, v, tau)
    assert found.rank == rank
    # Masses 1e12 apart leave four of sixteen digits.
    np.testing.assert_allclose(found.accelerations, expected, rtol=0.0,
                               atol=1e-3 * max(9.81, np.abs(expected).max()))
    assert np.abs(found.residual).max() < 1e-9 * max(9.81, np.abs(expected).max())
    assert mbd_ros.compile(model).how('forward_dynamics', 1) == 'dense, rank first'
    np.testing.assert_array_equal(mbd_ros.forward_dynamics(model, [q, q], v, tau)[1],
                                  mbd_ros.compile(model).forward_dynamics(q, v, tau))
