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

"""One decision on the rank of loops, whoever asks, at all distances from a change point."""

from described import bare, link
import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.loops.efforts import free_motions, loop_efforts

DISTANCES = [0.3, *np.logspace(-1.0, -9.0, 25), 0.0]
BARS = ''.join(link(name, center='0 0 0.5', moments=(0.1, 0.1, 0.1)) for name in 'abc')


def parallelogram(kind, tilt, turn):
    """Bars a and c turn about y on the ground, b joins them."""
    def hinge(name, parent, child, xyz):
        return (f'<joint name="{name}" type="continuous"><origin xyz="{xyz}"/>'
                f'<parent link="{parent}"/><child link="{child}"/><axis xyz="0 1 0"/></joint>')
    frame = f'rpy="{-np.pi / 2} {turn} 0"' if kind == 'revolute' else f'rpy="0 {turn} 0"'
    return mbd_ros.load(
        f'<robot name="p">{bare("world")}{bare("ground")}{BARS}'
        f'<joint name="f" type="fixed"><origin rpy="{tilt}"/><parent link="world"/>'
        f'<child link="ground"/></joint>{hinge("a", "ground", "a", "0 0 0")}'
        f'{hinge("b", "a", "b", "0 0 1")}{hinge("c", "ground", "c", "2 0 0")}'
        f'<loop_joint name="k" type="{kind}"><link1 link="b" xyz="2 0 0" {frame}/>'
        f'<link2 link="c" xyz="0 0 1" {frame}/></loop_joint></robot>')


def ranks(model, distance):
    """Return the rank as each function decides it, that far from where all bars are in a line."""
    angle, q, rest = np.pi / 2 - distance, np.zeros(3), np.zeros(3)
    q[[model.joint_index(name) for name in 'abc']] = angle, -angle, angle
    dyn = mbd_ros.compile(model)
    return {'forward dynamics': mbd_ros.constrained_dynamics(model, q, rest, rest).rank,
            'mobility': model.nv - mbd_ros.mobility(model, q),
            'inverse dynamics': model.nv - loop_efforts(model, q, rest, rest).freedoms,
            'motions': model.nv - free_motions(dyn, q).shape[1]}


@pytest.mark.parametrize('kind', ['spherical', 'revolute'])
def test_near_a_change_point(kind):
    """
    Also along axes of the world, where a row is small by itself and not beside another.

    Forward dynamics held such a row for independent down to 1e-33.
    """
    found = {}
    for tilt in ('0 0 0', '0 0.5 0', '0.3 0.5 0.7', '1.5708 0 0'):
        for turn in (0.0, 0.4):
            model = parallelogram(kind, tilt, turn)
            for distance in DISTANCES:
                one = ranks(model, distance)
                assert len(set(one.values())) == 1, (tilt, turn, distance, one)
                found.setdefault(distance, set()).add(one['mobility'])
    assert all(len(rank) == 1 for rank in found.values())  # whatever the axes are
    assert found[0.3] == {2}
    assert found[0.0] == {1}
