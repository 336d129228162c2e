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

"""Speed factors for what a tracker follows: joints on paths, and tools on theirs."""

from __future__ import annotations

from collections.abc import Callable
import contextlib
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mbd_ros.control.constraints.joint_paths import JointPaths
from mbd_ros.control.references.joining import cut
from mbd_ros.control.references.pacing import Clock, paced
from mbd_ros.control.references.splines import joined, PiecewisePolynomial
from mbd_ros.control.tasks.joint_motion import JointMotion
from mbd_ros.control.tasks.task import changes_besides, Task
from mbd_ros.control.tasks.tracker import Mode, Tracker
from mbd_ros.errors import MbdError
from mbd_ros.simulation.manifold import Vector

Followed = PiecewisePolynomial | JointPaths

SLOWEST = 1e-3
"""Motion at a smaller part of its own pace counts as rest, for what takes its place."""
REST = 1e-9
"""A reference slower than this is at rest [rad/s or m/s]: a path begins at its pace at once."""


def prepare_pace(tracker: Tracker, task: Task, q: Vector, v: Vector) -> None:
    """
    Compile what another pace of a task's path needs, in another thread while steps go on.

    ``tracker`` is a ``copy_for_planning``; q, v (nq,), (nv,) any state. What is wrong shows later.
    """
    with contextlib.suppress(MbdError):
        tracker.follow(replace(task, clock=Clock.plain(), start='as_given'), 0.0, q, v)


def run_by(path: Followed, clock: Clock, wait: float = 0.0) -> Followed:
    """Return a path as it is run through by a clock, which begins after a wait [s]."""
    if isinstance(path, JointPaths):
        return JointPaths([(names, _run_by(part, clock, wait)) for names, part in path.parts
                           if isinstance(part, PiecewisePolynomial)])
    return _run_by(path, clock, wait)


def _run_by(path: PiecewisePolynomial, clock: Clock, wait: float) -> PiecewisePolynomial:
    slower = paced(path, clock)
    return joined(cut(path, 0.0, wait), slower) if wait > 0.0 else slower


class Stretchable:
    """
    A path of joints that may be stretched in time; call it with the part of its speed.

    Parameters
    ----------
    path : PiecewisePolynomial or JointPaths
        From time 0 on.
    wait : float, optional
        From when on it is stretched [s]; before, joints go on as they do.
    ramp : float, optional
        How long the change of its speed takes [s]; from rest it takes none.
    then : callable, optional
        What is done with the stretched path.

    """

    def __init__(self, path: Followed, wait: float = 0.0, ramp: float = 0.0,
                 then: Callable[[Followed], Followed] = lambda path: path) -> None:
        self._path, self.wait, self._ramp, self._then = path, wait, ramp, then
        self._made: tuple[float, Followed] | None = None   # the last that was asked for

    def __call__(self, pace: float) -> Followed:
        """Return the path at a part of its speed."""
        if self._made is None or self._made[0] != pace:
            self._made = pace, self._then(self._path if pace == 1.0 else run_by(
                self._path, self._clock(pace), self.wait))
        return self._made[1]

    def _clock(self, pace: float) -> Clock:
        if np.abs(self._path.at(self.wait).velocity).max(initial=0.0) < REST:
            return Clock(self.wait, self.wait, pace, 0.0, 0.0, pace)
        return Clock(self.wait, self.wait, 1.0, 0.0, self._ramp, pace)

    def times(self, pace: float, times: Vector) -> Vector:
        """Return when (k,) [s] a slowed path is where it was at given instants."""
        if pace == 1.0:
            return times
        clock = self._clock(pace)
        return np.array([time if time <= self.wait else clock.time_of(time)
                         for time in times.tolist()])

    def told(self, pace: float) -> str:
        """Say how long the path takes at a part of its speed; empty if that is all of it."""
        if pace == 1.0:
            return ''
        took, takes = (self(one).arrives - self.wait for one in (1.0, pace))
        return (f'the trajectory takes {takes:.3f} s in place of {took:.3f} s, for which joints '
                'have not enough effort')


class Changed(NamedTuple):
    """What is followed from now on, and its clock; ``problem``: why it goes on as it was."""

    path: PiecewisePolynomial | JointPaths | None = None
    task: Task | None = None
    problem: str = ''


