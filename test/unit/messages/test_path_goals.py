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

"""What the result of a path that could not begin says."""

import math

from builtin_interfaces.msg import Duration, Time
from mbd_msgs.action import FollowPath
import pytest

from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.messages.fields.times import to_nanoseconds
from mbd_ros.messages.trajectories.path_goals import read_task, refused


def test_a_path_out_of_reach_has_a_code_of_its_own():
    start = InvalidValueError('start', [0.0], 'a state from which the constraint can be met')
    assert refused(start).error_code == FollowPath.Result.OUT_OF_REACH
    for other in (InvalidValueError('task', '3', 'a mapping'), UnknownNameError('link', 'x', ())):
        assert refused(other).error_code == FollowPath.Result.INVALID_GOAL


@pytest.mark.parametrize(('fields', 'text'), [
    ({'path_tolerance': math.nan}, 'path_tolerance is nan; allowed: a distance'),
    *(({'duration': Duration(sec=sec)}, f'duration is {float(sec)}; allowed: 0, the whole path')
      for sec in (-1, -100, -2**31))])
def test_numbers_of_a_goal_are_checked_before_it_begins(fields, text):
    """A NaN would allow any error, and a path of negative length has ended before it begins."""
    with pytest.raises(InvalidValueError, match=text):
        read_task(FollowPath.Goal(task='{}', **fields), None, None)


@pytest.mark.parametrize('nanosec', [10**9, 2**32 - 1])
def test_a_stamp_has_less_than_a_second_of_nanoseconds(nanosec):
    assert to_nanoseconds(Time(sec=2**31 - 1, nanosec=10**9 - 1)) == 2**31 * 10**9 - 1
    with pytest.raises(InvalidValueError, match=f'nanosec of a stamp is {nanosec}; allowed'):
        to_nanoseconds(Time(sec=2**31 - 1, nanosec=nanosec))
