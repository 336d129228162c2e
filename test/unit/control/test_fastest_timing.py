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

"""The fastest timing of paths: closed forms, limits that are touched and kept."""

import math
from pathlib import Path

import numpy as np
import pytest
from robots import chain

import mbd_ros
from mbd_ros import control
from mbd_ros.control.tasks.task import with_timing
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import InfeasibleError, InvalidValueError, ShapeError, UnsupportedError

URDF = Path(__file__).resolve().parents[3] / 'urdf'
PANDA = mbd_ros.load(URDF / 'panda.urdf')
FIVE_BAR = mbd_ros.load(URDF / 'five_bar.urdf')
ONE = """<robot name="one"><link name="world"/><link name="bob"><inertial>
    <origin xyz="0 0 -0.5"/><mass value="2"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0"
    izz="0"/></inertial></link><joint name="j" type="{kind}"><parent link="world"/>
    <child link="bob"/><axis xyz="{axis}"/><dynamics damping="{damping}" friction="{friction}"/>
    <limit lower="-9" upper="9" effort="{effort}" velocity="{velocity}"/></joint></robot>"""


def one(kind='prismatic', axis='1 0 0', effort=4.0, velocity=100.0, damping=0.0, friction=0.0):
    return mbd_ros.load(ONE.format(kind=kind, axis=axis, effort=effort, velocity=velocity,
                                   damping=damping, friction=friction), inertia='unchecked')


def straight(length=1.0, steps=2):
    return control.trajectory(np.linspace(0.0, 1.0, steps), np.linspace(0.0, length, steps)[
        :, None], np.full((steps, 1), length))


def drawn(model, seed, count=5):
    rng = np.random.default_rng(seed)
    points = np.array([mbd_ros.random_configuration(model, rng) for _ in range(count)])
    return control.trajectory(np.linspace(0.0, 1.0, count), 0.5 * points)


@pytest.mark.parametrize(('velocity', 'friction'), [(100.0, 0.0), (0.5, 0.0), (100.0, 1.0)])
def test_double_integrator(velocity, friction):
    """Bang-bang, and a trapezoid: exact, as u is constant but in one interval of 200."""
    model = one(velocity=velocity, friction=friction)
    found = control.fastest_timing(model, straight())
    up, down = (4.0 - friction) / 2.0, (4.0 + friction) / 2.0   # N over 2 kg
    top = min(velocity, math.sqrt(2.0 * up * down / (up + down)))
    way = top * top / 2.0 * (1.0 / up + 1.0 / down)
    expected = top / up + top / down + (1.0 - way) / top
    assert found.duration == pytest.approx(expected, rel=1e-4)   # the interval: (1 / 200)^2
    assert found.duration >= expected * (1.0 - 1e-9)
    np.testing.assert_allclose(np.abs(found.efforts).max(), 4.0, rtol=1e-9)


def test_viscous_friction():
    """``m v' = F - d v`` up to a speed, ``m v' = -F - d v`` down: the switch by a root."""
    from scipy.optimize import brentq
    m, F, d = 2.0, 4.0, 3.0
    found = control.fastest_timing(one(damping=d), straight(), points=800)

    def phases(top):
        up = -m / d * math.log(1.0 - d * top / F)
        down = m / d * math.log(1.0 + d * top / F)
        way = F / d * up - m / d * top + m / d * top - F / d * down
        return up + down, way
    top = brentq(lambda v: phases(v)[1] - 1.0, 1e-3, F / d * (1.0 - 1e-12))
    # 3e-3: u is constant between points and keeps limits at both: later by some part of 1 / 800.
    assert phases(top)[0] <= found.duration == pytest.approx(phases(top)[0], rel=3e-3)


def test_a_pendulum_that_swings_up():
    """Energy gives the speed: ``I v^2 / 2 = T q - m g l (1 - cos q)`` up to the switch."""
    effort, inertia, weight = 15.0, 2.0 * 0.25, 2.0 * 9.81 * 0.5
    model = one('revolute', '0 1 0', effort=effort)
    found = control.fastest_timing(model, straight(math.pi), points=400)
    q = np.linspace(0.0, math.pi, 200001)
    forwards = effort * q - weight * (1.0 - np.cos(q))
    back = effort * (math.pi - q) + weight * (1.0 + np.cos(q))
    squares = 2.0 / inertia * np.minimum(forwards, back)
    speeds = np.sqrt(squares)
    expected = float((2.0 * np.diff(q) / (speeds[1:] + speeds[:-1])).sum())
    # 2.5e-3: one part of 400, as above.
    assert expected <= found.duration == pytest.approx(expected, rel=2.5e-3)
    with pytest.raises(InfeasibleError, match='no speed there'):   # it lacks energy
        control.fastest_timing(one('revolute', '0 1 0', effort=0.6 * weight), straight(math.pi))


