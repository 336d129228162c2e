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

"""
Goals as planners make them, against the controller's own goals, with an ideal robot.

Fields, orders and values are those of MoveIt's simple controller manager and of the documented
rules of joint_trajectory_controller.
"""

from time import monotonic, sleep

from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from hypothesis import given, Phase, settings, strategies as st
import numpy as np
import pytest
from timed_arm import TimedArm

from mbd_ros.messages.trajectories import way_points
from mbd_ros.messages.trajectories.way_points import GoalError
from mbd_ros.nodes.controlling import controller_goals

Codes = FollowJointTrajectory.Result
HERE = (0.3, 0.3, 0.4)
THERE = (0.5, 0.4, 0.1)
REST = (0.0, 0.0, 0.0)
NO_SHRINKING = (Phase.explicit, Phase.generate)   # an example takes seconds of control


@pytest.fixture(scope='module')
def arm():
    """Return an arm that holds, whatever was done with it."""
    return TimedArm()


def planned(arm, end, *, last=0.0, duration=2.0, first_effort=()):
    """
    Return a goal as MoveIt's simple controller manager sends it.

    The plan of a time parametrisation: stamp 0, frame of the model, every point with positions,
    velocities and accelerations, the first one at t = 0 where the robot was measured,
    accelerations that do not end at 0 (bang-bang), no tolerances.
    """
    begin = arm.measured.q + 5e-4   # MoveIt's default allows 0.01
    way, half = np.asarray(end) - begin, 0.5 * duration
    rows = []
    for time in np.linspace(0.0, duration, 21):
        s = time / half
        u, du, ddu = (0.5 * s * s, s, 1.0) if s < 1.0 else (
            1.0 - 0.5 * (2.0 - s) ** 2, 2.0 - s, -1.0)
        rows.append((time, {'positions': begin + u * way, 'velocities': du * way / half,
                            'accelerations': ddu * way / half**2}))
    rows[-1][1]['velocities'] = np.full(3, last)
    if first_effort:
        rows[0][1]['effort'] = first_effort
    return arm.goal(*rows, frame='base_link')


@settings(max_examples=15, deadline=None, phases=NO_SHRINKING)
@given(last=st.one_of(st.floats(-1.19e-7, 1.19e-7), st.sampled_from([-2.6e-17, 3.9e-12])),
       end=st.tuples(*[st.floats(-1.0, 1.0)] * 3))
def test_plans_of_moveit_are_carried_out(arm, last, end):
    """Velocities of rounding size at the end are zero, measured efforts of the start no wish."""
    handle = arm.send(planned(arm, end, last=last, first_effort=(1.0, 2.0, 3.0)))
    arm.run(2.1)
    assert (handle.status, handle.result.error_code) == ('succeeded', Codes.SUCCESSFUL)
    assert arm.measured.q == pytest.approx(end, abs=1e-9)
    assert np.abs(arm.v[-1]).max() == 0.0


def test_a_last_velocity_is_refused_by_name_or_allowed_by_a_parameter():
    """With it the joints stop within the limits, and are back at the last point."""
    arm = TimedArm()
    wrong = arm.goal((1.0, {'positions': THERE, 'velocities': (0.0, 0.3, 0.0)}))
    with pytest.raises(GoalError, match=r"joint 'joint2' at the last point is 0\.3 rad/s"):
        arm.send(wrong)
    arm.settings.allow_nonzero_velocity_at_trajectory_end = True
    handle = arm.send(wrong)
    arm.run(1.0)
    assert arm.v[-1] == pytest.approx([0.0, 0.3, 0.0], abs=1e-9)
    arm.run(1.0)
    assert handle.status == 'succeeded'
    assert arm.measured.q == pytest.approx(THERE, abs=1e-12)
    _, hardest = arm.largest(arm.now - 0.98)
    assert hardest < 5.0 * 10.0   # DECELERATION of the top speed of 10 rad/s
    assert max(abs(q[1] - THERE[1]) for q in arm.q[-490:]) < 0.3 * 0.05


