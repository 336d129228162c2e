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

"""Bodies whose inertia as a whole is impossible."""

from described import bare, joint, link, robot
import pytest

from mbd_ros.errors import DescriptionError
from mbd_ros.model import load
from mbd_ros.model.body_check import body_errors

BAD = link('bad', moments=(0.1, -0.2, 0.1))
PARTS = [bare('base'), BAD, joint('j', 'continuous', 'base', 'bad', '<axis xyz="1 0 0"/>')]
HEAVY = link('heavy', moments=(1.0, 1.0, 1.0))


def test_a_negative_moment_of_a_moving_body():
    with pytest.raises(DescriptionError) as caught:
        load(robot(*PARTS))
    assert str(caught.value) == ("<string>:3: link 'bad' has the principal moments of inertia "
                                 '-0.2, 0.1, 0.1 kg m^2; allowed: 0 or more')


def test_links_fixed_to_it_are_counted():
    light = link('light', mass=1e-3, moments=(1e-3, 1e-3, 1e-3))
    with pytest.raises(DescriptionError, match=r"'bad' with the 1 fixed to it has the principal"):
        load(robot(*PARTS, light, joint('k', 'fixed', 'bad', 'light', '')))


def test_a_body_that_is_possible_as_a_whole():
    model = load(robot(*PARTS, HEAVY, joint('k', 'fixed', 'bad', 'heavy', '')))
    assert [finding.severity for finding in model.findings] == ['warning']


def test_the_ground_may_be_anything():
    assert load(robot(BAD, HEAVY, joint('j', 'continuous', 'bad', 'heavy'))).nv == 1


def test_unchecked_it_is_a_finding():
    warning, error = load(robot(*PARTS), inertia='unchecked').findings
    assert warning.severity == 'warning'
    assert str(error) == ("<string>:3: error: link 'bad' has the principal moments of inertia "
                          '-0.2, 0.1, 0.1 kg m^2; allowed: 0 or more')


@pytest.mark.parametrize(('mass', 'largest', 'allowed'), [
    (1.0, 1.0, 1e-6), (1.0, 0.01, 1e-8), (1e6, 1e-9, 1e-12), (2e6, 1e-9, 2e-12)])
def test_rounding_is_measured_by_the_largest_moment_and_the_mass(mass, largest, allowed):
    """A millionth of the largest moment, or of the mass a micrometre from its centre."""
    for factor, wrong in ((0.99, False), (1.01, True)):
        parts = [bare('base'), link('body', mass, moments=(largest, largest, -factor * allowed)),
                 joint('j', 'continuous', 'base', 'body')]
        assert len(body_errors(load(robot(*parts), inertia='unchecked'))) == wrong
