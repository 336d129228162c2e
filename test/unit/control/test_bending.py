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

"""A tool beyond links that bend, on its path: with rigid links, and with bending foreseen."""

from dataclasses import replace
import importlib.util
from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import dynamics_with, Payload, Task, trajectory
from mbd_ros.control.step.links import bends, bent
from mbd_ros.control.tasks.task import controller_for
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.control.tracking.payload import LoadedDynamics
from mbd_ros.errors import InvalidValueError, UnsupportedError

FILE = Path('urdf/flexible_arm.urdf')
ARM, RIGID = mbd_ros.load(FILE), mbd_ros.load(FILE, flexible=False)
DYN, STIFF = mbd_ros.compile(ARM), mbd_ros.compile(RIGID)
SPEC = importlib.util.spec_from_file_location(
    'flexible_control', 'examples/flexible_control.py')
EXAMPLE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(EXAMPLE)
START, Plant, task = EXAMPLE.START, EXAMPLE.Plant, EXAMPLE.task
RESTING = EXAMPLE.resting(ARM)


def tracker_of(one, dyn=STIFF):
    return Tracker(dyn, one, START, np.zeros(4))


# The rows of the table in docs/theory_flexible_links.md, for 2 s; all is computed alike anywhere,
# but for rounding, which links that swing forget.

def test_rigid_links_in_the_controller_leave_the_sag():
    rows = EXAMPLE.followed(DYN, STIFF, task(flexible=False), 2.6)
    assert EXAMPLE.worst(rows) == pytest.approx(1.60, rel=0.01)
    assert 1e3 * rows[rows[:, 0] > 1.0, 2].max() < 0.1   # of which it knows nothing


def test_foreseen_bending_leaves_little():
    rows = EXAMPLE.followed(DYN, STIFF, task(), 2.6)
    assert EXAMPLE.worst(rows) == pytest.approx(0.0425, rel=0.05)
    np.testing.assert_allclose(rows[:, 2], rows[:, 1], rtol=1e-9)   # and it sees the bent tool


def test_measured_bending_at_500_hz_leaves_more():
    rows = EXAMPLE.followed(DYN, STIFF, task(), 2.6, EXAMPLE.by_measured_bending)
    assert EXAMPLE.worst(rows) == pytest.approx(0.254, rel=0.1)   # after half a round


def test_the_hand_itself_is_kept_for_a_millisecond():
    grown, error = EXAMPLE.growing(DYN, step=1e-4)
    assert "'yaw' would have to exert" in str(error) and 'allowed is 80' in str(error)
    assert 5e-4 < grown[-1, 0] < 2e-3 and np.abs(grown[:, 1:]).max() > 50.0


def test_a_payload_bends_links_and_is_foreseen():
    tracker = tracker_of(Task(flexible=True), dynamics_with(RIGID, Payload('hand', 0.5), (
        0.0, 0.0, -9.81)))
    step = tracker.step(0.0, START, np.zeros(4))
    weight = {'hand': [0.0, 0.0, -0.5 * 9.81, 0.0, 0.0, 0.0]}
    q = RESTING.copy()
    q[4:] = mbd_ros.static_deflection(ARM, q, external_forces=weight)
    # The deflection is settled to 1e-8 of itself, of modes to 1e-8 of the largest.
    np.testing.assert_allclose(tracker.bending.seen(START), q, rtol=1e-6, atol=1e-10)
    np.testing.assert_allclose(step.effort, mbd_ros.inverse_dynamics(
        ARM, q, np.zeros(14), np.zeros(14), external_forces=weight)[:4], rtol=1e-7, atol=1e-8)


def test_dynamics_that_change_change_the_bending():
    rigid = dynamics_with(RIGID, Payload('hand', 0.0), (0.0, 0.0, -9.81))
    tracker = tracker_of(task(), rigid)
    tracker.step(0.0, START, np.zeros(4))
    sag = tracker.bending.seen(START)[4:]
    assert np.abs(sag - RESTING[4:]).max() < 0.1 * np.abs(sag).max()   # it begins to move
    rigid.change_gravity([0.0, 0.0, 0.0])
    tracker.set_dynamics(rigid)
    tracker.release()
    tracker.step(0.0, START, np.zeros(4))
    np.testing.assert_allclose(tracker.bending.seen(START)[4:], 0.0, atol=1e-12)


