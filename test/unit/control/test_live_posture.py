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

"""Another posture while the robot moves: a planned way, whatever was drawn before."""

from dataclasses import replace
from functools import partial
from pathlib import Path
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from robots import model_of, random_state

import mbd_ros
from mbd_ros.control import default_task, PostureSpring, Task, trajectory
from mbd_ros.control.control_step.motion_kernels import motion_kernels
from mbd_ros.control.tasks.approaching import draw_to, lead_duration
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import DivergedError, MbdError
from mbd_ros.model.state import difference, neutral
from mbd_ros.nodes.controlling.live_gains import change_task
from mbd_ros.nodes.controlling.task_parameters import GAINS, with_gains

URDF = Path(__file__).resolve().parents[3] / 'urdf'
PERIOD = 0.002
TASK = replace(default_task('panda'), start='as_given')
OTHER = (0.6, -0.2, -0.4, -2.3, 0.0, 2.1, 0.8)
"""Elbow and base turned, where the path leaves them free."""
SPEED = TASK.approach_speed


@pytest.fixture(scope='module')
def panda():
    return mbd_ros.compile(mbd_ros.load(URDF / 'panda.urdf'))


class Follower:
    """A tracker whose robot is where the nominal model is."""

    def __init__(self, dyn, task, q=TASK.posture):
        self.tracker = Tracker(dyn, task, np.array(q), np.zeros(7))
        self.step = self.tracker.step(0.0, np.array(q), np.zeros(7))
        self.steps, self.time = [], 0.0

    def go(self, seconds):
        """Go on for a time [s]; return the configuration at its end."""
        for _ in range(round(seconds / PERIOD)):
            nominal = self.step.nominal
            self.time += PERIOD
            self.step = self.tracker.step(self.time, nominal.q, nominal.v)
            self.steps.append(self.step)
        assert not self.tracker.problem
        return self.step.nominal.q

    def draw(self, posture, **options):
        """Ask for another posture."""
        self.tracker.task = replace(self.tracker.task, posture=posture, posture_stiffness=(
            TASK.posture_stiffness if posture else (0.0,)))   # without stiffness nothing is held
        return self.tracker.set_posture_spring(**options)

    def accelerations(self):
        """Return the largest of each step since the last look."""
        found = [np.abs(step.nominal.accelerations).max() for step in self.steps]
        self.steps.clear()
        return found


def test_a_posture_changes_while_a_path_is_followed(panda):
    """The path is kept, nothing leaps, and in the end it is as if it had been so at first."""
    run, expected = Follower(panda, TASK), Follower(panda, replace(TASK, posture=OTHER))
    run.go(3.0)
    usual = max(run.accelerations()[500:])   # once it is on the path
    assert run.draw(OTHER)
    before = run.step.nominal.q
    after = run.go(6.0)
    assert run.step.fused
    assert np.abs(after - before).max() > 0.3
    # The way takes 0.6 rad at 1 rad/s and a quintic's 5.8 / T^2 = 2.7 rad/s^2 of the springs; at
    # once the wrist alone would be thrown by 20 N m/rad * 0.4 rad: by thousands.
    assert max(step.nominal.violation for step in run.steps) < 1e-9
    assert max(run.accelerations()) < usual + 30.0
    # Springs of 20 N m/rad at about 1 kg m^2 forget in a third of a second: exp(-5 / 0.3).
    np.testing.assert_allclose(after, expected.go(9.0), rtol=0, atol=1e-3)


def test_a_change_amid_a_change_goes_on_from_there(panda):
    """Where the springs pull to, and how fast that moves, has no leap either."""
    run = Follower(panda, TASK)
    run.go(0.2)
    for posture in (OTHER, TASK.posture, OTHER):
        spring = run.tracker._source.motion.applied
        now = run.step.nominal.time
        expected = spring.target(now)
        assert run.draw(posture)
        new = run.tracker._source.motion.applied
        assert new is not spring and tuple(new.posture) == posture
        for got, wanted in zip(new.target(now), expected):
            np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)   # rounding of numbers < 3
        way = np.abs(new.posture - expected[0]).max()
        assert new._lead[2] == pytest.approx(max(0.5, 1.875 * way / SPEED), rel=1e-12)
        assert not (new.target(now + 0.3)[0] == new.posture).all()
        run.go(0.3)   # amid it
    assert run.draw(OTHER) and run.tracker._source.motion.applied is new   # as it is already


