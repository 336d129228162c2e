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

"""Names and types of interfaces: which are allowed, what they tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from example_interfaces.action import Fibonacci
from example_interfaces.srv import AddTwoInts
import pytest
import rclpy
from rclpy.exceptions import (
    InvalidNamespaceException,
    InvalidNodeNameException,
    InvalidParameterException,
    InvalidServiceNameException,
    InvalidTopicNameException,
    NameValidationException,
    NoTypeSupportImportedException,
    ParameterException,
)
from rclpy.expand_topic_name import expand_topic_name
from rclpy.topic_endpoint_info import TopicEndpointInfo, TopicEndpointTypeEnum
from rclpy.topic_or_service_is_hidden import HIDDEN_TOPIC_PREFIX, topic_or_service_is_hidden
from rclpy.type_hash import TypeHash
from rclpy.type_support import (
    check_for_type_support,
    check_is_valid_msg_type,
    check_is_valid_srv_type,
    GetResultService,
    Srv,
)
from rclpy.validate_full_topic_name import validate_full_topic_name
from rclpy.validate_namespace import validate_namespace
from rclpy.validate_node_name import validate_node_name
from rclpy.validate_parameter_name import validate_parameter_name
from rclpy.validate_topic_name import TOPIC_SEPARATOR_STRING, validate_topic_name
from rosless.dds.qos import Profile
from std_msgs.msg import String

Make = Callable[..., Any]


def test_names_are_checked_and_expanded() -> None:
    assert expand_topic_name('~/talk', 'node', '/ns') == '/ns/node/talk'
    for check, good, bad, error in (
        (validate_topic_name, 'talk', 'no way', InvalidTopicNameException),
        (validate_full_topic_name, '/talk', 'talk', InvalidTopicNameException),
        (validate_namespace, '/ns', 'ns/', InvalidNamespaceException),
        (validate_node_name, 'node', 'no/de', InvalidNodeNameException),
        (validate_parameter_name, 'gain', '', InvalidParameterException),
    ):
        assert check(good)
        with pytest.raises(error):
            check(bad)
    with pytest.raises(InvalidServiceNameException):
        validate_full_topic_name('talk', is_service=True)
    assert issubclass(InvalidTopicNameException, NameValidationException)
    assert issubclass(InvalidParameterException, ParameterException)
    assert topic_or_service_is_hidden('/ns/_talk')
    assert not topic_or_service_is_hidden('/ns/talk')
    assert (HIDDEN_TOPIC_PREFIX, TOPIC_SEPARATOR_STRING) == ('_', '/')


def test_interfaces_are_told_from_other_classes() -> None:
    check_is_valid_msg_type(String)
    check_is_valid_srv_type(AddTwoInts)
    for each in (String, AddTwoInts, Fibonacci):
        check_for_type_support(each)
    with pytest.raises(AttributeError, match="<class 'int'> has no type support"):
        check_is_valid_msg_type(int)
    with pytest.raises(RuntimeError, match=r'service type provided is not valid .* message or'):
        check_is_valid_srv_type(String)
    with pytest.raises(AttributeError, match="<class 'object'> has no type support"):
        check_for_type_support(object)
    with pytest.raises(NoTypeSupportImportedException, match='no type_support imported'):
        raise NoTypeSupportImportedException()  # which rosless itself never needs to
    assert GetResultService is Srv is Any


def test_hashes_of_types(make_node: Make, context: Any, wait_until: Make) -> None:
    text = 'RIHS01_' + 'ab' * 32
    found = TypeHash.from_text(text)
    assert (found.version, found.value, str(found)) == (1, b'\xab' * 32, text)
    assert str(TypeHash()) == str(TypeHash.from_text('nonsense')) == 'INVALID'
    node = make_node()
    writer = context.participant.writer(
        'rt/talk', 'std_msgs::msg::dds_::String_', Profile(), f'typehash={text};'.encode()
    )
    assert wait_until(lambda: node.count_publishers('talk') == 1)
    (info,) = node.get_publishers_info_by_topic('talk')
    assert isinstance(info, TopicEndpointInfo)
    assert info.topic_type_hash == found
    assert (info.topic_type, info.endpoint_type) == (
        'std_msgs/msg/String',
        TopicEndpointTypeEnum.PUBLISHER,
    )
    assert bytes(info.endpoint_gid[:16]) == writer.gid
    assert (info.node_name, info.node_namespace) == (
        '_NODE_NAME_UNKNOWN_',
        '_NODE_NAMESPACE_UNKNOWN_',
    )
    assert info.qos_profile.reliability == rclpy.qos.ReliabilityPolicy.RELIABLE


def test_names_that_are_too_long(make_node: Make) -> None:
    assert validate_full_topic_name('/' + 'a' * 246)
    with pytest.raises(InvalidTopicNameException, match="length should not exceed '247'"):
        validate_full_topic_name('/' + 'a' * 247)
    assert validate_namespace('/' + 'a' * 244)
    with pytest.raises(InvalidNamespaceException, match="namespace should not exceed '245'"):
        validate_namespace('/' + 'a' * 245)
    node = make_node('node', namespace='n' * 100)
    assert node.create_publisher(String, 'a' * 145, 1).topic_name == f'/{"n" * 100}/{"a" * 145}'
    with pytest.raises(InvalidTopicNameException, match="length should not exceed '247'"):
        node.create_publisher(String, 'a' * 146, 1)
    with pytest.raises(InvalidServiceNameException, match="length should not exceed '247'"):
        node.create_service(AddTwoInts, 'a' * 146, print)