def test_a_robot_at_rest_is_carried_bent():
    tracker = tracker_of(Task(flexible=True))
    step = tracker.step(0.0, START, np.zeros(4))
    weight = DYN.bias_forces(RESTING, np.zeros(14))[:4]
    # The deflection is settled to 1e-8 of itself.
    np.testing.assert_allclose(step.effort, weight, rtol=1e-7, atol=1e-9)
    assert np.abs(step.effort - STIFF.bias_forces(START, np.zeros(4))).max() > 1e-3
    np.testing.assert_allclose(tracker.bending.seen(START), RESTING, rtol=1e-6, atol=1e-12)
    tool = tracker.tool_points(step, START)
    np.testing.assert_allclose(tool.actual, DYN.pose(RESTING, 'hand')[:3, 3], atol=1e-9)
    np.testing.assert_allclose(tool.nominal, tool.actual, atol=1e-12)


def test_a_payload_on_a_link_that_bends_is_foreseen_there():
    """Its weight bends the link at its place; other masses and places are taken while it runs."""
    tracker = tracker_of(Task(flexible=True))
    for mass, center in ((1.0, (0.2, 0.0, 0.0)), (2.0, (0.2, 0.0, 0.0)), (1.0, (0.1, 0.0, 0.03))):
        tracker.set_dynamics(LoadedDynamics(STIFF.model, Payload('forearm', mass, center)))
        tracker.release()
        step = tracker.step(0.0, START, np.zeros(4))
        loaded = mbd_ros.with_payload(DYN.model, 'forearm', mass, center)
        q = np.append(START, np.zeros(10))
        q[4:] = mbd_ros.static_deflection(loaded, q)
        # The deflection is settled to 1e-8 of itself.
        np.testing.assert_allclose(tracker.bending.seen(START), q, rtol=1e-6, atol=1e-10)
        np.testing.assert_allclose(
            step.effort, mbd_ros.bias_forces(loaded, q, np.zeros(14))[:4], rtol=1e-7, atol=1e-8)


def test_joints_with_series_elasticity_are_foreseen_too():
    text = Path('urdf/three_link_arm.urdf').read_text()
    at = text.index('</joint>', text.index('<joint name="joint2"'))
    text = text[:at] + '<mbd:series_elastic stiffness="500"/>' + text[at:]
    model, q, rest = mbd_ros.load(text), np.array([0.3, -0.5, 1.0]), np.zeros(4)
    dyn = mbd_ros.compile(mbd_ros.load(text, flexible=False))
    tracker = Tracker(dyn, Task(flexible=True), q, np.zeros(3))
    step = tracker.step(0.0, q, np.zeros(3))
    q = np.append(q, 0.0)
    q[3:] = mbd_ros.static_deflection(model, q)
    np.testing.assert_allclose(tracker.bending.seen(q[:3]), q, rtol=1e-7)   # settled to 1e-8
    np.testing.assert_allclose(step.effort, mbd_ros.inverse_dynamics(model, q, rest, rest)[:3],
                               rtol=1e-7, atol=1e-9)


def test_joints_on_a_trajectory_are_where_they_are_told():
    tracker, plant = tracker_of(Task(flexible=True, bandwidth=10.0)), Plant(DYN)
    end = START + np.array([0.1, 0.06, -0.06, -0.07])
    rest = np.zeros((2, 4))
    tracker.follow_joints(trajectory([0.0, 0.5], [START, end], rest, rest), 0.0, START, rest[0])
    while plant.time < 1.0:
        step = tracker.step(plant.time, plant.q[:4], plant.v[:4])
        plant.advance(step.effort, 2)
        assert np.abs(step.efforts.error).max() < 1e-3
    np.testing.assert_allclose(step.nominal.q, end, atol=1e-15)   # where a polynomial ends
    tracker.stop(plant.time, plant.q[:4], plant.v[:4])
    held = tracker.step(plant.time, plant.q[:4], plant.v[:4])
    np.testing.assert_allclose(held.nominal.q, end, atol=1e-15)


def test_an_approach_is_as_planned_but_for_the_bending():
    tracker = tracker_of(task())
    step = tracker.step(0.0, START, np.zeros(4))   # 0.15 m off the path
    assert 1e-3 < np.abs(step.efforts.error).max() < 5e-3   # 1.7 mm of sag at a length of 1 m
    assert np.abs(step.efforts.error_rate).max() < 1e-12   # rounding


def test_constraints_on_velocities_shift_nothing():
    one = Task(flexible=True, constraints=({'kind': 'joint_speed', 'coefficients': {'yaw': 1.0},
                                            'value': 0.1},))
    tracker = tracker_of(one)
    step = tracker.step(0.0, START, np.zeros(4))
    np.testing.assert_allclose(step.nominal.q, START, atol=1e-12)


