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
The controller: time of a step, accuracy, against two usual laws, and with disturbed joint states.

All laws run at 500 Hz against the same simulated robot, which is 20 % heavier than the model where
a row says so. ``minutes`` of the disturbed runs are simulated time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
import re
import time

import numpy as np
from numpy.typing import NDArray

import mbd_ros
from mbd_ros.control import default_task, NominalState, TrackingLaw
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.control.tracking.adaptation import Adaptation
from mbd_ros.control.tracking.robustness import guarantee
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import MbdError
from mbd_ros.simulation import Stepper

Vector = NDArray[np.float64]
Law = Callable[[NominalState, Vector, Vector], Vector]

SHIPPED = Path(__file__).parents[1] / 'urdf'
PERIOD = 0.002
ROBOTS = ('puma560', 'panda')
SETTLED = 4.0
"""Time after which errors count [s]: the approach takes up to two seconds."""


def heavier(name: str, factor: float) -> mbd_ros.Model:
    """Return a shipped robot with all masses and inertias multiplied."""
    text = re.sub(r'(mass value=|\bi[xyz]{2}=)"([^"]+)"',
                  lambda found: f'{found[1]}"{float(found[2]) * factor}"',
                  (SHIPPED / f'{name}.urdf').read_text())
    return mbd_ros.load(text)


def ours(dyn: PreparedDynamics, robust_rate: float, adaptation_rate: float = 0.0) -> Law:
    """Return the tracking law of this package."""
    learned = Adaptation(dyn, 'tool', adaptation_rate) if adaptation_rate else None
    law = TrackingLaw(dyn, robust_rate=robust_rate, adaptation=learned)
    return lambda nominal, q, v: law.efforts(nominal, q, v).effort


def computed_torque(dyn: PreparedDynamics) -> Law:
    """Return computed torque with the same gains, the errors as they are."""
    limits, w = dyn.model.effort_limits, 15.0

    def efforts(nominal: NominalState, q: Vector, v: Vector) -> Vector:
        wanted = nominal.accelerations + 2 * w * (nominal.v - v) + w * w * (nominal.q - q)
        return np.clip(dyn.inverse_dynamics(q, v, wanted), -limits, limits)
    return efforts


def pd_gravity(dyn: PreparedDynamics) -> Law:
    """Return PD with gravity compensation, each gain that of the inertia a joint feels alone."""
    limits, w = dyn.model.effort_limits, 15.0
    M = dyn.mass_matrix(np.array(default_task(dyn.model.name).posture))
    inertia = 1.0 / np.linalg.inv(M).diagonal()   # with the diagonal of M the wrist is unstable
    rest = np.zeros(dyn.model.nv)

    def efforts(nominal: NominalState, q: Vector, v: Vector) -> Vector:
        force = inertia * (w * w * (nominal.q - q) + 2 * w * (nominal.v - v))
        return np.clip(dyn.bias_forces(q, rest) + force, -limits, limits)
    return efforts


EQUAL_WORK = 2000
"""Numbers that a loop adds up, in about the time of a control step."""


def steps() -> Iterator[str]:
    """Yield the table of times and accuracies of a control step."""
    yield '| robot | CPU time of a step, p50 [us] | p99 [us] | a plain loop, p50, p99 [us] | ' \
          'tool error, exact model [mm] | 20 % heavier [mm] | with robust term, 60 1/s [mm] | ' \
          'proven bounds of the two [mm] |'
    yield '|---|---|---|---|---|---|---|---|'
    for name in ROBOTS:
        dyn = mbd_ros.compile(mbd_ros.load(SHIPPED / f'{name}.urdf'))
        plant = heavier(name, 1.2)
        exact, durations, states = tracked(dyn, dyn.model, ours(dyn, 0.0))
        (p50, idle50), (p99, idle99) = np.percentile(durations, [50, 99], axis=0)
        errors, bounds = [], []
        for rate in (0.0, 60.0):
            errors.append(tracked(dyn, plant, ours(dyn, rate))[0])
            bounds.append(guarantee(TrackingLaw(dyn, robust_rate=rate), mbd_ros.compile(plant),
                                    states[::50], 'tool').tool_error)
        yield (f'| {name} | {1e6 * p50:.0f} | {1e6 * p99:.0f} | '
               f'{1e6 * idle50:.0f}, {1e6 * idle99:.0f} | {1e3 * exact:.4f} | '
               f'{1e3 * errors[0]:.2f} | {1e3 * errors[1]:.2f} | '
               f'{1e3 * bounds[0]:.1f}, {1e3 * bounds[1]:.2f} |')


