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

"""Parts of the API that no other test is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cyclonedds.idl import make_idl_struct
from cyclonedds.idl.types import uint8
import pytest
from rcl_interfaces.msg import ParameterDescriptor, ParameterType
from rclpy._rclpy_pybind11 import RCLError
from rclpy.callback_groups import (
    MutuallyExclusiveCallbackGroup,
)
from rclpy.guard_condition import GuardCondition
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.logging import (
    clear_config,
    get_logger,
    get_logger_effective_level,
    get_logging_severity_from_string,
    initialize,
    LoggingSeverity,
    set_logger_level,
)
from rclpy.logging_service import LoggingService
from rclpy.node import HIDDEN_NODE_PREFIX, Node
from rclpy.parameter import (
    Parameter,
    PARAMETER_SEPARATOR_STRING,
    parameter_value_to_python,
)
from rclpy.parameter_event_handler import ParameterCallbackHandle, ParameterEventCallbackHandle
from rclpy.parameter_service import ParameterService
from rclpy.qos import qos_profile_services_default
from rclpy.qos_overriding_options import QoSOverridingOptions, QoSPolicyKind
from rclpy.service_introspection import ServiceIntrospectionState
from rclpy.subscription import MessageInfo
from rclpy.subscription_content_filter_options import ContentFilterOptions
from rclpy.timer import Rate
from rclpy.type_description_service import START_TYPE_DESCRIPTION_SERVICE_PARAM
from rclpy.waitable import NumberOfEntities
from rosless.dds.rawtype import STRUCTURE
from std_msgs.msg import String

Make = Callable[..., Any]


def test_entities_of_a_node(make_node: Make) -> None:
    node = make_node('node', namespace='/ns')
    publisher = node.create_publisher(String, 'talk', 1)
    subscription = node.create_subscription(String, 'talk', lambda _: None, 1)
    timer = node.create_timer(1.0, lambda: None)
    rate = node.create_rate(5.0)
    guard = node.create_guard_condition(lambda: None)
    assert publisher.topic_name == subscription.topic_name == '/ns/talk'
    assert publisher.logger_name == subscription.logger_name == 'ns.node'
    assert callable(subscription.callback)
    assert publisher in node.publishers
    assert subscription in node.subscriptions
    assert timer in node.timers
    assert list(node.clients) == []
    assert isinstance(node.default_callback_group, MutuallyExclusiveCallbackGroup)
    assert publisher.callback_group is node.default_callback_group
    assert isinstance(rate, Rate)
    assert isinstance(guard, GuardCondition)
    assert node.get_namespace() == '/ns'
    assert node.destroy_publisher(publisher)
    assert not node.destroy_publisher(publisher)
    assert node.destroy_guard_condition(guard)
    assert node.destroy_rate(rate)
    rate.destroy()
    assert not node.destroy_rate(rate)
    assert HIDDEN_NODE_PREFIX == '_'
    assert node.wait_for_node('/ns/node', 60.0)
    assert not node.wait_for_node('absent', 0.0)


def test_declarations_of_a_node(make_node: Make) -> None:
    node = make_node()
    node.declare_parameter('gain', 1.5, ParameterDescriptor(description='first'))
    assert node.get_parameter_type('gain') == Parameter.Type.DOUBLE
    assert node.get_parameter_types(['gain', 'use_sim_time'])[1] == Parameter.Type.BOOL
    assert node.describe_parameter('gain').description == 'first'
    node.set_descriptor('gain', ParameterDescriptor(
        type=ParameterType.PARAMETER_DOUBLE, description='second'))
    assert [d.description for d in node.describe_parameters(['gain'])] == ['second']
    changes: list[Any] = []

    def before(parameters: Any) -> Any:
        changes.append('before')
        return parameters

    def after(_: Any) -> None:
        changes.append('after')

    node.add_pre_set_parameters_callback(before)
    node.add_post_set_parameters_callback(after)
    node.set_parameters([Parameter('gain', value=2.0)])
    node.remove_pre_set_parameters_callback(before)
    node.remove_post_set_parameters_callback(after)
    node.set_parameters([Parameter('gain', value=3.0)])
    assert changes == ['before', 'after']
    assert parameter_value_to_python(node.get_parameter('gain').get_parameter_value()) == 3.0
    assert PARAMETER_SEPARATOR_STRING == '.'
    assert Node.PARAM_REL_TOL == 1e-6


def test_loggers_by_hand(capsys: Any) -> None:
    initialize()
    set_logger_level('by_hand', LoggingSeverity.FATAL)
    assert get_logger_effective_level('by_hand.part') == LoggingSeverity.FATAL
    logger = get_logger('by_hand')
    assert isinstance(logger, RcutilsLogger)
    assert not logger.error('not written')
    assert logger.fatal('written')
    assert '[FATAL]' in capsys.readouterr().err
    clear_config()
    assert get_logger_effective_level('by_hand') == LoggingSeverity.INFO
    assert get_logging_severity_from_string('warn') == LoggingSeverity.WARN


def test_what_cannot_be_filtered_is_told(make_node: Make, capsys: Any) -> None:
    node = make_node()
    options = ContentFilterOptions(filter_expression='data = %0', expression_parameters=['1'])
    subscription = node.create_subscription(
        String, 'talk', lambda _: None, 1, content_filter_options=options
    )
    assert not subscription.is_cft_enabled  # programs ask that, and filter themselves
    assert "all messages on topic '/talk' come: content filters are not" in capsys.readouterr().err
    with pytest.raises(RCLError, match='Failed to set_content_filter: content filters are not'):
        subscription.set_content_filter('data = 1', [])
    with pytest.raises(RCLError, match='Failed to get_content_filter'):
        subscription.get_content_filter()


def test_records() -> None:
    assert MessageInfo(source_timestamp=1) == {'source_timestamp': 1}
    assert ServiceIntrospectionState.OFF == 0
    assert START_TYPE_DESCRIPTION_SERVICE_PARAM == 'start_type_description_service'
    many = NumberOfEntities(1, 2, 3, 4, 5, 6)
    assert (many.num_subscriptions, many.num_guard_conditions, many.num_timers) == (1, 2, 3)
    assert (many.num_clients, many.num_services, many.num_events) == (4, 5, 6)
    handle = ParameterCallbackHandle('gain', '/node', print)
    assert handle != ParameterCallbackHandle('gain', '/node', print)
    assert ParameterEventCallbackHandle(print).callback is print
    kinds = [QoSPolicyKind.DEPTH]
    options = QoSOverridingOptions(kinds, entity_id='front')
    assert (list(options.policy_kinds), options.entity_id, options.callback) == (
        kinds,
        'front',
        None,
    )
    assert all(callable(each) for each in (LoggingService, ParameterService))
    assert qos_profile_services_default.depth == 10


def test_the_description_of_the_octet_is_that_of_the_wheel() -> None:
    made = make_idl_struct('Raw', 'rosless::Raw', {'octet': uint8})
    made.__idl__.fill_type_data()
    assert made.__idl__._xt_bytedata == STRUCTURE
