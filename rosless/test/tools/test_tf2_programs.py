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

"""The programs of tf2, messages of geometry_msgs in other frames, and jumps of time."""

import math
from pathlib import Path

from geometry_msgs.msg import PointStamped
from geometry_msgs.msg import Pose
from geometry_msgs.msg import PoseStamped
from geometry_msgs.msg import PoseWithCovarianceStamped
from geometry_msgs.msg import Vector3Stamped
import numpy as np
import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.time import Time
from rosgraph_msgs.msg import Clock
from rosless_tools import rotations
import tf2_geometry_msgs
from tf2_msgs.srv import FrameGraph
import tf2_ros
from tf2_ros import static_transform_publisher
from tf2_ros.buffer_core import as_message
from tf2_tools.view_frames import drawing
from tf2_tools.view_frames import LABELS
import yaml

EXACT = 1e-12  # a few products of numbers near one in double precision
HALF = math.sqrt(0.5)
TURN = (0.0, 0.0, HALF, HALF)  # a quarter turn about z


@pytest.fixture
def context(environment, monkeypatch):
    """Join the graph that the processes of these tests share."""
    monkeypatch.setenv('ROS_DOMAIN_ID', environment['ROS_DOMAIN_ID'])
    context = rclpy.context.Context()
    rclpy.init(context=context)
    yield context
    rclpy.try_shutdown(context=context)


@pytest.mark.parametrize('angles', [
    (0.1, -0.2, 0.3), (-3.0, 1.5, 3.1), (0.0, math.pi / 2, 0.4), (0.0, -math.pi / 2, 0.4)])
def test_roll_pitch_yaw(angles):
    q = rotations.from_rpy(*angles)
    # asin loses half of the digits at a pitch of a quarter turn
    np.testing.assert_allclose(rotations.to_rpy(q), angles, atol=1e-7)
    np.testing.assert_allclose(rotations.columns(rotations.from_rpy(0.0, 0.0, math.pi / 2))[0],
                               (0.0, 1.0, 0.0), atol=EXACT)


@pytest.mark.parametrize('words', [
    '--x 1 --z 3 --yaw 1.5707963267948966 --frame-id a --child-frame-id b',
    f'--x 1 --z 3 --qz {HALF} --qw {HALF} --frame-id a --child-frame-id b',
    '1 0 3 1.5707963267948966 0 0 a b',
    f'1 0 3 0 0 {HALF} {HALF} a b',
])
def test_forms_of_a_static_transform(words):
    (translation, rotation), parent, child = static_transform_publisher.parse(words.split())
    assert (translation, parent, child) == ((1.0, 0.0, 3.0), 'a', 'b')
    np.testing.assert_allclose(rotation, TURN, atol=EXACT)


@pytest.mark.parametrize(('words', 'message'), [
    ('--roll 1 --qw 1 --frame-id a --child-frame-id b', 'cannot mix roll, pitch, yaw with a'),
    ('--qw 2 --frame-id a --child-frame-id b', 'is not of length one'),
    ('--frame-id a --child-frame-id a', "cannot publish static transform from 'a' to 'a'"),
    ('1 2 x 0 0 0 a b', "could not convert string to float: 'x'; the old form is: x y z yaw"),
])
def test_static_transforms_that_are_refused(words, message):
    with pytest.raises(ValueError, match=message):
        static_transform_publisher.parse(words.split())


def test_static_transform_echo_and_view(ros2, tmp_path):
    publisher = ros2('run', 'tf2_ros', 'static_transform_publisher', '--x', '1', '--yaw',
                     str(math.pi / 2), '--frame-id', 'map', '--child-frame-id', 'base')
    publisher.wait_for("^from 'map' to 'base'$")
    assert "translation: ('1.000000', '0.000000', '0.000000')" in publisher.text
    echo = ros2('run', 'tf2_ros', 'tf2_echo', 'map', 'base')
    echo.wait_for('^- Matrix:$')
    begin = echo.lines.index('At time 0.0')
    assert echo.lines[begin:begin + 6] == [
        'At time 0.0',
        '- Translation: [1.000, 0.000, 0.000]',
        '- Rotation: in Quaternion (xyzw) [0.000, 0.000, 0.707, 0.707]',
        '- Rotation: in RPY (radian) [0.000, -0.000, 1.571]',
        '- Rotation: in RPY (degree) [0.000, -0.000, 90.000]',
        '- Matrix:']
    view = ros2('run', 'tf2_tools', 'view_frames', '-t', '3', '-o', 'tree')
    assert view.finish() == 0
    assert '"map" -> "base"' in Path(tmp_path, 'tree.gv').read_text()
    waiting = ros2('run', 'tf2_ros', 'tf2_echo', 'map', 'nothing')
    waiting.wait_for('Waiting for transform map ->  nothing: Invalid frame ID "(map|nothing)" '
                     'passed to canTransform argument (target|source)_frame - frame does not')