@pytest.mark.parametrize('seed', range(3))
def test_limits_are_touched_and_kept_on_random_paths(seed):
    """
    At all points at least one limit is reached; between them all are kept.

    Within 0.5 %: between points efforts are no longer linear in s'^2.
    """
    model = PANDA
    found = control.fastest_timing(model, drawn(model, seed), acceleration=40.0)
    times = np.linspace(0.0, found.duration, 3001)
    path = found.trajectory()
    q, v, a = (np.array(rows) for rows in zip(*(path.at(time) for time in times.tolist())))
    moving = 0.2 * model.velocity_limits   # where dry friction has its sign
    tau = mbd_ros.inverse_dynamics(model, q, v, a) + model.damping * v + (
        model.friction * np.sign(v) * (np.abs(v) > 1e-3 * moving))
    assert (np.abs(v) / model.velocity_limits).max() <= 1.005
    assert (np.abs(a) / 40.0).max() <= 1.02   # of cubics, whose ends are exact
    assert (np.abs(tau) / model.effort_limits).max() <= 1.02
    used = np.maximum.reduce([
        (np.abs(found.efforts) / found.effort_limits).max(axis=(1, 2)),
        (np.abs(found.v) / model.velocity_limits).max(axis=1)[1:],
        (np.abs(found.v) / model.velocity_limits).max(axis=1)[:-1],
        np.abs(found.acceleration[:-1]).max(axis=1) / 40.0,
        np.abs(np.diff(found.v, axis=0) / np.diff(found.time)[:, None]).max(axis=1) / 40.0])
    assert np.mean(used > 0.97) > 0.97   # but where it switches
    assert used.max() <= 1.01


def test_closed_loops_by_their_drives():
    """A five-bar: efforts of the drives give the motion of all joints."""
    joints = ('left_drive', 'right_drive')
    q, _ = mbd_ros.close_loops(FIVE_BAR, np.zeros(FIVE_BAR.nv))
    drives = [FIVE_BAR.v_offsets[FIVE_BAR.joint_index(name)] for name in joints]
    begin = q[drives]
    path = control.trajectory([0.0, 1.0], [begin, begin + np.array([0.4, 0.3])],
                              np.full((2, 2), 0.35))
    found = control.fastest_timing(FIVE_BAR, path, joints, q=q, effort=8.0)
    assert found.joints == joints
    assert np.abs(found.efforts).max() == pytest.approx(8.0, rel=1e-6)
    for k in (20, 100, 170):
        tau = np.zeros(FIVE_BAR.nv)
        tau[drives] = found.efforts[k, 0]
        tau -= FIVE_BAR.damping * found.v[k] + FIVE_BAR.friction * np.sign(found.v[k])
        moved = mbd_ros.forward_dynamics(FIVE_BAR, found.q[k], found.v[k], tau)
        scale = np.abs(found.acceleration[k]).max()
        np.testing.assert_allclose(moved, found.acceleration[k], atol=1e-6 * scale)


def test_a_task_as_fast_as_possible():
    """The tool goes the same way; the controller follows it within limits."""
    text = (URDF / 'five_bar.urdf').read_text().replace(
        '<axis', '<limit effort="20" velocity="5" lower="-9" upper="9"/><axis')
    robot = mbd_ros.load(text.replace('"continuous"', '"revolute"'))
    dyn = mbd_ros.compile(robot)
    task = control.Task.from_data({**control.tasks.task.TASKS['five_bar'], 'timing': 'fastest',
                                   'start': 'approach'})
    q, v = mbd_ros.close_loops(robot, np.zeros(robot.nq))
    fast = with_timing(dyn, task, q)
    assert fast.timing == 'given'
    given, path = (control.path_from_data(one.path) for one in (task, fast))
    assert path.duration < math.pi
    np.testing.assert_allclose(path.at(0.0).position, given.at(0.0).position, atol=1e-9)
    np.testing.assert_allclose(path.at(path.duration + 1.0).position, given.at(0.0).position,
                               atol=1e-6)
    tracker = Tracker(dyn, task, q, v)
    assert tracker.end == pytest.approx(path.duration, rel=1e-6)


def test_refusals():
    with pytest.raises(UnsupportedError, match='these determine 3'):
        with_timing(mbd_ros.compile(PANDA), control.Task.from_data(
            {**control.tasks.task.TASKS['panda'], 'timing': 'fastest'}), np.array(
                control.tasks.task.TASKS['panda']['start_positions']))
    with pytest.raises(InvalidValueError, match='given or fastest'):
        control.Task(timing='soon')
    floating = mbd_ros.load(chain(3, 1), floating_base=True)
    with pytest.raises(UnsupportedError, match='one coordinate'):
        control.fastest_timing(floating, straight())
    with pytest.raises(ShapeError, match='one for each of'):
        control.fastest_timing(PANDA, straight())
    with pytest.raises(InvalidValueError, match='positive limits'):
        control.fastest_timing(one(), straight(), effort=-1.0)
    with pytest.raises(InvalidValueError, match='limits of effort or acceleration'):
        control.fastest_timing(one(), straight(), effort=np.inf)
    with pytest.raises(InvalidValueError, match='with an end'):
        control.fastest_timing(one(), control.circle([0, 0, 0], 1.0, [0, 0, 1]))
    timetable = {'kind': 'timetable', 'path': {
        'kind': 'line', 'start': [0, 0, 0], 'end': [1, 0, 0], 'duration': 1.0},
        'times': [0.0, 1.0], 'places': [0.0, 1.0], 'speeds': [0.0, 0.0]}
    control.path_from_data(timetable)
    for change, text in (({'times': [1.0, 1.0]}, 'increase'), ({'speeds': [0.0]}, 'shape'),
                         ({'path': timetable}, 'another one')):
        with pytest.raises(mbd_ros.errors.MbdError, match=text):
            control.path_from_data({**timetable, **change})
