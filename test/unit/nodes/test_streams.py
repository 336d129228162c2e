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
Streams of trajectories on the topic, and speed factors, with an ideal robot and exact timing.

Fields, orders and values are those of MoveIt Servo (one point a message, and a window of points),
of rqt_joint_trajectory_controller, and of programs for teleoperation.
"""

import time

from hypothesis import given, Phase, settings, strategies as st
from mbd_msgs.action import FollowPath
import numpy as np
import pytest
from std_msgs.msg import Float64
from timed_arm import PERIOD, TimedArm

from mbd_ros.errors import InvalidValueError
from mbd_ros.messages.trajectories.way_points import GoalError

HERE = (0.3, 0.3, 0.4)
NO_SHRINKING = (Phase.explicit, Phase.generate)   # an example takes seconds of control


def steady(moment):
    """Return way and velocity of a joint that moves at 0.3 rad/s from time 0 on."""
    return 0.3 * max(moment, 0.0), 0.3


def stream(arm, rate, message, *, jitter=0.0, duration=1.5, after=1.5, seed=0):
    """
    Send a stream to the first joint, and let it end; return what came of it.

    Largest velocity and acceleration; acceleration and mean delay while it goes on, from 0.6 s on.
    """
    sent = np.arange(0.0, duration, 1.0 / rate)
    arrives = np.sort(sent + np.random.default_rng(seed).uniform(0.0, jitter, len(sent)))
    begin, k = arm.now, 0
    while arm.now < begin + duration + after:
        while k < len(sent) and arrives[k] <= arm.now - begin + 1e-9:
            arm.publish(message(sent[k]))
            k += 1
        arm.run(PERIOD)
    times = np.array(arm.times) - begin
    q, v, a = (np.array(rows)[:, 0] for rows in (arm.q, arm.v, arm.a))
    middle = (times > 0.6) & (times < duration - 0.1)
    asked = np.array([HERE[0] + steady(moment)[0] for moment in times])
    return (np.abs(v).max(), np.abs(a).max(), np.abs(a[middle]).max(),
            float(np.mean(asked[middle] - q[middle])) / 0.3)


def point(arm, horizon, *, speeds=False, stamp=None):
    """Return what makes a message of one point, due ``horizon`` after it is sent."""
    def message(sent):
        way, rate = steady(sent + horizon)
        values = {'positions': (HERE[0] + way, *HERE[1:])}
        if speeds:
            values['velocities'] = (rate, 0.0, 0.0)
        return arm.trajectory((horizon, values), stamp=stamp)
    return message


@settings(max_examples=12, deadline=None, phases=NO_SHRINKING)
@given(rate=st.floats(10.0, 500.0), share=st.floats(0.0, 0.3), speeds=st.booleans(),
       ahead=st.floats(1.0, 2.0), seed=st.integers(0, 99))
def test_a_stream_is_followed_smoothly_at_any_rate_with_jitter(rate, share, speeds, ahead, seed):
    """Each message is due after one or two periods; jitter is up to 0.3 of one."""
    arm = TimedArm()
    horizon, jitter = min(ahead / rate, 0.2), min(share / rate, 0.02)
    fastest, hardest, smooth, delay = stream(
        arm, rate, point(arm, horizon, speeds=speeds), jitter=jitter, seed=seed)
    # From rest at once to 0.3 rad/s: it catches up within the horizon. By messages of their own
    # motions to rest accelerations were 250 and more all along.
    assert fastest < 0.65
    assert hardest < 12.0
    # A target off by v times jitter j begins a quintic of jerk 60 v j / H^3, that acts for a
    # period until the next one: H is 0.15 s, or the horizon if that is longer.
    off = 0.3 * (jitter + PERIOD)
    assert smooth < 60.0 * off / max(0.15, horizon) ** 3 * max(1.0 / rate, PERIOD) + 0.05
    assert abs(delay) < jitter + 2 * PERIOD
    assert np.abs(arm.v[-1]).max() < 1e-12
    if not speeds:   # it rests where it was told to be at last
        last = np.arange(0.0, 1.5, 1.0 / rate)[-1] + horizon
        assert arm.q[-1][0] == pytest.approx(HERE[0] + steady(last)[0], abs=1e-9)


def test_servo_with_one_point_and_with_a_window_of_points():
    """
    As MoveIt Servo composes them: 100 Hz, velocities, stamps.

    Since 2024 a window of points from the past to 0.1 s ahead of now, with the stamp of the first.
    """
    one, window = TimedArm(), TimedArm()

    def servo(sent):
        rows = [(k * 0.01, {'positions': (HERE[0] + steady(sent + (k - 3) * 0.01)[0], *HERE[1:]),
                            'velocities': (steady(sent + (k - 3) * 0.01)[1], 0.0, 0.0)})
                for k in range(13)]
        return window.trajectory(*rows, stamp=-0.03)
    for arm, message in ((one, point(one, 0.02, speeds=True)), (window, servo)):
        fastest, hardest, smooth, delay = stream(arm, 50.0, message)
        assert fastest < 0.45
        assert hardest < 9.0
        assert smooth < 0.5
        assert abs(delay) < 2 * PERIOD
        assert not arm.said
        arm.publish(arm.trajectory((0.02, {'positions': arm.measured.q,
                                           'velocities': (0.0, 0.0, 0.0)})))
        arm.run(0.5)   # its halt
        assert np.abs(arm.v[-1]).max() == 0.0


def test_servo_with_velocities_alone():
    """Where ``publish_joint_positions`` is false; with the parameter that JTC needs for it."""
    arm = TimedArm()

    def message(sent):
        return arm.trajectory((0.02, {'velocities': (0.3, 0.0, 0.0)}))
    with pytest.raises(GoalError, match='allow_integration_in_goal_trajectories'):
        arm.publish(message(0.0))
    arm.settings.allow_integration_in_goal_trajectories = True
    fastest, hardest, _, _ = stream(arm, 50.0, message)
    assert fastest < 0.33
    assert hardest < 7.0   # from rest at once, as above
    assert np.abs(arm.v[-1]).max() == 0.0


def test_the_slider_of_rqt():
    """10 Hz, positions alone, at least 0.5 s each, from where the robot is measured."""
    arm = TimedArm()

    def message(sent):
        return arm.trajectory((0.5, {'positions': (HERE[0] + min(steady(sent)[0], 0.3),
                                                   *HERE[1:])}))
    fastest, hardest, _, _ = stream(arm, 10.0, message, jitter=0.02, duration=2.0)
    assert fastest < 0.4
    assert hardest < 3.0
    assert arm.q[-1][0] == pytest.approx(0.6, abs=1e-9)


def test_a_stream_that_breaks_off_goes_on_for_a_bounded_time_and_stops():
    """With velocities it stops where that takes it; the way is bounded by timeout and horizon."""
    arm = TimedArm(stream_timeout=0.3)
    stream(arm, 100.0, point(arm, 0.02, speeds=True), after=0.0)
    x, end = arm.q[-1][0], arm.now
    arm.run(2.0)
    since = np.array(arm.times) - end
    v = np.array(arm.v)[:, 0]
    assert v[(since > 0.0) & (since < 0.29)].min() > 0.28
    assert np.abs(v[since > 0.3 + 0.02 + 0.16]).max() < 1e-12
    assert 0.3 * 0.3 < arm.q[-1][0] - x < 0.3 * 0.5
    assert np.abs(np.array(arm.a)[since > 0.0]).max() < 5.0 * 10.0   # DECELERATION of top speed


def test_targets_beyond_limits_are_refused_and_extrapolation_stays_within():
    text = TimedArm().text.replace('type="continuous"', 'type="revolute"').replace(
        '<limit effort="200" velocity="10"/>',
        '<limit lower="-1" upper="1" effort="200" velocity="0.5"/>')
    arm = TimedArm(text)
    with pytest.raises(GoalError, match=r"position 1\.5 rad or m of joint 'joint1' is beyond"):
        arm.publish(arm.trajectory((0.02, {'positions': (1.5, *HERE[1:])})))
    with pytest.raises(GoalError, match=r"velocity 0\.7 .* of joint 'joint2' is beyond its limi"):
        arm.publish(arm.trajectory((0.02, {'positions': HERE, 'velocities': (0.0, 0.7, 0.0)})))
    # A leap of 0.5 rad is made at the speed that joints may have.
    arm.publish(arm.trajectory((0.02, {'positions': (0.8, *HERE[1:])})))
    arm.run(3.0)
    fastest, hardest = arm.largest()
    assert fastest <= 0.5
    assert hardest <= 5.0 * 0.5
    assert arm.q[-1][0] == pytest.approx(0.8, abs=1e-9)
    for sent in np.arange(0.0, 0.66, 0.02):   # towards the limit, and then nothing more
        arm.publish(arm.trajectory((0.02, {'positions': (0.8 + 0.3 * sent, *HERE[1:]),
                                           'velocities': (0.3, 0.0, 0.0)})))
        arm.run(0.02)
    arm.run(2.0)
    assert max(q[0] for q in arm.q) <= 1.0 + 1e-9
    assert arm.tracker.problem == ''


@pytest.mark.parametrize('factor', [0.5, 0.1])
def test_a_speed_factor_slows_a_goal_smoothly(factor):
    """To the same points, with the tolerances at its own time; effort as that motion needs."""
    arm = TimedArm()
    goal = arm.goal((2.0, {'positions': (0.8, 0.0, 0.9)}))
    handle = arm.send(goal)
    arm.run(0.8)
    arm.publish(Float64(data=factor), '~/speed_scaling_input')
    begin = len(arm.a) - 1
    arm.run(0.3)
    speed = arm.v[-1].copy()
    arm.run((1.2 - 0.3 * 0.5 * (1.0 + factor)) / factor - 0.02)
    assert handle.result is None
    arm.run(0.1)
    assert handle.status == 'succeeded'
    assert arm.q[-1] == pytest.approx([0.8, 0.0, 0.9], abs=1e-9)
    assert np.abs(np.diff(arm.q, axis=0)).max() < 1.01 * PERIOD * arm.largest()[0]
    # The ramp's acceleration: 1.5 (1 - f) / 0.3 s of the velocity, no leap from step to step.
    assert np.abs(np.diff(arm.a[begin:begin + 150], axis=0)).max() < 0.5
    alone = TimedArm()
    alone.send(alone.goal((2.0, {'positions': (0.8, 0.0, 0.9)})))
    place = 0.8 + 0.3 * 0.5 * (1.0 + factor)
    alone.run(place)
    assert speed == pytest.approx(factor * alone.v[-1], abs=2e-3)


def test_a_pause_holds_and_what_comes_meanwhile_waits():
    arm = TimedArm()
    handle = arm.send(arm.goal((2.0, {'positions': (0.8, 0.0, 0.9)})))
    arm.run(0.8)
    arm.publish(Float64(data=0.0), '~/speed_scaling_input')
    arm.run(5.0)
    assert handle.result is None
    assert np.abs(arm.v[-1]).max() < 1e-12
    arm.publish(Float64(data=1.0), '~/speed_scaling_input')
    arm.run(1.6)
    assert handle.status == 'succeeded'
    arm.publish(Float64(data=0.0), '~/speed_scaling_input')
    waiting = arm.send(arm.goal((1.0, {'positions': HERE})))
    arm.run(1.0)
    assert np.abs(arm.v[-1]).max() == 0.0
    arm.publish(Float64(data=0.5), '~/speed_scaling_input')
    arm.run(2.5)
    assert waiting.status == 'succeeded'
    for wrong in (-0.1, 1.1, np.nan, 1e-300, 5e-324, 0.00099, np.inf):
        with pytest.raises(InvalidValueError, match=r'0, a pause, and from 0\.001 to 1'):
            arm.publish(Float64(data=wrong), '~/speed_scaling_input')


@pytest.mark.parametrize('factor', [0.0, 0.4])
def test_what_comes_at_another_pace_is_joined_at_that_pace(factor):
    """Goals and targets in motion: no leap, and a pause stops them all."""
    arm = TimedArm()
    send = [lambda: arm.send(arm.goal((1.0, {'positions': (0.9, 0.0, 0.9)}))),
            lambda: arm.publish(arm.trajectory((0.5, {'positions': (0.9, 0.0, 0.9)}))),
            lambda: arm.publish(arm.trajectory((0.02, {
                'positions': arm.q[-1] + (0.01, 0.0, 0.0), 'velocities': (0.3, 0.0, 0.0)})))]
    for each in send:
        arm.publish(Float64(data=1.0), '~/speed_scaling_input')
        arm.send(arm.goal((1.0, {'positions': HERE})))
        arm.run(1.2)
        each()
        arm.run(0.3)
        arm.publish(Float64(data=factor), '~/speed_scaling_input')
        begin = len(arm.v)
        for _ in range(25):
            arm.run(0.04)
            each()
        leaps = np.abs(np.diff(arm.v[begin - 1:], axis=0)).max() / PERIOD
        assert leaps < 30.0   # of 0.9 rad in 0.5 s from rest: 5.8 * 0.9 / 0.25
        if factor == 0.0:
            assert np.abs(arm.v[-1]).max() < 1e-9


def test_chunks_of_a_policy_need_no_times():
    """As with ``positions_upsampling.policy_frequency``; what is sent anew is joined smoothly."""
    arm = TimedArm()
    arm.settings.positions_upsampling.policy_frequency = 30.0
    sent, begin = 0.0, arm.now
    for _ in range(6):   # 20 points each, a new chunk after 10
        arm.publish(arm.trajectory(*((0.0, {'positions': (
            0.3 + 0.2 * (1.0 - np.cos(sent + (k + 1) / 30.0)), *HERE[1:])}) for k in range(20))))
        arm.run(10 / 30.0)
        sent += 10 / 30.0
    assert arm.q[-1][0] == pytest.approx(0.3 + 0.2 * (1.0 - np.cos(arm.now - begin)), abs=2e-3)
    assert arm.largest()[1] < 1.0   # 0.2 of the motion, at rest at first
    arm.run(1.0)
    assert np.abs(arm.v[-1]).max() < 1e-12


def test_a_path_of_a_tool_is_slowed_and_paused_too():
    arm = TimedArm(start=(0.785, -0.785, 1.571))
    line = ('{link: tool, path: {kind: line, start: [1, 0.7, 1.2], end: [1, 1, 1], '
            'duration: 1.0}}')
    handle = arm.send(FollowPath.Goal(task=line), '~/follow_path')
    while arm.tracker.path_time < 0.3:
        arm.run(PERIOD)
    before = arm.v[-1].copy()
    arm.publish(Float64(data=0.0), '~/speed_scaling_input')
    for _ in range(600):   # it is compiled aside; the robot waits here, where time stands
        if arm.goals.pace == 0.0:
            break
        time.sleep(0.1)
    begin = len(arm.a)
    arm.run(1.0)
    assert np.abs(arm.v[-1]).max() < 1e-6
    assert np.abs(np.diff(arm.v[begin - 2:], axis=0)).max() < 20.0 * PERIOD * np.abs(before).max()
    arm.publish(Float64(data=1.0), '~/speed_scaling_input')
    for _ in range(600):
        if arm.goals.pace == 1.0:
            break
        time.sleep(0.1)
    arm.run(0.5)
    assert handle.result is None
    arm.run(1.0)
    assert handle.status == 'succeeded'
    end = arm.model and arm.tracker.dyn.pose(arm.measured.q, 'tool')[:3, 3]
    assert end == pytest.approx([1.0, 1.0, 1.0], abs=1e-6)


def change_factor(arm, factor):
    """Ask for a speed factor; it is compiled aside, and the robot waits, where time stands."""
    arm.publish(Float64(data=factor), '~/speed_scaling_input')
    for _ in range(600):
        if arm.goals.pace == factor:
            return
        time.sleep(0.1)
    raise AssertionError('the factor is not taken')


LINE = '{link: tool, path: {kind: line, start: [1, 0.7, 1.2], end: [1, 1, 1], duration: 1.0}}'


def test_an_approach_is_made_at_the_pace_too():
    """Half as fast as without, in twice the time; on its way it is as far as then in half."""
    arms = []
    for factor in (1.0, 0.5):
        arm = TimedArm(start=(0.785, -0.785, 1.571))
        change_factor(arm, factor)
        handle = arm.send(FollowPath.Goal(task=LINE), '~/follow_path')
        arms.append((arm, -arm.tracker.path_time))
        arm.run((-arm.tracker.path_time + 1.0 / factor) + 0.1)
        assert handle.status == 'succeeded'
    (plain, once), (slow, twice) = arms
    assert twice == pytest.approx(2.0 * once, rel=1e-12)
    assert slow.largest()[0] == pytest.approx(0.5 * plain.largest()[0], rel=0.1)   # springs lag
    end = slow.tracker.dyn.pose(slow.measured.q, 'tool')[:3, 3]
    assert end == pytest.approx([1.0, 1.0, 1.0], abs=1e-6)


def test_an_approach_is_slowed_and_paused_on_its_way():
    """It comes to rest, and goes on from there at the new pace."""
    arm = TimedArm(start=(0.785, -0.785, 1.571))
    handle = arm.send(FollowPath.Goal(task=LINE), '~/follow_path')
    arm.run(-0.5 * arm.tracker.path_time)
    begin = len(arm.a)
    change_factor(arm, 0.0)
    arm.run(1.0)
    assert np.abs(arm.v[-1]).max() == 0.0
    held = arm.q[-1]
    arm.run(1.0)
    assert arm.q[-1].tolist() == held.tolist()
    assert handle.result is None
    change_factor(arm, 0.5)
    arm.run(2 * PERIOD)
    resumed = len(arm.a)
    arm.run(-arm.tracker.path_time + 2.1)
    assert handle.status == 'succeeded'
    # Velocities go on: they change by what accelerations make of a step.
    changes = np.abs(np.diff(arm.v[begin - 2:], axis=0)).max()
    assert changes < 1.5 * PERIOD * np.abs(arm.a[begin - 2:]).max()
    assert np.abs(arm.v[resumed:]).max() < np.abs(arm.v[:begin]).max()
    end = arm.tracker.dyn.pose(arm.measured.q, 'tool')[:3, 3]
    assert end == pytest.approx([1.0, 1.0, 1.0], abs=1e-6)


def test_a_path_that_is_asked_for_in_a_pause_waits():
    arm = TimedArm(start=(0.785, -0.785, 1.571))
    change_factor(arm, 0.0)
    handle = arm.send(FollowPath.Goal(task=LINE), '~/follow_path')
    arm.run(0.5)
    assert arm.q[-1] == pytest.approx(arm.q[0], abs=1e-9)
    assert handle.result is None
    change_factor(arm, 1.0)
    arm.run(PERIOD)
    arm.run(-arm.tracker.path_time + 1.1)
    assert handle.status == 'succeeded'
