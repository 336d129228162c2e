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
SciPy's integrators, with variable step and order, for motions on a manifold.

The state is ``(q, v, work)``; after each step the motion corrects q and v, and the integrator goes
on from there. Between steps its own interpolant gives the state, corrected likewise.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy  # loads its parts when they are asked for: 0.2 s that few need

from mbd_ros.errors import DivergedError, InvalidValueError, NotFiniteError
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import is_flat, normalized, rate, Vector
from mbd_ros.simulation.motion import Motion

SHARE = {'dop853': 0.02, 'rk45': 0.2, 'bdf': 0.2, 'radau': 0.2}
"""Of the tolerances that a step gets; a tenth of them takes order 8 a third more steps."""
SMALLEST_RTOL = 1e-13
"""SciPy takes none much below a hundred times machine epsilon."""
METHODS = {'dop853': 'DOP853', 'rk45': 'RK45', 'bdf': 'BDF', 'radau': 'Radau'}
IMPLICIT = ('bdf', 'radau')

Event = Callable[[float, Vector, Vector], float]
"""``(t, q, v)`` to a number whose zeros are wanted; its attribute ``terminal`` ends the run."""


class Crossing(NamedTuple):
    """Where an event function is zero: its number, time [s] and state."""

    event: int
    time: float
    q: Vector
    v: Vector


class DenseState:
    """
    The state at any time of a run.

    Parameters
    ----------
    model : Model
        The robot.
    motion : Motion
        Corrects what is interpolated.
    times : sequence of float
        Ends of the steps [s].
    pieces : sequence
        The interpolant of each step.

    """

    def __init__(self, model: Model, motion: Motion, times: Sequence[float], pieces: Sequence[Any]
                 ) -> None:
        self._model, self._motion = model, motion
        self._solution = scipy.integrate.OdeSolution(times, pieces)

    def __call__(self, t: float) -> tuple[Vector, Vector]:
        """Return q (nq,) and v (nv,) at a time [s]."""
        q, v, _ = self.with_work(t)
        return q, v

    def with_work(self, t: float) -> tuple[Vector, Vector, Vector]:
        """Return q, v and the work that each power has done since the start [J]."""
        y = self._solution(t)
        nq, end = self._model.nq, self._model.nq + self._model.nv
        q, v = self._motion.correct(t, normalized(self._model, y[:nq]), y[nq:end])
        return q, v, y[end:]


class Run(NamedTuple):
    """An integrated motion: ends of steps (K,), states (K, nq), (K, nv), works (K, p)."""

    time: Vector
    q: Vector
    v: Vector
    work: Vector
    crossings: tuple[Crossing, ...]
    dense: DenseState | None
    evaluations: int


