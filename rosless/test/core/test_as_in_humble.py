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

"""Programs that Humble stops, and answers that it gives: neither more lenient nor different."""

from __future__ import annotations

from collections.abc import Callable
import subprocess
import sys
import threading
import time
from typing import Any

from action_msgs.msg import GoalStatus
from ament_index_python import get_package_prefix, get_package_share_directory
from example_interfaces.action import Fibonacci
from geometry_msgs.msg import TransformStamped
import pytest
from rcl_interfaces.msg import IntegerRange, ParameterDescriptor, ParameterValue
from rclpy._rclpy_pybind11 import InvalidHandle
from rclpy.action import ActionClient, ActionServer
from rclpy.clock import ClockType, ROSClock
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.exceptions import InvalidParameterValueException, InvalidTopicNameException
from rclpy.executors import SingleThreadedExecutor
from rclpy.logging import (
    clear_config,
    get_logger,
    get_logger_effective_level,
    get_logger_level,
    LoggingSeverity,
    set_logger_level,
)
from rclpy.parameter import Parameter
from rclpy.time import Time
from rclpy.topic_endpoint_info import TopicEndpointInfo, TopicEndpointTypeEnum
from rclpy.validate_topic_name import validate_topic_name
from rosidl_parser.definition import (
    Array,
    BasicType,
    BoundedSequence,
    NamespacedType,
    UnboundedSequence,
    UnboundedString,
)
from rosidl_runtime_py import get_interface_path
from rosidl_runtime_py.convert import get_message_slot_types
from sensor_msgs.msg import Imu, JointState
from shape_msgs.msg import SolidPrimitive
from std_msgs.msg import Empty, Header, Int32, MultiArrayDimension
from std_srvs.srv import Trigger
from tf2_ros import Buffer, ExtrapolationException

Make = Callable[..., Any]


def test_a_message_of_the_log_is_text() -> None:
    with pytest.raises(TypeError, match='must be a str, not int'):
        get_logger('x').info(5)


@pytest.mark.parametrize(('first', 'then'), [
    ({'throttle_duration_sec': 1.0}, {'throttle_duration_sec': 2.0}),
    ({'once': True}, {'skip_first': True}),
    ({'once': True}, {})])
def test_parameters_of_one_logging_call_stay_the_same(
    first: dict[str, Any], then: dict[str, Any]
) -> None:
    logger = get_logger('x')

    def log(parameters: dict[str, Any]) -> None:
        logger.info('x', **parameters)

    log(first)
    with pytest.raises(ValueError, match='cannot be changed between calls'):
        log(then)


def test_a_clock_alone_is_no_throttle() -> None:
    with pytest.raises(TypeError, match='required parameter "throttle_duration_sec"'):
        get_logger('x').info('x', throttle_time_source_type=ROSClock())


def test_the_throttle_is_asked_before_the_first_is_skipped() -> None:
    logger, clock = get_logger('x'), ROSClock()
    clock._set_ros_time_is_active(True)
    written = []
    for seconds in (10.0, 10.5, 11.5):   # the skipped one counts for the throttle
        clock.set_ros_time_override(Time(seconds=seconds, clock_type=ClockType.ROS_TIME))
        written.append(logger.info('x', throttle_duration_sec=1.0, skip_first=True,
                                   throttle_time_source_type=clock))
    assert written == [False, False, True]


def test_a_throttle_on_simulated_time_counts_from_zero() -> None:
    logger, clock = get_logger('x'), ROSClock()
    clock._set_ros_time_is_active(True)
    written = []
    for seconds in (0.0, 0.5, 1.0, 1.5):
        clock.set_ros_time_override(Time(seconds=seconds, clock_type=ClockType.ROS_TIME))
        written.append(logger.info('x', throttle_duration_sec=1.0,
                                   throttle_time_source_type=clock))
    assert written == [False, False, True, False]


def test_times_and_durations_are_compared_with_their_like_only() -> None:
    second, duration = Time(seconds=1), Duration(seconds=1)
    for one, other in ((second, duration), (duration, second), (second, 5), (duration, None)):
        with pytest.raises(TypeError, match="Can't compare"):
            assert one == other
        with pytest.raises(TypeError):
            assert one < other   # type: ignore[operator]


def test_constants_of_messages_are_constant() -> None:
    with pytest.raises(AttributeError, match="can't set attribute"):
        SolidPrimitive.BOX = 7
    assert SolidPrimitive.BOX == 1


def test_what_was_destroyed_is_an_invalid_handle(make_node: Make) -> None:
    node = make_node()
    guard = node.create_guard_condition(lambda: None)
    publisher = node.create_publisher(Empty, 'x', 1)
    node.destroy_guard_condition(guard)
    node.destroy_publisher(publisher)
    for use in (guard.trigger, lambda: publisher.publish(Empty()),
                publisher.get_subscription_count, lambda: publisher.topic_name):
        with pytest.raises(InvalidHandle):
            use()


