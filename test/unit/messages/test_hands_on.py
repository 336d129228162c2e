"""What hands on the page become: pushes, goals and arrows."""

from geometry_msgs.msg import WrenchStamped
from mbd_msgs.msg import LinkWrench
import numpy as np
import pytest
import yaml

from mbd_ros.messages.dynamics.link_wrenches import pull, read_push, wrench_arrows, write_push
from mbd_ros.messages.trajectories.simple_goals import (
    in_frame, joint_goal, point_goal, SHORTEST)

# A quarter of a turn about z, at (1, 2, 3).
POSE = np.array([[0.0, -1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0],
                 [0.0, 0.0, 0.0, 1.0]])


def test_a_push_goes_from_the_grabbed_point_to_the_mouse():
    push = pull('tool', POSE, np.array([1.0, 2.5, 3.0]), np.array([1.0, 2.5, 3.2]), 100.0, 0.25)
    assert push.point == pytest.approx([0.5, 0.0, 0.0])   # along the link's own x axis
    assert push.force == pytest.approx([0.0, 0.0, 20.0])
    message = write_push(push)
    assert (message.duration.sec, message.duration.nanosec) == (0, 250_000_000)
    again = read_push(message)
    assert again.link == 'tool' and again.duration == 0.25
    for one, other in zip(again[1:4], push[1:4]):
        assert np.array_equal(one, other)


def test_a_message_may_say_anything_and_is_checked_later(model):
    message = LinkWrench(link='tool')
    message.wrench.torque.y = float('nan')
    with pytest.raises(Exception, match=r"moment of the push on 'tool' is \[0.0, nan, 0.0\]"):
        read_push(message).check(model)


def test_points_in_frames():
    assert in_frame(POSE, np.array([1.0, 2.5, 3.0])) == pytest.approx([0.5, 0.0, 0.0])


def test_goals():
    goal = joint_goal({'a': 0.5, 'b': -1.0}, 2.75)
    (point,) = goal.trajectory.points
    assert list(goal.trajectory.joint_names) == ['a', 'b']
    assert list(point.positions) == [0.5, -1.0]
    assert (point.time_from_start.sec, point.time_from_start.nanosec) == (2, 750_000_000)


def test_a_line_takes_as_long_as_its_speed_asks_for():
    start, end = np.zeros(3), np.array([0.0, 3.0, 4.0])
    line = yaml.safe_load(point_goal('tool', start, end, 0.5).task)
    assert line == {'link': 'tool', 'path': {
        'kind': 'line', 'start': [0.0, 0.0, 0.0], 'end': [0.0, 3.0, 4.0], 'duration': 10.0}}
    short = yaml.safe_load(point_goal('tool', start, 1e-4 * end, 0.5).task)
    assert short['path']['duration'] == SHORTEST


def wrench(frame, force, torque):
    message = WrenchStamped()
    message.header.frame_id = frame
    for vector, values in ((message.wrench.force, force), (message.wrench.torque, torque)):
        vector.x, vector.y, vector.z = values
    return message


def test_wrenches_become_arrows_in_the_world():
    forces, moments, strongest, hardest = wrench_arrows(
        [wrench('a', (200.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
         wrench('b', (0.0, 0.0, -50.0), (0.0, 0.0, 3.0)),
         wrench('elsewhere', (1e9, 0.0, 0.0), (0.0, 0.0, 0.0))],
        {'a': POSE, 'b': np.eye(4)}, 0.4)
    assert (strongest, hardest) == (200.0, 3.0)
    assert forces[0][0].tolist() == [1.0, 2.0, 3.0]
    assert forces[0][1] == pytest.approx([0.0, 0.4, 0.0])   # the longest, turned with its link
    assert forces[1][1] == pytest.approx([0.0, 0.0, -0.1])
    assert [way.tolist() for _, way in moments] == [[0.0, 0.0, 0.0], [0.0, 0.0, 0.4]]


def test_wrenches_that_are_no_numbers_have_no_arrows():
    assert wrench_arrows([wrench('a', (np.inf, 0.0, 0.0), (0.0,) * 3)],
                         {'a': np.eye(4)}, 0.4) == ([], [], 0.0, 0.0)
    assert wrench_arrows([], {}, 0.4) == ([], [], 0.0, 0.0)