def tracked(dyn: PreparedDynamics, plant: mbd_ros.Model, law: Law, seconds: float = 10.0
            ) -> tuple[float, list[tuple[float, float]], list[NominalState]]:
    """
    Return the largest tool error, durations and nominal states.

    The durations are those of each control step, and of a loop that does the same every time: it
    shows what the machine makes of equal work.
    """
    task = replace(default_task(dyn.model.name), start='approach')
    robot = Stepper(plant, task.start_positions)
    tracker = Tracker(dyn, task, robot.q, robot.v)
    worst, durations, states = 0.0, [], []
    for k in range(round(seconds / PERIOD)):
        begin = time.thread_time()
        step = tracker.step(k * PERIOD, robot.q, robot.v)
        between = time.thread_time()
        sum(range(EQUAL_WORK))
        durations.append((between - begin, time.thread_time() - between))
        if k * PERIOD > SETTLED:
            worst = max(worst, tracker.tool_points(step, robot.q).error)
            states.append(step.nominal)
        robot.advance(law(step.nominal, robot.q, robot.v), PERIOD)
    return worst, durations, states


def comparison() -> Iterator[str]:
    """Yield the table of laws: same nominal motion, same plant, same gains."""
    yield '| robot | plant | law | tool error RMS [mm] | largest [mm] | effort RMS [N m] | ' \
          'energy in 6 s [J] |'
    yield '|---|---|---|---|---|---|---|'
    for name in ROBOTS:
        dyn = mbd_ros.compile(mbd_ros.load(SHIPPED / f'{name}.urdf'))
        laws = {'Udwadia-Kalaba': ours(dyn, 0.0), 'with robust term, 60 1/s': ours(dyn, 60.0),
                'learning the masses, 2 1/s': ours(dyn, 0.0, 2.0),
                'computed torque': computed_torque(dyn), 'PD + gravity': pd_gravity(dyn)}
        for what, factor in (('exact', 1.0), ('20 % heavier', 1.2)):
            plant = heavier(name, factor)
            for title, law in laws.items():
                errors, efforts, energy = compared(dyn, plant, law)
                yield (f'| {name} | {what} | {title} | {1e3 * np.sqrt(np.mean(errors**2)):.3f} | '
                       f'{1e3 * errors.max():.3f} | {np.sqrt(np.mean(efforts**2)):.2f} | '
                       f'{energy:.1f} |')


def compared(dyn: PreparedDynamics, plant: mbd_ros.Model, law: Law
             ) -> tuple[Vector, Vector, float]:
    """Return tool errors, efforts and the work of all joints' efforts, in size, over 6 s."""
    task = replace(default_task(dyn.model.name), start='approach')
    robot = Stepper(plant, task.start_positions)
    tracker = Tracker(dyn, task, robot.q, robot.v)
    errors, efforts, energy = [], [], 0.0
    for k in range(round((SETTLED + 6.0) / PERIOD)):
        step = tracker.step(k * PERIOD, robot.q, robot.v)
        effort = law(step.nominal, robot.q, robot.v)
        if k * PERIOD > SETTLED:
            errors.append(tracker.tool_points(step, robot.q).error)
            efforts.append(effort)
            energy += float(np.abs(effort * robot.v).sum()) * PERIOD
        robot.advance(effort, PERIOD)
    return np.array(errors), np.array(efforts), energy


