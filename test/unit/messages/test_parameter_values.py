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

"""Values of parameters from other nodes, of any type."""

import pytest
from rcl_interfaces.msg import ParameterValue
from rclpy.parameter import Parameter

from mbd_ros.messages.fields.parameter_values import string, string_array


@pytest.mark.parametrize('value', [None, 5, 2.5, True, 'ab', ['a', 'b'], [1, 2], [True]])
def test_only_what_it_is(value):
    message = Parameter('one', value=value).get_parameter_value()
    assert string(message) == (value if isinstance(value, str) else '')
    texts = isinstance(value, list) and isinstance(value[0], str)
    assert string_array(message) == (value if texts else [])


def test_no_value_and_an_unknown_type():
    for message in (None, ParameterValue(type=200, string_value='a', string_array_value=['b'])):
        assert string(message) == ''
        assert string_array(message) == []
