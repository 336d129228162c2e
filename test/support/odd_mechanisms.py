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

"""Random robots with what other formats may refuse: names, masses, moments, limits, kinds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from random_loops import random_rotation
from robots import ALL_KINDS, urdf

from mbd_ros.description.read import read
from mbd_ros.description.records.mechanism import Inertia, LoopJoint, Mechanism, Pose
from mbd_ros.description.records.poses import matrix3

NAMES = ('world', '__model__', 'a::b', 'joint000', 'joint001', 'link001', 'world_link000',
         '<i>&"\'', 'with space', 'umlaut ü')
MOMENTS = ((0.0, 1.0, 1.0), (1.0, 1.0, 2.0), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.1, 0.2, 0.35),
           (-0.1, 1.0, 1.0), (1.0, 1.0, 2.0 + 1e-7), (0.3, 0.4, 0.5))


def odd_mechanism(seed: int) -> Mechanism:
    """Return a random tree, now and then with loops, in which some things are odd."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 7))
    kinds = rng.choice(ALL_KINDS, count, p=(0.4, 0.1, 0.15, 0.2, 0.05, 0.05, 0.05)).tolist()
    simple = ['revolute' if kind in ('floating', 'spherical', 'planar') else kind
              for kind in kinds]
    mechanism = read(urdf([int(rng.integers(0, i + 1)) for i in range(count)], simple, seed))
    joints = tuple(replace(joint, kind=kind) for joint, kind in zip(mechanism.joints, kinds))
    if rng.random() < 0.2:
        joints = (replace(joints[0], limits=replace(joints[0].limits, upper=-3.0)), *joints[1:])
    links = tuple(replace(link, inertia=_inertia(link.inertia, rng)) for link in mechanism.links)
    mechanism = replace(mechanism, links=links, joints=joints)
    if rng.random() < 0.3:
        mechanism = _with_loop(mechanism, rng)
    if rng.random() < 0.5:
        mechanism = _renamed(mechanism, rng)
    return mechanism


def _inertia(inertia: Inertia | None, rng: np.random.Generator) -> Inertia | None:
    """Return an inertia, None, or an odd one."""
    choice = rng.random()
    if inertia is None or choice > 0.4:
        return inertia
    if choice < 0.1:
        return None
    turn = random_rotation(rng)
    scale = 10.0 ** rng.uniform(-6.0, 2.0)
    moments = scale * np.array(MOMENTS[rng.integers(len(MOMENTS))])
    return Inertia(float(rng.choice([0.0, 1e-3, 1.0, 50.0])), inertia.center,
                   matrix3(turn @ np.diag(moments) @ turn.T))


def _with_loop(mechanism: Mechanism, rng: np.random.Generator) -> Mechanism:
    """Return the robot with a loop joint between two links, closed or not."""
    first, second = rng.choice([link.name for link in mechanism.links], 2, replace=False).tolist()
    kind = str(rng.choice(['spherical', 'revolute', 'fixed', 'universal', 'planar']))
    frames = [Pose(translation=tuple(rng.normal(size=3).tolist())) for _ in range(2)]
    return replace(mechanism, loop_joints=(LoopJoint('loop', kind, first, second, *frames),))


def _renamed(mechanism: Mechanism, rng: np.random.Generator) -> Mechanism:
    """Return the robot with another name for one of its links."""
    old = mechanism.links[rng.integers(len(mechanism.links))].name
    new = str(rng.choice(NAMES))
    if any(link.name == new for link in mechanism.links):
        return mechanism

    def name(link: str) -> str:
        return new if link == old else link
    return replace(
        mechanism, root=name(mechanism.root),
        links=tuple(replace(link, name=name(link.name)) for link in mechanism.links),
        joints=tuple(replace(joint, parent=name(joint.parent), child=name(joint.child))
                     for joint in mechanism.joints),
        loop_joints=tuple(replace(loop, link1=name(loop.link1), link2=name(loop.link2))
                          for loop in mechanism.loop_joints))
