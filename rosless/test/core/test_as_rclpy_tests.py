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

"""What programs see of nodes and executors, where rclpy's own tests found a difference."""

from __future__ import annotations

from collections.abc import Callable
import threading
import time
from typing import Any

from example_interfaces.action import Fibonacci
import pytest
from rclpy.action import ActionClient, ActionServer
from rclpy.context import Context
from rclpy.exceptions import (
    InvalidParameterException,
    InvalidServiceNameException,
    NoTypeSupportImportedException,
)
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode
import rclpy.logging
from rclpy.parameter import get_parameter_value, Parameter
from rclpy.publisher import Publisher
from rclpy.qos import QoSPresetProfiles, QoSProfile
from rclpy.qos_overriding_options import _declare_qos_parameters, QoSOverridingOptions
from rclpy.task import Future
from rclpy.type_hash import TypeHash
from rclpy.type_support import check_for_type_support
from rclpy.validate_topic_name import validate_topic_name

Make = Callable[..., Any]


def test_a_name_may_be_repeated_in_one_declaration(make_node: Make) -> None:
    node = make_node()
    declared = node.declare_parameters('', [('a', 1), ('b', 2), ('a', 3)])
    assert [each.value for each in declared] == [3, 2, 3]


@pytest.mark.parametrize(('override', 'value'), [('gain', 5), ('arm.gain', 7), ('other', 1)])
def test_overrides_below_a_namespace(make_node: Make, override: str, value: int) -> None:
    node = make_node(parameter_overrides=[Parameter(override, value=value)])
    (declared,) = node.declare_parameters('arm', [('gain', 1)])
    assert (declared.name, declared.value) == ('arm.gain', value)


def test_the_full_name_of_an_override_goes_first(make_node: Make) -> None:
    overrides = [Parameter('gain', value=5), Parameter('arm.gain', value=7)]
    (declared,) = make_node(parameter_overrides=overrides).declare_parameters('arm', [('gain', 1)])
    assert declared.value == 7


def test_services_are_named_in_the_words_of_rcl() -> None:
    with pytest.raises(InvalidServiceNameException, match='name token must not start with a num'):
        validate_topic_name('a/2', is_service=True)


def test_names_that_are_only_asked_about(make_node: Make) -> None:
    node = make_node()
    for ask in (node.count_publishers, node.count_subscribers, node.get_publishers_info_by_topic):
        with pytest.raises(ValueError, match=r"topic name '4' is invalid: .*must not start"):
            ask('4')


def test_a_class_whose_support_was_not_imported() -> None:
    class Kind(type):
        _TYPE_SUPPORT = None

    class Interface(metaclass=Kind):
        pass

    with pytest.raises(NoTypeSupportImportedException):
        check_for_type_support(Interface)


def test_arguments_that_are_no_utf8() -> None:
    with pytest.raises(UnicodeEncodeError):
        Context().init(args=['program', 'caf\udce9'])


def test_profiles_for_the_part_in_c() -> None:
    profile = QoSProfile(depth=3)
    assert QoSProfile(**profile.get_c_qos_profile().to_dict()) == profile
    kind = type(profile.get_c_qos_profile())
    found = QoSProfile(**kind.predefined('qos_profile_sensor_data').to_dict())
    assert found == QoSPresetProfiles.SENSOR_DATA.value
    with pytest.raises(ValueError, match='unknown rmw_qos_profile: loud'):
        kind.predefined('loud')