def test_a_context_has_no_domain_before_it_is_initialised() -> None:
    with pytest.raises(RuntimeError, match='must be initialized'):
        Context().get_domain_id()


def test_names_that_are_wrong_only_when_they_are_full(make_node: Make) -> None:
    assert validate_topic_name('a//b')
    assert validate_topic_name('~a')
    with pytest.raises(InvalidTopicNameException, match="repeated '/'"):
        make_node().create_publisher(Empty, 'a//b', 1)
    node = make_node('named')
    assert node.create_publisher(Empty, '~a', 1).topic_name == '/nameda'


def test_an_endpoint_that_nothing_is_known_of() -> None:
    info = TopicEndpointInfo()
    assert (info.node_name, info.endpoint_gid) == ('', [])
    assert info.endpoint_type is TopicEndpointTypeEnum.INVALID


def test_types_of_slots() -> None:
    int32, text = BasicType('int32'), UnboundedString()
    assert (text, BasicType('uint32'), BasicType('uint32')) == MultiArrayDimension.SLOT_TYPES
    assert (
        NamespacedType(['builtin_interfaces', 'msg'], 'Time'), text) == Header().SLOT_TYPES
    assert get_message_slot_types(Int32()) == {'data': int32}
    assert Imu.SLOT_TYPES[2] == Array(BasicType('double'), 9)
    assert SolidPrimitive.SLOT_TYPES[1] == BoundedSequence(BasicType('double'), 3)
    assert JointState.SLOT_TYPES[1] == UnboundedSequence(text)
    assert Empty.SLOT_TYPES == ()


def test_a_destroyed_node_has_no_name(make_node: Make) -> None:
    node = make_node()
    node.destroy_node()
    for use in (node.get_name, node.get_namespace, node.get_fully_qualified_name):
        with pytest.raises(InvalidHandle):
            use()


SIGNALLED = """
import os, signal
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.signals import SignalHandlerOptions

{setup}
rclpy.get_default_context().on_shutdown(lambda: print('called'))
node = rclpy.create_node('x')
node.create_timer(0.1, lambda: os.kill(os.getpid(), signal.{name}))
try:
    rclpy.spin(node)
except (KeyboardInterrupt, ExternalShutdownException):
    pass
print('ended')
rclpy.try_shutdown()
"""


