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

"""Where nodes of rosless keep to Humble or to rmw_cyclonedds_cpp, and rclpy 9.1.2 has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rclpy.parameter import Parameter
from std_msgs.msg import Int32, String

Make = Callable[..., Any]


def test_two_types_on_one_topic_do_not_hear_each_other(
    make_node: Make, executor: Any, spin_until: Make
) -> None:
    # rmw_fastrtps_cpp refuses the second type within one process
    node = make_node()
    words, numbers = [], []
    node.create_subscription(String, 'both', lambda m: words.append(m.data), 10)
    node.create_subscription(Int32, 'both', lambda m: numbers.append(m.data), 10)
    talkers = node.create_publisher(String, 'both', 10), node.create_publisher(Int32, 'both', 10)
    executor.add_node(node)
    assert spin_until(
        executor, lambda: [talker.get_subscription_count() for talker in talkers] == [1, 1]
    )
    talkers[0].publish(String(data='one'))
    talkers[1].publish(Int32(data=2))
    assert spin_until(executor, lambda: words and numbers)
    executor.spin_once(timeout_sec=0.1)
    assert (words, numbers) == (['one'], [2])
    assert dict(node.get_topic_names_and_types())['/both'] == [
        'std_msgs/msg/Int32',
        'std_msgs/msg/String',
    ]


def test_nodes_do_not_describe_their_types(make_node: Make) -> None:
    # that came after Humble
    node = make_node('node')
    assert not node.has_parameter('start_type_description_service')
    assert sorted(service.srv_name for service in node.services) == [
        'node/describe_parameters',
        'node/get_parameter_types',
        'node/get_parameters',
        'node/list_parameters',
        'node/set_parameters',
        'node/set_parameters_atomically',
    ]


def test_services_of_managed_nodes_have_full_names(context: Any) -> None:
    node = LifecycleNode('managed', namespace='arm', context=context)
    found = {service.srv_name for service in node.services}
    assert {'/arm/managed/change_state', '/arm/managed/get_transition_graph'} <= found
    assert {'managed/get_parameters', 'managed/list_parameters'} <= found
    node.destroy_node()


def test_refusals_of_parameters_are_in_the_words_of_humble(make_node: Make) -> None:
    # 9.1.2 has numbers for the types since Python 3.11 writes enumerators so
    node = make_node()
    node.declare_parameter('count', 1)
    (result,) = node.set_parameters([Parameter('count', value='many')])
    assert result.reason == "Wrong parameter type, expected 'Type.INTEGER' got 'Type.STRING'"


def test_returns_of_transitions_can_be_listed() -> None:
    # those of rclpy are of a class of C, which is no Enum
    assert [each.name for each in TransitionCallbackReturn] == ['SUCCESS', 'FAILURE', 'ERROR']
    assert TransitionCallbackReturn.SUCCESS.value == 97
