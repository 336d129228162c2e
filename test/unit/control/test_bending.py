"""A tool beyond links that bend, on its path: with rigid links, and with bending foreseen."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import dynamics_with, Payload, Task, trajectory
from mbd_ros.control.step.links import bends, bent
from mbd_ros.control.tasks.task import controller_for
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import InvalidValueError, UnsupportedError

FILE = 'urdf/flexible_arm.urdf'
ARM, RIGID = mbd_ros.load(FILE), mbd_ros.load(FILE, flexible=False)
DYN = mbd_ros.compile(ARM)
START = np.array([0.0, -0.9, 1.2, 0.3])
GIVEN = (0, 1, 2, 3)


def task(period=2.0, **more):
    """Return the task of ``flexible.launch.py``."""
    return Task(**{'link': 'hand', 'path': {
        'kind': 'ellipse', 'center': [1.1, 0.0, 0.9], 'a': [0.0, 0.15, 0.0],
        'b': [0.0, 0.0, 0.1], 'period': period}, 'start': 'approach', 'metric': 'euclidean',
        'bandwidth': 10.0, 'approach_speed': 0.5, 'posture': (0.0, -0.9, 1.2, 0.3),
        'posture_stiffness': (5.0,), 'flexible': True, **more})


def resting(q=START, model=ARM):
    """Return a configuration with its links bent by their weight."""
    q = np.concatenate([q, np.zeros(10)])
    q[4:] = mbd_ros.static_deflection(model, q)
    return q


class Plant:
    """The arm with links that bend, by the implicit midpoint rule in steps of 1 ms."""

    def __init__(self, dyn=DYN):
        self.dyn, self.q, self.v, self.time = dyn, resting(), np.zeros(14), 0.0

    def advance(self, efforts, steps=2):
        tau = np.append(efforts, np.zeros(10))
        for _ in range(steps):
            middle = np.concatenate([self.q, self.v])
            for _ in range(3):
                middle = self.dyn.midpoint(self.q, self.v, tau, np.array([1e-3]), middle[:14],
                                           middle[14:])
            self.q, self.v = 2.0 * middle[:14] - self.q, 2.0 * middle[14:] - self.v
            self.time += 1e-3


def followed(tracker, seconds, effort=lambda plant, tracker, step: step.effort, dyn=DYN):
    """Return time on the path, error of the bent tool [m] and largest effort, at 500 Hz."""
    plant, found = Plant(dyn), []
    while plant.time < seconds:
        tracker.bending.measured = plant.q[4:]
        step = tracker.step(plant.time, plant.q[:4], plant.v[:4])
        efforts = effort(plant, tracker, step)
        moment = step.nominal.time
        off = dyn.pose(plant.q, 'hand')[:3, 3] - tracker.paths[0].at(moment).position
        found.append((moment, np.linalg.norm(off), np.abs(efforts).max(),
                      tracker.tool_points(step, plant.q[:4]).error))
        plant.advance(efforts)
    return np.array(found)


def worst(rows, after=1.0):
    """Return the largest error of the tool once swings of the approach have faded [mm]."""
    return 1e3 * rows[rows[:, 0] > after, 1].max()


def tracker_of(one, dyn=None):
    return Tracker(dyn or mbd_ros.compile(RIGID), one, START, np.zeros(4))


def by_hybrid_dynamics(plant, tracker, step):
    """Return the efforts that give joints what the law asks for, at measured deflections."""
    law, nominal = tracker.law, step.nominal
    wanted, _ = law.wanted(step.efforts.error.tolist(), step.efforts.error_rate.tolist(),
                           nominal.accelerations.tolist(), law.gains.tolist())
    return DYN.hybrid_dynamics(GIVEN)(plant.q, plant.v, np.zeros(14), np.append(
        wanted, np.zeros(10)))[1, :4]


def test_rigid_links_in_the_controller_leave_the_sag():
    rows = followed(tracker_of(task(flexible=False)), 3.0)
    assert worst(rows) == pytest.approx(1.60, rel=0.02)   # of docs/theory_flexible_links.md
    assert 1e3 * rows[rows[:, 0] > 1.0, 3].max() < 0.1    # of which it knows nothing


def test_foreseen_bending_leaves_little():
    rows = followed(tracker_of(task()), 3.0)
    assert worst(rows) == pytest.approx(0.042, rel=0.1)
    np.testing.assert_allclose(rows[:, 3], rows[:, 1], rtol=1e-9)   # and it sees the bent tool


def test_measured_bending_at_500_hz_leaves_more():
    rows = followed(tracker_of(task()), 3.0, by_hybrid_dynamics)
    assert worst(rows) == pytest.approx(0.254, rel=0.1)


def test_a_payload_bends_links_and_is_foreseen():
    dyn = dynamics_with(RIGID, Payload('hand', 0.5), (0.0, 0.0, -9.81))
    loaded = bent(dyn)
    rows = followed(tracker_of(task(period=4.0), dyn), 2.0, dyn=loaded)
    assert worst(rows, 0.5) < 0.05 < 1.5 < worst(followed(
        tracker_of(task(period=4.0, flexible=False), dyn), 2.0, dyn=loaded), 0.5)


def test_dynamics_that_change_change_the_bending():
    rigid = dynamics_with(RIGID, Payload('hand', 0.0), (0.0, 0.0, -9.81))
    tracker = tracker_of(task(), rigid)
    tracker.step(0.0, START, np.zeros(4))
    sag = tracker.bending.seen(START)[4:]
    assert np.abs(sag - resting()[4:]).max() < 0.1 * np.abs(sag).max()   # it begins to move
    rigid.change_gravity([0.0, 0.0, 0.0])
    tracker.set_dynamics(rigid)
    tracker.release()
    tracker.step(0.0, START, np.zeros(4))
    np.testing.assert_allclose(tracker.bending.seen(START)[4:], 0.0, atol=1e-12)


def test_a_robot_at_rest_is_carried_bent():
    tracker = tracker_of(Task(flexible=True))
    step = tracker.step(0.0, START, np.zeros(4))
    weight = DYN.bias_forces(resting(), np.zeros(14))[:4]
    # The deflection is settled to 1e-8 of itself.
    np.testing.assert_allclose(step.effort, weight, rtol=1e-7, atol=1e-9)
    assert np.abs(step.effort - mbd_ros.compile(RIGID).bias_forces(
        START, np.zeros(4))).max() > 1e-3
    np.testing.assert_allclose(tracker.bending.seen(START), resting(), rtol=1e-6, atol=1e-12)
    tool = tracker.tool_points(step, START)
    np.testing.assert_allclose(tool.actual, DYN.pose(resting(), 'hand')[:3, 3], atol=1e-9)


def test_joints_on_a_trajectory_are_where_they_are_told():
    tracker, plant = tracker_of(Task(flexible=True, bandwidth=10.0)), Plant()
    end = START + np.array([0.1, 0.06, -0.06, -0.07])
    rest = np.zeros((2, 4))
    tracker.follow_joints(trajectory([0.0, 0.5], [START, end], rest, rest), 0.0, START, rest[0])
    while plant.time < 1.0:
        step = tracker.step(plant.time, plant.q[:4], plant.v[:4])
        plant.advance(step.effort)
        assert np.abs(step.efforts.error).max() < 1e-3
    np.testing.assert_allclose(step.nominal.q, end, atol=1e-15)   # where a polynomial ends
    tracker.stop(plant.time, plant.q[:4], plant.v[:4])
    held = tracker.step(plant.time, plant.q[:4], plant.v[:4])
    np.testing.assert_allclose(held.nominal.q, end, atol=1e-15)


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
    (lambda: tracker_of(task(actuated=('yaw', 'shoulder'))), r'actuated is .* how links bend'),
    (lambda: task(flexible='yes'), "'flexible' of a task is 'yes'; allowed: true or false"),
    (lambda: controller_for(mbd_ros.compile(RIGID), task()), 'flexible=True is not supported'),
    (lambda: bent(mbd_ros.compile(mbd_ros.load('urdf/four_bar.urdf'))), 'which has closed loops'),
])
def test_one_clear_error(call, said):
    with pytest.raises((InvalidValueError, UnsupportedError), match=said):
        call()


def test_links_that_buckle_are_refused():
    soft = Path(FILE).read_text().replace('material="70e9 26e9 2700"', 'material="7e7 26e6 2700"')
    dyn = mbd_ros.compile(mbd_ros.load(soft, flexible=False))
    with pytest.raises(InvalidValueError, match=r'the links buckle\. Stiffer ones, or'):
        tracker_of(replace(task(), path={}), dyn).step(0.0, START, np.zeros(4))
