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

"""Joints that move nothing."""

from pathlib import Path

from described import bare, joint, link, robot
import pytest

from mbd_ros.errors import InvalidValueError, SingularMassError
from mbd_ros.model import load

LADDER = Path(__file__).resolve().parents[2] / 'data' / 'ladder'
ADVICE = ('give the links it moves a mass and an inertia, or the joint a rotor inertia '
          '(armature)')
ALONG_Z, ALONG_X = '<axis xyz="0 0 1"/>', '<axis xyz="1 0 0"/>'
POINT = link('point', center='0 0 1', moments=(0.0, 0.0, 0.0))


def error(*parts: str, floating_base: bool = False) -> str:
    """Return the message with which a robot is refused."""
    with pytest.raises(SingularMassError) as caught:
        load(robot(*parts), floating_base=floating_base)
    return str(caught.value)


def test_a_massless_link_at_a_moving_joint():
    assert error(bare('base'), bare('tip'), joint('j', 'revolute', 'base', 'tip')) == (
        "joint 'j' moves no inertia: link 'tip' (<string>:3) and all that it carries yield "
        "without a force; load(..., locked={'j': 0.0}) holds it, load(..., inertia='unchecked') "
        f'reads the robot as it is; {ADVICE}')


def test_the_joint_nearest_to_the_root_is_named():
    message = error(bare('base'), bare('a'), bare('b'), joint('i', 'continuous', 'base', 'a'),
                    joint('j', 'prismatic', 'a', 'b'))
    assert message.startswith("joint 'i' moves no inertia: link 'a' (<string>:3)")


def test_a_point_on_the_axis():
    message = error(bare('base'), POINT, joint('j', 'continuous', 'base', 'point', ALONG_Z))
    assert message.startswith("joint 'j' moves no inertia")


def test_two_joints_on_one_axis_with_nothing_between():
    message = error(bare('base'), bare('ring'), link('arm'),
                    joint('i', 'continuous', 'base', 'ring', ALONG_Z),
                    joint('j', 'continuous', 'ring', 'arm', ALONG_Z))
    assert message.startswith("joint 'i' moves no inertia: link 'ring' (<string>:3)")


@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
def test_a_rotor_is_enough(kind):
    inside = (ALONG_Z + '<limit lower="0" upper="1" effort="1" velocity="1"/>'
              '<m:armature xmlns:m="urn:mbd_ros" value="0.1"/>')
    assert load(robot(bare('base'), bare('tip'), joint('j', kind, 'base', 'tip', inside))).nv == 1


def test_a_massless_link_that_carries_a_mass():
    model = load(robot(bare('base'), bare('ring'), link('arm', center='0 1 0'),
                       joint('i', 'continuous', 'base', 'ring', ALONG_Z),
                       joint('j', 'continuous', 'ring', 'arm', ALONG_X)))
    assert model.masses.tolist() == [0.0, 1.0]


def test_singular_in_one_position_only():
    # At q = 0 the point is on the first axis; turned by the second joint it is not.
    model = load(robot(bare('base'), bare('ring'), POINT,
                       joint('i', 'continuous', 'base', 'ring', ALONG_Z),
                       joint('j', 'continuous', 'ring', 'point', ALONG_X)))
    assert model.nv == 2


def test_a_floating_base_needs_mass_and_moments():
    assert error(bare('a'), floating_base=True).startswith(
        "joint 'floating_base' moves no inertia: link 'a' (<string>:2)")
    assert error(POINT, floating_base=True).startswith("joint 'floating_base'")
    assert load(robot(link('a')), floating_base=True).nv == 6


def test_a_massless_base_that_carries_a_body():
    parts = [bare('base'), link('arm'), joint('j', 'continuous', 'base', 'arm')]
    assert error(*parts, floating_base=True).startswith("joint 'floating_base'")
    assert load(robot(*parts[:2], joint('j', 'fixed', 'base', 'arm', '')), floating_base=True)


def test_light_motors_on_a_heavy_robot_are_no_problem():
    light = link('rotor', mass=1e-6, moments=(1e-11, 1e-11, 1e-11))
    model = load(robot(link('truck', mass=1e5, moments=(1e6, 1e6, 1e6)), light,
                       joint('j', 'continuous', 'truck', 'rotor')), floating_base=True)
    assert model.nv == 7


def test_unchecked_it_is_a_finding():
    model = load(robot(bare('base'), bare('tip'), joint('j', 'revolute', 'base', 'tip')),
                 inertia='unchecked')
    (finding,) = model.findings
    assert str(finding).startswith("<string>:3: error: joint 'j' moves no inertia")


def test_a_misspelt_inertia_is_named():
    misspelt = link('tip').replace('inertial>', 'inertail>')
    assert 'element <inertail> is unknown and not used; did you mean <inertial>?' in error(
        link('base'), misspelt, joint('j', 'revolute', 'base', 'tip'))


def test_other_ways_to_check_are_unknown():
    with pytest.raises(InvalidValueError) as caught:
        load(robot(bare('a')), inertia='loosely')  # type: ignore[arg-type]
    assert str(caught.value) == (
        "inertia is 'loosely'; allowed: 'checked' or 'unchecked' or 'from_shapes'")


@pytest.mark.parametrize('path', sorted(LADDER.glob('*.urdf')), ids=lambda path: path.stem)
def test_the_ladder_is_not_singular(path):
    load(path)
