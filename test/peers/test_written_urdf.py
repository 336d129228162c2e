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

"""What is written as URDF is the same robot to Pinocchio; as SDFormat, to our own reading."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
import numpy as np
import pinocchio as pin
import pytest
from robots import random_state, trees

import mbd_ros
from mbd_ros.description import read
from mbd_ros.description.write.sdf import sdf_text
from mbd_ros.description.write.urdf import urdf_text
from mbd_ros.errors import UnsupportedError
from mbd_ros.model import build_model

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted((ROOT / 'urdf').iterdir())
COMPLETE = sorted((ROOT / 'test' / 'data' / 'complete').iterdir())
LIMITS = ('lower', 'upper', 'velocity_limits', 'effort_limits')

# Poses there and back through angles, over chains of some ten links.
TOLERANCE = 1e-11

NO_SDF = {
    'flexible_arm.urdf': 'the bending of link', 'rov.urdf': 'the fluid around',
    'delta.urdf.xacro': 'floating joint', 'stewart.urdf.xacro': 'floating joint',
    'five_bar.urdf': "loop joint 'tool'",
}
"""Robots that SDFormat has no words for, and a part of the reason."""


def without_rotors(path, urdf=False):
    """Return a robot that both formats have words for: rotor inertia is ours alone."""
    mechanism = read(path)
    return build_model(replace(mechanism, joints=tuple(
        replace(joint, dynamics=replace(joint.dynamics, armature=0.0))
        for joint in mechanism.joints), fluids=() if urdf else mechanism.fluids),
        flexible=False)


def same_to_pinocchio(model, text):
    """Compare masses, mass matrix and limits with what Pinocchio makes of a text."""
    peer = pin.buildModelFromXML(text)
    data = peer.createData()
    assert sorted(peer.names[1:]) == sorted(model.joint_names)
    q, _, _ = random_state(model, 0)
    there = pin.neutral(peer)
    columns = []
    for name, index in zip(model.joint_names, range(model.nv)):
        joint = peer.joints[peer.getJointId(name)]
        there[joint.idx_q:joint.idx_q + joint.nq] = (
            q[index] if joint.nq == 1 else [np.cos(q[index]), np.sin(q[index])])
        columns.append(joint.idx_v)
        if joint.nq == 1:
            assert peer.lowerPositionLimit[joint.idx_q] == max(
                model.lower[index], -np.finfo(float).max)
    expected = pin.crba(peer, data, there)[np.ix_(columns, columns)]
    expected = np.triu(expected) + np.triu(expected, 1).T
    np.testing.assert_allclose(mbd_ros.mass_matrix(model, q, executor='interpreted'), expected,
                               rtol=0.0, atol=TOLERANCE * max(1.0, np.abs(expected).max()))
    for limits, theirs in ((model.effort_limits, peer.effortLimit),
                           (model.velocity_limits, peer.velocityLimit)):
        bounded = np.isfinite(limits)
        np.testing.assert_array_equal(theirs[columns][bounded], limits[bounded])


@settings(max_examples=20, deadline=None, derandomize=True)
@given(text=trees(max_joints=8))
def test_sdf_to_urdf_to_pinocchio(text):
    """A limit of SDFormat without effort and velocity is one of URDF with both."""
    written = sdf_text(mbd_ros.load(text).mechanism)
    for tag in ('effort', 'velocity'):
        written = written.replace(f'<{tag}>', '<!--').replace(f'</{tag}>', '-->')
    model = mbd_ros.load(written)
    assert np.isinf(model.effort_limits).all()
    same_to_pinocchio(model, model.mechanism.text)


SEVERAL = ('delta.urdf.xacro', 'stewart.urdf.xacro', 'robot.urdf', 'robot.xml')
"""Robots with joints of several coordinates, of which URDF has other words than we."""


def single(model):
    """Return whether each joint has one coordinate, so that they can be compared by number."""
    return model.nq == model.nv == len(model.joint_names)


@pytest.mark.parametrize('path', SHIPPED + COMPLETE, ids=lambda path: path.name)
def test_robots_as_urdf_are_read_by_pinocchio(path):
    model = without_rotors(path, urdf=True)
    assert single(model) == (path.name not in SEVERAL)
    if single(model):
        same_to_pinocchio(model, urdf_text(model.mechanism))


@pytest.mark.parametrize('path', SHIPPED, ids=lambda path: path.name)
def test_shipped_robots_through_sdf_and_urdf(path):
    model = without_rotors(path)
    if path.name in NO_SDF:
        with pytest.raises(UnsupportedError, match=NO_SDF[path.name]):
            sdf_text(model.mechanism)
        return
    other = mbd_ros.load(sdf_text(model.mechanism))
    assert other.joint_names == model.joint_names
    q, v, _ = random_state(model, 1)
    for function in (lambda robot: mbd_ros.mass_matrix(robot, q, executor='interpreted'),
                     lambda robot: mbd_ros.bias_forces(robot, q, v, executor='interpreted')):
        expected = function(model)
        np.testing.assert_allclose(function(other), expected, rtol=0.0, atol=TOLERANCE * max(
            1.0, np.abs(expected).max()))
    for name in LIMITS:
        np.testing.assert_array_equal(getattr(other, name), getattr(model, name))
    if single(other):
        same_to_pinocchio(other, other.mechanism.text)
