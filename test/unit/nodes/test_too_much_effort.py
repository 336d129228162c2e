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

"""Motions that need more effort than joints have: refused, stretched in time, or warned of."""

from hypothesis import given, Phase, settings, strategies as st
from mbd_msgs.action import FollowPath
import numpy as np
import pytest
from timed_arm import ARM, TimedArm
from trajectory_msgs.msg import MultiDOFJointTrajectory

import mbd_ros
from mbd_ros.control.tasks.joint_efforts import needs_of_joints
from mbd_ros.control.tracking.effort_needs import SPARE
from mbd_ros.errors import TooMuchEffortError

NO_SHRINKING = (Phase.explicit, Phase.generate)   # an example takes seconds of control
HERE = (0.3, 0.3, 0.4)
LIMIT = 40.0   # N m; holding the arm stretched out takes 26
TEXT = ARM.read_text(encoding='utf-8').replace('effort="200"', f'effort="{LIMIT}"').replace(
    '<limit', '<dynamics damping="0.7" friction="1.5"/><limit')
WAYS = st.tuples(*[st.floats(-0.8, 0.8)] * 3).filter(lambda way: max(map(abs, way)) > 0.1)


def arm_of(wish='auto', **settings):
    return TimedArm(TEXT, too_much_effort=wish, **settings)


def needed(arm, since=0):
    """Return the efforts (k, nv) of the motion so far, by the equations of the robot."""
    return np.abs(mbd_ros.inverse_dynamics(
        arm.model, np.array(arm.q[since:]), np.array(arm.v[since:]), np.array(arm.a[since:]),
        dissipation=True))


@settings(max_examples=12, deadline=None, phases=NO_SHRINKING)
@given(way=WAYS, duration=st.floats(0.15, 1.0), speeds=st.booleans())
def test_what_needs_more_effort_is_refused_or_stretched_until_it_fits(way, duration, speeds):
    """No motion that fits is refused, none that does not is begun; stretched it is no slower."""
    rest = {'velocities': (0.0, 0.0, 0.0)} if speeds else {}
    points = [(duration, {'positions': np.add(HERE, way), **rest})]
    free = arm_of('warn')
    free.send(free.goal(*points))
    free.run(duration + 0.05)
    most = needed(free).max()
    arm = arm_of()
    # Steps of 2 ms miss the greatest by little: it is a smooth function but at its ends.
    if most > 1.02 * LIMIT * (1.0 + SPARE):
        with pytest.raises(TooMuchEffortError, match=(
                r"the trajectory cannot be followed .* s after its begin: joint 'joint\d' would "
                r'need .* N m.*, allowed: 40 N m; try later points, or the parameter '
                'too_much_effort: stretch')) as error:
            arm.send(arm.goal(*points))
        assert error.value.needed > LIMIT == error.value.allowed
    elif most < LIMIT:
        arm.send(arm.goal(*points))
        assert not any('effort' in text for text in arm.said)
    stretched = arm_of('stretch')
    handle = stretched.send(stretched.goal(*points))
    end = stretched.tracker.running[0].path.arrives
    stretched.run(end + 0.05)
    assert handle.status == 'succeeded'
    assert needed(stretched).max() < LIMIT * (1.0 + 2.0 * SPARE)
    if most > 1.02 * LIMIT * (1.0 + SPARE):
        # The acceleration of a cubic falls by 2 / T of its greatest in a second, from its ends on.
        assert needed(stretched).max() > LIMIT * (1.0 - SPARE - 3.0 * 2.0 * 0.002 / end)
        assert f'takes {end:.3f} s in place of {duration:.3f} s' in ' '.join(stretched.said)
    else:
        assert end == pytest.approx(duration, rel=0.05)
    assert np.abs(stretched.v).max() <= np.abs(free.v).max() * (1.0 + 1e-9)
    # The same way: where it is halfway in time.
    at = [np.array(one.q)[np.searchsorted(one.times, 0.5 * time)] for one, time in (
        (free, duration), (stretched, end))]
    step = 0.002 * np.abs(free.v).max()   # what an instant of a step more or less makes
    assert at[0] == pytest.approx(at[1], abs=2.0 * step)


@settings(max_examples=4, deadline=None, phases=NO_SHRINKING)
@given(way=WAYS, wait=st.sampled_from([0.0, 0.3]))
def test_what_begins_in_motion_is_stretched_from_then_on(way, wait):
    """Velocity and acceleration stay continuous, efforts within the limits where they can be."""
    arm = arm_of('stretch')
    arm.send(arm.goal((2.0, {'positions': np.add(HERE, 0.3 * np.array(way))})))
    arm.run(0.6)
    handle = arm.send(arm.goal((0.8, {'positions': np.add(HERE, way)}), stamp=wait))
    arm.run(arm.tracker.running[0].path.arrives + 0.1 - arm.tracker.running[1])
    assert handle.status == 'succeeded'
    assert arm.measured.q == pytest.approx(np.add(HERE, way), abs=1e-9)
    assert needed(arm).max() < LIMIT * (1.0 + 2.0 * SPARE)
    # From one step to the next velocities change by accelerations alone.
    changes = np.abs(np.diff(arm.v, axis=0)).max()
    assert changes < 0.002 * 1.1 * np.abs(arm.a).max() + 1e-9