def test_the_stiffness_changes_while_a_path_is_followed(panda):
    """The path is kept, nothing leaps or is compiled, and it ends as if so from the start."""
    other = (40.0, 10.0, 20.0, 60.0, 5.0, 2.5, 2.0)
    run, expected = Follower(panda, TASK), Follower(panda, replace(
        TASK, posture_stiffness=other))
    run.go(3.0)
    usual = max(run.accelerations()[500:])   # once it is on the path
    kernels = motion_kernels.made
    run.tracker.task = replace(TASK, posture_stiffness=other)
    before, now = run.tracker._source.motion.applied, run.step.nominal.time
    assert run.tracker.set_posture_spring()
    spring = run.tracker._source.motion.applied
    for k, wanted in enumerate((np.sqrt(TASK.posture_stiffness), np.zeros(7))):
        np.testing.assert_allclose(spring.strength(now)[k], wanted, rtol=0, atol=1e-14)
    assert spring is not before and (spring.roots == np.sqrt(other)).all()
    run.go(0.25)   # amid it; once more, and it goes on from there
    amid = spring.strength(run.step.nominal.time)
    assert (amid[0] != before.roots).any() and (amid[0] != spring.roots).any()
    run.tracker.task = replace(TASK, posture_stiffness=(*other[:6], 3.0))
    assert run.tracker.set_posture_spring()
    again = run.tracker._source.motion.applied
    np.testing.assert_allclose(again.strength(run.step.nominal.time), amid, rtol=0, atol=1e-12)
    run.tracker.task = replace(TASK, posture_stiffness=other)
    assert run.tracker.set_posture_spring()
    after = run.go(5.75)
    assert run.step.fused and motion_kernels.made == kernels
    assert max(step.nominal.violation for step in run.steps) < 1e-9
    # Springs that are some 0.3 rad long change by 40 N m/rad in half a second, on 1 kg m^2.
    assert max(run.accelerations()) < usual + 30.0
    assert np.abs(after - Follower(panda, TASK).go(9.0)).max() > 0.01
    # Springs of 2 N m/rad at 1e-2 kg m^2 or more of 10 at 1 forget in 0.6 s: exp(-5 / 0.6).
    np.testing.assert_allclose(after, expected.go(9.0), rtol=0, atol=1e-3)


def test_springs_where_there_were_none_and_the_reverse(panda):
    """They are compiled first; then what falls is caught, with the velocity that it has."""
    run = Follower(panda, replace(TASK, posture=(), posture_stiffness=(0.0,)))
    run.go(0.1)
    source = run.tracker._source
    assert not run.draw(OTHER)   # compiled aside, which the node does
    assert source.motion.applied is None
    other = run.tracker.copy_for_planning()
    other.prepare(panda, run.step.nominal.q, run.step.nominal.v)
    fast = run.step.nominal.v
    assert np.abs(fast).max() > 0.05
    assert not run.draw(OTHER, prepared=other)   # that was another task
    assert source.motion.applied is None
    assert run.tracker.set_posture_spring(run.tracker.copy_for_planning())
    np.testing.assert_array_equal(run.tracker._source.state.v, fast)
    target, rate = source.motion.applied.target(run.step.nominal.time)
    np.testing.assert_array_equal((target, rate), (run.step.nominal.q, fast))
    run.go(5.0)
    assert run.step.fused
    rest = Follower(panda, replace(TASK, posture=OTHER))
    np.testing.assert_allclose(run.step.nominal.q, rest.go(5.1), rtol=0, atol=1e-3)
    assert not run.draw(())
    assert run.tracker.set_posture_spring(run.tracker.copy_for_planning())
    assert source.motion.applied is None
    assert np.abs(run.go(0.2) - rest.go(0.2)).max() > 1e-3   # it falls


def test_what_has_no_free_part_has_nothing_to_draw(panda):
    """Weightless, a trajectory of joints, and holding: the next task has the posture."""
    run = Follower(panda, Task(link='tool'), TASK.start_positions)
    assert run.draw(OTHER)
    run.tracker.follow_joints(trajectory([0.0, 1.0], [TASK.start_positions] * 2), 0.0,
                              np.array(TASK.start_positions), np.zeros(7))
    source = run.tracker._source
    assert run.draw(TASK.posture) and run.tracker._source is source
    assert run.tracker.task.posture == TASK.posture


def test_where_configurations_do_not_add():
    """Of a ball joint the springs go on from the orientation that they pull to."""
    model = model_of([0, 1], ['spherical', 'planar'], 3)
    dyn = mbd_ros.compile(model)
    q, first, second = (random_state(model, seed)[0] for seed in (1, 2, 3))
    spring = PostureSpring(dyn, first)
    spring.lead(q, 0.0, 2.0)
    source = SimpleNamespace(
        motion=SimpleNamespace(dyn=dyn, applied=spring), refresh=lambda: None,
        state=SimpleNamespace(q=q, v=np.zeros(model.nv), time=0.7))
    source.motion.set_applied = partial(setattr, source.motion, 'applied')
    draw_to(source, PostureSpring(dyn, second), 1.0)
    new = source.motion.applied
    assert new is not spring
    for time, place in ((0.7, spring.target(0.7)[0]), (1e3, second)):
        # Rounding of numbers near 3.
        np.testing.assert_allclose(
            difference(model, new.target(time)[0], place), 0.0, rtol=0, atol=1e-14)


