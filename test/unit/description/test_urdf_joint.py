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

"""Joints: type, axis, limits, dynamics, annotations."""

from math import inf, sqrt

from described import LIMIT, one_joint
import pytest

from mbd_ros.description import Joint, read
from mbd_ros.errors import DescriptionError

AXIS = '<axis xyz="0 0 1"/>'


def joint_of(inside: str | None = None, kind: str = 'revolute') -> Joint:
    """Return the record of the joint."""
    (record,) = read(one_joint(inside, kind)).joints
    return record


def remarks(inside: str, kind: str = 'revolute') -> list[str]:
    """Return what is remarked about the joint."""
    return [str(finding) for finding in read(one_joint(inside, kind)).findings]


def error(inside: str | None, kind: str = 'revolute') -> str:
    """Return the message with which the joint is refused."""
    with pytest.raises(DescriptionError) as caught:
        read(one_joint(inside, kind))
    return str(caught.value)


def test_a_joint_with_everything():
    joint = joint_of('<origin xyz="1 2 3"/><axis xyz="0 1 0"/>'
                     '<limit lower="-2" upper="3" effort="40" velocity="5" acceleration="6" '
                     'deceleration="7" jerk="8"/><dynamics damping="0.1" friction="0.2"/>'
                     '<mbd:armature value="0.3"/>')
    assert (joint.name, joint.kind, joint.parent, joint.child) == ('j', 'revolute', 'base', 'arm')
    assert joint.origin.translation == (1.0, 2.0, 3.0)
    assert joint.axis == (0.0, 1.0, 0.0)
    assert (joint.limits.lower, joint.limits.upper) == (-2.0, 3.0)
    assert (joint.limits.effort, joint.limits.velocity) == (40.0, 5.0)
    assert (joint.limits.acceleration, joint.limits.deceleration, joint.limits.jerk) == (6, 7, 8)
    dynamics = joint.dynamics
    assert (dynamics.damping, dynamics.friction, dynamics.armature) == (0.1, 0.2, 0.3)
    assert str(joint.source) == '<string>:4'


@pytest.mark.parametrize('kind', ['planar', 'spherical'])
def test_joints_of_more_coordinates(kind):
    mechanism = read(one_joint(AXIS, kind))
    assert mechanism.joints[0].kind == kind
    assert [finding.message for finding in mechanism.findings] == ([] if kind == 'planar' else [
        "joint 'j': element <axis> has no meaning for a spherical joint and is not used"])


def test_an_unknown_type():
    assert error(AXIS, 'revolut') == (
        "<string>:4: joint 'j' has the unknown type 'revolut'; allowed: revolute, continuous, "
        "prismatic, fixed, floating, planar, spherical; did you mean 'revolute'?")


def test_a_missing_axis_is_x():
    assert joint_of(LIMIT).axis == (1.0, 0.0, 0.0)
    assert remarks(LIMIT) == [
        "<string>:4: info: joint 'j' has no <axis>; URDF's default, x, is used"]


def test_an_axis_of_other_length_is_scaled():
    inside = '<axis xyz="0 3 4"/>' + LIMIT
    assert joint_of(inside).axis == pytest.approx((0.0, 0.6, 0.8), abs=1e-16)  # one rounding
    assert remarks(inside) == [
        "<string>:4: info: joint 'j': the <axis> has the length 5; it is scaled to 1"]
    assert remarks(f'<axis xyz="{1 / sqrt(2)} 0 {1 / sqrt(2)}"/>{LIMIT}') == []


@pytest.mark.parametrize('size', ['1e-200', '1e200'])  # their squares are beyond float64
def test_an_axis_of_any_length_is_scaled(size):
    inside = f'<axis xyz="0 {size} 0"/>' + LIMIT
    assert joint_of(inside).axis == (0.0, 1.0, 0.0)


def test_an_axis_of_no_length():
    assert error('<axis xyz="0 0 0"/>' + LIMIT) == (
        "<string>:4: joint 'j': the <axis> is zero; allowed: a unit vector")


@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
def test_a_missing_limit(kind):
    assert error(AXIS, kind) == (
        f"<string>:4: joint 'j' of type '{kind}' has no <limit>; allowed: a <limit>, or the type "
        "'continuous' for joints that turn without end")


def test_limits_in_the_wrong_order():
    assert error(AXIS + '<limit lower="2" upper="-1" effort="1" velocity="1"/>') == (
        "<string>:4: joint 'j': lower=2 of <limit> is above upper=-1")


def test_negative_limits():
    assert error(AXIS + '<limit lower="-1" upper="1" effort="-3" velocity="1"/>') == (
        "<string>:4: joint 'j': effort=-3 of <limit> is negative")


