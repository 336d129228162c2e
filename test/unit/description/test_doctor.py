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

"""What the doctor finds suspicious in descriptions that can be read."""

from described import bare, joint, link, robot
import pytest

from mbd_ros.description.doctor.examination import examine
from mbd_ros.description.read import read


def limits(lower, upper):
    return (f'<axis xyz="0 0 1"/><limit lower="{lower}" upper="{upper}" effort="1" '
            'velocity="1"/>')


def offset(distance):
    return f'<origin xyz="{distance} 0 0"/><axis xyz="0 0 1"/>'


def findings(*parts):
    return examine(read(robot(*parts)))


def arm(moving, inside='<axis xyz="0 0 1"/>', kind='continuous'):
    return findings(bare('base'), moving, joint('j', kind, 'base', 'arm', inside))


def only(found):
    (finding,) = found
    return finding


def test_nothing_to_say():
    # 1 kg with the moments of a cube with sides of 0.1 m
    assert arm(link('arm', 1.0, moments=(1 / 600,) * 3), offset(0.5)) == []


def test_lengths_in_millimetres():
    found = arm(link('arm', moments=(0.01,) * 3), offset(450.0))
    assert str(only(found)) == (
        "<string>:4: warning: the joints reach 450 m; joint 'j' alone is 450 m from its parent")
    assert only(found).remedy == (
        'lengths are metres: divide by 1000 if these are millimetres')


@pytest.mark.parametrize(('center', 'suspicious'), [('2.9 0 0', False), ('3.1 0 0', True)])
def test_far_mass_centers(center, suspicious):
    found = arm(link('arm', center=center, moments=(0.01,) * 3))
    assert bool(found) is suspicious
    if suspicious:
        assert only(found).message == (
            "link 'arm' has its mass centre 3.1 m from its origin; the joints reach 0 m")


def test_far_is_far_for_the_robot():
    """The arm of a crane may have its mass centre where that of a gripper may not."""
    assert arm(link('arm', center='40 0 0'), offset(20.0)) == []


@pytest.mark.parametrize(('moment', 'density', 'hint'), [
    (1e3, '2.2e-06', 'multiply the moments by 1e-6 if they are in kg mm^2'),
    (1e-9, '2.2e+12', 'look whether both are in the same unit'),
])
def test_densities_no_material_has(moment, density, hint):
    found = only(arm(link('arm', 1.0, moments=(moment,) * 3)))
    assert found.message.startswith("link 'arm' has 1 kg and moments of inertia up to ")
    assert found.message.endswith(f': {density} kg/m^3')
    assert hint in found.remedy
    assert found.line == 3


def test_points_have_no_density():
    assert arm(link('arm', center='0 0 1', moments=(0.0, 0.0, 0.0))) == []


def test_limits_without_a_way():
    found = only(arm(link('arm', moments=(0.01,) * 3), limits(0.5, 0.5), 'revolute'))
    assert str(found) == "<string>:4: warning: joint 'j' cannot move: both limits are 0.5"
    assert found.remedy == "give it the type 'fixed', or different limits"


def test_limits_without_zero():
    found = only(arm(link('arm', moments=(0.01,) * 3), limits(0.5, 1.5), 'revolute'))
    assert str(found) == ("<string>:4: info: joint 'j' must not be at 0: its limits are 0.5 and "
                          '1.5')


def test_a_mimic_joint_that_stands_still():
    parts = [bare('base'), link('a', moments=(0.01,) * 3), link('b', moments=(0.01,) * 3),
             joint('i', 'continuous', 'base', 'a'),
             joint('j', 'continuous', 'a', 'b', '<mimic joint="i" multiplier="0"/>')]
    assert only(findings(*parts)).message == "joint 'j' mimics 'i' with multiplier 0"


def test_robots_without_any_mass():
    found = only(findings(bare('base'), bare('arm'), joint('j', 'continuous', 'base', 'arm')))
    assert str(found) == "<string>: error: no link of robot 'r' has a mass"


@pytest.mark.parametrize('order', ['xyz', 'yzx', 'zxy'])
def test_the_joint_that_is_farthest_from_its_parent_is_named(order):
    """Of three along the axes, each longer than the one before by less than a metre."""
    parts = [bare('base')]
    for name, axis, length in zip('ijk', order, (450.0, 450.4, 450.8)):
        origin = ' '.join(str(length * (one == axis)) for one in 'xyz')
        parts += [link(f'arm_{name}', moments=(0.01,) * 3),
                  joint(name, 'continuous', 'base', f'arm_{name}',
                        f'<origin xyz="{origin}"/><axis xyz="0 0 1"/>')]
    for listed in (parts, parts[::-1]):
        assert "joint 'k' alone is 450.8 m from its parent" in only(findings(*listed)).message


def test_a_moment_below_zero_has_no_density():
    text = robot(bare('base'), link('arm', moments=(-1.0,) * 3),
                 joint('j', 'continuous', 'base', 'arm'))
    assert examine(read(text, inertia='unchecked')) == []


def test_meshes_that_are_not_there_or_mirrored(tmp_path):
    file = tmp_path / 'r.urdf'
    (tmp_path / 'there.stl').write_text('')
    shapes = ''.join(f'<visual><geometry><mesh filename="{name}" {scale}/></geometry></visual>'
                     for name, scale in (('there.stl', 'scale="1 -1 1"'), ('gone.stl', ''),
                                         ('package://no_such_package/x.stl', '')))
    file.write_text(robot(f'<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" '
                          f'izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{shapes}</link>'))
    said = [finding.message for finding in examine(read(file))]
    assert said[0].startswith("the mesh 'there.stl' has the scale 1 -1 1, which mirrors it")
    assert said[1].startswith("the mesh 'gone.stl' is not there: there is no file")
    assert "package 'no_such_package' is neither" in said[2] and len(said) == 3


@pytest.mark.parametrize(('origin', 'shape', 'kind', 'said'), [
    ('', '<visual><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.1 0.1"/></geometry></visual>',
     'continuous', True),
    ('', '<collision><geometry><mesh filename="nowhere.stl"/></geometry></collision>',
     'continuous', True),
    ('', '<visual><geometry><sphere radius="0.1"/></geometry></visual>', 'continuous', False),
    ('', '<visual><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.1 0.1"/></geometry></visual>',
     'prismatic', False),
    ('', '', 'continuous', False),
    ('<origin xyz="0 0 0"/>',
     '<visual><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.1 0.1"/></geometry></visual>',
     'continuous', False)])
def test_a_mass_on_the_axis_since_no_place_is_given(origin, shape, kind, said):
    """What is forgotten most often: the mass of a link that is 0.4 m long stands on its axis."""
    moving = (f'<link name="arm"><inertial>{origin}<mass value="1"/><inertia ixx="0.01" '
              f'iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>{shape}</link>')
    found = [one for one in arm(moving, limits(-1, 1), kind) if '<origin>' in one.message]
    assert bool(found) is said
    if said:
        assert (only(found).severity, only(found).line) == ('info', 3)
        assert "on the axis of joint 'j'" in only(found).message
