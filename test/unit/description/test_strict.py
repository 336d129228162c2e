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

"""The strict pass: what is unknown, unused, missing or no number."""

from described import bare, link, one_joint, robot
import pytest

from mbd_ros.description import read
from mbd_ros.errors import DescriptionError

AXIS = '<axis xyz="0 0 1"/>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def remarks(text: str) -> list[str]:
    """Return the findings of a robot as lines of text."""
    return [str(finding) for finding in read(text).findings]


@pytest.mark.parametrize(('part', 'remark'), [
    ('<lnk name="a"/>',
     '<string>:3: warning: element <lnk> is unknown and not used; did you mean <link>?'),
    ('<blob/>', '<string>:3: warning: element <blob> is unknown and not used'),
    ('<gazebo><anything/></gazebo>',
     '<string>:3: info: element <gazebo> is not used: it is for Gazebo, but for joints '
     'in it, which are read'),
    ('<transmission name="t"><type>x</type></transmission>',
     '<string>:3: info: element <transmission> is not used: efforts are those of the joints; '
     'rotor inertia is given by <mbd:armature>'),
    ('<ros2_control name="x" type="system"/>',
     '<string>:3: info: element <ros2_control> is not used: it is for ros2_control'),
    ('<my:thing xmlns:my="urn:my"/>',
     '<string>:3: warning: element <my:thing> is unknown and not used'),
    ('words', "<string>:1: warning: the text 'words' in or after <robot> is not used"),
])
def test_elements_of_the_robot_that_are_not_used(part, remark):
    lines = remarks(robot(bare('a'), part))
    if part == 'words':
        remark = "<string>:2: warning: link 'a': the text 'words' in or after <link> is not used"
    assert lines == [remark]


@pytest.mark.parametrize(('inside', 'remark'), [
    ('<inertail/>', "link 'a': element <inertail> is unknown and not used; did you mean "
                    '<inertial>?'),
    ('<visual><geometry><box size="1 1"/></geometry></visual>',
     'link \'a\': size="1 1" of <box> has 2 words; allowed: 3 finite numbers'),
    ('<collision/>', "link 'a': <collision> has no <geometry>"),
    ('<visual><geometry><ball/></geometry></visual>',
     "link 'a': element <ball> is unknown and not used"),
    ('<visual><geometry><mesh/></geometry></visual>',
     "link 'a': <mesh> has no attribute 'filename'"),
])
def test_elements_of_a_link_that_are_not_used(inside, remark):
    text = robot(f'<link name="a">{inside}</link>', attributes=' xmlns:mbd="urn:mbd_ros"')
    assert remarks(text) == ['<string>:2: warning: ' + remark]


@pytest.mark.parametrize(('inside', 'remark'), [
    (AXIS + LIMIT + '<safety_controller k_velocity="1"/>',
     "info: joint 'j': element <safety_controller> is not used: it sets up a controller, not the "
     'mechanism'),
    (AXIS + LIMIT + '<calibration rising="1"/>',
     "info: joint 'j': element <calibration> is not used: it sets up the encoders, not the "
     'mechanism'),
    (AXIS + '<limit lower="-1" upper="1" effort="1" velocity="1" velocty="2"/>',
     "warning: joint 'j': attribute 'velocty' of <limit> is unknown and not used; did you mean "
     "'velocity'?"),
    (AXIS + AXIS + LIMIT,
     "warning: joint 'j': a further <axis> is not used; only the first is"),
])
def test_elements_of_a_joint_that_are_not_used(inside, remark):
    assert remarks(one_joint(inside)) == ['<string>:4: ' + remark]


def test_shapes_are_for_the_viewer_and_no_finding():
    shape = ('<origin xyz="0 0 1" rpy="0 0 0"/><geometry><capsule radius="1" length="2"/>'
             '</geometry>')
    text = robot('<material name="red"><color rgba="1 0 0 1"/></material>',
                 f'<link name="a"><visual name="v">{shape}<material name="red"/></visual>'
                 f'<collision>{shape}</collision></link>')
    assert remarks(text) == []


