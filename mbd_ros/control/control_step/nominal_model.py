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
The nominal model: the constrained robot, computed alongside the real one.

It integrates the Udwadia-Kalaba motion in steps of RK4, removes the violation after each, and so
supplies at any time a state on the constraint and the force that keeps the robot there.
"""

from __future__ import annotations

from collections.abc import Callable
import math

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.control_step.constrained_motion import ConstrainedMotion
from mbd_ros.control.control_step.constrained_step import corrected_step
from mbd_ros.control.control_step.observation import observation_parts
from mbd_ros.control.tracking.nominal_state import NominalState
from mbd_ros.control.udwadia_kalaba.drives import driven_entries
from mbd_ros.errors import DivergedError, InvalidValueError, NotFiniteError
from mbd_ros.execution.compiled_calls.fused import interpreted
from mbd_ros.simulation.manifold import checked, displacement, positive_time, Vector

STARTS = ('as_given', 'project')
ABSURD_SPEED = 1e4
"""A nominal model whose velocity exceeds this has diverged [rad/s or m/s]."""
SMALLEST_STEP = 1e-9
"""Times closer than this count as equal [s]; messages carry them in nanoseconds."""


class LazyState:
    """
    The state that a nominal model has reached at a time [s].

    ``unread`` is the state as machine code left it, None if nothing has left one there since;
    ``begun``: whether it is the result of a step, not the start.
    """

    def __init__(self, state: NominalState) -> None:
        self.time = state.time
        self.begun = False
        self.unread: Vector | None = None
        self._state: NominalState | None = state

    @property
    def state(self) -> NominalState:
        """Return the state at the time reached."""
        if self._state is None:
            assert self.unread is not None
            self._state = self._read(self.unread)
        return self._state

    def store_raw(self, time: float, unread: Vector, read: Callable[[Vector], NominalState]
                  ) -> None:
        """Take a state that is decoded on first access."""
        self.time, self.unread, self._read, self._state = time, unread, read, None
        self.begun = True

    def _reach(self, state: NominalState) -> NominalState:
        """Take a state."""
        self.time, self.unread, self._state = state.time, None, state
        self.begun = True
        return state


class NominalModel(LazyState):
    """
    A constrained robot, integrated up to given times.

    Parameters
    ----------
    motion : ConstrainedMotion
        Robot, constraint, applied force and elimination.
    q, v : array_like
        Start (nq,), (nv,); v is zero if not given.
    time : float, optional
        Time of the start [s].
    step : float, optional
        Longest integration step [s].
    start : {'as_given', 'project'}, optional
        ``'as_given'``: the first step leaves from the state as it is, and the eliminations pull
        it onto the constraint, as in the paper. ``'project'``: the state is put onto the
        constraint first; ``state.moved`` says how far it went.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If the start is not a state of the robot, the step is not positive, or the start cannot
        be projected onto the constraint.

    """

    def __init__(
        self,
        motion: ConstrainedMotion,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        time: float = 0.0,
        step: float = 0.002,
        start: str = 'as_given',
    ) -> None:
        self.motion = motion
        self.step = positive_time('step', step)
        super().__init__(self._started(q, v, time, start))

    def restart(
        self, q: ArrayLike, v: ArrayLike | None = None, *, time: float = 0.0,
        start: str = 'as_given',
    ) -> NominalState:
        """
        Begin anew from a state; if that state is refused, the old one stays.

        Parameters
        ----------
        q, v, time, start
            As in the constructor.

        Returns
        -------
        NominalState
            The state at the start.

        Raises
        ------
        ShapeError, NotFiniteError, InvalidValueError
            As in the constructor.

        """
        return self._reach(self._started(q, v, time, start))

    def observe(self, q: Vector, v: Vector) -> NominalState:
        """
        Take the uncontrolled part of the motion from a measured state.

        A nominal model has its own place for a floating base, or a passive joint, and no feedback
        could lead the robot there. Of the way ``e`` to the measured state the least that moves
        the actuated joints alike, ``S x = S e`` in the metric of M with closed loops held, is what
        these could do; the rest is taken. The nominal model is then where the robot will be once
        its actuated joints are where they should be.

        Parameters
        ----------
        q, v : Vector
            Measured state (nq,), (nv,) at the time reached.

        Returns
        -------
        NominalState
            The state; its violation is that before, the next step removes the difference.

        """
        old, dyn = self.state, self.motion.dyn
        way, pace = displacement(dyn.model, old.q, q), v - old.v
        code = self.motion.in_machine_code()
        seen = None if code is None else code.observed(old, way, pace, self.motion.tolerance)
        if seen is not None:
            return self._reach(seen)
        drives = driven_entries(dyn, self.motion.actuation)
        found = interpreted(('q', 'v', 'way', 'pace'), observation_parts(
            dyn, drives, self.motion.tolerance))(old.q, old.v, way, pace)
        place, velocity, _ = np.split(found, np.cumsum((dyn.model.nq, dyn.model.nv)))
        return self._reach(self._solved(
            old.time, place, velocity, old.violation_before, old.violation, old.moved))

    def refresh(self) -> NominalState:
        """Solve anew where it is, after the motion's dynamics have changed."""
        old = self.state
        return self._reach(self._solved(
            old.time, old.q, old.v, old.violation_before, old.violation, old.moved))

    def advance_to(self, time: float) -> NominalState:
        """
        Integrate up to a time.

        Parameters
        ----------
        time : float
            Time to reach [s]; the way there is cut into equal steps not longer than ``step``.

        Returns
        -------
        NominalState
            The state at that time; the present one if the time is not later (a clock that was
            set back needs ``restart``).

        Raises
        ------
        NotFiniteError
            If the time is not finite.
        DivergedError
            If the motion cannot be continued; the state stays the last good one.

        """
        if not math.isfinite(time):
            raise NotFiniteError('time', 'the nominal model', time)
        span = time - self.time
        if span < SMALLEST_STEP:
            return self.state
        count = math.ceil(span / self.step - SMALLEST_STEP / self.step)
        begin = self.time
        for index in range(1, count + 1):
            self._advance(begin + span * index / count)
        return self.state

    def _advance(self, time: float) -> None:
        """Take one step and remove the violation it ends with."""
        old = self.state
        regular = self.motion.regular_step(old.time, old.q, old.v, old.accelerations, time)
        if regular is not None:
            self._reach(regular)
            return
        try:
            q, v, found = corrected_step(
                self.motion.dyn.model, self.motion.acceleration,
                lambda q, v: self._corrected(time, q, v), old.time, old.q, old.v, time - old.time,
                old.accelerations)
            self._reach(self._solved(time, q, v, *found))
        except (NotFiniteError, InvalidValueError) as error:
            raise DivergedError(
                old.time, 'the constraint asks for accelerations of up to '
                f'{np.abs(old.accelerations).max():.3g} there, {old.rank} of its rows are '
                f'independent and it is violated by {old.violation:.3g} [m, rad]; near a '
                "singularity start elsewhere, or with start='project'") from error

    def _corrected(self, time: float, q: Vector, v: Vector
                   ) -> tuple[Vector, Vector, tuple[float, float, float]]:
        """Return q and v on the constraint; its violation before and after, and the way."""
        if not v.dot(v) < ABSURD_SPEED**2:
            raise InvalidValueError('v', v.tolist(), 'possible velocities')
        report = self.motion.eliminate(time, q, v)
        if report is None:
            size = self.motion.violation(time, q)
            return q, v, (size, size, 0.0)
        return report.q, report.v, (report.violation_before, report.violation, report.moved)

    def _started(
        self, q: ArrayLike, v: ArrayLike | None, time: float, start: str,
    ) -> NominalState:
        """Return the checked state at the start."""
        model = self.motion.dyn.model
        if start not in STARTS:
            raise InvalidValueError('start', start, ' or '.join(STARTS))
        configuration = checked(model, 'q', q, model.nq).copy()
        velocity = np.zeros(model.nv) if v is None else checked(model, 'v', v, model.nv).copy()
        if start == 'as_given':
            size = self.motion.violation(time, configuration)
            return self._solved(time, configuration, velocity, size, size, 0.0)
        report = self.motion.project(configuration, velocity, time)
        return self._solved(time, report.q, report.v, report.violation_before, report.violation,
                            report.moved)

    def _solved(self, time: float, q: Vector, v: Vector, before: float, after: float, moved: float
                ) -> NominalState:
        """Return a nominal state with the forces and accelerations it has."""
        applied, solution = self.motion.solve(time, q, v)
        effort = self.motion.efforts(q, applied + solution.constraint_force)
        return NominalState(
            time, q, v, solution.accelerations, effort, applied, solution.constraint_force, before,
            after, moved, solution.rank, solution.conflicting, solution.multipliers)
