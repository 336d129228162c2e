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

"""What the base of all nodes does with a transition, in a process of the test."""

import threading
from types import SimpleNamespace

from diagnostic_msgs.msg import DiagnosticArray
from mbd_msgs.msg import ErrorCode
from mbd_msgs.srv import MassMatrix
from nav_msgs.msg import Path
import pytest
import rclpy
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from std_msgs.msg import String
from visualization_msgs.msg import InteractiveMarker
from visualization_msgs.srv import GetInteractiveMarkers

from mbd_ros.errors import InvalidValueError
from mbd_ros.nodes.every_node import health, qos
from mbd_ros.nodes.every_node.health import Health, HealthPublisher, Namesakes, OK
from mbd_ros.nodes.every_node.managed import ManagedNode

pytestmark = pytest.mark.nodes

SUCCESS, FAILURE = TransitionCallbackReturn.SUCCESS, TransitionCallbackReturn.FAILURE


class Small(ManagedNode):
    """A node with one of each; it notes what happens to it."""

    NAME = 'gait'   # whose parameters are few

    def reset_state(self):
        self.seen = []

    def configure(self):
        self.free = threading.Event()
        self.latched = self.create_publisher(String, 'latched', qos.LATCHED)
        self.latched.publish(String(data='at first'))
        self.sent = self.create_publisher(String, 'sent', qos.RELIABLE)
        self.create_subscription(String, 'sent', self.seen.append, qos.RELIABLE)
        self.ticks = self.create_timer(0.01, lambda: self.seen.append('tick'))
        self.create_service(MassMatrix, 'ask', self.answer)
        if self._settings.amplitude > 2.0:
            raise InvalidValueError('amplitude', self._settings.amplitude, '2 at most')

    def answer(self, request, response):
        self.free.wait(60.0)
        return response


@pytest.fixture
def small():
    """Return a node and what it is asked by, both spun in a thread."""
    rclpy.init()
    node, asking = Small(), rclpy.create_node('asking')
    executor = MultiThreadedExecutor(num_threads=2)

    def spin():
        try:
            executor.spin()
        except ExternalShutdownException:
            pass
    for one in (node, asking):
        executor.add_node(one)
    thread = threading.Thread(target=spin, daemon=True)
    thread.start()
    yield node, asking
    rclpy.shutdown()
    thread.join(10.0)
    node.destroy_node()
    asking.destroy_node()


def wait_for(condition, what):
    for _ in range(3000):
        if condition():
            return
        threading.Event().wait(0.01)
    raise AssertionError(what)


def call(asking, done_by=None):
    client = asking.create_client(MassMatrix, 'ask')
    assert client.wait_for_service(30.0)
    future = client.call_async(MassMatrix.Request())
    if done_by is not None:
        wait_for(done_by, 'the request arrives')
        return future
    wait_for(future.done, 'an answer')
    return future.result()


def test_what_is_made_acts_only_while_the_node_is_active(small):
    node, asking = small
    latched = []
    asking.create_subscription(String, 'latched', latched.append, qos.LATCHED)
    assert node.trigger_configure() == SUCCESS
    node.sent.publish(String(data='unheard'))
    answer = call(asking)
    assert (answer.success, answer.error_code) == (False, ErrorCode.NOT_ACTIVE)
    wait_for(lambda: asking.count_publishers('latched'), 'it is discovered')
    assert not latched and not node.seen
    assert node.trigger_activate() == SUCCESS
    wait_for(lambda: 'tick' in node.seen, 'the timer ticks')
    wait_for(lambda: latched, 'what is latched is sent')
    assert [one.data for one in latched] == ['at first']
    later = node.create_publisher(String, 'later', qos.RELIABLE)
    assert later.is_activated   # as what is made while it is active
    assert node.trigger_deactivate() == SUCCESS
    assert not later.is_activated
    node.destroy_publisher(later)
    assert node.trigger_cleanup() == SUCCESS
    assert not node.seen and not list(node.timers)
    wait_for(lambda: not asking.count_publishers('sent'), 'its publisher is gone')


