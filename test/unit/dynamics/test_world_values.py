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

"""What force laws read of the world: changed as a whole or by field, or refused by name."""

from typing import NamedTuple

import pytest

from mbd_ros.dynamics.prepared.world_values import changed_world
from mbd_ros.errors import InvalidValueError, UnknownNameError


class Wind(NamedTuple):
    """A law's record."""

    speed: tuple
    density: float


VALUES = {'wind': Wind((1.0, 2.0, 3.0), 1.2), 'ballast': (0.5,)}


def test_changes_by_law_and_by_field():
    assert changed_world(VALUES, {}) == (1.0, 2.0, 3.0, 1.2, 0.5)
    assert changed_world(VALUES, {'ballast': (2,)}) == (1.0, 2.0, 3.0, 1.2, 2.0)
    assert changed_world(VALUES, {'wind': {'density': 3.0}}) == (1.0, 2.0, 3.0, 3.0, 0.5)
    assert changed_world(VALUES, {'wind': {'density': 3.0, 'speed': (4, 5, 6)}}) == (
        4.0, 5.0, 6.0, 3.0, 0.5)
    assert changed_world(VALUES, {'wind': Wind((0.0, 0.0, 0.0), 0.0)}) == (0.0,) * 4 + (0.5,)


@pytest.mark.parametrize(('changes', 'error', 'text'), [
    ({'wnd': {}}, UnknownNameError, "no force law named 'wnd'.*'wind'"),
    ({'wind': {'speeed': (0.0,) * 3}}, UnknownNameError, "field of force law 'wind' named"),
    ({'wind': {'density': 1.0, 'speeed': 2.0}}, UnknownNameError, "'speeed'"),
    ({'wind': {'speed': (0.0, 0.0)}}, InvalidValueError, "world of force law 'wind'.* 4 finite"),
    ({'wind': {'density': float('nan')}}, InvalidValueError, '4 finite numbers'),
    ({'wind': {'density': 'thick'}}, InvalidValueError, '4 finite numbers'),
    ({'ballast': (1.0, 2.0)}, InvalidValueError, '1 finite numbers')])
def test_what_is_no_world(changes, error, text):
    with pytest.raises(error, match=text):
        changed_world(VALUES, changes)
