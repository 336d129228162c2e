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

"""Trajectories and tolerances of goals, and what a watch makes of them."""

import math
from types import SimpleNamespace

from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import mbd_ros
from mbd_ros.control.tasks.goal_watch import JointTolerances, JointWatch, Outcome, PathWatch
from mbd_ros.messages.trajectories.trajectories import read_tolerances, read_trajectory
from mbd_ros.messages.trajectories.way_points import GoalError, Reference, Rules

Result = FollowJointTrajectory.Result
NOW = 5_000_000_000
ENDLESS = ''.join(f'<link name="l{k}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" '
                  'iyy="1" iyz="0" izz="1"/></inertial></link>' for k in range(3))


@pytest.fixture(scope='module')
def model():
    """Return a robot with a joint that turns without end and one that does not."""
    return mbd_ros.load(
        f'<robot name="two">{ENDLESS}'
        '<joint name="a" type="continuous"><parent link="l0"/><child link="l1"/></joint>'
        '<joint name="b" type="revolute"><parent link="l1"/><child link="l2"/>'
        '<limit lower="-3" upper="3" effort="1" velocity="1"/></joint></robot>')


def start(q=(0.0, 0.0), v=(0.0, 0.0)):
    return Reference(np.array(q), np.array(v), np.zeros(2), NOW)


def message(*points, names=('a', 'b'), stamp=0):
    trajectory = JointTrajectory(joint_names=list(names))
    trajectory.header.stamp.sec, trajectory.header.stamp.nanosec = divmod(stamp, 10**9)
    for time, values in points:
        point = JointTrajectoryPoint(**{key: [float(x) for x in row]
                                        for key, row in values.items()})
        point.time_from_start.sec = int(time)
        point.time_from_start.nanosec = round((time % 1) * 1e9)
        trajectory.points.append(point)
    return trajectory


def test_it_goes_on_from_where_the_reference_is(model):
    """With its velocity, through the points, to rest; by name, not by order."""
    _, path = read_trajectory(model, ('a', 'b'), message(
        (1.0, {'positions': (0.5, 0.2)}), (2.0, {'positions': (1.0, 0.4)}), names=('b', 'a')),
        start(v=(0.3, -0.1)))
    assert path.at(0.0).velocity.tolist() == pytest.approx([0.3, -0.1])
    assert path.at(1.0).position.tolist() == pytest.approx([0.2, 0.5])
    assert path.at(2.0).position.tolist() == pytest.approx([0.4, 1.0])
    assert path.at(2.0).velocity.tolist() == pytest.approx([0.0, 0.0], abs=1e-12)


@settings(max_examples=40)
@given(begin=st.floats(-20.0, 20.0), goals=st.lists(st.floats(-20.0, 20.0), min_size=1,
                                                    max_size=3))
def test_first_to_the_nearest_turn_and_then_by_as_much_as_the_points_say(model, begin, goals):
    """Whole turns are left out on the way to the first point only, and of endless joints only."""
    points = [(1.0 + k, {'positions': [angle, 0.1 * k]}) for k, angle in enumerate(goals)]
    _, path = read_trajectory(model, ('a', 'b'), message(*points), start((begin, 0.0)))
    found = [path.at(time).position for time, _ in points]
    assert abs(found[0][0] - begin) <= math.pi + 1e-12
    turns = (found[0][0] - goals[0]) / (2.0 * math.pi)
    assert turns == pytest.approx(round(turns), abs=1e-12)
    for (one, _), (_, values) in zip(found, points, strict=True):
        assert one == pytest.approx(values['positions'][0] + found[0][0] - goals[0], abs=1e-12)
    assert [other for _, other in found] == pytest.approx([0.1 * k for k in range(len(goals))])


def test_joints_without_end_take_the_shorter_way(model):
    _, path = read_trajectory(model, ('a', 'b'), message((1.0, {'positions': (0.1, 0.1)})),
                              start(q=(4 * math.pi, 0.0)))
    assert path.at(1.0).position.tolist() == pytest.approx([4 * math.pi + 0.1, 0.1])