def test_a_payload_counts():
    points = [(0.8, {'positions': np.add(HERE, 0.4)})]
    arm = arm_of()
    arm.send(arm.goal(*points))
    loaded = arm_of()
    loaded.tracker.set_dynamics(mbd_ros.compile(
        mbd_ros.with_payload(loaded.model, 'tool', 1.0)))
    with pytest.raises(TooMuchEffortError, match='would need'):
        loaded.send(loaded.goal(*points))


def test_a_load_that_joints_cannot_hold_is_refused_however_slow_and_may_be_left():
    heavy = TimedArm(TEXT, too_much_effort='stretch', start=(0.0, 1.5, 0.0))   # hangs, nearly
    place = heavy.measured.q
    heavy.tracker.set_dynamics(mbd_ros.compile(
        mbd_ros.with_payload(heavy.model, 'tool', 5.0)))
    held = np.abs(heavy.tracker.weight(place))
    out = next(end for end in ((0.0, -1.5, 0.0), (0.0, 0.0, 0.0), (0.0, 0.3, 0.0)) if np.abs(
        heavy.tracker.dyn.bias_forces(np.array(end), np.zeros(3))).max() > 1.2 * LIMIT)
    assert held.max() < LIMIT
    with pytest.raises(TooMuchEffortError, match='slower motions need too much, too'):
        heavy.send(heavy.goal((5.0, {'positions': out})))
    back = TimedArm(TEXT, start=out)
    back.tracker.set_dynamics(heavy.tracker.dyn)
    assert back.tracker.overloaded(back.measured.q)
    back.send(back.goal((5.0, {'positions': place})))   # leads to where it is less


def test_drives_of_positions_are_warned_of_and_the_topic_is_refused():
    points = [(0.2, {'positions': np.add(HERE, 0.8)})]
    drives = arm_of(command_interface='position')
    handle = drives.send(drives.goal(*points))
    drives.run(0.3)
    assert handle.status == 'succeeded'
    assert drives.said[0].startswith('followed all the same: the trajectory cannot be followed')
    arm = arm_of()
    points = [(0.3, {'positions': np.add(HERE, 0.8)})]   # later than a target of a stream
    with pytest.raises(TooMuchEffortError, match=r'joint \'joint\d\' would need'):
        arm.publish(arm.trajectory(*points))
    arm.settings.too_much_effort = 'stretch'
    arm.publish(arm.trajectory(*points))
    arm.run(2.0)
    assert arm.measured.q == pytest.approx(np.add(HERE, 0.8), abs=1e-9)
    assert needed(arm).max() < LIMIT * (1.0 + 2.0 * SPARE)


def test_efforts_of_the_points_are_stretched_with_them():
    points = [(time, {'positions': np.add(HERE, 0.8 * share), 'effort': (effort, 0.0, 0.0)})
              for time, share, effort in ((0.05, 0.1, 1.0), (0.3, 1.0, 1.0), (0.6, 1.0, 3.0))]
    fed, plain = arm_of('stretch'), arm_of('stretch')
    fed.send(fed.goal(*points))
    plain.send(plain.goal(*((time, {'positions': values['positions']})
                            for time, values in points)))
    end = fed.tracker.running[0].path.arrives
    assert end > 0.7
    half_between = 0.75 * end
    fed.run(half_between)
    plain.run(half_between)
    found = fed.efforts[-1] - plain.efforts[-1]
    assert found == pytest.approx([2.0, 0.0, 0.0], abs=0.02)   # a step is a hundredth of that


def test_ten_thousand_points_are_looked_at_in_two_calls(monkeypatch):
    arm = arm_of('warn')
    times = np.linspace(0.01, 100.0, 10_000)
    rows = 0.3 + 0.2 * np.sin(0.3 * times) ** 2
    message = arm.trajectory(*((time, {'positions': (x, 0.3, 0.4)})
                               for time, x in zip(times.tolist(), rows.tolist())))
    calls, dyn = [], arm.tracker.dyn
    plain = dyn.inverse_dynamics

    def counted(q, v, a):
        calls.append(np.shape(q))
        return plain(q, v, a)
    monkeypatch.setitem(vars(dyn), 'inverse_dynamics', counted)
    _, path_at = arm.goals._path_of(arm.controlled(), message, MultiDOFJointTrajectory())
    needs_of_joints(arm.tracker.copy_for_planning(), arm.names, path_at(1.0), arm.measured.q)
    assert [shape for shape in calls if len(shape) == 2] == [(50_000, 3)] * 2


@pytest.mark.parametrize('wish', ['auto', 'stretch', 'warn'])
def test_a_path_of_a_tool_is_refused_with_when_and_how_much(wish):
    arm = arm_of(wish)
    begin = mbd_ros.pose(arm.model, arm.measured.q, 'tool')[:3, 3]

    def goal(duration):
        return FollowPath.Goal(task=(
            f'{{link: tool, path: {{kind: line, start: {begin.tolist()}, '
            f'end: {(begin * [0.9, 1.0, 0.8]).tolist()}, duration: {duration}}}}}'))
    if wish == 'warn':
        arm.send(goal(0.12), '~/follow_path')
        assert arm.said[-1].startswith('followed all the same: the path cannot be followed')
    else:
        with pytest.raises(TooMuchEffortError, match=(
                r"the path cannot be followed .* s after its begin: joint '.*' would need .* N m"
                r'.*, allowed: 40 N m; try .* or a slower or nearer path')):
            arm.send(goal(0.12), '~/follow_path')
        arm.send(goal(2.0), '~/follow_path')