def test_frames_have_the_prefix_outside_and_not_inside(small):
    node, asking = small
    prefix = rclpy.parameter.Parameter('frame_prefix', value='left/')
    assert node.set_parameters([prefix])[0].successful
    node.start()
    path, target = Path(), InteractiveMarker()
    path.header.frame_id = target.header.frame_id = 'world'

    def answer(request, response):
        response.markers = [target]
        return response

    outside, inside = [], []
    asking.create_subscription(Path, 'path', outside.append, qos.RELIABLE)
    node.create_subscription(Path, 'path', inside.append, qos.RELIABLE)
    node.create_service(GetInteractiveMarkers, 'targets', answer)
    publisher = node.create_publisher(Path, 'path', qos.RELIABLE)
    wait_for(lambda: publisher.get_subscription_count() == 2, 'both are discovered')
    for number in range(1, 3):   # what was sent once may be sent again
        publisher.publish(path)
        wait_for(lambda number=number: len(outside) == len(inside) == number, 'both hear it')
    assert [one.header.frame_id for one in outside] == ['left/world'] * 2
    assert [one.header.frame_id for one in inside] == ['world'] * 2
    client = asking.create_client(GetInteractiveMarkers, 'targets')
    assert client.wait_for_service(30.0)
    future = client.call_async(GetInteractiveMarkers.Request())
    wait_for(future.done, 'an answer')
    assert future.result().markers[0].header.frame_id == 'left/world'


def test_a_cleanup_waits_until_every_request_has_its_answer(small):
    node, asking = small
    node.start()
    future = call(asking, lambda: node._busy)
    assert node.trigger_deactivate() == SUCCESS
    assert node.trigger_cleanup() == FAILURE
    assert 'requests that are still being answered is 1; allowed: 0' in node.guard.last
    node.free.set()
    wait_for(future.done, 'the answer')
    wait_for(lambda: node.trigger_cleanup() == SUCCESS if not node._busy else False, 'it is clean')


def test_what_fails_leaves_the_state_and_parameters_are_free_until_then(small):
    node, _ = small
    free = list(node.publishers), list(node.services)
    joints = rclpy.parameter.Parameter('joints', value=['a'])
    assert node.set_parameters([rclpy.parameter.Parameter('amplitude', value=3.0)])[0].successful
    assert node.trigger_configure() == FAILURE
    assert node.guard.last == 'cannot configure: amplitude is 3.0; allowed: 2 at most'
    assert (list(node.publishers), list(node.services)) == free   # nothing half made stays
    assert node.set_parameters([rclpy.parameter.Parameter('amplitude', value=1.0), joints])[
        0].successful
    assert node.trigger_configure() == SUCCESS
    (result,) = node.set_parameters([joints])
    assert not result.successful and 'read-only while the node is configured' in result.reason
    assert node.trigger_cleanup() == SUCCESS
    assert node.set_parameters([joints])[0].successful
    (result,) = node.set_parameters([rclpy.parameter.Parameter('autostart', value=False)])
    assert not result.successful   # it was read when the process began


def test_a_start_that_fails_raises_why(small):
    node, _ = small
    node.set_parameters([rclpy.parameter.Parameter('amplitude', value=3.0)])
    with pytest.raises(InvalidValueError, match='amplitude is 3'):
        node.start()


def test_a_shutdown_cleans_up_once_the_last_request_has_its_answer(small):
    node, asking = small
    closed = []
    node.close = lambda: closed.append(True)
    node.start()
    future = call(asking, lambda: node._busy)
    assert node.trigger_shutdown() == SUCCESS
    assert closed and node.configured and not node.guard.last   # threads end at once
    node.free.set()
    wait_for(future.done, 'the answer')
    wait_for(lambda: not node.configured, 'it is cleaned up')
    wait_for(lambda: not list(node.timers), 'no timer stays')
    assert not node.guard.last