def test_efforts_are_fed_forward_if_all_points_have_them():
    """Added to those of the controller, linear between points, within limits; zeros are none."""
    plain, fed = TimedArm(), TimedArm()
    points = [(0.5, {'positions': HERE}), (1.0, {'positions': HERE})]
    plain.send(plain.goal(*points))
    zeros = [(time, {**values, 'effort': REST}) for time, values in points]
    fed.send(fed.goal(*zeros))
    plain.run(0.3)
    fed.run(0.3)
    assert fed.efforts[-1].tolist() == plain.efforts[-1].tolist()
    fed, plain = TimedArm(), TimedArm()
    plain.send(plain.goal(*points))
    fed.send(fed.goal((0.5, {'positions': HERE, 'effort': (2.0, 0.0, 1e4)}),
                      (1.0, {'positions': HERE, 'effort': (4.0, -1.0, 1e4)})))
    plain.run(0.75)
    fed.run(0.75)
    assert (fed.efforts[-1] - plain.efforts[-1])[:2] == pytest.approx([3.0, -0.5], abs=1e-9)
    assert fed.efforts[-1][2] == 200.0   # its limit
    fed.publish(fed.trajectory())   # stop: what it brought along is over
    plain.publish(plain.trajectory())
    fed.run(0.2)
    plain.run(0.2)
    assert fed.efforts[-1] == pytest.approx(plain.efforts[-1], abs=1e-9)
    drives = TimedArm(command_interface='position')
    with pytest.raises(GoalError, match="command_interface 'effort', and it is 'position'"):
        drives.send(drives.goal((0.5, {'positions': HERE, 'effort': (1.0, 0.0, 0.0)})))


@pytest.mark.parametrize('fields', [('velocities',), ('velocities', 'accelerations'),
                                    ('accelerations',)])
def test_points_without_positions_are_integrated_where_that_is_allowed(fields):
    """By the trapezoidal rule, exact for velocities that are linear between points."""
    arm = TimedArm()
    rows = {'velocities': ((0.2, 0.0, 0.0), (0.2, 0.0, 0.0), REST),
            'accelerations': ((0.2, 0.0, 0.0), (0.0, 0.0, 0.0), (-0.2, 0.0, 0.0))}
    wish = arm.goal(*((1.0 + k, {name: rows[name][k] for name in fields}) for k in range(3)))
    with pytest.raises(GoalError, match='allow_integration_in_goal_trajectories'):
        arm.send(wish)
    arm.settings.allow_integration_in_goal_trajectories = True
    if fields == ('accelerations',):
        arm.settings.allow_nonzero_velocity_at_trajectory_end = True
    arm.send(wish)
    arm.run(3.2)
    moved = 0.1 + 0.2 + 0.1 if 'velocities' in fields else 0.2 * 1 / 2 + 0.25 + 0.25
    assert arm.measured.q == pytest.approx([HERE[0] + moved, *HERE[1:]], abs=1e-9)


def test_receding_horizon_goals_keep_accelerations_of_the_size_asked():
    """A goal each 0.1 s, stamped 50 ms ahead, of a motion with accelerations up to 0.3 rad/s^2."""
    arm = TimedArm(allow_nonzero_velocity_at_trajectory_end=True)

    def wanted(time):   # from rest, 0.3 rad/s^2 at most
        w = 1.0
        return (0.3 + 0.3 * (1 - np.cos(w * time)), 0.3 * np.sin(w * time),
                0.3 * np.cos(w * time))

    begin, handles = arm.now + 0.05, []
    for _ in range(40):
        stamp = 0.05
        rows = []
        for ahead in np.arange(0.0, 1.01, 0.1):
            x, v, a = wanted(max(arm.now + stamp + ahead - begin, 0.0))
            rows.append((ahead, {'positions': (x, *HERE[1:]), 'velocities': (v, 0.0, 0.0),
                                 'accelerations': (a, 0.0, 0.0)}))
        handles.append(arm.send(arm.goal(*rows, stamp=stamp)))
        arm.run(0.1)
    fastest, hardest = arm.largest()
    assert fastest < 0.31
    assert hardest < 0.45   # it was 37; the motion begins with a leap of 0.3, which is made smooth
    at = int(np.searchsorted(arm.times, begin + 0.5))
    expected = [wanted(time - begin)[0] for time in arm.times[at:]]
    assert [q[0] for q in arm.q[at:]] == pytest.approx(expected, abs=1e-5)
    assert handles[0].result.error_code == Codes.INVALID_GOAL
    assert handles[0].result.error_string == 'Current goal preempted by new incoming action.'
    assert {handle.status for handle in handles[:-1]} == {'aborted'}


@settings(max_examples=8, deadline=None, phases=NO_SHRINKING)
@given(wait=st.floats(0.01, 1.5), first=st.floats(0.1, 1.0),
       way=st.tuples(*[st.floats(-0.5, 0.5)] * 3), speeds=st.booleans())