@np.errstate(over='ignore', invalid='ignore')   # a state that is not finite is told as such
def integrate(
    model: Model, motion: Motion,
    rates_of: Callable[[float, Vector, Vector], tuple[Vector, Vector]], q: Vector, v: Vector,
    duration: float, *, method: str = 'dop853', rtol: float = 1e-8,
    atol: float = 1e-10, max_step: float = np.inf, events: Sequence[Event] = (),
    dense: bool = False,
    jacobian: Callable[[float, Vector, Vector], tuple[Vector, Vector]] | None = None,
    correct: Callable[[float, Vector, Vector], tuple[Vector, Vector]] | None = None,
) -> Run:
    """
    Return a motion with steps chosen by the integrator.

    Parameters
    ----------
    model : Model
        The robot.
    motion : Motion
        What is integrated.
    rates_of : callable
        ``(t, q, v)`` to vdot and the powers (p,) whose work is wanted [W].
    q, v : Vector
        State at time 0.
    duration : float
        [s].
    method : str
        ``'dop853'``, ``'rk45'``, ``'bdf'`` or ``'radau'``.
    rtol, atol : float
        Tolerances; a step gets ``SHARE`` of them, as errors add up.
    max_step : float
        [s].
    events : sequence of callable
        See ``Event``.
    dense : bool
        Whether to keep the interpolants.
    jacobian : callable, optional
        ``(t, q, v)`` to the derivatives (nv, nv) of vdot with respect to q and v, for implicit
        methods.
    correct : callable, optional
        Called after each step instead of the motion's own.

    Returns
    -------
    Run
        States at the ends of the steps.

    Raises
    ------
    InvalidValueError
        If there is no such method.
    DivergedError
        If the integrator gives up or the motion stops being finite.

    """
    if method not in METHODS:
        raise InvalidValueError('method', method, "'rk4', " + ', '.join(map(repr, METHODS)))
    nq, correct = model.nq, correct or motion.correct
    end, works = nq + model.nv, len(rates_of(0.0, q, v)[1])

    def rates(t: float, y: Vector) -> Vector:
        result, place, speed = np.empty(len(y)), y[:nq], y[nq:end]
        result[:nq] = rate(model, place, speed)
        result[nq:end], result[end:] = rates_of(t, place, speed)
        return result

    share = SHARE[method]
    options: dict[str, Any] = {'rtol': max(share * rtol, SMALLEST_RTOL), 'atol': share * atol,
                               'max_step': max_step}
    if method in IMPLICIT and jacobian is not None and is_flat(model):
        options['jac'] = _jacobian_of_state(model.nv, works, jacobian)
    times, states, pieces = [0.0], [np.concatenate([q, v, np.zeros(works)])], []
    crossings: list[Crossing] = []
    try:
        solver = getattr(scipy.integrate, METHODS[method])(
            rates, 0.0, states[0], duration, **options)
        before = [event(0.0, q, v) for event in events]
        while solver.status == 'running':
            message = solver.step()
            if solver.status == 'failed' or not np.isfinite(solver.y).all():
                raise DivergedError(times[-1], str(message or 'the state is not finite'))
            if dense or events:
                pieces.append(solver.dense_output())
            place = normalized(model, solver.y[:nq])
            corrected = np.concatenate([*correct(solver.t, place, solver.y[nq:end]),
                                        solver.y[end:]])
            _continue_from(solver, corrected)
            times.append(solver.t)
            states.append(corrected)
            if not events:
                continue
            piece = DenseState(model, motion, times[-2:], pieces[-1:])
            found, before = _crossings(events, before, piece, times[-2], times[-1])
            crossings += found
            ends = [one for one in found if getattr(events[one.event], 'terminal', False)]
            if ends:
                last = min(ends, key=lambda one: one.time)
                work = piece.with_work(last.time)[2]
                times[-1], states[-1] = last.time, np.concatenate([last.q, last.v, work])
                crossings = [one for one in crossings if one.time <= last.time]
                break
    except (NotFiniteError, InvalidValueError) as error:
        raise DivergedError(times[-1], str(error)) from error
    except ValueError as error:
        if 'infs or NaNs' not in str(error):   # of SciPy's factorization
            raise
        raise DivergedError(times[-1], 'the derivatives of the rates are not finite') from None
    table = np.array(states)
    return Run(np.array(times), table[:, :nq], table[:, nq:end], table[:, end:], tuple(crossings),
               DenseState(model, motion, times, pieces) if dense else None, int(solver.nfev))


def _continue_from(solver: Any, state: Vector) -> None:
    """Let an integrator go on from a corrected state."""
    change = state - solver.y
    if not change.any():
        return
    solver.y = state
    if isinstance(solver, scipy.integrate.BDF):
        solver.D[0] += change
    else:
        solver.f = solver.fun(solver.t, state)


def _jacobian_of_state(
    nv: int, works: int, jacobian: Callable[[float, Vector, Vector], tuple[Vector, Vector]],
) -> Callable[[float, Vector], Vector]:
    def whole(t: float, y: Vector) -> Vector:
        n = 2 * nv
        matrix = np.zeros((n + works, n + works))
        matrix[:nv, nv:n] = np.eye(nv)
        matrix[nv:n, :nv], matrix[nv:n, nv:n] = jacobian(t, y[:nv], y[nv:n])
        return matrix  # work depends on the state, but nothing on work

    return whole


def _crossings(events: Sequence[Event], before: Sequence[float], dense: DenseState, start: float,
               end: float) -> tuple[list[Crossing], list[float]]:
    """Return the zeros of events within a step, and their values at its end."""
    after, found = [], []
    for number, (event, old) in enumerate(zip(events, before)):
        def value(t: float, event: Event = event) -> float:
            return float(event(t, *dense(t)))
        new = value(end)
        after.append(new)
        if old * new < 0.0 or (new == 0.0 and old != 0.0):
            t = float(scipy.optimize.brentq(value, start, end, xtol=1e-14)) if new else end
            found.append(Crossing(number, t, *dense(t)))
    return sorted(found, key=lambda one: one.time), after
