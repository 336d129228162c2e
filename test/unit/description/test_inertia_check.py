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

"""Mass properties no body can have."""

from pathlib import Path

from described import joint, link, robot
import pytest

from mbd_ros.description import read
from mbd_ros.errors import DescriptionError

NEGATIVE = link('a', mass=-2)


def test_a_negative_mass_is_refused():
    with pytest.raises(DescriptionError) as caught:
        read(robot(NEGATIVE))
    assert str(caught.value) == "<string>:2: link 'a' has the mass -2 kg; allowed: 0 or more"


def test_unchecked_it_is_a_finding():
    (finding,) = read(robot(NEGATIVE), inertia='unchecked').findings
    assert str(finding) == "<string>:2: error: link 'a' has the mass -2 kg; allowed: 0 or more"


def test_a_negative_moment_is_a_warning():
    (finding,) = read(robot(link('a', moments=(1.0, -0.1, 1.0)))).findings
    assert str(finding) == (
        "<string>:2: warning: link 'a' has the principal moments of inertia -0.1, 1 and 1 kg m^2; "
        'of a rigid body none is negative')


def test_the_triangle_inequality_is_a_warning():
    (finding,) = read(robot(link('a', moments=(1.0, 0.1, 0.1)))).findings
    assert str(finding) == (
        "<string>:2: warning: link 'a' has the principal moments of inertia 0.1, 0.1 and 1 "
        'kg m^2; of a rigid body none is larger than the sum of the others')


@pytest.mark.parametrize(('value', 'severity'), [('true', 'info'), ('false', 'warning')])
def test_what_is_quoted_on_purpose_is_no_warning(value, severity):
    text = robot(link('a', moments=(1.0, 0.1, 0.1))).replace(
        '<robot', '<robot xmlns:mbd="urn:mbd_ros"', 1).replace(
        '<inertial>', f'<inertial mbd:as_published="{value}">')
    (finding,) = read(text).findings   # of this alone: the attribute is known
    assert finding.severity == severity
    assert 'none is larger than the sum' in finding.message


@pytest.mark.parametrize('file', sorted((Path(__file__).parents[3] / 'urdf').glob('*.urdf*')),
                         ids=lambda one: one.name)
def test_shipped_robots_start_without_a_warning_about_themselves(file):
    assert {one.severity for one in read(file).findings} <= {'info'}


def test_off_diagonal_entries_count():
    text = robot(link('a', moments=(1.0, 1.0, 1.0)).replace('ixy="0"', 'ixy="2"'))
    (finding,) = read(text).findings
    assert 'principal moments of inertia -1, 1 and 3 kg m^2' in finding.message


def test_a_moment_without_mass_is_a_warning():
    (finding,) = read(robot(link('a', mass=0))).findings
    assert str(finding) == (
        "<string>:2: warning: link 'a' has a moment of inertia but no mass")


@pytest.mark.parametrize('part', [
    link('a', moments=(0.0, 0.0, 0.0)),                  # a point
    link('a', moments=(0.1, 0.1, 0.0)),                  # a thin rod
    link('a', moments=(0.1, 0.1, 0.2)),                  # a plate
    link('a', moments=(0.1, 0.2, 0.1 + 0.2)),            # a plate, rounded
    link('a', mass=0, moments=(0.0, 0.0, 0.0)),          # nothing
    link('a', moments=(1e-35, -2e-35, 1e-35)),           # a point with rounding
])
def test_what_bodies_can_have(part):
    assert read(robot(part)).findings == ()


def test_moments_of_a_point_may_be_rounding():
    """1 kg with a radius of gyration of 1e-6 m has 1e-12 kg m^2, known to 1e-18."""
    for moment, warned in ((0.9e-18, False), (1.1e-18, True)):
        found = read(robot(link('a', moments=(moment, -moment, moment)))).findings
        assert bool(found) == warned


def test_sizes_that_no_robot_has():
    with pytest.raises(DescriptionError, match="link 'b' has a mass, mass centre or inertia beyo"):
        read(robot(link('b', mass='1e200')))
    origin = '<origin xyz="0 1e30 0"/><axis xyz="0 0 1"/>'
    with pytest.raises(DescriptionError, match=r"joint 'j' is farther than 1e.20 m from "):
        read(robot(link('a'), link('b'), joint('j', 'continuous', 'a', 'b', origin)))