def run(setup: str, name: str) -> tuple[int, str]:
    """Return exit code and output of a program that is sent a signal while it spins."""
    done = subprocess.run([sys.executable, '-c', SIGNALLED.format(setup=setup, name=name)],
                          capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize('name', ['SIGINT', 'SIGTERM'])
def test_callbacks_of_shutdown_are_not_called_by_signals(name: str) -> None:
    assert run('rclpy.init()', name) == (0, 'ended\n')


def test_handlers_stay_when_a_second_context_wants_none() -> None:
    setup = """
rclpy.init()
rclpy.init(context=rclpy.Context(), signal_handler_options=SignalHandlerOptions.NO)"""
    assert run(setup, 'SIGTERM') == (0, 'ended\n')


def test_without_handlers_sigterm_ends_the_program_as_ever() -> None:
    setup = """
rclpy.init()
rclpy.shutdown()
rclpy.init(signal_handler_options=SignalHandlerOptions.NO)"""
    assert run(setup, 'SIGTERM') == (-15, '')


def test_a_message_is_no_default_of_a_parameter(make_node: Make) -> None:
    five = ParameterValue(type=2, integer_value=5)
    node = make_node(parameter_overrides=[Parameter('given', value=7)])
    with pytest.raises(TypeError, match='not one of the allowed types'):
        node.declare_parameter('default', five)
    with pytest.raises(ValueError, match='NOT_SET'):
        node.declare_parameter('nothing', ParameterValue())
    assert node.declare_parameter('given', five).value == 7


def test_a_new_descriptor_keeps_the_value_that_fits(make_node: Make) -> None:
    node = make_node()
    node.declare_parameter('a', 5)
    seven = ParameterValue(type=2, integer_value=7)

    def descriptor(low: int, **fields: Any) -> ParameterDescriptor:
        limits = IntegerRange(from_value=low, to_value=9)
        return ParameterDescriptor(name='other', integer_range=[limits], **fields)

    assert node.set_descriptor('a', descriptor(5, type=2), seven).integer_value == 5
    assert node.describe_parameter('a').name == 'a'
    with pytest.raises(InvalidParameterValueException):   # its type is NOT_SET, and stays
        node.set_descriptor('a', descriptor(5))
    assert node.set_descriptor('a', descriptor(6, type=2), seven).integer_value == 7
    node.set_descriptor('a', ParameterDescriptor(dynamic_typing=True))
    node.set_parameters([Parameter('a', value='text')])
    assert node.describe_parameter('a').type == Parameter.Type.STRING.value


def test_what_is_called_before_a_set_gets_the_list_of_the_caller(make_node: Make) -> None:
    node = make_node()
    node.declare_parameter('a', 5)
    seen = []
    for _ in range(2):
        node.add_pre_set_parameters_callback(lambda given: seen.append(given) or [])
    result = node.set_parameters([Parameter('a', value=6)])[0]
    assert (result.successful, [len(given) for given in seen]) == (False, [1, 1])
    assert node.get_parameter('a').value == 5


def test_a_call_inside_a_callback_of_one_thread_gets_no_answer(make_node: Make) -> None:
    server, node = make_node('server'), make_node('client')
    server.create_service(Trigger, 'ask', lambda _, answer: answer)
    aside = SingleThreadedExecutor(context=server.context)
    aside.add_node(server)
    threading.Thread(target=aside.spin, daemon=True).start()
    client = node.create_client(Trigger, 'ask')
    assert client.wait_for_service(10.0)
    ends = []

    def call(_: Empty) -> None:
        with pytest.raises(TimeoutError):
            client.call(Trigger.Request(), 0.5)   # s; an answer takes some ms
        ends.append(True)

    node.create_subscription(Empty, 'x', call, 1)
    publisher = node.create_publisher(Empty, 'x', 1)
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    executor.create_task(lambda: publisher.publish(Empty()))
    limit = time.monotonic() + 10.0
    while not ends and time.monotonic() < limit:
        executor.spin_once(timeout_sec=0.1)
    aside.shutdown()
    assert ends == [True]


def test_a_buffer_forgets_what_is_older_than_its_cache() -> None:
    buffer, place = Buffer(Duration(seconds=2)), TransformStamped()
    place.header.frame_id, place.child_frame_id = 'a', 'b'
    place.transform.rotation.w = 1.0
    for second in range(1, 13):
        place.header.stamp.sec = second
        buffer.set_transform(place, '')
    assert buffer.can_transform('a', 'b', Time(seconds=10, clock_type=ClockType.ROS_TIME))
    past = r'into the past.*earliest data is at time 10'
    with pytest.raises(ExtrapolationException, match=past):
        buffer.lookup_transform('a', 'b', Time(seconds=2, clock_type=ClockType.ROS_TIME))


def test_the_file_of_an_interface() -> None:
    prefix = get_package_prefix('std_msgs')
    assert get_package_share_directory('std_msgs') == f'{prefix}/share/std_msgs'
    for name in ('std_msgs/msg/Empty', 'std_msgs/msg/Empty.msg'):
        assert get_interface_path(name) == f'{prefix}/share/std_msgs/msg/Empty.msg'
    assert get_interface_path('std_srvs/srv/Trigger').endswith('/share/std_srvs/srv/Trigger.srv')


@pytest.mark.parametrize(('name', 'error', 'words'), [
    ('Empty', ValueError, 'at least two parts'),
    ('std_msgs//Empty', ValueError, 'none of them empty'),
    ('std_msgs/msg/../Empty', ValueError, "'..'"),
    ('no_such_msgs/msg/Empty', LookupError, "Unknown package 'no_such_msgs'"),
    ('std_msgs/Empty', LookupError, 'Could not find the interface'),
    ('std_msgs/msg/Nothing', LookupError, 'Could not find the interface')])
def test_names_of_interfaces_that_have_no_file(
    name: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        get_interface_path(name)


def test_the_level_of_the_root_is_that_of_all_others() -> None:
    assert get_logger_level('') == get_logger_effective_level('x') == LoggingSeverity.INFO
    try:
        set_logger_level('', LoggingSeverity.ERROR)
        assert get_logger_effective_level('x.y') == LoggingSeverity.ERROR
        assert not get_logger('x').warning('quiet')
        set_logger_level('', LoggingSeverity.UNSET)   # and not INFO again
        assert get_logger_level('') == get_logger_effective_level('x') == LoggingSeverity.UNSET
        assert get_logger('x').debug('heard')
    finally:
        clear_config()
    assert get_logger_level('') == LoggingSeverity.INFO


def test_a_deferred_goal_is_executed_by_the_next_executor(make_node: Make) -> None:
    handle: list[Any] = []
    node, executed = make_node(), []

    def execute(goal: Any) -> Any:
        executed.append(goal)
        goal.succeed()
        return Fibonacci.Result()

    server = ActionServer(node, Fibonacci, 'count', execute,
                          handle_accepted_callback=handle.append)
    client = ActionClient(node, Fibonacci, 'count')
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    future = client.send_goal_async(Fibonacci.Goal())
    executor.spin_until_future_complete(future, 10.0)
    executor.remove_node(node)
    handle[0].execute()
    result = future.result().get_result_async()
    executor.add_node(node)
    executor.spin_until_future_complete(result, 10.0)
    assert executed == handle
    assert result.result().status == GoalStatus.STATUS_SUCCEEDED
    server.destroy()
    client.destroy()