def test_stamps_in_the_past_and_in_the_future(model):
    """What is over is left out; until it begins the joints stay."""
    points = ((1.0, {'positions': (0.1, 0.1)}), (2.0, {'positions': (0.2, 0.2)}))
    _, path = read_trajectory(model, ('a', 'b'), message(*points, stamp=NOW - 1_500_000_000),
                              start(q=(0.15, 0.15)))
    assert path.duration == pytest.approx(0.5)
    _, later = read_trajectory(model, ('a', 'b'), message(*points, stamp=NOW + 3_000_000_000),
                               start())
    assert np.abs(later.at(3.0).position).max() < 1e-12
    assert later.at(4.0).position.tolist() == pytest.approx([0.1, 0.1])
    with pytest.raises(GoalError, match=r'ended 1\.000 s ago') as caught:
        read_trajectory(model, ('a', 'b'), message(*points, stamp=NOW - 3_000_000_000), start())
    assert caught.value.result == Result.OLD_HEADER_TIMESTAMP


@pytest.mark.parametrize('more', [
    {}, {'velocities': (0, 0)}, {'velocities': (0, 0), 'accelerations': (0, 0)}])
def test_until_a_trajectory_begins_moving_joints_come_to_rest_near_by_and_stay(model, more):
    """Whatever the trajectory is made of, and however long it takes until it begins."""
    points = ((1.0, {'positions': (1.0, 1.0), **more}), (2.0, {'positions': (0.0, 0.0), **more}))
    begin = Reference(np.array([0.2, 0.3]), np.array([0.4, -0.5]), np.array([1.0, -2.0]), NOW)
    _, path = read_trajectory(
        model, ('a', 'b'), message(*points, stamp=NOW + 60_000_000_000), begin)
    first = path.at(0.0)
    assert [*first.position, *first.velocity, *first.acceleration] == pytest.approx(
        [0.2, 0.3, 0.4, -0.5, 1.0, -2.0], abs=1e-12)
    at = [path.at(time) for time in np.linspace(0.0, 60.0, 600)]
    # A stop from half the top speed takes 0.2 s, so that 0.05 rad are half of 0.5 rad/s times it.
    assert max(np.abs(point.position - (0.2, 0.3)).max() for point in at) < 0.06
    assert all((point.velocity == 0.0).all() for point in at[10:])
    assert path.at(60.01).velocity.min() > 0.0
    assert path.at(61.0).position == pytest.approx([1.0, 1.0])
    assert path.duration == pytest.approx(62.0)
    # Too soon for a stop: the joints go on to the first point from now on.
    _, soon = read_trajectory(model, ('a', 'b'), message(*points, stamp=NOW + 10_000_000), begin)
    assert soon.at(0.01).velocity == pytest.approx([0.4, -0.5], abs=0.1)
    assert soon.at(1.01).position == pytest.approx([1.0, 1.0])


def test_a_passive_joint_is_carried_along(model):
    """Of a robot of which one joint is driven the trajectory is of that joint alone."""
    moved, path = read_trajectory(
        model, ('b',), message((1.0, {'positions': (0.5,)}), names=('b',)), start())
    assert moved == ('b',)
    assert path.at(1.0).position.tolist() == pytest.approx([0.5])


def test_joints_may_be_left_out_if_that_is_allowed(model):
    part = message((1.0, {'positions': (0.1,)}), names=('b',))
    with pytest.raises(GoalError, match="joints of the trajectory are \\['b'\\]") as caught:
        read_trajectory(model, ('a', 'b'), part, start())
    assert caught.value.result == Result.INVALID_JOINTS
    _, path = read_trajectory(model, ('a', 'b'), part, start(q=(0.7, 0.0)),
                              rules=Rules(partial=True))
    assert path.at(1.0).position.tolist() == pytest.approx([0.7, 0.1])


