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

"""The loop of the simulator: publish the state, receive efforts, integrate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
import threading
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import MbdError
from mbd_ros.messages.fields.times import SECOND
from mbd_ros.model import Model
from mbd_ros.nodes.simulating.real_time_factor import RealTimeFactor
from mbd_ros.simulation import Stepper
from mbd_ros.simulation.hardware import Drives
from mbd_ros.simulation.pushes import Push

Vector = NDArray[np.float64]
Publish = Callable[[int, Vector, Vector, Vector], None]

LARGEST_LAG = {True: 0.5, False: 0.05}
"""Lag that is made up by hurrying [s], in lockstep, where haste does no harm, and without."""

SAY_AGAIN = 1.0
"""A motion that is stopped again within this time [s] is counted, not said again."""

RESEND = 0.1
"""In lockstep a state that is not answered is published again after this time [s]."""


@dataclass(frozen=True)
class Timing:
    """
    How time passes.

    Attributes
    ----------
    step : int
        Integration step [ns].
    steps : int
        Integration steps between two published states.
    factor : float
        Simulated seconds per second; 0 in lockstep: do not wait for the wall clock.
    lockstep : bool
        Whether every published state has to be answered.
    timeout : float
        Longest wait for efforts [s].
    on_timeout : str
        ``'brake'``, ``'zero'`` or ``'keep'``.
    holds_at_first : bool
        Whether brakes hold the robot until the first command.

    """

    step: int
    steps: int
    factor: float
    lockstep: bool
    timeout: float
    on_timeout: str
    holds_at_first: bool = True


class Successor(NamedTuple):
    """
    What takes the place of a robot that moves.

    Attributes
    ----------
    stepper : Stepper
        The new robot in the state in which it goes on.
    publish : callable
        As of ``SimulationLoop``.
    efforts : Vector
        Commands that act on it until others come.

    """

    stepper: Stepper
    publish: Publish
    efforts: Vector


class SimulationLoop:
    """
    A thread that moves a robot in time.

    Until the first effort command the brakes hold the robot, unless ``Timing.holds_at_first`` is
    false: its joints do not move. Without lockstep the newest command acts from the next
    integration step on. In lockstep time stands still after each published state until the command
    that answers it is there, however long that takes, as long as somebody is there who sends
    commands. When commands stop, ``Timing.on_timeout`` says what happens, and the next command
    ends it. Efforts act within the effort limits of the model. Where they still lead to a motion
    that is not finite, or faster than the stepper's ``fastest``, they are dropped and the brakes
    hold the robot where it was, until the next command.

    Parameters
    ----------
    stepper : Stepper
        The robot in its initial state.
    timing : Timing
        How time passes.
    publish : callable
        Called in the thread with time [ns], q, v and the efforts that act.
    warn : callable
        Takes one line for the log.
    expected : callable, optional
        Whether there is somebody who sends commands, though perhaps late.
    drives : callable, optional
        Returns what makes of commands the efforts that act; None: commands act as they are.

    """

    def __init__(self, stepper: Stepper, timing: Timing, *, publish: Publish,
                 warn: Callable[[str], object], expected: Callable[[], bool] = lambda: False,
                 drives: Callable[[], Drives | None] = lambda: None) -> None:
        self._stepper = stepper
        self._timing = timing
        self._publish = publish
        self._warn = warn
        self._expected = expected
        self._drives = drives
        self._begin = 0
        self._count = 0
        self._rest = stepper.rest
        self._efforts = self._rest
        self._answers = 0
        self._reset_at = -1
        self._arrival = 0.0
        self._released = not timing.holds_at_first   # by a command, or from the beginning
        self._driven = False
        self._stopped_at = float('-inf')
        self._lag_said = False
        self._concerns_said: set[str] = set()
        self._changed = threading.Condition()
        self._between_steps = threading.Lock()
        self._stop = False
        self._suspended = False
        self._paused = False
        self._periods = 0
        self._initial = stepper.q, stepper.v
        self._pace = RealTimeFactor(timing.factor, LARGEST_LAG[timing.lockstep])
        self._thread = threading.Thread(target=self._run, name='simulation', daemon=True)
        self.awaiting = False
        self.timeouts = 0
        self.resent = 0
        self.limited = 0
        self.stops = 0

    @property
    def simulated(self) -> float:
        """Return the simulated time since the beginning [s]."""
        return self._count * self._timing.step / SECOND

    @property
    def given_up(self) -> float:
        """Time by which the simulation fell behind the wall clock for good [s]."""
        return self._pace.given_up

    @property
    def configuration(self) -> tuple[Model, Vector]:
        """Return the robot that moves and where it is (nq,) after the newest step."""
        stepper = self._stepper
        return stepper.model, stepper.q

    @property
    def violation(self) -> float:
        """How far closed loops of the robot are open [m or 1]."""
        return self._stepper.violation

    @property
    def concerns(self) -> Mapping[str, str]:
        """Return what is wrong with how the robot meets the ground, as of ``Stepper``."""
        return self._stepper.concerns

    @property
    def driven(self) -> bool:
        """Whether efforts act; if not, none have come or they stopped coming."""
        return self._driven

    @property
    def braked(self) -> bool:
        """Whether the brakes hold the robot, because no efforts come; pushes move nothing then."""
        commanded = self._arrival > 0.0
        return not self._driven and (
            not self._released or (commanded and self._timing.on_timeout == 'brake'))

    def start(self, begin: int) -> None:
        """Begin; the initial state is that of a time [ns]."""
        self._begin = begin
        self._pace.restart(0.0)
        self._thread.start()

    def stop(self) -> None:
        """End; returns when the thread has ended."""
        with self._changed:
            self._stop = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()

    def command(self, efforts: Vector, answers: int | None) -> None:
        """
        Take efforts.

        Parameters
        ----------
        efforts : Vector
            As of ``Stepper.advance``, finite; they act within the limits of the model.
        answers : int or None
            Time of the state that they answer [ns]; None if the sender does not say.

        """
        given = self._stepper.within_limits(efforts)
        self.limited += given is not efforts
        with self._changed:
            now = self._now()
            if answers is None:
                answers = now
            if self._suspended or (self._timing.lockstep and self._driven and answers != now):
                return   # it answers a state that has passed
            self._answers = answers
            self._arrival, self._released = time.monotonic(), True
            self._efforts = given
            self._changed.notify()

    @property
    def paused(self) -> bool:
        """Whether simulated time stands still; the state is published all the same."""
        return self._paused

    def pause(self, paused: bool) -> None:
        """Let simulated time stand still after the next state, or go on."""
        with self._changed:
            self._paused, self._periods = paused, 0
            self._changed.notify()

    def suspend(self) -> None:
        """Stand still and publish nothing; the brakes hold the robot until commands come again."""
        with self._changed:
            self._suspended = True
            self._changed.notify()

    def resume(self, now: int | None) -> None:
        """Go on after that; where time is that of a clock [ns], it goes on from there."""
        with self._changed:
            if now is not None:
                self._begin += max(0, now - self._now())
            self._suspended = False
            self._changed.notify()

    def move(self, duration: float) -> None:
        """Go on for a simulated time [s], at least to the next state, and pause then."""
        period = self._timing.step * self._timing.steps / SECOND
        with self._changed:
            self._paused, self._periods = True, max(1, round(duration / period))
            self._changed.notify()

    def reset(self) -> None:
        """
        Put the robot where it began, at rest or as it moved then; time goes on.

        It stays there until efforts come that answer a state after the reset: those that answer
        one before would throw it.
        """
        with self._between_steps:
            self._stepper.set_state(*self._initial, time=self._stepper.time)
            self._reset_at = self._now()

    def change_pace(self, factor: float) -> None:
        """Go on at another number of simulated seconds per second."""
        self._pace.factor = factor
        self._pace.restart(self.simulated)

    def change_current(self, velocity: Sequence[float]) -> None:
        """Go on in another current, (3,) in world axes [m/s]."""
        self._stepper.change_current(velocity)

    def change_gravity(self, gravity: Sequence[float]) -> None:
        """Go on under another gravity, (3,) in world axes [m/s^2]."""
        self._stepper.change_gravity(gravity)

    def audit(self, wanted: bool) -> dict[str, float]:
        """
        Keep account of energy from now on, or no more; for whoever publishes, between two steps.

        Parameters
        ----------
        wanted : bool
            Whether to.

        Returns
        -------
        dict of str to float
            As of ``Stepper.energies``: empty at first.

        """
        self._stepper.audits = wanted
        return self._stepper.energies

    def push(self, push: Push) -> None:
        """Let a force act on a link from now on."""
        with self._between_steps:
            self._stepper.push(push)

    def exchange(self, make: Callable[[Vector, Vector, Vector], Successor]) -> None:
        """
        Put another robot in the place of the one that moves; time goes on.

        Parameters
        ----------
        make : callable
            Given q, v and the efforts that act, between two steps; whatever it raises is raised
            here, and the old robot goes on.

        """
        with self._between_steps:
            stepper = self._stepper
            self._stepper, self._publish, self._efforts = make(
                stepper.q, stepper.v, self._efforts)
            if _coordinates(self._stepper.model) != _coordinates(stepper.model):
                self._initial = self._stepper.q, self._stepper.v
            self._rest, self._concerns_said = self._stepper.rest, set()

    def publish_by(self, make: Callable[[], Publish]) -> None:
        """Publish by something else from now on, made between two steps."""
        with self._between_steps:
            self._publish = make()

    def _now(self) -> int:
        """Return the simulated time [ns]."""
        return self._begin + self._count * self._timing.step

    def _run(self) -> None:
        """Run until stopped."""
        while not self._stop:
            if self._is_suspended():
                continue
            self._send()
            if self._stands_still():
                continue
            if self._timing.lockstep:
                self._keep_in_step()
            else:
                self._keep_in_time()

    def _is_suspended(self) -> bool:
        """Wait as long as it is suspended; tell whether it was."""
        with self._changed:
            if not self._suspended:
                return False
            self._efforts, self._driven, self._arrival = self._rest, False, 0.0
            self._released = not self._timing.holds_at_first
        with self._between_steps:
            self._stepper.set_state(self._stepper.q, time=self._stepper.time)
        with self._changed:
            self._changed.wait_for(lambda: self._stop or not self._suspended)
            self._pace.restart(self.simulated)
            return True

    def _stands_still(self) -> bool:
        """Wait a while if it is paused; tell whether it still is."""
        with self._changed:
            if not self._paused:
                return False
            if self._periods == 0:
                self._changed.wait_for(lambda: self._stop or not self._paused or self._periods,
                                       timeout=RESEND)
                self._pace.restart(self.simulated)
                return True
            self._periods -= 1
            return False

    def _send(self) -> None:
        with self._between_steps:
            stepper = self._stepper
            self._publish(self._now(), stepper.q, stepper.v,
                          self._efforts if self._driven else self._rest)
            for name in stepper.concerns.keys() - self._concerns_said:
                self._warn(f'{stepper.concerns[name]} (logged once)')
            self._concerns_said |= stepper.concerns.keys()

    def _keep_in_time(self) -> None:
        """Move on by one publishing period, step by step, with the newest efforts."""
        for _ in range(self._timing.steps):
            self._wait_until_due(1)
            if self._stop or self._suspended:
                return
            late = time.monotonic() - self._arrival > self._timing.timeout
            self._note(self._arrival > 0.0 and not late)
            self._move(1)

    def _keep_in_step(self) -> None:
        """Wait for the answer to the published state, then move on by one period."""
        if self._driven:
            self._note(self._wait_for_answer())
        elif self._arrival > time.monotonic() - self._timing.timeout:
            self._driven = True   # from the next state on its answer is waited for
            self._wait_until_due(self._timing.steps)
            self._move(self._timing.steps, brake=True)
            return
        self._wait_until_due(self._timing.steps)
        if not (self._stop or self._suspended):
            self._move(self._timing.steps)

    def _wait_for_answer(self) -> bool:
        """
        Return whether the answer to the published state has come.

        Time is counted in looks: this thread, too, may not have had the processor.
        """
        looks = 0
        try:
            while not (self._stop or self._suspended):
                with self._changed:
                    if self._changed.wait_for(
                            lambda: self._stop or self._suspended or self._answers == self._now(),
                            timeout=RESEND):
                        return not self._suspended
                looks += not self._paused
                if looks * RESEND > self._timing.timeout:
                    if not self._expected():
                        return False
                    self._say_that_it_waits()
                self.resent += 1
                self._send()
            return False
        finally:
            self.awaiting = False

    def _say_that_it_waits(self) -> None:
        """Say once for each wait that simulated time stands still."""
        if not self.awaiting:
            self._warn(f'no effort command for {self._timing.timeout:g} s: simulated time stands '
                       'still until one comes, or until the topic has no publisher')
        self.awaiting = True

    def _wait_until_due(self, steps: int) -> None:
        """Wait until it is time for the state after some steps; say once when it is too late."""
        if self._pace.factor <= 0.0 and not self._driven:
            time.sleep(self._timing.step * self._timing.steps / SECOND)
        lag = self._pace.wait_for((self._count + steps) * self._timing.step / SECOND)
        if lag > 0.0 and not self._lag_said:
            self._lag_said = True
            self._warn(f'simulated time fell {lag:.3f} s behind real time and goes on from '
                       'there (logged once, counted in the diagnostics)')

    def _note(self, driven: bool) -> None:
        """Note whether efforts act, and say when they stop."""
        if self._suspended:
            return
        if self._driven and not driven and not self._stop:
            self.timeouts += 1
            action = {'brake': 'the brakes hold the robot', 'zero': 'the joints move freely',
                      'keep': 'the last efforts act on'}[self._timing.on_timeout]
            self._warn(f'no effort command for {self._timing.timeout:g} s: {action} until '
                       'commands come again')
        self._driven = driven

    def _move(self, steps: int, *, brake: bool = False) -> None:
        """Move on by integration steps."""
        with self._between_steps:
            self._move_on(steps, brake=brake)
        self._count += steps

    def _move_on(self, steps: int, *, brake: bool) -> None:
        stepper, timing = self._stepper, self._timing
        drives = self._drives()
        if brake or self.braked:
            if drives is not None:
                drives.release()
            if stepper.v.any():
                stepper.set_state(stepper.q, time=stepper.time)
            return
        if self._driven and self._answers <= self._reset_at:
            return
        efforts = self._efforts if self._driven or timing.on_timeout == 'keep' else self._rest
        before, time = stepper.q, stepper.time
        try:
            if drives is None:
                stepper.advance(efforts, steps * timing.step / SECOND)
            else:
                for _ in range(steps):
                    stepper.advance(drives.act(stepper.time, efforts), timing.step / SECOND)
        except MbdError as error:
            stepper.set_state(before, time=time)
            self._drop_efforts(str(error))

    def _drop_efforts(self, why: str) -> None:
        """Let the brakes hold the robot until the next command, as before the first one."""
        with self._changed:
            self._efforts, self._driven, self._arrival = self._rest, False, 0.0
            self._released = False
        self.stops += 1
        now = time.monotonic()
        if now - self._stopped_at > SAY_AGAIN:
            self._warn('the brakes hold the robot where it was, until the next effort command: '
                       f'{why}')
        self._stopped_at = now


def _coordinates(model: Model) -> tuple[object, ...]:
    """Return what two models have in common whose states mean the same."""
    return model.body_names, model.joint_types, model.elastic_names
