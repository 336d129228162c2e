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


"""Springs of joints in all formats, and what is left out of the equations on request."""

import pytest

import mbd_ros
from mbd_ros.description.write.sdf import sdf_text
from mbd_ros.description.write.urdf import urdf_text
from mbd_ros.errors import DescriptionError, InvalidValueError, MbdError, UnsupportedError

LINK = ('<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link>')
URDF = ('<robot name="r" xmlns:mbd="urn:mbd_ros"><link name="w"/>' + LINK.format('a')
        + '<joint name="j" type="{}"><parent link="w"/><child link="a"/>{}</joint>{}</robot>')
LIMIT = '<limit lower="-9" upper="9" effort="1" velocity="1"/>'


def springs(text, **how):
    """Return the springs of the one joint of a robot, without their sources."""
    (joint,) = mbd_ros.load(text, **how).mechanism.joints
    return [(one.stiffness, one.reference, one.slack) for one in joint.dynamics.springs]


@pytest.mark.parametrize(('kind', 'inside', 'found'), [
    ('revolute', LIMIT + '<mbd:spring stiffness="2" reference="0.5" slack="0.1"/>'
     '<mbd:spring quadratic_stiffness="3" cubic_stiffness="4"/>',
     [((2.0, 0.0, 0.0), (0.5,), 0.1), ((0.0, 3.0, 4.0), (), 0.0)]),
    ('spherical', '<mbd:spring stiffness="2" reference="0 0 0.6 0.8"/>',
     [((2.0, 0.0, 0.0), (0.0, 0.0, 0.6, 0.8), 0.0)]),
    ('floating', '<mbd:spring stiffness="2" reference="1 2 3 0 0 0.6 0.8"/>',
     [((2.0, 0.0, 0.0), (1.0, 2.0, 3.0, 0.0, 0.0, 0.6, 0.8), 0.0)])])
def test_annotations_are_read_and_written(kind, inside, found):
    model = mbd_ros.load(URDF.format(kind, inside, ''))
    assert springs(URDF.format(kind, inside, '')) == found
    assert springs(urdf_text(model.mechanism)) == found
    assert springs(model.mechanism.text) == found


@pytest.mark.parametrize(('kind', 'inside', 'what'), [
    ('revolute', LIMIT + '<mbd:spring stiffness="2" slack="-1"/>', 'has the slack -1'),
    ('spherical', '<mbd:spring stiffness="2" slack="1"/>', 'has the slack 1'),
    ('spherical', '<mbd:spring stiffness="2" reference="0 0 0 0"/>', 'not zero'),
    ('spherical', '<mbd:spring stiffness="2" reference="0 0 1"/>', 'reference'),
    ('revolute', LIMIT + '<mbd:spring stiffness="x"/>', 'stiffness')])
def test_annotations_that_mean_nothing_are_errors(kind, inside, what):
    with pytest.raises(DescriptionError, match=what):
        mbd_ros.load(URDF.format(kind, inside, ''))


def test_a_fixed_or_planar_joint_has_no_spring():
    for kind in ('fixed', 'planar'):
        model = mbd_ros.load(URDF.format(kind, '<mbd:spring stiffness="2"/>', ''))
        assert not model.joint_springs
        assert any('<mbd:spring> has no meaning' in str(one) for one in model.findings)


def test_springs_of_sdformat():
    text = """<sdf version="1.9"><model name="m"><link name="a"/><joint name="w" type="{}">
      <parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz><dynamics>
      <spring_stiffness>2</spring_stiffness><spring_reference>0.5</spring_reference></dynamics>
      </axis></joint></model></sdf>"""
    for kind in ('revolute', 'prismatic'):
        found = mbd_ros.load(text.format(kind))
        assert springs(text.format(kind)) == [((2.0, 0.0, 0.0), (0.5,), 0.0)]
        assert springs(sdf_text(found.mechanism)) == springs(text.format(kind))
    for spring in ('<mbd:spring stiffness="1" slack="1"/>',
                   '<mbd:spring stiffness="1" cubic_stiffness="1"/>',
                   '<mbd:spring stiffness="1"/><mbd:spring stiffness="1"/>'):
        with pytest.raises(UnsupportedError, match="spring of joint 'j'"):
            sdf_text(mbd_ros.load(URDF.format('revolute', LIMIT + spring, '')).mechanism)


def test_a_spring_that_closes_a_loop_is_refused_or_left_out():
    text = URDF.format('revolute', LIMIT, LINK.format('b') + '<joint name="k" type="continuous">'
                       '<parent link="a"/><child link="b"/><mbd:spring stiffness="1"/></joint>'
                       '<joint name="z" type="continuous"><parent link="w"/><child link="b"/>'
                       '<mbd:spring stiffness="1"/></joint>')
    with pytest.raises(UnsupportedError, match=r"springs of joint '[kz]'.*ignore=\['closing'\]"):
        mbd_ros.load(text)
    model = mbd_ros.load(text, ignore=['closing'])
    assert any('springs of joint' in str(one) for one in model.findings)


def test_tendons_are_refused_or_left_out():
    text = """<mujoco><worldbody><body><joint name="h"/><geom size=".1" pos=".2 0 0"/><body>
      <joint name="k"/><geom size=".1" pos=".3 0 0"/></body></body></worldbody><tendon>
      <fixed name="t" {}="1"><joint joint="h" coef="1"/><joint joint="k" coef="2"/></fixed>
      </tendon></mujoco>"""
    for word in ('stiffness', 'damping', 'armature'):
        with pytest.raises(UnsupportedError, match=r"fixed 't'.*ignore=\['tendons'\]") as error:
            mbd_ros.load(text.format(word))
        assert '<string>:3' in str(error.value)
        model = mbd_ros.load(text.format(word), ignore=('tendons',))
        assert any(one.severity == 'warning' and "fixed 't'" in str(one)
                   for one in model.findings)


@pytest.mark.parametrize('ignore', [['spring'], 'tendons', [3]])
def test_words_to_ignore_are_known(ignore):
    with pytest.raises(InvalidValueError, match='ignore'):
        mbd_ros.load(URDF.format('revolute', LIMIT, ''), ignore=ignore)
    assert issubclass(InvalidValueError, MbdError)