@pytest.mark.parametrize(('points', 'words'), [
    (((1.0, {'velocities': (0, 0)}),), 'no positions'),
    (((1.0, {'positions': (0,)}),), 'point 0 has 1 positions; allowed: 2'),
    (((1.0, {'positions': (0, 0), 'velocities': (0, 0)}), (2.0, {'positions': (0, 0)})),
     'point 1 has 0 velocities; allowed: 2, one for each joint, in all points or in none'),
    (((1.0, {'positions': (0, 0), 'accelerations': (0, 0)}),), 'accelerations without velocities'),
    (((1.0, {'positions': (0, 0), 'velocities': (0, 2e-7)}),),
     r"velocity of joint 'b' at the last point is 2e-07 rad/s; allowed: 0 within 1\.2e-07"),
    (((1.0, {'positions': (0, math.inf)}),), 'positions of point 0 are not finite'),
    (((1.0, {'positions': (0, 0)}), (2.0, {'positions': (-1e15, 0)})),
     r'positions of point 1 reach -1e\+15; allowed: from -1e\+06 to 1e\+06'),
    (((1.0, {'positions': (0, 0), 'velocities': (0, 1e300)}),), 'velocities of point 0 reach'),
    (((1.0, {'positions': (0, 0), 'velocities': (0, 0), 'accelerations': (0, 2e6)}),),
     'accelerations of point 0 reach 2000000; allowed'),
])
def test_points_that_cannot_be_followed(model, points, words):
    with pytest.raises(GoalError, match=words) as caught:
        read_trajectory(model, ('a', 'b'), message(*points), start())
    assert caught.value.result == Result.INVALID_GOAL


def test_tolerances_of_zero_are_the_default_and_negative_ones_none(model):
    goal = FollowJointTrajectory.Goal(
        path_tolerance=[JointTolerance(name='b', position=0.3, velocity=-1.0)],
        goal_tolerance=[JointTolerance(name='a', position=-1.0, velocity=0.2)])
    found = read_tolerances(model, ('a', 'b'), goal, path=0.1, end=0.01, goal_time=2.0)
    assert found.path_position.tolist() == [0.1, 0.3]
    assert found.goal_position.tolist() == [math.inf, 0.01]
    assert found.goal_velocity.tolist() == [0.2, math.inf]
    assert found.goal_time == 2.0
    goal.goal_time_tolerance.sec = -1
    assert read_tolerances(model, ('a', 'b'), goal, path=0.0, end=0.0,
                           goal_time=2.0).goal_time == math.inf
    goal.path_tolerance[0].name = 'c'
    with pytest.raises(GoalError, match="names joint 'c'; allowed: a, b"):
        read_tolerances(model, ('a', 'b'), goal, path=0.0, end=0.0, goal_time=0.0)


@pytest.mark.parametrize(('value', 'text'), [
    (-0.5, r"a tolerance of 'a' is -0\.5; allowed: a positive number, 0 for the default, -1 for"),
    (math.nan, "a tolerance of 'a' is nan")])
def test_tolerances_without_a_meaning_are_refused(model, value, text):
    goal = FollowJointTrajectory.Goal(path_tolerance=[JointTolerance(name='a', position=value)])
    with pytest.raises(GoalError, match=text):
        read_tolerances(model, ('a', 'b'), goal, path=0.0, end=0.0, goal_time=0.0)
    goal = FollowJointTrajectory.Goal()
    goal.goal_time_tolerance.sec = -2
    with pytest.raises(GoalError, match='goal_time_tolerance is -2; allowed'):
        read_tolerances(model, ('a', 'b'), goal, path=0.0, end=0.0, goal_time=0.0)


