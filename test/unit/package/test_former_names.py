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

"""Names of the release before still work, and say what they are called now."""

import pytest

from mbd_ros.control import TrackingLaw
from mbd_ros.nodes import launching
from mbd_ros.on_demand import former

FORMER = [(TrackingLaw, 'lacks', 'needs_new_terms'), (TrackingLaw, 'settle', 'ramp_gains'),
          (TrackingLaw, 'weightless', 'gravity_compensation'), (launching, 'ours', 'package_node')]


@pytest.mark.parametrize(('owner', 'before', 'now'), FORMER, ids=lambda value: str(value)[-20:])
def test_a_former_name_says_the_present_one(owner, before, now):
    old, new = getattr(owner, before), getattr(owner, now)
    assert old.__wrapped__ is new
    assert now in old.__doc__


def test_it_does_the_same_and_warns():
    def add(one, *, other):
        return one + other

    plus = former('plus', add)
    with pytest.warns(DeprecationWarning, match='plus is add now') as told:
        assert plus(1, other=2) == 3
    assert told[0].filename == __file__   # of who calls it
