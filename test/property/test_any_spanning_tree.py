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

"""One mechanism described with different trees: any joint may be the cut, any link the first."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given, settings, strategies as st
import numpy as np
from random_loops import random_rotation

import mbd_ros
from mbd_ros.description.records.mechanism import Inertia, Joint, Link, LoopJoint, Mechanism, Pose
from mbd_ros.description.records.poses import matrix3
from mbd_ros.model import build_model, state

KINDS = ('revolute', 'revolute', 'spherical', 'prismatic')


class Connection(NamedTuple):
    """A joint between two bodies, -1 the ground, with its frame in the world."""

    kind: str
    ends: tuple[int, int]
    frame: np.ndarray


def mechanism(rng, bodies, loops, floating):
    """Return the masses, centers and tensors of bodies in world axes, and their connections."""
    inertias = []
    for _ in range(bodies):
        A = rng.normal(size=(3, 3))
        inertias.append((rng.uniform(0.5, 2.0), rng.uniform(-0.5, 0.5, 3),
                         A @ A.T * 0.02 + 0.05 * np.eye(3)))

    def connection(one, other):
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = random_rotation(rng), rng.uniform(-0.5, 0.5, 3)
        return Connection(str(rng.choice(KINDS)), (one, other), frame)

    first = -1 if not floating else 0
    found = [connection(int(rng.integers(max(first, k - 2), k)), k)
             for k in range(first + 1, bodies)]
    for _ in range(loops):
        one, other = rng.choice(np.arange(first, bodies), 2, replace=False)
        found.append(connection(int(one), int(other)))
    return inertias, found


def described(rng, inertias, connections):
    """Return a model whose tree is one of many, and whose links stand so that all q are zero."""
    name = {-1: 'ground', **{k: f'b{k}' for k in range(len(inertias))}}
    on = {-1: np.eye(4)}  # where the link of a body is in the world
    joints, left = [], list(connections)
    if not any(-1 in connection.ends for connection in connections):
        base, frame = int(rng.integers(len(inertias))), np.eye(4)
        frame[:3, :3], frame[:3, 3] = random_rotation(rng), rng.uniform(-0.5, 0.5, 3)
        left.append(Connection('floating', (-1, base), frame))
    while len(on) <= len(inertias):
        ready = [k for k, one in enumerate(left) if (one.ends[0] in on) != (one.ends[1] in on)]
        one = left.pop(int(rng.choice(ready)))
        parent, child = one.ends if one.ends[0] in on else one.ends[::-1]
        on[child] = one.frame
        joints.append(Joint(f'j{len(joints)}', 'continuous' if one.kind == 'revolute' else
                            one.kind, name[parent], name[child],  # type: ignore[arg-type]
                            pose(np.linalg.inv(on[parent]) @ one.frame), (0.0, 0.0, 1.0)))
    links = [Link('ground')]
    for k, (mass, center, tensor) in enumerate(inertias):
        R, p = on[k][:3, :3], on[k][:3, 3]
        local = R.T @ tensor @ R
        links.append(Link(name[k], Inertia(mass, tuple(R.T @ (center - p)),
                                           matrix3(0.5 * (local + local.T)))))
    cuts = [LoopJoint(f'cut{k}', one.kind, *(name[end] for end in one.ends),  # type: ignore
                      *(pose(np.linalg.inv(on[end]) @ one.frame) for end in one.ends))
            for k, one in enumerate(left)]
    return build_model(Mechanism('m', 'ground', tuple(links), tuple(joints),
                                 loop_joints=tuple(cuts)))


def pose(transform):
    """Return a transform as a description holds it."""
    return Pose(matrix3(transform[:3, :3]), tuple(transform[:3, 3].tolist()))


def motions(model, inertias, q, v, rates=None):
    """Return for each body the motion of its mass center: angular and linear, (nb, 6)."""
    dyn = mbd_ros.compile(model, executor='interpreted')
    found = []
    for k, (_, center, _) in enumerate(inertias):
        motion = dyn.link_motion(q, v, f'b{k}', rates)
        arm, w = center - motion.pose[:3, 3], motion.velocity[3:]
        if rates is None:
            found.append([*w, *(motion.velocity[:3] + np.cross(w, arm))])
        else:
            turning = motion.acceleration[3:]
            found.append([*turning, *(motion.acceleration[:3] + np.cross(turning, arm)
                                      + np.cross(w, np.cross(w, arm)))])
    return np.array(found)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), bodies=st.integers(2, 6), loops=st.integers(1, 3),
       floating=st.booleans())
def test_any_tree_gives_the_same_motion(seed, bodies, loops, floating):
    rng = np.random.default_rng(seed)
    inertias, connections = mechanism(rng, bodies, loops, floating)
    expected = twists = None
    for _ in range(3):
        model = described(rng, inertias, connections)
        q = state.neutral(model)
        if twists is None:
            _, v = mbd_ros.close_loops(model, q, rng.normal(size=model.nv),
                                       executor='interpreted')
            twists = motions(model, inertias, q, v)
        else:
            columns = [motions(model, inertias, q, unit).ravel() for unit in np.eye(model.nv)]
            v = np.linalg.lstsq(np.array(columns).T, twists.ravel())[0]
            np.testing.assert_allclose(motions(model, inertias, q, v), twists, atol=1e-9)
        solution = mbd_ros.constrained_dynamics(model, q, v, np.zeros(model.nv),
                                                executor='interpreted')
        found = motions(model, inertias, q, v, solution.accelerations)
        if expected is None:
            expected, mobility = found, model.nv - solution.rank
            continue
        assert model.nv - solution.rank == mobility
        # Rows that nearly depend on each other cost digits; fewer joints than rows are stiff.
        np.testing.assert_allclose(found, expected, rtol=0.0,
                                   atol=1e-7 * max(1.0, np.abs(expected).max()))