def test_what_runs_goes_on_until_the_stamp_and_is_joined_smoothly(wait, first, way, speeds):
    """With continuous velocity and acceleration, whatever comes and when."""
    # The ideal robot of these tests has any effort.
    alone, arm = TimedArm(too_much_effort='warn'), TimedArm(too_much_effort='warn')
    for one in (alone, arm):
        one.send(one.goal((2.0, {'positions': np.add(HERE, way)})))
        one.run(0.4)
    more = {'velocities': REST} if speeds else {}
    begin = len(arm.q)
    arm.send(arm.goal((first, {'positions': HERE, **more}), stamp=wait))
    steps = int(wait / 0.002)
    arm.run(3.0)
    alone.run(3.0)
    for k in range(begin, begin + steps):
        assert arm.q[k] == pytest.approx(alone.q[k], abs=1e-9)
        assert arm.v[k] == pytest.approx(alone.v[k], abs=1e-9)
    jerks = np.abs(np.diff(arm.a[begin - 1:begin + steps + 20], axis=0)).max() / 0.002
    # A quintic's jerk: 60 of the way and 36 of the speed by the third and second power of time.
    assert jerks < 60 * 1.0 / first**3 + 36 * 1.0 / first**2 + 30.0
    assert arm.measured.q == pytest.approx(HERE, abs=1e-9)


def test_a_stamp_far_ahead_is_told_and_one_too_far_refused():
    arm = TimedArm()
    arm.send(arm.goal((1.0, {'positions': HERE}), stamp=30.0))
    assert arm.said[-1] == 'the trajectory begins in 30.000 s'
    with pytest.raises(GoalError, match=(
            r'begins in 1792000000\.000 s: its stamp is .* s, that of joint_states 5\.000 s; '
            r'allowed: within 600 s \(parameter longest_wait\)')):
        arm.send(arm.goal((1.0, {'positions': HERE}), stamp=1.792e9))


def test_wrong_goals_may_be_accepted_to_be_aborted_with_their_reason():
    """So that a client's terminal shows it."""
    arm = TimedArm(abort_wrong_goals=True)
    for wrong, code, words in (
            (arm.goal((1.0, {'positions': (0.0, np.nan, 0.0)})), Codes.INVALID_GOAL, 'not finite'),
            (arm.goal((1.0, {'positions': (0.0,)}), names=['joint1']), Codes.INVALID_JOINTS,
             'allowed: each of'),
            (arm.goal((1.0, {'positions': HERE}), stamp=-2.0), Codes.OLD_HEADER_TIMESTAMP,
             'ended 1.000 s ago')):
        handle = arm.send(wrong)
        assert (handle.status, handle.result.error_code) == ('aborted', code)
        assert words in handle.result.error_string


def test_codes_are_by_cause():
    arm = TimedArm()
    wish = arm.goal((5.0, {'positions': THERE}))
    for end, code, words in (
            (lambda: arm.goals.drop('the robot was replaced'), Codes.INVALID_GOAL,
             'the robot was replaced'),
            (lambda: arm.publish(arm.trajectory((1.0, {'positions': HERE}))), Codes.INVALID_GOAL,
             'a trajectory on the topic'),
            (lambda: arm.send(wish), Codes.INVALID_GOAL, 'Current goal preempted'),
            (lambda: arm.tracker.stop(arm.now, arm.measured.q, arm.measured.v, 'out of reach'),
             Codes.PATH_TOLERANCE_VIOLATED, 'out of reach')):
        handle = arm.send(wish)
        arm.run(0.1)
        end()
        arm.run(0.1)
        assert (handle.status, handle.result.error_code) == ('aborted', code)
        assert handle.result.error_string.startswith(words)


def test_a_goal_is_reached_at_rest_within_the_tolerances_of_joints():
    """Names and defaults of joint_trajectory_controller: constraints.*, beside our own."""
    arm = TimedArm(lag=0.05)   # a robot that is behind
    strict = arm.goal((1.0, {'positions': THERE}))
    strict.path_tolerance = [JointTolerance(name='joint2', position=1e-4)]
    handle = arm.send(strict)
    arm.run(0.5)
    assert handle.result.error_code == Codes.PATH_TOLERANCE_VIOLATED
    assert handle.result.error_string.startswith(
        "Aborted due to path tolerance violation: position of joint 'joint2' is off by ")
    arm.parameters['constraints.joint3.trajectory'] = 1e-4
    handle = arm.send(arm.goal((1.0, {'positions': THERE})))
    arm.run(0.5)
    assert "position of joint 'joint3'" in handle.result.error_string
    # On the topic, too: what leaves the way is held.
    arm.publish(arm.trajectory((1.0, {'positions': (0.1, 0.1, 0.1)})))
    arm.run(0.5)
    assert 'trajectory of the topic ended' in arm.said[-1]
    arm.parameters['constraints.joint3.trajectory'] = 0.0
    arm.parameters['constraints.joint3.goal'] = 1e-12
    arm.parameters['constraints.goal_time'] = 0.3
    arm.lag = 0.0
    arm.run(0.3)
    arm.shift = 1e-6
    handle = arm.send(arm.goal((1.0, {'positions': HERE})))
    arm.run(1.2)
    assert handle.result is None
    arm.run(0.2)
    assert handle.result.error_code == Codes.GOAL_TOLERANCE_VIOLATED
    assert handle.result.error_string.startswith('Aborted due to goal tolerance violation: pos')
    arm.parameters['constraints.goal_time'] = 0.0
    arm.settings.goal_time, arm.settings.goal_timeout = 0.0, 0.5
    handle = arm.send(arm.goal((1.0, {'positions': HERE})))
    arm.run(1.4)
    assert handle.result is None
    arm.run(0.2)
    assert handle.result.error_code == Codes.GOAL_TOLERANCE_VIOLATED


