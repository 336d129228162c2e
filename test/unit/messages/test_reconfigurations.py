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

"""Changes of the robot on their way to the simulator, and what is wrong with requests."""

import math

from mbd_msgs.srv import AttachModule, MoveModule, SetModel
import numpy as np
import pytest

from mbd_ros.errors import InvalidValueError, MbdError, RefusedError, ShapeError
from mbd_ros.messages.diagnostics.error_codes import error_code, error_name
from mbd_ros.messages.states.reconfigurations import (
    Change, read_change, read_jump, read_positions, set_model_request)


def test_a_change_arrives_as_it_was_sent():
    change = Change({'m/elbow': 0.5}, {'m/hull': np.arange(6.0)}, 0.01)
    request = set_model_request('<robot/>', change)
    assert request.robot_description == '<robot/>'
    again = read_change(request)
    assert (again.positions, again.largest_jump) == (change.positions, 0.01)
    assert again.twists['m/hull'].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert read_change(SetModel.Request()) == Change()


@pytest.mark.parametrize(('request_', 'read', 'kind', 'message'), [
    (AttachModule.Request(joint_names=['a', 'b'], positions=[1.0]), read_positions, ShapeError,
     r'positions has shape \(1,\); allowed: \(2,\), one for each of joint_names'),
    *((AttachModule.Request(joint_names=['a'], positions=[value]), read_positions,
       InvalidValueError, r"position of joint 'a' is .*; allowed: from -1e\+06 to 1e\+06")
      for value in (1.5e6, -1e308, math.inf, math.nan)),
    (AttachModule.Request(joint_names=['a', 'a'], positions=[1.0, 2.0]), read_positions,
     InvalidValueError, r"joint_names is \['a', 'a'\]; allowed: each name once"),
    (MoveModule.Request(largest_jump=[math.nan]), read_jump, InvalidValueError,
     r'largest_jump is nan; allowed: 0 or more \[m\]'),
    (SetModel.Request(links=['a']), read_change, ShapeError, r'twists has shape \(0,\)'),
])
def test_what_is_wrong_with_a_request(request_, read, kind, message):
    with pytest.raises(kind, match=message):
        read(request_)


def test_an_error_keeps_its_kind_from_node_to_node():
    for code in ('BAD_DOCKING', 'SINGULAR_MASS', 'INTERNAL'):
        error = RefusedError('simulator/set_model', 'why', code, 's6')
        assert error_name(error_code(error)) == code
    assert str(error) == "the service 'simulator/set_model' refuses: why"
    assert error_name(-12345) == MbdError.code
