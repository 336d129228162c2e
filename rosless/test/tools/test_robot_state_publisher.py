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

"""Frames that the node publishes against products of matrices worked out by hand."""

import math
from pathlib import Path
import sys
import time

import numpy as np
import pytest
import rclpy
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy
from rclpy.qos import QoSProfile
from rclpy.time import Time
import robot_state_publisher
from robot_state_publisher.urdf import parse_urdf
from robot_state_publisher.urdf import UrdfError
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
import tf2_ros
from tf2_ros.buffer_core import as_message

URDF = """<robot name="rig">
  <link name="base"/><link name="arm"/><link name="slide"/><link name="tip"/><link name="twin"/>
  <link name="free"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><axis xyz="0 0 2"/>
    <limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
  <joint name="push" type="prismatic"><parent link="arm"/><child link="slide"/>
    <axis xyz="0 1 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
  <joint name="weld" type="fixed"><parent link="slide"/><child link="tip"/>
    <origin xyz="0 0 3" rpy="0.3 0.4 0.5"/></joint>
  <joint name="follow" type="continuous"><parent link="base"/><child link="twin"/>
    <mimic joint="turn" multiplier="-2" offset="0.1"/></joint>
  <joint name="loose" type="floating"><parent link="base"/><child link="free"/></joint>
</robot>
"""
EXACT = 1e-12  # chains of three displacements with numbers near one, in double precision


def homogeneous(rotation, translation=(0, 0, 0)):
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = rotation, translation
    return result


def about(axis, angle):
    """Rotation about x, y or z."""
    c, s = math.cos(angle), math.sin(angle)
    return {'x': np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
            'y': np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
            'z': np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])}[axis]


def expected(turn, push):
    """Places in the base, from the drawing of the rig."""
    arm = homogeneous(about('z', math.pi / 2), (1, 0, 0)) @ homogeneous(about('z', turn))
    slide = arm @ homogeneous(np.eye(3), (0, push, 0))
    # URDF: rotations about the fixed axes x, y, z in this order.
    weld = homogeneous(about('z', 0.5) @ about('y', 0.4) @ about('x', 0.3), (0, 0, 3))
    twin = homogeneous(about('x', -2 * turn + 0.1))
    return {'arm': arm, 'slide': slide, 'tip': slide @ weld, 'twin': twin}


def as_matrix(found):
    t, q = found.transform.translation, found.transform.rotation
    x, y, z, w = q.x, q.y, q.z, q.w
    return homogeneous(
        [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]],
        (t.x, t.y, t.z))


@pytest.fixture
def context(environment, monkeypatch):
    """Join the graph that the processes of these tests share."""
    monkeypatch.setenv('ROS_DOMAIN_ID', environment['ROS_DOMAIN_ID'])
    context = rclpy.context.Context()
    rclpy.init(context=context)
    yield context
    rclpy.try_shutdown(context=context)


class Listener:
    """A node that hears frames and publishes joint states."""

    def __init__(self, context):
        self.node = Node('listener', context=context)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        self.buffer = tf2_ros.Buffer()
        self.listener = tf2_ros.TransformListener(self.buffer, self.node)
        self.states = self.node.create_publisher(JointState, 'joint_states', 10)

    def spin_until(self, condition, patience=60.0):
        deadline = time.monotonic() + patience
        while not condition():
            assert time.monotonic() < deadline, 'waited in vain'
            self.executor.spin_once(timeout_sec=0.05)

    def publish_until(self, condition, names, positions):
        stamps = []

        def satisfied():
            stamps.append(self.publish(names, positions))
            return condition()

        self.spin_until(satisfied)
        return stamps[-1]

    def publish(self, names, positions):
        message = JointState(name=names, position=positions)
        message.header.stamp = self.node.get_clock().now().to_msg()
        self.states.publish(message)
        return message.header.stamp


@pytest.fixture
def listener(context):
    listener = Listener(context)
    yield listener
    listener.executor.shutdown()
    listener.node.destroy_node()


@pytest.fixture
def publisher(start, tmp_path):
    """Run the node."""
    path = tmp_path / 'rig.urdf'
    path.write_text(URDF)

    def run(*words):
        process = start(sys.executable, '-m', 'robot_state_publisher', path, '--ros-args', *words)
        process.wait_for('Robot initialized')
        return process
    return run


def test_frames_follow_the_joints(publisher, listener):
    publisher('-p', 'publish_frequency:=200.0')
    listener.publish_until(lambda: listener.buffer.can_transform('base', 'tip', Time()),
                           ['turn', 'push'], [0.0, 0.0])
    for turn, push in ((0.0, 0.0), (0.7, -0.4), (-2.5, 1.25)):
        time.sleep(0.01)  # more than the 5 ms between frames at 200 Hz
        stamp = listener.publish(['push', 'turn', 'unknown'], [push, turn, 9.0])
        listener.spin_until(lambda stamp=stamp: listener.buffer.can_transform(
            'base', 'tip', Time.from_msg(stamp)))
        for frame, X_BF in expected(turn, push).items():
            found = listener.buffer.lookup_transform('base', frame, Time.from_msg(stamp))
            np.testing.assert_allclose(as_matrix(found), X_BF, atol=EXACT)
            assert found.header.stamp == stamp
    assert not listener.buffer.can_transform('base', 'free', Time())


