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

"""Links and their poses as records, and text that gives the same robot again."""

from pathlib import Path

from described import bare, joint, link, one_joint, robot
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mbd_ros.description import Mechanism, read
from mbd_ros.errors import DescriptionError

ROOT = Path(__file__).resolve().parents[3]
ROBOTS = sorted([*ROOT.glob('urdf/*.urdf'), *ROOT.glob('test/data/ladder/*.urdf')])

INERTIAL = ('<inertial>{origin}<mass value="2"/><inertia ixx="1" ixy="0.1" ixz="0.2" iyy="1.5" '
            'iyz="0.3" izz="1.2"/></inertial>')
TENSOR = np.array([[1.0, 0.1, 0.2], [0.1, 1.5, 0.3], [0.2, 0.3, 1.2]])


def same(mechanism: Mechanism) -> tuple[object, ...]:
    """Return what two readings of one robot have in common: all but files and lines."""
    return (mechanism.name, mechanism.root,
            [(item.name, item.inertia and (item.inertia.mass, item.inertia.center,
                                           item.inertia.tensor)) for item in mechanism.links],
            [(item.name, item.kind, item.parent, item.child, item.origin, item.axis,
              item.dynamics, item.limits.lower, item.limits.upper, item.limits.effort)
             for item in mechanism.joints])


def test_an_inertia_in_a_turned_frame():
    origin = '<origin xyz="1 2 3" rpy="0.3 -0.4 0.5"/>'
    (record,) = read(robot(f'<link name="a">{INERTIAL.format(origin=origin)}</link>')).links
    assert record.inertia is not None
    turn = Rotation.from_euler('xyz', [0.3, -0.4, 0.5]).as_matrix()
    assert record.inertia.center == (1.0, 2.0, 3.0)
    # Two products of 3 x 3 matrices with entries of order 1.
    np.testing.assert_allclose(record.inertia.tensor, turn @ TENSOR @ turn.T, atol=1e-15)
    assert str(record.inertia.source) == '<string>:2'


def test_a_quaternion_is_read():
    quaternion = np.array([0.1, -0.2, 0.3, 0.9])
    text = one_joint('<origin xyz="1 0 0" quat_xyzw="0.1 -0.2 0.3 0.9"/><axis xyz="1 0 0"/>',
                     'continuous')
    mechanism = read(text)
    np.testing.assert_allclose(mechanism.joints[0].origin.rotation,
                               Rotation.from_quat(quaternion).as_matrix(), atol=1e-15)
    assert [str(finding) for finding in mechanism.findings] == [
        "<string>:4: warning: joint 'j': quat_xyzw of <origin> has the length 0.974679; it is "
        'scaled to 1']


@pytest.mark.parametrize('size', ['1e-200', '1e200'])  # their squares are beyond float64
def test_a_quaternion_of_any_length_is_scaled(size):
    text = one_joint(f'<origin quat_xyzw="0 0 {size} {size}"/><axis xyz="1 0 0"/>', 'continuous')
    np.testing.assert_allclose(read(text).joints[0].origin.rotation,
                               [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)  # 90 deg about z


@pytest.mark.parametrize(('origin', 'message'), [
    ('<origin rpy="0 0 1" quat_xyzw="0 0 0 1"/>',
     '<origin> gives rpy and quat_xyzw; allowed: one of them'),
    ('<origin quat_xyzw="0 0 0 0"/>',
     'quat_xyzw of <origin> is zero; allowed: a unit quaternion x y z w'),
    ('<origin quat_xyzw="0 0 1"/>',
     'quat_xyzw="0 0 1" of <origin> has 3 words; allowed: 4 finite numbers'),
])
def test_quaternions_that_cannot_be(origin, message):
    with pytest.raises(DescriptionError) as caught:
        read(robot(f'<link name="a">{INERTIAL.format(origin=origin)}</link>'))
    assert str(caught.value) == f"<string>:2: link 'a': {message}"


def test_right_angles_are_exact():
    mechanism = read(one_joint('<origin rpy="1.5707963267948966 0 -3.141592653589793"/>', 'fixed'))
    assert mechanism.joints[0].origin.rotation == ((-1, 0, 0), (0, 0, 1), (0, 1, 0))


def test_angles_that_are_nearly_right_stay_as_they_are():
    mechanism = read(one_joint('<origin rpy="1.5708 0 0"/>', 'fixed'))
    assert mechanism.joints[0].origin.rotation[1][1] == pytest.approx(np.cos(1.5708), rel=1e-9)


def test_links_without_inertia():
    assert read(robot(bare('a'))).links[0].inertia is None


def test_xacro_in_a_urdf_file():
    with pytest.raises(DescriptionError) as caught:
        read(robot(bare('a'), '<xacro:include filename="b"/>',
                   attributes=' xmlns:xacro="http://www.ros.org/wiki/xacro"'))
    assert str(caught.value) == ('<string>:3: <xacro:include> is not URDF but xacro, which is '
                                 'expanded in files that are named *.xacro or *.urdf')


@pytest.mark.parametrize('path', ROBOTS, ids=lambda path: path.stem)
def test_the_text_gives_the_same_robot(path):
    mechanism = read(path)
    assert mechanism.file == str(path)
    assert same(read(mechanism.text)) == same(mechanism)
    assert '<!--' in mechanism.text


def test_shapes_do_not_change_what_is_read():
    shape = '<visual><geometry><nonsense/></geometry></visual>'
    plain = robot(bare('base'), link('arm'), joint('j', 'revolute', 'base', 'arm'))
    drawn = plain.replace('</inertial>', f'</inertial>{shape}')
    assert same(read(drawn)) == same(read(plain))


def test_records_cannot_be_changed():
    mechanism = read(one_joint())
    for record in (mechanism, mechanism.links[0], mechanism.joints[0]):
        with pytest.raises(AttributeError):
            record.name = 'other'  # type: ignore[misc]