def test_nothing_survives_a_cleanup_by_the_identity_of_another(small):
    node, _ = small
    before = set(node._permanent)
    for value in (True, False):
        assert node.set_parameters([rclpy.parameter.Parameter('use_sim_time', value=value)])[
            0].successful
    assert node._permanent == before


def test_diagnostics_end_by_saying_that_the_node_is_inactive(small):
    node, asking = small
    said = []
    asking.create_subscription(DiagnosticArray, '/diagnostics', said.append, qos.RELIABLE)
    assert node.trigger_configure() == SUCCESS
    node._health = HealthPublisher(node, lambda: Health(OK, 'fine', {}))
    assert node.trigger_activate() == SUCCESS
    wait_for(lambda: said, 'it is well')
    assert node.trigger_deactivate() == SUCCESS
    wait_for(lambda: said[-1].status[0].message == 'inactive', 'it says so')
    assert said[-1].status[0].level not in (OK, b'\x00')


def test_another_node_of_the_same_name_is_told_once_and_not_at_once(small, monkeypatch):
    # Two launches in one ROS graph mix; a node that was killed may be seen for its lease.
    node, asking = small
    said, warnings = [], []
    asking.create_subscription(DiagnosticArray, '/diagnostics', said.append, qos.RELIABLE)
    node.get_logger = lambda: SimpleNamespace(warning=warnings.append)
    namesakes = Namesakes(node)
    assert node.trigger_configure() == SUCCESS
    assert namesakes.look() == ''
    other = rclpy.create_node('gait')
    seen = [('gait', '/')] * 2
    wait_for(lambda: node.get_node_names_and_namespaces().count(seen[0]) == 2, 'it is seen')
    assert namesakes.look() == '' and not warnings   # a node that was killed?
    monkeypatch.setattr(health, 'SEEN_WHEN_KILLED', 0.0)
    assert 'another node named /gait' in namesakes.look() and 'ROS_DOMAIN_ID' in namesakes.look()
    assert len(warnings) == 1
    node._health = HealthPublisher(node, lambda: Health(OK, 'fine', {}))
    assert node.trigger_activate() == SUCCESS
    wait_for(lambda: said, 'how it is')
    assert said[0].status[0].message == warnings[0] and said[0].status[0].level not in (OK, b'\0')
    other.destroy_node()
    wait_for(lambda: namesakes.look() == '', 'it has gone')


def test_what_is_latched_is_sent_once_the_activation_has_succeeded(small):
    node, asking = small
    latched, works = [], []

    def activate():
        if not works:
            raise KeyError('once more')
    node.activate = activate
    asking.create_subscription(String, 'latched', latched.append, qos.LATCHED)
    assert node.trigger_configure() == SUCCESS
    wait_for(lambda: asking.count_publishers('latched'), 'it is discovered')
    lines = []
    node.get_logger = lambda: SimpleNamespace(error=lines.append)
    for count in (1, 2):   # the same internal error is logged each time
        assert node.trigger_activate() == FAILURE
        assert len(lines) == count
    assert not latched
    works.append(True)
    assert node.trigger_activate() == SUCCESS
    wait_for(lambda: latched, 'what is latched is sent')
    assert [one.data for one in latched] == ['at first']


def test_a_newer_message_takes_the_place_of_what_was_kept(small):
    node, asking = small
    latched = []
    asking.create_subscription(String, 'latched', latched.append, qos.LATCHED)
    node.activate = lambda: node.latched.publish(String(data='newer'))
    assert node.trigger_configure() == SUCCESS
    wait_for(lambda: asking.count_publishers('latched'), 'it is discovered')
    assert node.trigger_activate() == SUCCESS
    wait_for(lambda: latched, 'it is sent')
    assert node.latched._kept is None
    assert [one.data for one in latched] == ['newer']


def test_the_generation_is_that_of_the_source_until_the_cleanup(small):
    node, _ = small
    assert node.generation == 0
    assert node.trigger_configure() == SUCCESS
    node._source = SimpleNamespace(generation=3)
    assert node.generation == 3
    assert node.trigger_cleanup() == SUCCESS
    assert node.generation == 0