def test_description_is_latched(publisher, listener):
    publisher()
    heard = []
    listener.node.create_subscription(
        String, 'robot_description', heard.append,
        QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))
    listener.spin_until(lambda: heard)
    assert heard[0].data == URDF


def test_frame_prefix(publisher, listener):
    publisher('-p', 'frame_prefix:=left/')
    listener.spin_until(
        lambda: listener.buffer.can_transform('left/slide', 'left/tip', Time()))


def test_frequency_is_a_limit(publisher, listener):
    publisher('-p', 'publish_frequency:=10.0')
    listener.publish_until(lambda: listener.buffer.can_transform('base', 'arm', Time()),
                           ['turn', 'push'], [0.0, 0.0])

    def gaps():
        return np.diff(listener.buffer._frames['arm']._stamps) * 1e-9  # s

    listener.publish_until(lambda: len(gaps()) >= 5, ['turn', 'push'], [0.0, 0.0])
    assert gaps().min() >= 0.1
    # And about as often: a busy machine may leave out some.
    listener.publish_until(lambda: gaps().min() < 0.2, ['turn', 'push'], [0.0, 0.0])


@pytest.mark.parametrize('ignored', [False, True])
def test_states_with_an_old_stamp(publisher, listener, ignored):
    publisher('-p', f'ignore_timestamp:={str(ignored).lower()}')
    heard = []
    listener.node.create_subscription(TFMessage, '/tf', heard.append, 10)
    stamp = listener.publish_until(lambda: heard, ['turn', 'push'], [0.0, 0.0])
    state = JointState(name=['turn', 'push'], position=[1.0, 0.0])
    state.header.stamp = stamp
    state.header.stamp.sec -= 100

    def old():
        listener.states.publish(state)
        return [item for item in heard if item.transforms[0].header.stamp == state.header.stamp]

    if ignored:
        listener.spin_until(lambda: len(old()) > 1)
    else:
        for _ in range(10):
            assert old() == []
            listener.executor.spin_once(timeout_sec=0.05)


def test_prefix_changes_at_run_time(publisher, listener, ros2):
    publisher()
    listener.spin_until(lambda: listener.buffer.can_transform('slide', 'tip', Time()))
    command = ros2('param', 'set', '/robot_state_publisher', 'frame_prefix', 'left/')
    assert command.finish() == 0
    listener.spin_until(
        lambda: listener.buffer.can_transform('left/slide', 'left/tip', Time()))


def test_an_incomplete_state_is_reported_and_survived(publisher, listener):
    process = publisher()
    for positions, remark in (
            ([0.0], 'ignored an invalid JointState message: 2 names, 1 positions'),
            ([], 'whose position member was empty')):
        # Again and again: what is sent before both sides know each other is lost.
        listener.publish_until(lambda remark=remark: remark in process.text,
                               ['turn', 'push'], positions)
    listener.publish_until(lambda: listener.buffer.can_transform('base', 'tip', Time()),
                           ['turn', 'push'], [0.0, 0.0])


@pytest.mark.parametrize('frequency', ['20.0', '1e-320'])
def test_states_that_no_frame_can_have_are_survived(publisher, listener, frequency):
    node = publisher('-p', f'publish_frequency:={frequency}')
    listener.publish_until(lambda: listener.buffer.can_transform('base', 'tip', Time()),
                           ['turn', 'push'], [0.0, 0.0])
    for second, part, place in ((2**31 - 1, 2**32 - 1, 0.0), (0, 10**9, 0.0), (1, 0, math.inf),
                                (1, 0, -math.inf), (1, 0, math.nan)):
        message = JointState(name=['turn', 'push'], position=[place, 0.0])
        message.header.stamp.sec, message.header.stamp.nanosec = second, part
        listener.states.publish(message)
    node.wait_for('ignored a JointState message: its stamp has 4294967295 ns in the second')
    listener.publish_until(
        lambda: 'JointState message: position of joint "turn" is inf; allowed: a' in node.text,
        ['turn', 'push'], [math.inf, 0.0])
    listener.publish(['turn', 'push'], [0.0, 0.0])
    assert node.process.poll() is None


def test_a_new_description_replaces_the_fixed_frames(publisher, listener, ros2, tmp_path):
    process = publisher()
    listener.spin_until(lambda: listener.buffer.can_transform('slide', 'tip', Time()))
    moved = URDF.replace('xyz="0 0 3" rpy="0.3 0.4 0.5"', 'xyz="0 0 4"')
    command = ros2('param', 'set', '/robot_state_publisher', 'robot_description', moved)
    assert command.finish() == 0
    process.wait_for('Robot initialized', count=2)
    listener.spin_until(lambda: listener.buffer.lookup_transform(
        'slide', 'tip', Time(), Duration()).transform.translation.z == 4.0)
    command = ros2('param', 'set', '/robot_state_publisher', 'robot_description', '<robot/>')
    assert command.finish() == 1
    assert command.text == \
        'Setting parameter failed: robot_description: there is no link'