def test_a_floating_base_is_not_drawn_and_takes_no_time():
    """However far it has drifted."""
    model = model_of([0, 1], ['floating', 'revolute'], 3)
    q = neutral(model)
    spring = PostureSpring(mbd_ros.compile(model), q)
    q[:3], q[-1] = 1e3, 0.8
    assert lead_duration(model, spring, q, 1.0) == pytest.approx(1.875 * 0.8, rel=1e-12)


class Drawn:
    """A tracker that needs a compiler, or does not."""

    dyn = mbd_ros.compile(mbd_ros.load(URDF / 'four_bar.urdf'))

    def __init__(self, task, needs=False):
        self.task, self.done, self.prepared = task, [], []
        self.needs = needs

    def change_gains(self, task):
        return None

    def set_posture_spring(self, prepared=None):
        self.done.append((self.task.posture, prepared is not None))
        return prepared is not None or not self.needs

    def copy_for_planning(self):
        return self

    def prepare(self, dyn, q, v):
        self.prepared.append((q, v))


class DefaultGroup:
    """A queue that runs work at once."""

    def take(self, work):
        work()


GUARD = SimpleNamespace(wrap=lambda name, work: work)
ONE, OTHER_ONE = (0.1,) * Drawn.dyn.model.nq, (0.3,) * Drawn.dyn.model.nq


@pytest.mark.parametrize(('following', 'drawn'), [
    ({}, OTHER_ONE), ({'link': 'tool'}, OTHER_ONE),
    ({'link': 'tool', 'posture': (0.2,) * len(ONE)}, (0.2,) * len(ONE)),
    ({'link': 'tool', 'posture_stiffness': (3.0,)}, ONE)],
    ids=['the parameters', 'a goal', 'a goal with a posture of its own', 'or a stiffness'])
def test_who_is_drawn_to_the_posture_of_the_parameters(following, drawn):
    before, after = Task(posture=ONE), Task(posture=OTHER_ONE, posture_stiffness=(5.0,))
    tracker = Drawn(replace(before, **following) if following else before)
    change_task(tracker, before, after, None, DefaultGroup(), GUARD, lambda: before)
    assert tracker.done == [(drawn, False)]
    assert (tracker.task is after) == (not following)
    assert tracker.task.link == following.get('link', '')
    assert tracker.task.posture_stiffness == following.get(
        'posture_stiffness', (5.0,) if drawn == OTHER_ONE else (20.0,))


def test_springs_that_are_not_there_yet_are_compiled_aside():
    before, after = Task(), Task(posture=OTHER_ONE)
    tracker, done = Drawn(before, needs=True), threading.Event()
    guard = SimpleNamespace(wrap=lambda name, work: lambda: (work(), done.set()))
    change_task(tracker, before, after, SimpleNamespace(q=1, v=2), DefaultGroup(), guard,
                lambda: after)
    assert done.wait(60.0)   # a thread only has to begin
    assert tracker.prepared == [(1, 2)]
    assert tracker.done == [(OTHER_ONE, False), (OTHER_ONE, True)]


def test_of_a_tracker_that_is_no_longer_in_use_nothing_is_drawn():
    before, after = Task(), Task(posture=OTHER_ONE)
    tracker, newest = Drawn(before, needs=True), [before, None]
    asked = threading.Event()

    def next_of():
        found = newest.pop(0)
        if not newest:
            newest.append(None)
            asked.set()
        return found
    change_task(tracker, before, after, SimpleNamespace(q=1, v=2), DefaultGroup(), GUARD, next_of)
    assert asked.wait(60.0)
    assert tracker.done == [(OTHER_ONE, False)]


def test_springs_that_cannot_be_are_refused_and_nothing_changes():
    before = Task(posture_stiffness=(20.0,) * (1 + len(ONE)))   # unread without posture
    tracker = Drawn(before)
    with pytest.raises(MbdError):
        change_task(tracker, before, replace(before, posture=OTHER_ONE), None, DefaultGroup(),
                    GUARD, lambda: before)
    assert tracker.task is before and not tracker.done


def test_a_motion_that_cannot_be_drawn_keeps_its_task():
    before = Task(posture=ONE)
    tracker = Drawn(before)

    def fail(prepared=None):
        raise DivergedError(0.0, 'no')
    tracker.set_posture_spring = fail
    with pytest.raises(DivergedError):
        change_task(tracker, before, Task(posture=OTHER_ONE), None, DefaultGroup(), GUARD,
                    lambda: before)
    assert tracker.task is before


def test_parameters_that_change_while_a_task_is_carried_out_reach_it():
    gains = {name: 2.0 + k for k, name in enumerate(GAINS)}
    task = with_gains(Task(link='tool'), {
        **gains, 'posture': [], 'posture_stiffness': [5.0], 'link': 'other'}, None)
    assert task == replace(Task(link='tool'), posture_stiffness=(5.0,), **gains)