def test_a_goal_is_not_reached_while_the_robot_moves():
    arm = TimedArm(goal_tolerance=1.0)
    arm.drift = 0.12   # the robot moves so where its reference rests
    handle = arm.send(arm.goal((0.5, {'positions': HERE})))
    arm.run(1.0)
    assert handle.result is None
    arm.drift = 0.009
    arm.run(0.01)
    assert handle.status == 'succeeded'
    assert arm.parameters['constraints.stopped_velocity_tolerance'] == 0.01


def test_joints_that_are_left_out_go_on_as_they_do():
    """As joint_trajectory_controller has it; or come to rest, by the parameter."""
    for replaced, where in ((True, THERE[0]), (False, None)):
        arm = TimedArm(allow_partial_joints_goal=True, allow_trajectory_replacement=replaced)
        arm.send(arm.goal((2.0, {'positions': THERE})))
        arm.run(0.5)
        before = arm.measured.q[0]
        arm.send(arm.goal((0.5, {'positions': (0.2,)}), names=['joint3']))
        arm.run(0.6)
        assert arm.measured.q[2] == pytest.approx(0.2, abs=1e-9)
        arm.run(1.5)
        assert arm.measured.q[0] == pytest.approx(before if where is None else where, abs=1e-9)


def test_turns_between_points_are_made_and_those_to_the_first_one_by_a_parameter():
    arm = TimedArm(start=(0.2, 0.3, 0.4))
    turns = ((3.0, {'positions': (6.48, 0.3, 0.4)}), (6.0, {'positions': (12.77, 0.3, 0.4)}))
    arm.send(arm.goal(*turns))
    arm.run(6.1)
    assert arm.measured.q[0] == pytest.approx(12.77 - 2 * np.pi, abs=1e-9)
    arm = TimedArm(start=(0.2, 0.3, 0.4), wrap_continuous_joints=False)
    arm.send(arm.goal(*turns))
    arm.run(6.1)
    assert arm.measured.q[0] == pytest.approx(12.77, abs=1e-9)


@pytest.mark.parametrize('lag', [0.0, 0.3])
@pytest.mark.parametrize('by_goal', [True, False])
def test_long_trajectories_are_followed_as_short_ones(monkeypatch, by_goal, lag):
    """What is read beside the control steps is what would be read in one, moving or not."""
    ways = []
    for few in (0, 10_000):
        for room in (controller_goals, way_points):
            monkeypatch.setattr(room, 'FEW', few)
        arm = TimedArm()
        if lag:   # the robot is on its way when the trajectory comes
            publish(arm, arm.trajectory((1.0, {'positions': (0.2, 0.1, 0.3)})))
            arm.run(lag)
        points = [(0.1 * k, {'positions': [x + 0.002 * k * k for x in HERE],
                             'velocities': [0.04 * k if k < 9 else 0.0] * 3})
                  for k in range(3, 10)]
        if by_goal:
            arm.send(arm.goal(*points))
        else:
            publish(arm, arm.trajectory(*points))
        arm.run(1.0)
        ways.append(np.array(arm.q))
    assert np.array_equal(*ways)
    assert np.abs(ways[0][-1] - ways[0][0]).max() > 0.1


def publish(arm, message):
    """Publish a trajectory and wait until it has begun; its path may be made in a thread."""
    before, end = arm.begins, monotonic() + 30.0
    arm.publish(message)
    while arm.begins == before:
        assert monotonic() < end
        sleep(1e-3)


def test_a_trajectory_has_a_bound():
    arm = TimedArm()
    message = arm.trajectory((1.0, {'positions': THERE}))
    message.points = message.points * 20_001
    with pytest.raises(GoalError, match='has 20001 points; allowed: 20000'):
        arm.send(FollowJointTrajectory.Goal(trajectory=message))