def test_a_first_point_due_at_once_may_be_a_little_off_the_reference(model):
    """As of planners that begin at the measured state; what is due at once is not a jump."""
    here = start()
    away = [x + 0.01 for x in here.q.tolist()]
    _, path = read_trajectory(model, ('a', 'b'), message(
        (0.0, {'positions': away}), (1.0, {'positions': [0.5, 0.5]})), here)
    np.testing.assert_allclose(path.at(0.0).position, here.q, atol=1e-15)
    np.testing.assert_allclose(path.at(1.0).position, [0.5, 0.5], atol=1e-12)
    _, path = read_trajectory(model, ('a', 'b'), message(
        (0.0, {'positions': away})), here)
    np.testing.assert_allclose(path.at(path.duration).position, away, atol=1e-12)
    speeds = [np.abs(path.at(t).velocity).max() for t in np.linspace(0.0, path.duration, 20)]
    assert max(speeds) < 0.3   # 0.01 rad in 0.1 s


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_a_first_point_due_at_once_and_further_away_is_refused(model, sign):
    here = start()
    for away, refused in ((0.0199, False), (0.0201, True)):
        points = message((0.0, {'positions': [here.q[0], here.q[1] + sign * away]}),
                         (1.0, {'positions': [0.5, 0.5]}))
        if refused:
            with pytest.raises(GoalError, match=r"joint 'b' is 0\.0201 rad or m away from "):
                read_trajectory(model, ('a', 'b'), points, here)
        else:
            assert read_trajectory(model, ('a', 'b'), points, here)[1].duration == 1.0


def step(time, error, rate=(0.0, 0.0)):
    return SimpleNamespace(nominal=SimpleNamespace(time=time), efforts=SimpleNamespace(
        error=np.array(error), error_rate=np.array(rate)))


def test_a_joint_watch_tells_outcomes_apart(model):
    anything = np.full(2, np.inf)
    watch = JointWatch(model, JointTolerances(
        np.array([0.1, np.inf]), anything, np.array([0.01, 0.01]), np.array([np.inf, 0.1]), 0.5),
        2.0)

    def look(*shown):
        return watch.look(step(*shown), np.zeros(2), np.zeros(2))
    assert look(1.0, (0.09, 5.0)) == (Outcome.GOES_ON, '')
    outcome, why = look(1.0, (-0.11, 0.0))
    assert outcome is Outcome.OFF_THE_PATH
    assert why == "position of joint 'a' is off by 0.11 rad, allowed is 0.1 rad, at 1.000 s"
    assert look(2.1, (0.0, 0.005))[0] is Outcome.REACHED
    assert look(2.1, (0.0, 0.005), (0.0, 0.2))[0] is Outcome.GOES_ON
    outcome, why = look(2.6, (0.0, 0.02))
    assert outcome is Outcome.MISSED_THE_END
    assert why.endswith('0.600 s after the end')


def test_a_path_watch_asks_nothing_during_the_approach():
    watch = PathWatch(0.01, 0.001, 0.5, 2.0, 1.0)

    def look(time, error):
        return watch.look(time, [SimpleNamespace(link='left', error=0.0),
                                 SimpleNamespace(link='right', error=error)])[0]
    assert look(-0.5, 1.0) is Outcome.GOES_ON
    assert look(0.5, 0.02) is Outcome.OFF_THE_PATH
    assert look(2.0, 0.0005) is Outcome.REACHED
    assert look(2.2, 0.002) is Outcome.GOES_ON
    assert look(2.6, 0.002) is Outcome.MISSED_THE_END
    _, why = watch.look(0.5, [SimpleNamespace(link='left', error=0.04),
                              SimpleNamespace(link='right', error=0.03)])
    assert why == "the tool 'left' is 0.04 m off the path, allowed is 0.01, at 0.500 s"
    assert watch.progress(-1.0) == 0.0
    assert watch.progress(0.5) == 0.5
    assert watch.progress(3.0) == 1.0
    assert PathWatch(1.0, 1.0, 1.0, math.inf, 1.0).progress(3.0) == 0.0