@pytest.mark.parametrize('attribute', ['effort', 'velocity'])
def test_minus_one_is_no_limit(attribute):
    """As SDFormat has it; exporters write it into URDF, too."""
    given = {'effort': 3, 'velocity': 2, attribute: -1}
    inside = AXIS + '<limit lower="-1" upper="1" effort="{effort}" velocity="{velocity}"/>'.format(
        **given)
    limits = joint_of(inside).limits
    assert (limits.effort, limits.velocity) == ((inf, 2.0) if attribute == 'effort' else (
        3.0, inf))
    assert remarks(inside) == [
        f"<string>:4: warning: joint 'j': {attribute}=-1 of <limit> is read as no limit"]


def test_limits_left_out():
    inside = AXIS + '<limit upper="1"/>'
    limits = joint_of(inside).limits
    assert (limits.lower, limits.upper) == (0.0, 1.0)
    assert (limits.velocity, limits.effort) == (inf, inf)
    assert remarks(inside) == [
        "<string>:4: warning: joint 'j': <limit> has not both lower and upper; URDF's default, 0, "
        'is used',
        "<string>:4: info: joint 'j': <limit> has no velocity; there is no limit then",
        "<string>:4: info: joint 'j': <limit> has no effort; there is no limit then"]


def test_limits_of_zero_are_suspicious():
    assert remarks(AXIS + '<limit lower="-1" upper="1" effort="0" velocity="1"/>') == [
        "<string>:4: warning: joint 'j': effort of <limit> is 0"]


def test_a_continuous_joint_has_no_position_limits():
    limits = joint_of(AXIS + LIMIT, 'continuous').limits
    assert (limits.lower, limits.upper, limits.effort) == (-inf, inf, 1.0)
    assert remarks(AXIS + LIMIT, 'continuous') == [
        "<string>:4: info: joint 'j' is continuous: lower and upper of <limit> are not used"]
    assert joint_of(AXIS, 'continuous').limits.velocity == inf


@pytest.mark.parametrize(('element', 'message'), [
    ('<dynamics damping="-1"/>', 'damping=-1 of <dynamics> is negative'),
    ('<dynamics friction="-1"/>', 'friction=-1 of <dynamics> is negative'),
    ('<mbd:armature value="-1"/>', 'value=-1 of <mbd:armature> is negative'),
    ('<mbd:armature/>', "<mbd:armature> has no attribute 'value'"),
    ('<dynamics damping="abc"/>',
     'damping="abc" of <dynamics> holds \'abc\'; allowed: 1 finite number'),
    ('<mbd:armature value="1 2"/>',
     'value="1 2" of <mbd:armature> has 2 words; allowed: 1 finite number'),
])
def test_dynamics_that_cannot_be(element, message):
    assert error(AXIS + LIMIT + element) == f"<string>:4: joint 'j': {message}"


@pytest.mark.parametrize(('kind', 'tags'), [
    ('fixed', ('axis', 'limit', 'mbd:armature')), ('floating', ('axis', 'limit'))])
def test_what_has_no_meaning_for_a_joint_without_axis(kind, tags):
    lines = remarks(AXIS + LIMIT + '<mbd:armature value="1"/>', kind)
    assert lines == [
        f"<string>:4: info: joint 'j': element <{tag}> has no meaning for a {kind} joint and is "
        'not used' for tag in tags]
    assert joint_of(AXIS + LIMIT, kind).dynamics.armature == 0.0


def test_a_mimic_joint_is_an_ordinary_joint():
    inside = AXIS + LIMIT + '<mimic joint="other" multiplier="2"/>'
    mimic = joint_of(inside).mimic
    assert mimic is not None
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ('other', 2.0, 0.0)
    assert remarks(inside) == [
        "<string>:4: warning: joint 'j' mimics 'other'; it is read as an ordinary joint, without "
        'the coupling', "<string>:4: warning: joint 'j' mimics 'other', which does not exist"]


def test_a_coupled_mimic_joint():
    text = one_joint(AXIS + LIMIT + '<mimic joint="other"/>')
    messages = [finding.message for finding in read(text, mimic=True).findings]
    assert messages == ["joint 'j' mimics 'other', which does not exist"]


def test_without_mimic_joints_coupling_them_is_no_problem():
    assert read(one_joint(), mimic=True).joints == read(one_joint()).joints


@pytest.mark.parametrize('kind', ['fixed', 'floating', 'spherical'])
def test_a_joint_without_axis_has_that_of_the_frame(kind):
    assert joint_of('', kind) == Joint('j', kind, 'base', 'arm', axis=(0.0, 0.0, 1.0),
                                       source=joint_of('', kind).source)
