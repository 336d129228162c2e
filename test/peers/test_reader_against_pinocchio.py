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

"""What is read from a file against what Pinocchio reads from the same file."""

from pathlib import Path
import random

from described import joint, link, robot
from hypothesis import given, settings, strategies as st
import numpy as np
import pinocchio as pin
import pytest
from robots import trees

from mbd_ros.model import load, Model

ROOT = Path(__file__).resolve().parents[2]
LADDER = sorted((ROOT / 'test' / 'data' / 'ladder').glob('*.urdf'))
ROBOTS = sorted((ROOT / 'urdf').glob('*.urdf'))

# Products of at most a few rotation matrices, numbers of order 1.
TOLERANCE = 1e-13


def compare(model: Model, peer: pin.Model) -> None:
    """Compare order, placements, masses and inertias; link frames of Pinocchio are the joints'."""
    first = 0 if list(peer.names)[1:] == list(model.joint_names) else 1
    names = list(model.joint_names)
    assert list(peer.names)[1 + first:] == names[first:]
    assert [parent - 1 for parent in list(peer.parents)[1:]] == list(model.parents)
    for i, name in enumerate(model.body_names):
        there = model.links[name].rotation  # R_BL: Pinocchio's body frame is the link's
        parent = (np.eye(3) if model.parents[i] < 0
                  else model.links[model.body_names[model.parents[i]]].rotation)
        placement = peer.jointPlacements[i + 1]
        np.testing.assert_allclose(parent.T @ model.rotations[i] @ there, placement.rotation,
                                   atol=TOLERANCE)
        np.testing.assert_allclose(parent.T @ model.translations[i], placement.translation,
                                   atol=TOLERANCE)
        inertia = peer.inertias[i + 1]
        np.testing.assert_allclose(model.masses[i], inertia.mass, rtol=TOLERANCE)
        np.testing.assert_allclose(there.T @ model.mass_centers[i], inertia.lever, atol=TOLERANCE)
        scale = max(1.0, np.abs(inertia.inertia).max())
        np.testing.assert_allclose(there.T @ model.inertias[i] @ there, inertia.inertia,
                                   atol=TOLERANCE * scale)


@pytest.mark.parametrize('floating', [False, True])
@pytest.mark.parametrize('path', LADDER + ROBOTS, ids=lambda path: path.stem)
def test_stored_robots(path, floating):
    model = load(path, floating_base=floating, inertia='unchecked')
    peer = (pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()) if floating
            else pin.buildModelFromUrdf(str(path)))
    compare(model, peer)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(text=trees(max_joints=15), floating=st.booleans())
def test_random_trees(text, floating):
    model = load(text, floating_base=floating)
    peer = (pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if floating
            else pin.buildModelFromXML(text))
    compare(model, peer)


@pytest.mark.parametrize('seed', range(10))
def test_the_order_of_awkward_names(seed):
    names = ['a', 'B', 'b', 'J10', 'J2', 'j_1', 'j-1', 'é', 'Z', 'joint', 'joint_', 'A', '0', '_x']
    draw = random.Random(seed)
    draw.shuffle(names)
    joints = [joint(name, draw.choice(['continuous', 'fixed', 'prismatic']),
                    f'l{draw.randint(0, i)}', f'l{i + 1}') for i, name in enumerate(names)]
    draw.shuffle(joints)
    text = robot(*(link(f'l{i}') for i in range(len(names) + 1)), *joints)
    assert load(text).joint_names == tuple(pin.buildModelFromXML(text).names)[1:]


def test_an_axis_of_other_length():
    text = robot(link('a'), link('b', center='0.1 0.2 0.3'),
                 joint('j', 'prismatic', 'a', 'b', '<axis xyz="0 3 4"/>'
                       '<limit lower="-1" upper="1" effort="1" velocity="1"/>'))
    peer = pin.buildModelFromXML(text)
    data = peer.createData()
    pin.forwardKinematics(peer, data, np.array([0.5]))
    model = load(text)
    np.testing.assert_allclose(model.rotations[0] @ [0, 0, 0.5], data.oMi[1].translation,
                               atol=TOLERANCE)


def test_a_quaternion_of_urdf_1_1():
    text = robot(link('a'), link('b'), joint(
        'j', 'continuous', 'a', 'b',
        '<origin xyz="1 2 3" quat_xyzw="0.1 0.7 -0.1 0.7"/><axis xyz="1 0 0"/>'),
        attributes=' version="1.1"')
    compare(load(text), pin.buildModelFromXML(text))


@pytest.mark.parametrize('path', ROBOTS, ids=lambda path: path.stem)
def test_limits_and_dynamics(path):
    model, peer = load(path, flexible=False), pin.buildModelFromUrdf(str(path))
    assert model.effort_limits.tolist() == peer.upperEffortLimit.tolist()
    assert model.velocity_limits.tolist() == peer.upperVelocityLimit.tolist()
    assert model.damping.tolist() == list(peer.damping)
    if peer.nq == peer.nv:  # else there are continuous joints, which Pinocchio writes (cos, sin)
        assert model.lower.tolist() == peer.lowerPositionLimit.tolist()
        assert model.upper.tolist() == peer.upperPositionLimit.tolist()