class PacedMotion:
    """
    Keeps what a tracker follows at a pace.

    Parameters
    ----------
    factor : float
        Of the time of paths, 0 to 1; 0: pause. It may be changed at any time.
    ramp : float
        How long a change takes [s].

    Attributes
    ----------
    clock : Clock
        Where on its path the motion is at a time of the tracker's reference.

    """

    def __init__(self, factor: float, ramp: float) -> None:
        self.factor, self.ramp = factor, ramp
        self.clock = Clock.plain()
        self._shown: object = None     # the path or task that is followed
        self._given: PiecewisePolynomial | JointPaths | None = None   # the same at its own pace
        self._last = 1.0, 0.0          # rate and slope at the last step

    def reference(self, tracker: Tracker, q: Vector) -> tuple[Vector, Vector, Vector]:
        """Return ``Tracker.reference`` by the path's own time, in which a new path begins."""
        place, v, acceleration = tracker.reference(q)
        rate, slope = self._pace(tracker)
        if rate < SLOWEST:
            return place, np.zeros_like(v), np.zeros_like(v)
        return place, v / rate, (acceleration - v / rate * slope) / rate**2

    def running(self, tracker: Tracker) -> tuple[JointMotion, float] | None:
        """Return ``Tracker.running`` by the path's own time."""
        running = tracker.running
        if running is None or running[0].path is not self._shown or self._given is None:
            return running
        return (running[0]._replace(path=self._given),
                float(self.clock.at(np.array(running[1]))[0]))

    def _pace(self, tracker: Tracker) -> tuple[float, float]:
        """Return rate and slope [1/s] of what is followed."""
        running = tracker.running
        shown = tracker.task if running is None else running[0].path
        if tracker.mode is not Mode.FOLLOWING or shown is not self._shown:
            return 1.0, 0.0
        _, rate, slope = (float(row) for row in self.clock.at(np.array(tracker.path_time)))
        return rate, slope

    def look(self, tracker: Tracker, time: float, q: Vector, v: Vector) -> Changed | None:
        """
        Bring what is followed to the pace that is wanted, None if there is nothing to change.

        ``time`` [s], q, v: of the measured state, as for ``Tracker.follow_joints``. A new path
        goes on at the pace of what it takes the place of, or at its own from rest. Call it after
        each step, and when a path begins, before the next step. Stops keep their pace.
        """
        if tracker.mode is not Mode.FOLLOWING:
            self._last = 1.0, 0.0
            return None
        running = tracker.running
        changed = self._task(tracker, time, q) if running is None else self._joints(
            tracker, *running, time, q, v)
        self._last = self._pace(tracker)
        return changed

    def slowed(self, tracker: Tracker, task: Task) -> Task:
        """Return a task that begins at the pace that is wanted, where that is possible."""
        if self.factor == 1.0 or not task.path or changes_besides(tracker.dyn, task):
            return task
        return replace(task, clock=Clock.steady(self.factor))

    def _joints(self, tracker: Tracker, motion: JointMotion, now: float, time: float, q: Vector,
                v: Vector) -> Changed | None:
        """Bring joints to their pace."""
        if not isinstance(motion.path, PiecewisePolynomial | JointPaths):
            return None
        if motion.path is not self._shown:
            self._shown = self._given = motion.path
            resting = np.abs(tracker.reference(q)[1]).max(initial=0.0) < REST
            rate, slope = (self.factor, 0.0) if resting else self._last
            self.clock = Clock(now, now, rate, slope, 0.0, rate)
            if (rate, slope) == (1.0, 0.0) == (self.factor, 0.0):
                return None
            steady = (rate, slope) == (self.factor, 0.0)
            self.clock = Clock(now, now, rate, slope, 0.0 if steady else self.ramp, self.factor)
        elif self.clock.factor == self.factor:
            return None
        else:
            self.clock = self.clock.changed(now, self.factor, self.ramp)
        assert self._given is not None
        self._shown = path = run_by(self._given, self.clock)
        tracker.follow_joints(path, time, q, v, joints=motion.names, begin=now)
        return Changed(path=path)

    def _task(self, tracker: Tracker, time: float, q: Vector) -> Changed | None:
        """Bring the path of a tool to its pace, once it is approached."""
        task = tracker.task
        if task is not self._shown:
            self._shown, self._given, self.clock = task, None, task.clock or Clock.plain()
        now = tracker.path_time
        if self.clock.factor == self.factor or not task.path or now < 0.0:
            return None
        place, rate, slope = (float(row) for row in self.clock.at(np.array(now)))
        self.clock = Clock(0.0, place, rate, slope, self.ramp, self.factor)
        if changes_besides(tracker.dyn, task):
            return Changed(
                problem='the task has constraints beside its path that change with time')
        try:
            reference = tracker.reference(q)
            tracker.follow(replace(task, clock=self.clock, start='as_given'), time, *reference[:2])
        except MbdError as error:
            return Changed(problem=str(error))
        tracker.task = self._shown = replace(tracker.task, start=task.start)
        return Changed(task=tracker.task)