def test_static_transforms_sent_one_by_one(context, listener):
    """Who listens hears all; who comes late hears what was sent last, as in Humble."""
    other = Node('other', context=context)
    broadcaster = tf2_ros.StaticTransformBroadcaster(other)
    for child in ('a', 'b'):
        broadcaster.sendTransform(as_message(
            'w', child, 0, ((1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))))
        listener.spin_until(lambda child=child: listener.buffer.can_transform('w', child, Time()))
    late = Listener(context)
    late.spin_until(lambda: late.buffer.can_transform('w', 'b', Time()))
    assert not late.buffer.can_transform('w', 'a', Time())
    late.executor.shutdown()
    late.node.destroy_node()
    other.destroy_node()


def test_listener_with_its_own_thread(context, listener):
    receiver = Node('receiver', context=context)
    buffer = tf2_ros.Buffer()
    spinning = tf2_ros.TransformListener(buffer, receiver, spin_thread=True)
    broadcaster = tf2_ros.TransformBroadcaster(listener.node)
    listener.spin_until(lambda: broadcaster.pub_tf.get_subscription_count() == 2)
    broadcaster.sendTransform(as_message(
        'w', 'c', 10**9, ((5.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))))
    found = buffer.lookup_transform('w', 'c', Time(), timeout=Duration(seconds=60.0))
    assert found.transform.translation.x == 5.0
    spinning.unregister()
    receiver.destroy_node()


@pytest.mark.parametrize(('text', 'message'), [
    ('', 'robot_description parameter must not be empty'),
    ('/path/of/a.urdf', "it begins with '/path/of/a.urdf'; robot_description holds the XML text"),
    ('<robot><link name="a">', 'robot_description is not valid XML'),
    ('<sdf/>', 'the root element is <sdf>, expected <robot>'),
    ('<robot/>', 'there is no link'),
    ('<robot><link name="a"/><link name="a"/></robot>', "link 'a' is defined twice"),
    ('<robot><link name="a"/><link name="b"/></robot>', "found 2 roots: 'a', 'b'"),
    ('<robot>\n<link name="a"/><link name="b"/>\n<joint name="j" type="hinge"/></robot>',
     "robot_description, line 3: joint 'j' has the unknown type 'hinge'"),
    ('<robot><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/>'
     '<child link="c"/></joint></robot>', "joint 'j': its child link 'c' is not defined"),
    ('<robot><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/>'
     '<child link="b"/><origin xyz="1 2"/></joint></robot>',
     'xyz="1 2" of <origin>: expected 3 finite numbers'),
    ('<robot><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>'
     '<child link="b"/><mimic joint="k"/></joint></robot>',
     "joint 'j' mimics 'k', which is not a joint"),
    ('<robot><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>'
     '<child link="b"/><mimic joint="j"/></joint></robot>', "joint 'j' mimics itself"),
])
def test_bad_descriptions(text, message):
    with pytest.raises(UrdfError) as raised:
        parse_urdf(text)
    assert message in str(raised.value)


def test_a_description_with_blanks_in_front_and_a_namespace():
    robot = parse_urdf('\n  <?xml version="1.0" encoding="latin-1"?>\n<robot name="r" '
                       'xmlns="http://drake.mit.edu"><link name="Fu\u00df"/></robot>')
    assert robot.root == 'Fu\u00df'


@pytest.mark.parametrize('kind', ['fixed', 'floating'])
@pytest.mark.parametrize('axis', ['0 0 0', 'none'])
def test_the_axis_of_a_joint_without_one_is_not_read(kind, axis):
    robot = parse_urdf(f'<robot name="r"><link name="a"/><link name="b"/><joint name="j" '
                       f'type="{kind}"><parent link="a"/><child link="b"/><axis xyz="{axis}"/>'
                       '</joint></robot>')
    assert list(robot.joints) == ['j']


def test_a_joint_that_closes_a_loop_is_remarked():
    robot = parse_urdf(
        '<robot><link name="a"/><link name="b"/>'
        '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
        '<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint></robot>')
    assert list(robot.joints) == ['j']
    assert robot.remarks == (
        "joint 'k' closes a loop (link 'b' already has the parent 'a'): it is not used",)


def test_bad_description_ends_the_node_with_an_error(start, tmp_path):
    path = tmp_path / 'bad.urdf'
    path.write_text('<robot><link name="a">')
    process = start(sys.executable, '-m', 'robot_state_publisher', path)
    assert process.finish() == 1
    assert process.text.startswith('robot_state_publisher: robot_description is not valid XML')
    process = start(sys.executable, '-m', 'robot_state_publisher')
    assert process.finish() == 1
    assert process.text == 'robot_state_publisher: robot_description parameter must not be empty'


def test_it_uses_public_names_of_tf2_ros_only() -> None:
    # so that it runs on a real tf2_ros, which has other modules
    folder = Path(robot_state_publisher.__file__).parent
    for file in folder.glob('*.py'):
        assert 'tf2_ros.' not in file.read_text(), file