def test_default_warnings_go_through_the_root_logger(
    make_node: Make, executor: Any, spin_until: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    class Logger:
        def get_child(self, name: str) -> Any:
            return self

        def warn(self, text: str) -> None:
            said.append(text)

    from std_msgs.msg import Int64

    node = make_node()
    executor.add_node(node)
    monkeypatch.setattr(rclpy.logging, '_root_logger', Logger())
    node.create_publisher(Int64, 'x', QoSPresetProfiles.SENSOR_DATA.value)
    node.create_subscription(Int64, 'x', print, 10)
    assert spin_until(executor, lambda: len(said) == 2)
    assert all("on topic 'x'" in text for text in said)


def test_log_names_another_logger(capsys: Any) -> None:
    logger = rclpy.logging.get_logger('mine')
    logger.log('said', 30, name='yours')
    assert '[yours]: said' in capsys.readouterr().err

    def log(name: str) -> None:
        logger.log('said', 30, name=name)

    log('a')
    with pytest.raises(ValueError, match='name cannot be changed'):
        log('b')
    with pytest.raises(TypeError, match="got multiple values for argument 'severity'"):
        logger.info('said', severity=10)


def test_feedback_comes_before_the_answer_that_was_sent_after_it(
    make_node: Make, executor: Any
) -> None:
    node = make_node()
    executor.add_node(node)
    order: list[str] = []

    def execute(goal: Any) -> Any:
        goal.publish_feedback(Fibonacci.Feedback())
        goal.succeed()
        return Fibonacci.Result()

    server = ActionServer(node, Fibonacci, 'count', execute)
    client = ActionClient(node, Fibonacci, 'count')
    assert client.wait_for_server(60.0)
    future = client.send_goal_async(Fibonacci.Goal(), lambda _: order.append('feedback'))
    future.add_done_callback(lambda _: order.append('answer'))
    executor.spin_until_future_complete(future, 60.0)
    assert order[:1] == ['feedback']
    counts = server.get_num_entities(), client.get_num_entities()
    assert [each.num_services for each in counts] == [3, 0]
    assert [each.num_subscriptions for each in counts] == [0, 2]
    server.destroy()
    client.destroy()


def test_ready_callbacks_one_by_one(make_node: Make, executor: Any) -> None:
    node = make_node()
    executor.add_node(node)
    for number in range(3):
        executor.create_task(lambda number: number, number)
    ready = executor._wait_for_ready_callbacks(timeout_sec=1.0)
    found = []
    for _ in range(3):
        task, entity, owner = next(ready)
        task()
        found.append(task.result())
        assert (entity, owner) == (None, None)
    assert found == [2, 1, 0]


def test_a_destroyed_node_is_in_no_executor(make_node: Make) -> None:
    executor = SingleThreadedExecutor(context=(node := make_node()).context)
    executor.add_node(node)
    node.destroy_node()
    assert executor.get_nodes() == []


def test_overrides_of_profiles_under_the_name_of_rclpy(make_node: Make) -> None:
    node = make_node(
        parameter_overrides=[Parameter('qos_overrides./x.publisher.depth', value=7)])
    options = QoSOverridingOptions.with_default_policies()
    found = _declare_qos_parameters(Publisher, node, '/x', QoSProfile(depth=2), options)
    assert found.depth == 7


def test_managed_nodes(context: Any) -> None:
    with pytest.raises(TypeError, match='must be a bool'):
        LifecycleNode('a', context=context, enable_communication_interface='yes')
    quiet = LifecycleNode('b', context=context, enable_communication_interface=False)
    assert quiet._state_machine.service_change_state is None
    node = LifecycleNode('c', context=context)
    assert node._state_machine.service_get_state in node.services
    quiet.destroy_node()
    node.destroy_node()


@pytest.mark.parametrize('name', ['float.param..', '.a', 'a..b', ' '])
def test_parameters_may_have_any_name_but_the_empty_one(make_node: Make, name: str) -> None:
    node = make_node()
    assert node.declare_parameter(name, 3.5).value == 3.5
    assert node.get_parameter(name).value == 3.5
    with pytest.raises(InvalidParameterException):
        node.declare_parameter('', 1)


def test_counted_names_are_not_remapped(make_node: Make) -> None:
    """As `count_publishers` says; a topic's endpoints are asked for under the remapped name."""
    node = make_node(cli_args=['--ros-args', '-r', 'a:=b'])
    node.create_publisher(Fibonacci.Feedback, 'a', 10)
    assert (node.count_publishers('a'), node.count_publishers('b')) == (0, 1)
    assert len(node.get_publishers_info_by_topic('a')) == 1
    for count in (node.count_publishers, node.count_subscribers, node.count_clients,
                  node.count_services):
        with pytest.raises(ValueError, match='is invalid'):
            count('42')


@pytest.mark.parametrize('kind', [SingleThreadedExecutor, MultiThreadedExecutor])
def test_a_future_that_another_thread_ends_ends_one_spin(context: Context, kind: Any) -> None:
    executor = kind(context=context)
    future = Future(executor=executor)
    spinning = threading.Thread(
        target=executor.spin_once_until_future_complete, args=(future, 60.0))
    spinning.start()
    time.sleep(0.05)
    future.set_result(True)
    spinning.join(30.0)  # s; half of what it would wait
    assert not spinning.is_alive()
    executor.shutdown()


def test_nothing_to_set_says_why(make_node: Make) -> None:
    node = make_node(parameter_overrides=[])
    node.declare_parameter('a', 1)
    node.add_pre_set_parameters_callback(lambda _: [])
    (result,) = node.set_parameters([Parameter('a', value=2)])
    assert 'this might be due to pre_set_parameters_callback' in result.reason


def test_blanks_are_a_text_and_hashes_have_slots() -> None:
    assert get_parameter_value(' ').string_value == ' '
    assert get_parameter_value('').string_value == ''
    assert not hasattr(TypeHash(), '__dict__')
