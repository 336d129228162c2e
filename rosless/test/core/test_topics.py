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

"""Publishing and subscribing over real DDS, within one process."""

from __future__ import annotations

from collections.abc import Callable
import signal
import time
from typing import Any

import pytest
from rclpy._rclpy_pybind11 import InvalidHandle
from rclpy.duration import Duration
from rclpy.exceptions import InvalidTopicNameException
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    qos_profile_sensor_data,
    QoSProfile,
    ReliabilityPolicy,
)
from rclpy.serialization import deserialize_message, serialize_message
from rclpy.wait_for_message import wait_for_message
from rosless.dds.qos import Profile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, Int32, String
from std_srvs.srv import Trigger

Make = Callable[..., Any]
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def test_names_as_they_were_given_and_in_full(make_node: Make) -> None:
    node = make_node('node', namespace='/ns', cli_args=['--ros-args', '-r', 'a:=b'])
    publisher = node.create_publisher(String, 'a', 1)
    subscription = node.create_subscription(String, '~/c', print, 1)
    assert (publisher.topic, publisher.topic_name) == ('a', '/ns/b')
    assert (subscription.topic, subscription.topic_name) == ('~/c', '/ns/node/c')
    plain = QoSProfile(depth=1, avoid_ros_namespace_conventions=True)
    assert node.create_publisher(String, 'rt', plain).topic_name == '/ns/rt'
    service = node.create_service(Trigger, 'a', lambda request, response: response)
    client = node.create_client(Trigger, 'd')
    assert (service.srv_name, service.service_name) == ('a', '/ns/b')
    assert (client.srv_name, client.service_name) == ('d', '/ns/d')