@pytest.mark.parametrize(('inside', 'message'), [
    ('<inertial><mass value="1"/></inertial>', "link 'a': <inertial> has no <inertia>"),
    ('<inertial><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>',
     "link 'a': <inertial> has no <mass>"),
    ('<inertial><mass/></inertial>', "link 'a': <mass> has no attribute 'value'"),
    ('<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>',
     "link 'a': <inertia> has no attribute 'ixy'"),
])
def test_what_is_missing_in_a_link(inside, message):
    with pytest.raises(DescriptionError) as caught:
        read(robot(f'<link name="a">{inside}</link>'))
    assert str(caught.value) == f'<string>:2: {message}'


@pytest.mark.parametrize(('part', 'message'), [
    ('<link/>', "<link> has no attribute 'name'"),
    ('<link name=" "/>', "<link> has no attribute 'name'"),
    ('<joint type="fixed"><parent link="a"/><child link="b"/></joint>',
     "<joint> has no attribute 'name'"),
    ('<joint name="j"><parent link="a"/><child link="b"/></joint>',
     "joint 'j': <joint> has no attribute 'type'"),
    ('<joint name="j" type="fixed"><child link="b"/></joint>',
     "joint 'j': <joint> has no <parent>"),
    ('<joint name="j" type="fixed"><parent link="a"/></joint>',
     "joint 'j': <joint> has no <child>"),
    ('<joint name="j" type="fixed"><parent/><child link="b"/></joint>',
     "joint 'j': <parent> has no attribute 'link'"),
    ('<joint name="j" type="fixed"><parent link="a"/><child link="b"/><axis/></joint>',
     "joint 'j': <axis> has no attribute 'xyz'"),
])
def test_what_is_missing_elsewhere(part, message):
    with pytest.raises(DescriptionError) as caught:
        read(robot(link('b'), part))
    assert str(caught.value) == f'<string>:3: {message}'


def test_a_robot_without_a_name(tmp_path):
    (tmp_path / 'arm.urdf').write_text('<robot><link name="a"/></robot>')
    mechanism = read(tmp_path / 'arm.urdf')
    assert mechanism.name == 'arm'
    assert [finding.message for finding in mechanism.findings] == [
        "<robot> has no name; it is called 'arm' after its file"]
    assert read('<robot><link name="a"/></robot>').name == 'string'


@pytest.mark.parametrize(('value', 'problem'), [
    ('0 abc 1', "holds 'abc'"), ('0 0', 'has 2 words'), ('0 0 0 1', 'has 4 words'),
    ('', 'has 0 words'), ('0 nan 0', "holds 'nan'"), ('0 0 inf', "holds 'inf'"),
    ('0 -Infinity 0', "holds '-Infinity'"), ('0,0,1', 'has 1 word'), ('1_0 0 0', "holds '1_0'"),
    ('0 1e999 0', "holds '1e999'"), ('0x1 0 0', "holds '0x1'"), ('١ 0 0', "holds '١'"),
])
def test_what_is_no_triple_of_numbers(value, problem):
    with pytest.raises(DescriptionError) as caught:
        read(one_joint(f'<origin xyz="{value}"/>{AXIS}{LIMIT}'))
    assert str(caught.value) == (f'<string>:4: joint \'j\': xyz="{value}" of <origin> {problem}; '
                                 'allowed: 3 finite numbers')


@pytest.mark.parametrize('value', ['1', '+1', '-.5', '2.', '1e-3', '1.5E+10', ' 7 '])
def test_ways_to_write_a_number(value):
    (arm,) = read(robot(link('a', mass=value.replace('-', '')))).links
    assert arm.inertia is not None
    assert arm.inertia.mass == float(value.replace('-', ''))


def test_a_version_from_the_future_is_remarked():
    assert remarks(robot(bare('a'), attributes=' version="1.1"')) == []
    assert remarks(robot(bare('a'), attributes=' version="2.0"')) == [
        "<string>:1: warning: the URDF version '2.0' is unknown; it is read as 1.2"]