def test_drawing_of_no_frames():
    assert drawing({}, 0.0) == 'digraph G { "No tf data received" }\n'


def test_drawing_of_frames_in_a_ring():
    facts = dict.fromkeys(LABELS, 0)
    text = drawing({'a': {'parent': 'b', **facts}, 'b': {'parent': 'a', **facts}}, 0.0)
    assert '"b" -> "a"' in text
    assert '"a" -> "b"' in text


def test_frames_are_told_by_a_service(context):
    node = Node('keeper', context=context)
    buffer = tf2_ros.Buffer(node=node)
    buffer.set_transform(
        as_message('a', 'b', 10**9, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))), 'me')
    client = node.create_client(FrameGraph, 'tf2_frames')
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    assert client.wait_for_service(timeout_sec=60.0)
    future = client.call_async(FrameGraph.Request())
    executor.spin_until_future_complete(future, timeout_sec=60.0)
    frames = yaml.safe_load(future.result().frame_yaml)
    assert frames['b']['parent'] == 'a'
    assert frames['b']['broadcaster'] == 'me'
    executor.shutdown()


def test_a_jump_back_in_time_clears_what_is_not_static(context):
    node = Node('keeper', context=context, parameter_overrides=[
        Parameter('use_sim_time', value=True)])
    buffer = tf2_ros.Buffer()
    listener = tf2_ros.TransformListener(buffer, node)
    clock = node.create_publisher(Clock, '/clock', 10)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)

    def set_time(seconds):
        message = Clock()
        message.clock.sec = seconds
        for _ in range(1200):
            clock.publish(message)
            executor.spin_once(timeout_sec=0.05)
            if node.get_clock().now().nanoseconds == seconds * 10**9:
                return
        raise AssertionError('the clock does not follow')

    set_time(100)
    place = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    buffer.set_transform(as_message('a', 'b', 100 * 10**9, place))
    buffer.set_transform_static(as_message('a', 'c', 0, place))
    set_time(101)
    assert buffer.can_transform('a', 'b', Time())
    set_time(50)
    assert not buffer.can_transform('a', 'b', Time())
    assert buffer.can_transform('a', 'c', Time())
    listener.unregister()
    executor.shutdown()


def test_messages_in_another_frame():
    """A quarter turn about z and a step of (1, 2, 3) take (x, y, z) to (1 - y, 2 + x, 3 + z)."""
    buffer = tf2_ros.Buffer()
    buffer.set_transform_static(as_message('to', 'from', 0, ((1.0, 2.0, 3.0), TURN)))
    point, vector, pose = PointStamped(), Vector3Stamped(), PoseStamped()
    for item in (point, vector, pose):
        item.header.frame_id = 'from'
    point.point.x, point.point.y, point.point.z = 4.0, 5.0, 6.0
    vector.vector.x, vector.vector.y, vector.vector.z = 4.0, 5.0, 6.0
    pose.pose.position.x = 4.0
    pose.pose.orientation.z, pose.pose.orientation.w = HALF, HALF
    p = buffer.transform(point, 'to')
    assert p.header.frame_id == 'to'
    np.testing.assert_allclose((p.point.x, p.point.y, p.point.z), (-4.0, 6.0, 9.0), atol=EXACT)
    v = buffer.transform(vector, 'to').vector
    np.testing.assert_allclose((v.x, v.y, v.z), (-5.0, 4.0, 6.0), atol=EXACT)
    found = buffer.transform(pose, 'to').pose
    np.testing.assert_allclose((found.position.x, found.position.y), (1.0, 6.0), atol=EXACT)
    np.testing.assert_allclose((found.orientation.z, found.orientation.w), (1.0, 0.0), atol=EXACT)
    plain = tf2_geometry_msgs.do_transform_pose(pose.pose, buffer.lookup_transform(
        'to', 'from', Time()))
    assert isinstance(plain, Pose)
    assert plain == found


def test_a_covariance_turns_with_its_pose():
    """The quarter turn takes the x axis to y, and y to -x."""
    pose = PoseWithCovarianceStamped()
    pose.header.frame_id = 'from'
    pose.pose.covariance = np.diag([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).ravel()
    pose.pose.covariance[1] = pose.pose.covariance[6] = 0.5
    buffer = tf2_ros.Buffer()
    buffer.set_transform_static(as_message('to', 'from', 0, ((0.0, 0.0, 0.0), TURN)))
    expected = np.diag([2.0, 1.0, 3.0, 5.0, 4.0, 6.0])
    expected[0, 1] = expected[1, 0] = -0.5
    found = buffer.transform(pose, 'to').pose.covariance
    np.testing.assert_allclose(np.reshape(found, (6, 6)), expected, atol=EXACT)