def test_messages_arrive_in_order(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    got: list[int] = []
    node.create_subscription(Int32, 'count', lambda message: got.append(message.data), 100)
    publisher = node.create_publisher(Int32, 'count', 100)
    assert spin_until(executor, lambda: publisher.get_subscription_count() == 1)
    for value in range(100):
        publisher.publish(Int32(data=value))
    assert spin_until(executor, lambda: len(got) == 100)
    assert got == list(range(100))


def test_history_keeps_the_last(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node()
    got: list[int] = []
    subscription = node.create_subscription(Int32, 'count', lambda m: got.append(m.data), 3)
    publisher = node.create_publisher(Int32, 'count', 100)
    assert spin_until(executor, lambda: subscription.get_publisher_count() == 1)
    for value in range(10):
        publisher.publish(Int32(data=value))
    executor.add_node(node)
    assert spin_until(executor, lambda: len(got) == 3)
    assert got == [7, 8, 9]


def test_keep_all_keeps_all(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node()
    got: list[int] = []
    everything = QoSProfile(history=HistoryPolicy.KEEP_ALL)
    subscription = node.create_subscription(Int32, 'all', lambda m: got.append(m.data), everything)
    publisher = node.create_publisher(Int32, 'all', everything)
    assert spin_until(executor, lambda: subscription.get_publisher_count() == 1)
    for value in range(500):
        publisher.publish(Int32(data=value))
    executor.add_node(node)
    assert spin_until(executor, lambda: len(got) == 500)


def test_latched_data_reach_late_joiners(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node()
    publisher = node.create_publisher(String, 'robot_description', LATCHED)
    publisher.publish(String(data='old'))
    publisher.publish(String(data='new'))
    got: list[str] = []
    executor.add_node(node)
    node.create_subscription(String, 'robot_description', lambda m: got.append(m.data), LATCHED)
    assert spin_until(executor, lambda: got == ['new'])


def test_volatile_data_do_not(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node()
    publisher = node.create_publisher(String, 'talk', 10)
    publisher.publish(String(data='early'))
    got: list[str] = []
    executor.add_node(node)
    subscription = node.create_subscription(String, 'talk', lambda m: got.append(m.data), 10)
    assert spin_until(executor, lambda: subscription.get_publisher_count() == 1)
    publisher.publish(String(data='late'))
    assert spin_until(executor, lambda: got)
    assert got == ['late']


def test_incompatible_profiles_are_reported(
    make_node: Make, executor: Any, spin_until: Make, capsys: Any
) -> None:
    node = make_node()
    executor.add_node(node)
    node.create_subscription(JointState, 'joint_states', lambda _: None, 10)
    node.create_publisher(JointState, 'joint_states', qos_profile_sensor_data)
    text = []

    def reported() -> bool:
        text.append(capsys.readouterr().err)
        written = ''.join(text)
        return 'offering incompatible QoS' in written and 'requesting incompatible' in written

    assert spin_until(executor, reported)
    assert "on topic 'joint_states'" in ''.join(text)
    assert 'Last incompatible policy: RELIABILITY' in ''.join(text)


def test_time_stamps_and_octets(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    got: list[Any] = []
    node.create_subscription(Float64, 'x', lambda message, info: got.append((message, info)), 10)
    node.create_subscription(Float64, 'x', got.append, 10, raw=True)
    publisher = node.create_publisher(Float64, 'x', 10)
    assert spin_until(executor, lambda: publisher.get_subscription_count() == 2)
    before = time.time_ns()
    publisher.publish(Float64(data=2.0))
    assert spin_until(executor, lambda: len(got) == 2)
    message, info = next(item for item in got if isinstance(item, tuple))
    octets = next(item for item in got if isinstance(item, bytes))
    assert message.data == 2.0
    assert before <= info['source_timestamp'] <= info['received_timestamp']
    assert deserialize_message(octets, Float64) == message
    (endpoint,) = node.get_publishers_info_by_topic('x')
    assert info['publisher_gid']['data'] == bytes(endpoint.endpoint_gid[:16])
    publisher.publish(serialize_message(Float64(data=3.0)))
    assert spin_until(executor, lambda: len(got) == 4)


def test_malformed_octets_do_no_harm(
    make_node: Make, executor: Any, spin_until: Make, context: Any, capsys: Any
) -> None:
    node = make_node()
    executor.add_node(node)
    got: list[Any] = []
    node.create_subscription(String, 'talk', got.append, 10)
    publisher = node.create_publisher(String, 'talk', 10)
    assert spin_until(executor, lambda: publisher.get_subscription_count() == 1)
    for octets in (b'\0\1\0\0\xff\xff\xff\xff', b'\0\7\0\0' + bytes(4)):
        publisher.publish(octets)
    publisher.publish(String(data='fine'))
    assert spin_until(executor, lambda: got)
    assert got == [String(data='fine')]
    assert "dropped a message on topic '/talk': std_msgs.msg.String" in capsys.readouterr().err


def test_another_type_on_the_topic_is_not_heard(
    make_node: Make, executor: Any, spin_until: Make, context: Any
) -> None:
    node = make_node()
    executor.add_node(node)
    got: list[Any] = []
    subscription = node.create_subscription(String, 'talk', got.append, 10)
    other = context.participant.writer('rt/talk', 'std_msgs::msg::dds_::Int32_', Profile())
    other.write(b'\0\1\0\0\1\0\0\0')
    assert not spin_until(executor, lambda: got or subscription.get_publisher_count(), 0.3)


def test_publishing_the_wrong_thing(make_node: Make) -> None:
    publisher = make_node().create_publisher(String, 'talk', 10)
    with pytest.raises(TypeError, match=r"Expected <class 'std_msgs\.msg\.String'>, got <class"):
        publisher.publish(Int32())
    publisher.destroy()
    with pytest.raises(InvalidHandle):
        publisher.publish(String())


@pytest.mark.parametrize(
    ('name', 'problem'),
    [
        ('', 'topic name must not be empty'),
        ('a b', 'must not contain characters other than alphanumerics'),
        ('a//b', "must not contain repeated '/'"),
        ('a/', 'must not end with a forward slash'),
        ('1a', 'topic name token must not start with a number'),
        ('a/1b', 'topic name token must not start with a number'),
        ('a~', "must not have tilde '~' unless it is the first character"),
        ('~ab', "a tilde '~' that is not followed by a forward slash '/'"),
        ('a{b', "must not have unmatched (unbalanced) curly braces '{}'"),
        ('{1b}', 'substitution name must not start with a number'),
        ('{a/b}', 'substitution name must not contain characters other than alphanumerics'),
        ('{nod}', "unknown substitution 'nod'"),
    ],
)
def test_illegal_names(make_node: Make, name: str, problem: str) -> None:
    with pytest.raises(InvalidTopicNameException) as caught:
        make_node().create_publisher(String, name, 10)
    assert problem in str(caught.value)


def test_not_a_message_class(make_node: Make) -> None:
    with pytest.raises(AttributeError, match=r"<class 'str'> has no type support"):
        make_node().create_publisher(str, 'talk', 10)


def test_profile_or_depth(make_node: Make) -> None:
    node = make_node()
    assert node.create_publisher(String, 'a', 7).qos_profile.depth == 7
    with pytest.raises(ValueError, match='History depth must be greater than or equal to zero'):
        node.create_publisher(String, 'a', -1)
    with pytest.raises(TypeError, match='Expected QoSProfile or int'):
        node.create_publisher(String, 'a', 'ten')


def test_a_destroyed_subscription_gets_nothing(
    make_node: Make, executor: Any, spin_until: Make
) -> None:
    node = make_node()
    executor.add_node(node)
    got: list[Any] = []
    subscription = node.create_subscription(String, 'talk', got.append, 10)
    publisher = node.create_publisher(String, 'talk', 10)
    assert spin_until(executor, lambda: publisher.get_subscription_count() == 1)
    assert node.destroy_subscription(subscription)
    assert not node.destroy_subscription(subscription)
    publisher.publish(String())
    assert not spin_until(executor, lambda: got, 0.1)
    assert publisher.get_subscription_count() == 0


def test_wait_for_message(make_node: Make, spinning: Make) -> None:
    talker, listener = make_node('talker'), make_node('listener')
    publisher = talker.create_publisher(String, 'talk', 10)
    talker.create_timer(0.02, lambda: publisher.publish(String(data='x')))
    spinning(talker)
    heard = wait_for_message(String, listener, 'talk', time_to_wait=60.0)
    assert heard == (True, String(data='x'))
    begin = time.monotonic()
    assert wait_for_message(String, listener, 'silence', time_to_wait=0.1) == (False, None)
    assert 0.1 <= time.monotonic() - begin < 60.0


def test_all_acknowledged(make_node: Make) -> None:
    node = make_node()
    publisher = node.create_publisher(String, 'talk', 10)
    publisher.publish(String())
    assert publisher.wait_for_all_acked(Duration(seconds=60))


def test_best_effort_reaches_best_effort(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    got: list[Any] = []
    best_effort = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
    node.create_subscription(String, 'a', got.append, best_effort)
    reliable, loose = (node.create_publisher(String, 'a', q) for q in (10, best_effort))
    assert spin_until(executor, lambda: loose.get_subscription_count())
    reliable.publish(String(data='r'))
    loose.publish(String(data='l'))
    assert spin_until(executor, lambda: len(got) == 2)


def test_a_stopped_subscription_keeps_the_thread_of_a_publisher_once(
    run_program: Make, make_node: Make, wait_until: Make, capsys: Any
) -> None:
    """What has no room is dropped and counted: until the lease of 10 s ends, and again later."""
    node = make_node()
    # one that keeps all, as there is nothing to replace what has no room by
    publisher = node.create_publisher(
        String, 'large', QoSProfile(history=HistoryPolicy.KEEP_ALL)
    )
    listener = run_program(LISTENER)
    assert wait_until(lambda: publisher.get_subscription_count() == 1, 60.0)
    listener.process.send_signal(signal.SIGSTOP)
    message = String(data='x' * 2_000_000)
    waits = []
    for _ in range(20):
        begin = time.monotonic()
        publisher.publish(message)
        waits.append(time.monotonic() - begin)
    # 20 waits for as long as the lease would be 200 s; one of 0.2 s, and 2 MB are sent in 0.01 s
    assert sum(waits) < 5.0
    assert publisher._writer.dropped >= 10
    assert "topic '/large': " in capsys.readouterr().err
    listener.process.send_signal(signal.SIGCONT)
    assert wait_until(lambda: sent(publisher, message), 60.0)
    listener.process.terminate()
    listener.finish()


def sent(publisher: Any, message: Any) -> bool:
    """Publish and tell whether nothing was dropped."""
    before = publisher._writer.dropped
    publisher.publish(message)
    return bool(publisher._writer.dropped == before)


LISTENER = """
import rclpy
from std_msgs.msg import String
rclpy.init(args=[])
node = rclpy.create_node('listener')
node.create_subscription(String, 'large', lambda _: None, 10)
rclpy.spin(node)
"""
