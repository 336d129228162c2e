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

"""Robots to URDF and back."""

from dataclasses import replace
from pathlib import Path

from described import link, robot
from hypothesis import given, settings
import numpy as np
import pytest
from robots import trees

from mbd_ros.description import Mechanism, read
from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.mechanism import LoopJoint, SpringDamper
from mbd_ros.description.records.poses import pose_of, roll_pitch_yaw
from mbd_ros.description.write.urdf import urdf_text

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted([*ROOT.glob('urdf/*.urdf'), *ROOT.glob('test/data/ladder/*.urdf')])

# Angles there and back through sine and cosine, tensors through two rotations: a few roundings.
TOLERANCE = 1e-14


def assert_same(one: Mechanism, other: Mechanism) -> None:
    """Compare two robots, but for where they were written."""
    assert (one.name, one.root) == (other.name, other.root)
    for records in ('links', 'joints', 'loop_joints', 'springs'):
        first, second = getattr(one, records), getattr(other, records)
        assert len(first) == len(second)
        for a, b in zip(first, second):
            _assert_equal(a, b)


def _assert_equal(one: object, other: object) -> None:
    assert type(one) is type(other)
    if isinstance(one, Source):
        return
    if hasattr(one, '__dataclass_fields__'):
        for name in one.__dataclass_fields__:
            _assert_equal(getattr(one, name), getattr(other, name))
    elif isinstance(one, tuple | float):
        np.testing.assert_allclose(one, other, rtol=TOLERANCE, atol=TOLERANCE)
    else:
        assert one == other


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_stored_robots(path):
    mechanism = read(path)
    assert_same(read(urdf_text(mechanism)), mechanism)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(text=trees(max_joints=12))
def test_random_trees(text):
    mechanism = read(text)
    assert_same(read(urdf_text(mechanism)), mechanism)


def test_all_that_a_joint_can_have():
    mechanism = read(robot(*map(link, 'abcdefg'), *(
        f'<joint name="j{child}" type="{kind}"><parent link="a"/><child link="{child}"/>{more}'
        '</joint>' for child, kind, more in (
            ('b', 'revolute', '<axis xyz="0 0.6 0.8"/><limit lower="-1" upper="2" effort="3" '
             'velocity="4" acceleration="5" deceleration="6" jerk="7"/><dynamics damping="0.1" '
             'friction="0.2"/><mbd:armature value="0.3"/>'),
            ('c', 'continuous', '<axis xyz="0 1 0"/><mimic joint="jb" multiplier="2" '
             'offset="3"/>'),
            ('d', 'prismatic', '<axis xyz="0 0 1"/><limit lower="-1.7976931348623157e308" '
             'upper="1.7976931348623157e308" effort="1" velocity="1"/>'),
            ('e', 'floating', ''), ('f', 'planar', '<axis xyz="0 0 -1"/>'),
            ('g', 'spherical', '<origin rpy="1 1.5707963267948966 0.5"/>'))),
        attributes=' xmlns:mbd="urn:mbd_ros"'))
    assert mechanism.joints[2].limits.upper == np.inf
    back = read(urdf_text(mechanism))
    assert_same(back, mechanism)
    assert [finding.severity for finding in back.findings].count('warning') == 1  # the mimic


@pytest.mark.parametrize('dialect', ['loop_joint', 'constraint', 'drake'])
def test_loops_and_springs(dialect):
    frame = pose_of((0.1, 0.2, 0.3), (0, 0, 0) if dialect == 'drake' else (0.3, 0.2, 0.1))
    mechanism = replace(
        read(robot(*map(link, 'ab'), '<joint name="j" type="continuous"><parent link="a"/>'
                   '<child link="b"/><axis xyz="1 0 0"/></joint>')),
        loop_joints=(LoopJoint('cut', 'spherical', 'a', 'b', frame, frame),),
        springs=(SpringDamper('s', 'a', 'b', (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), 1.0, 2.0, 3.0),))
    text = urdf_text(mechanism, loops=dialect)
    assert_same(read(text), mechanism)
    assert text.count('xmlns') <= 2


@pytest.mark.parametrize('pitch', [np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-10, 1.5707963267948, 0.3])
def test_roll_pitch_yaw_at_the_pole(pitch):
    rng = np.random.default_rng(3)
    for _ in range(20):
        roll, yaw = rng.uniform(-3, 3, 2)
        rotation = pose_of((0, 0, 0), (roll, pitch, yaw)).rotation
        again = pose_of((0, 0, 0), roll_pitch_yaw(rotation)).rotation
        np.testing.assert_allclose(again, rotation, rtol=0.0, atol=TOLERANCE)