def test_a_step_that_comes_twice_has_the_same_answer():
    tracker = tracker_of(task())
    for k in range(3):
        step = tracker.step(0.002 * k, START, np.zeros(4))
    again = tracker.step(0.004, START, np.zeros(4))
    np.testing.assert_allclose(again.effort, step.effort, rtol=1e-6)


def test_links_that_do_not_bend_cost_nothing():
    dyn = mbd_ros.compile(mbd_ros.load('urdf/three_link_arm.urdf'))
    assert not bends(dyn)
    assert Tracker(dyn, Task(flexible=True), np.zeros(3), np.zeros(3)).bending.dyn is dyn


@pytest.mark.parametrize(('call', 'said'), [
    (lambda: task(flexible='yes'), "'flexible' of a task is 'yes'; allowed: true or false"),
    (lambda: controller_for(STIFF, task()), 'flexible=True is not supported'),
    (lambda: LoadedDynamics(ARM, Payload('forearm', 1.0)), 'a payload that changes on link'),
    (lambda: bent(mbd_ros.compile(mbd_ros.load('urdf/four_bar.urdf'))), 'which has closed loops'),
])
def test_one_clear_error(call, said):
    with pytest.raises((InvalidValueError, UnsupportedError), match=said):
        call()


def test_links_that_buckle_are_refused():
    soft = FILE.read_text().replace('material="70e9 26e9 2700"', 'material="7e7 26e6 2700"')
    dyn = mbd_ros.compile(mbd_ros.load(soft, flexible=False))
    with pytest.raises(InvalidValueError, match=r'the links buckle\. Stiffer ones, or'):
        tracker_of(replace(task(), path={}), dyn).step(0.0, START, np.zeros(4))


def other_base(kind):
    """Return an arm that bends and a rigid one, on a ball, or afloat without weight."""
    text = FILE.read_text()
    if kind == 'ball':
        text = text.replace('<joint name="yaw" type="revolute">', '<joint name="yaw" type="ball">')
        return [mbd_ros.load(text.replace('type="ball"', 'type="spherical"'), flexible=flexible)
                for flexible in (True, False)]
    text = text.replace('<link name="base"/>', '<link name="base"><inertial><mass value="60"/>'
                        '<inertia ixx="8" ixy="0" ixz="0" iyy="9" iyz="0" izz="9"/>'
                        '</inertial></link>')
    return [replace(mbd_ros.load(text, flexible=flexible, floating_base=True),
                    gravity=(0.0, 0.0, 0.0)) for flexible in (True, False)]


def off_the_path(kind, flexible, seconds=0.48, period=0.004):
    """Return the largest distance of the hand in the last half of a motion [mm]."""
    soft, rigid = other_base(kind)
    dyn, stiff = mbd_ros.compile(soft), mbd_ros.compile(rigid)
    q, bend = mbd_ros.neutral(rigid), len(soft.elastic_names)
    q[-3:] = START[1:]
    start = mbd_ros.pose(rigid, q, 'hand')[:3, 3]
    tracker = Tracker(stiff, Task(
        flexible=flexible, link='hand', start='as_given', metric='euclidean', bandwidth=10.0,
        path={'kind': 'line', 'start': start.tolist(),
              'end': [*start[:2].tolist(), start[2] + 0.15],
              'duration': 0.6},
        actuated=rigid.joint_names[-4:]), q, np.zeros(rigid.nv))
    place, rates = np.append(q, np.zeros(bend)), np.zeros(soft.nv)
    if kind == 'ball':
        place[-bend:] = mbd_ros.static_deflection(soft, place)
    rows = []
    for k in range(int(seconds / period)):
        step = tracker.step(k * period, place[:-bend], rates[:-bend])
        off = dyn.pose(place, 'hand')[:3, 3] - tracker.paths[0].at(k * period).position
        rows.append(1e3 * np.linalg.norm(off))
        out = mbd_ros.simulate(soft, place, rates, period, step=period / 4,
                               tau=np.append(step.effort, np.zeros(bend)))
        place, rates = out.q[-1], out.v[-1]
    return max(rows[len(rows) // 2:])


@pytest.mark.parametrize(('kind', 'part'), [('floating', 0.6), ('ball', 0.3)])
def test_bases_that_float_and_balls_are_foreseen_too(kind, part):
    """A path of 0.6 s: on the ball most is sag; afloat half is swinging, which nothing damps."""
    assert off_the_path(kind, True) < part * off_the_path(kind, False)
