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

"""What hands on the page become: pushes, goals and arrows."""

import array

from geometry_msgs.msg import WrenchStamped
from mbd_msgs.msg import LinkWrench
import numpy as np
import pytest
import yaml

from mbd_ros.control import Task
from mbd_ros.errors import MbdError
from mbd_ros.messages.dynamics.link_wrenches import pull, read_push, wrench_arrows, write_push
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.messages.trajectories.path_goals import read_task
from mbd_ros.messages.trajectories.simple_goals import (
    in_frame, joint_goal, moved_goal, point_goal, read_path, SHORTEST, write_path)

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
    assert in_frame(None, np.array([1.0, 2.5, 3.0])).tolist() == [1.0, 2.5, 3.0]


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


def test_a_path_that_is_moved_leaves_the_rest_of_its_task(model):
    task = Task.from_data({
        'link': 'tool', 'axes': 'xz', 'metric': 'euclidean', 'posture': [0.1, 0.2, 0.3],
        'path': {'kind': 'ellipse', 'center': array.array('d', [1.0, 0.0, 1.0]),
                 'a': (0.25, 0.3, 0.0), 'b': np.array([0.0, 1.0, 0.5])},
        'constraints': ({'kind': 'joint_coupling', 'coefficients': {'joint_1': 1.0}},)})
    path = read_path(write_path(task))
    assert path.place.tolist() == [1.0, 0.0, 1.0]
    goal = moved_goal(path, np.array([0.75, 0.0, 1.0]))
    again = read_task(goal, Task(link='elsewhere', bandwidth=7.0, posture=(0.0,) * 3),
                      EffortCommands(model, []))
    assert again.path == {'kind': 'ellipse', 'center': [0.75, 0.0, 1.0], 'a': [0.25, 0.3, 0.0],
                          'b': [0.0, 1.0, 0.5]}
    for name in ('link', 'axes', 'metric', 'constraints'):
        assert getattr(again, name) == getattr(task, name)
    assert (again.bandwidth, again.posture) == (7.0, (0.0,) * 3)   # the controller's own


def test_a_task_without_a_path_has_no_text():
    assert write_path(Task()) == ''
    assert write_path(Task(constraints=({'kind': 'any'},))) == ''
    assert read_path('') is read_path('{link: tool}') is read_path('{path: {}}') is None


@pytest.mark.parametrize('text', [
    '3', '[1]', '{path: 3}', '{path: {kind: [1]}}', '{path: {kind: line}}', '{a: 1, a: 2}',
    '{a: &x 1, b: *x}', '[' * 1000,
    '{path: {kind: circle, center: [1e400, 0, 0], radius: 1, normal: [0, 0, 1]}}'])
def test_texts_that_are_no_task(text):
    with pytest.raises(MbdError):
        read_path(text)


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