class Disturbed:
    """
    A stream of joint states that come late, unevenly, not at all, twice, or out of order.

    Parameters
    ----------
    delay, jitter : float
        Constant delay, and the largest that is added to it at random [s].
    lost, twice : float
        Fractions of the states.
    seed : int, optional
        Of the random numbers.

    """

    def __init__(self, delay: float, jitter: float, lost: float = 0.0, twice: float = 0.0,
                 seed: int = 1) -> None:
        self._rng = np.random.default_rng(seed)
        self._settings = delay, jitter, lost, twice
        self._under_way: list[tuple[float, float, Vector, Vector]] = []

    def send(self, now: float, q: Vector, v: Vector) -> None:
        """Take a state that is measured now."""
        delay, jitter, lost, twice = self._settings
        if self._rng.random() < lost:
            return
        for _ in range(1 + (self._rng.random() < twice)):
            self._under_way.append((now + delay + jitter * self._rng.random(), now, q, v))

    def arrived(self, now: float) -> list[tuple[float, Vector, Vector]]:
        """Return what has arrived by now: stamp and state, as it comes."""
        come = sorted((state for state in self._under_way if state[0] <= now),
                      key=lambda state: state[0])
        self._under_way = [state for state in self._under_way if state[0] > now]
        return [state[1:] for state in come]


def run_disturbed(dyn: PreparedDynamics, stream: Disturbed, seconds: float, *,
                  robust_rate: float = 0.0) -> tuple[float, float]:
    """Return RMS and largest tool error with a disturbed stream; infinite if it is lost."""
    task = replace(default_task(dyn.model.name), start='approach', robust_rate=robust_rate)
    robot = Stepper(dyn.model, task.start_positions, step=PERIOD)
    tracker = Tracker(dyn, task, robot.q, robot.v)
    effort, newest = dyn.bias_forces(robot.q, robot.v), -1.0
    squares, worst, count = 0.0, 0.0, 0
    for k in range(round(seconds / PERIOD)):
        now = k * PERIOD
        stream.send(now, robot.q, robot.v)
        for stamp, q, v in stream.arrived(now):
            if stamp <= newest:   # came twice, or was overtaken: as the node does
                continue
            newest = stamp
            try:
                step = tracker.step(stamp, q, v)
            except MbdError:
                return np.inf, np.inf
            effort = step.efforts.effort
            if now > SETTLED:
                error = tracker.tool_points(step, q).error
                squares, worst, count = squares + error**2, max(worst, error), count + 1
        robot.advance(effort, PERIOD)
    return float(np.sqrt(squares / count)), worst


STREAMS = {
    'as measured': (0.0, 0.0, 0.0, 0.0),
    '5 ms late': (0.005, 0.0, 0.0, 0.0),
    'up to 2 ms of jitter': (0.0, 0.002, 0.0, 0.0),
    '5 % dropped': (0.0, 0.0, 0.05, 0.0),
    '10 % twice': (0.0, 0.0, 0.0, 0.10),
    'up to 10 ms of jitter: reordered': (0.0, 0.010, 0.0, 0.0),
    'all of it': (0.005, 0.010, 0.05, 0.10),
    '20 ms late': (0.020, 0.0, 0.0, 0.0),
}
"""Delay, jitter [s], lost and doubled fraction; more jitter than the period of 2 ms reorders."""


def disturbances(minutes: float = 10.0) -> Iterator[str]:
    """Yield the table of disturbed streams; they share the processors."""
    yield f'| joint states, {minutes:g} min of simulated time | robot | RMS [mm] | largest [mm] |'
    yield '|---|---|---|---|'
    cases = [(name, title) for name in ROBOTS for title in STREAMS]
    with ProcessPoolExecutor() as pool:
        for (name, title), (rms, worst) in zip(cases, pool.map(
                _disturbed, *zip(*((*case, minutes) for case in cases)))):
            yield f'| {title} | {name} | {1e3 * rms:.3f} | {1e3 * worst:.3f} |'


def _disturbed(name: str, title: str, minutes: float) -> tuple[float, float]:
    """Return RMS and largest tool error of a robot with a stream."""
    dyn = mbd_ros.compile(mbd_ros.load(SHIPPED / f'{name}.urdf'))
    return run_disturbed(dyn, Disturbed(*STREAMS[title]), 60.0 * minutes)
