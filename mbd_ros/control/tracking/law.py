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
The tracking law: nominal force plus feedback.

For a plant at (q, v) with errors ``e = q_n - q`` and ``ed = v_n - v`` against the nominal model

    effort = M(q) (qdd_n + K_d (ed + approach(e))) + h(q, v)   (inverse dynamics of the plant),
    nominal = M(q_n) qdd_n + h(q_n, v_n) = applied + Q_c       (what the nominal model needs),
    feedback = effort - nominal.

With exact model data the errors obey ``edd + K_d ed + K_d approach(e) = 0``, the same for every
joint and configuration. Near the path ``approach(e) = (K_p / K_d) e``, so that this is the linear
law ``edd + K_d ed + K_p e = 0``; far from it the approach speed is bounded, because the nominal
model may jump onto its path in one step where a real arm must not follow at any speed.

Where the data are not exact, a bounded robust term draws ``s = ed + 2 approach(e)`` to zero:
``u = kappa M(q) s``, shortened as a whole to what each joint is allowed. In its boundary layer it
is a stiffer feedback, outside a force of fixed size against the error, as that of a sliding mode;
``robustness.py`` has the bound on the error and its proof.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.references.scalars import (
    absolute, all_positive, clipped, difference, Row, smallest, square, sum_of)
from mbd_ros.control.tracking.adaptation import Adaptation
from mbd_ros.control.tracking.nominal_state import NominalState
from mbd_ros.control.udwadia_kalaba.actuation import Actuation
from mbd_ros.control.udwadia_kalaba.drives import drive_call, driven
from mbd_ros.control.udwadia_kalaba.rank_facts import empty_rank_report, FACTS, gaps
from mbd_ros.control.udwadia_kalaba.robot_code import has_machine_code, robot_call
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.execution.compiled_calls.fused import Computed, Fused, fused, interpreted, KernelCall
from mbd_ros.execution.ir.trace import Operand, Symbol
from mbd_ros.model import Model
from mbd_ros.on_demand import former
from mbd_ros.simulation.manifold import (
    checked, displaced, displacement, endless, is_flat, joint_of_each_velocity, Vector)
from mbd_ros.spatial import larger, Scalar
from mbd_ros.spatial.rank_thresholds import CLEARLY_FREE

IDLE_DAMPING = 1.0
"""Damping of a weightless robot [1/s]: a push of 1 rad/s is forgotten in a few seconds."""

TURN = 2.0 * math.pi
RAMP = 0.5
"""Time in which gains change to those that are asked for [s]."""
HUGE = 1e300
"""The inverse of a bound that is zero."""


def approach(error: Row, gains: Row) -> Row:
    """Return the speeds at which errors are reduced, on scalars."""
    w, _, *speeds = gains
    return [clipped(0.5 * w * e, top) for e, top in zip(error, speeds)]


class TrackingEffort(NamedTuple):
    """
    Efforts for a plant, with their parts.

    Attributes
    ----------
    effort : Vector
        What the joints are to exert (nv,), within the limits [N m or N].
    nominal : Vector
        The nominal model's effort, applied force plus constraint force (nv,).
    feedback : Vector
        ``effort - nominal`` before the limits were applied (nv,).
    error, error_rate : Vector
        ``q_n - q`` and ``v_n - v`` (nv,); the shorter way at joints that turn without end.
    saturated : tuple of str
        Joints whose effort was cut at its limit.
    robust : Vector or None
        The robust term, a part of the feedback (nv,); None without one.

    """

    effort: Vector
    nominal: Vector
    feedback: Vector
    error: Vector
    error_rate: Vector
    saturated: tuple[str, ...]
    robust: Vector | None = None


class TrackingLaw:
    """
    Efforts that lead a plant to the nominal model and keep it there.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics, ``mbd_ros.compile(model)``.
    bandwidth : float, optional
        ``w`` of the error dynamics [rad/s], ``K_p = w^2``, ``K_d = 2 w`` (critically damped: no
        overshoot, one number to choose). A loop closed over messages at 500 Hz has about 4 ms of
        dead time T; the gain crosses over near 2 w, so that w = 15 keeps 2 w T = 0.12 rad, far
        from the half radian at which damping visibly suffers, and still forgets an error of 1 rad
        to below 1e-4 rad in one second.
    approach_speed : float, optional
        Largest speed at which an error is reduced [rad/s or m/s]; half a joint's velocity limit
        where that is less.
    effort_limits : array_like, optional
        Largest efforts (nv,); those of the model if not given.
    robust_rate : float, optional
        ``kappa`` of the robust term [1/s]; zero: there is none. It adds to the gain on the error
        rate, 2 w, and is limited by the same dead time: the sum times that should stay below half
        a radian.
    robust_efforts : array_like, optional
        Largest robust term (nv,); a fifth of the effort limits if not given.
    actuation : Actuation, optional
        Which joints have an actuator; all if not given. The others move as they are driven.
    adaptation : Adaptation, optional
        Estimates mass errors and payload; its term counts as part of the robust one.

    Raises
    ------
    InvalidValueError, ShapeError
        If a gain is not positive or the limits do not fit.

    """

    def __init__(
        self,
        dyn: PreparedDynamics,
        *,
        bandwidth: float = 15.0,
        approach_speed: float = 1.5,
        effort_limits: ArrayLike | None = None,
        robust_rate: float = 0.0,
        robust_efforts: ArrayLike | None = None,
        actuation: Actuation | None = None,
        adaptation: Adaptation | None = None,
    ) -> None:
        model = dyn.model
        limits = model.effort_limits if effort_limits is None else np.array(effort_limits, float)
        if limits.shape != (model.nv,):
            raise ShapeError('effort_limits', limits.shape, f'({model.nv},)')
        if not (limits >= 0.0).all():
            raise InvalidValueError('effort_limits', limits.tolist(), 'numbers not below zero')
        self.dyn = dyn
        self.effort_limits = limits
        bounds = 0.2 * limits if robust_efforts is None else np.array(robust_efforts, float)
        if bounds.shape != (model.nv,):
            raise ShapeError('robust_efforts', bounds.shape, f'({model.nv},)')
        if not (bounds >= 0.0).all():
            raise InvalidValueError('robust_efforts', bounds.tolist(), 'numbers not below zero')
        self.actuation = None if actuation is None or actuation.complete else actuation
        self.adaptation = adaptation
        self.robust_efforts = bounds
        self._robust = robust_rate > 0.0
        self.gains = self._gains(bandwidth, approach_speed, robust_rate)
        self._ramp: tuple[Vector, Vector, float] | None = None   # from, to, time gone [s]
        self._endless, self._flat = endless(model), is_flat(model)
        self._codes: dict[PreparedDynamics, Fused | None] = {}
        self.names = joint_of_each_velocity(model)

    def _gains(self, bandwidth: float, approach_speed: float, robust_rate: float) -> Vector:
        """Return ``w``, ``kappa`` and the approach speed of each entry of v, (2 + nv,)."""
        for name, value in (('bandwidth', bandwidth), ('approach_speed', approach_speed)):
            if not value > 0.0 or math.isnan(value):
                raise InvalidValueError(name, value, 'a positive number')
        if not 0.0 <= robust_rate < math.inf:
            raise InvalidValueError('robust_rate', robust_rate, 'a number not below zero')
        if robust_rate > 0.0 and not self._robust:
            raise InvalidValueError('robust_rate', robust_rate, (
                '0 while it runs: the law began without a robust term, which its code lacks'))
        return np.concatenate(((bandwidth, robust_rate), np.minimum(
            approach_speed, 0.5 * self.dyn.model.velocity_limits)))

    @property
    def bandwidth(self) -> float:
        """``w`` as it is now [rad/s]."""
        return float(self.gains[0])

    @property
    def robust_rate(self) -> float:
        """``kappa`` as it is now [1/s]."""
        return float(self.gains[1])

    @property
    def approach_speeds(self) -> Vector:
        """Largest speeds (nv,) at which errors are reduced, as they are now [rad/s or m/s]."""
        return self.gains[2:]

    def change_gains(self, *, bandwidth: float, approach_speed: float, robust_rate: float,
                     adaptation_rate: float = 0.0) -> None:
        """
        Change gains while the law is in use, within ``RAMP`` as ``settle`` is called.

        Parameters
        ----------
        bandwidth, approach_speed, robust_rate : float
            As of the law.
        adaptation_rate : float, optional
            As of ``Adaptation``; 0: what was learned stays.

        Raises
        ------
        InvalidValueError
            If a gain is not allowed, or is one of a term that the law began without.

        """
        aim = self._gains(bandwidth, approach_speed, robust_rate)
        if not 0.0 <= adaptation_rate < math.inf:
            raise InvalidValueError('adaptation_rate', adaptation_rate, 'a number not below zero')
        if self.adaptation is not None:
            self.adaptation.rate = adaptation_rate
        elif adaptation_rate != 0.0:
            raise InvalidValueError('adaptation_rate', adaptation_rate,
                                    '0 while it runs: the law began without learning')
        self._ramp = None if np.array_equal(aim, self.gains) else (self.gains.copy(), aim, 0.0)

    @property
    def robust(self) -> bool:
        """Whether it has a robust term, though its gain may be zero now."""
        return self._robust

    def needs_new_terms(self, robust_rate: float, adaptation_rate: float) -> bool:
        """Tell whether these gains are of a term that the law began without."""
        return (robust_rate > 0.0 and not self._robust) or (
            adaptation_rate > 0.0 and self.adaptation is None)

    def take_over(self, other: TrackingLaw) -> None:
        """Begin with the dynamics and gains of another law, and what that has learned."""
        self.dyn, self.gains, self._ramp = other.dyn, other.gains.copy(), None
        self.adaptation = other.adaptation or self.adaptation

    def ramp_gains(self, duration: float) -> None:
        """Bring gains nearer to those asked for, after some time [s]."""
        if self._ramp is None:
            return
        start, aim, gone = self._ramp
        gone = min(gone + max(duration, 0.0), RAMP)
        at_end = gone == RAMP
        known = np.isfinite(start) & np.isfinite(aim)   # bounds may be infinite: no way between
        self.gains = aim.copy()
        if not at_end:
            self.gains[known] = start[known] + gone / RAMP * (aim[known] - start[known])
        self._ramp = None if at_end else (start, aim, gone)

    def efforts(self, nominal: NominalState, q: Vector, v: Vector) -> TrackingEffort:
        """
        Return the efforts for a plant's state.

        Parameters
        ----------
        nominal : NominalState
            The nominal model at the time at which the plant's state was *measured*: a state that
            arrives 3 ms late belongs to where the nominal model was 3 ms ago.
        q, v : Vector
            Measured configuration (nq,) and velocity (nv,).

        Returns
        -------
        TrackingEffort
            Efforts and their parts, all finite.

        Raises
        ------
        ShapeError, NotFiniteError
            If q or v are not a state of the robot.

        """
        found = self._fixed(nominal, q, v)
        return found if self.adaptation is None else self._adapted(nominal, q, v, found)

    def turns(self, error: Vector) -> Vector:
        """Return the whole turns in errors (nv,) of joints without end, which mean nothing."""
        turns: Vector = TURN * np.where(self._endless, np.round(error / TURN), 0.0)
        return turns

    def _fixed(self, nominal: NominalState, q: Vector, v: Vector) -> TrackingEffort:
        """Return the efforts without what is learned, by machine code where there is some."""
        code, first = self.machine_code(), nominal.q
        if code is not None and not self._flat:
            first = displacement(self.dyn.model, q, nominal.q)
        found = None if code is None else code.call(
            first, nominal.v, nominal.accelerations, nominal.effort, q, v, self.gains)
        if found is None or not all_positive(
                validity_margins(found[5 * self.dyn.model.nv:].tolist())):
            found = self._interpreted(nominal, q, v)
        return self.read(found, nominal.effort)

    def read(self, found: Vector, nominal: Vector) -> TrackingEffort:
        """Return what the machine code of the law gave for a nominal effort (nv,)."""
        n = self.dyn.model.nv
        effort, feedback = found[:n], found[n:2 * n]
        return TrackingEffort(
            effort, nominal, feedback, found[2 * n:3 * n], found[3 * n:4 * n],
            self._cut(nominal + feedback) if found[5 * n] > 0.0 else (),
            found[4 * n:5 * n] if self._robust else None)

    def _adapted(self, nominal: NominalState, q: Vector, v: Vector, found: TrackingEffort
                 ) -> TrackingEffort:
        """Return efforts with the adaptive term; near the path it learns from the error."""
        assert self.adaptation is not None
        w, error = self.bandwidth, found.error
        s = found.error_rate + w * error
        term, Y = self.adaptation.term(
            self.dyn, q, v, nominal.accelerations + w * found.error_rate)
        result = self._limited(
            nominal.effort, nominal.effort + found.feedback + term, error, found.error_rate,
            term if found.robust is None else term + found.robust)
        if not result.saturated and (0.5 * w * np.abs(error) < self.approach_speeds).all():
            self.adaptation.learn(self.dyn, nominal.time, q, Y, s, w + self.robust_rate)
        return result

    @staticmethod
    def wanted(error: Row, error_rate: Row, accelerations: Row, gains: Row) -> tuple[Row, Row]:
        """Return ``qdd_n + K_d (ed + approach(e))`` and ``s = ed + 2 approach(e)``, on scalars."""
        w, nearer = gains[0], approach(error, gains)
        return ([a + 2.0 * w * (rate + x) for a, rate, x in zip(
            accelerations, error_rate, nearer)],
            [rate + 2.0 * x for rate, x in zip(error_rate, nearer)])

    def positions(self, nominal: NominalState, ahead: float) -> Vector:
        """
        Return where drives that take positions are to be (nq,).

        Parameters
        ----------
        nominal : NominalState
            The nominal model.
        ahead : float
            How long drives take to get there [s]: the place is that of so much later.

        """
        return displaced(self.dyn.model, nominal.q, ahead * nominal.v)

    def velocities(self, nominal: NominalState, error: Vector) -> Vector:
        """
        Return what drives that take velocities are to do, ``v_n + approach(e)`` (nv,).

        Parameters
        ----------
        nominal : NominalState
            The nominal model.
        error : Vector
            ``e = q_n - q`` (nv,).

        """
        return nominal.v + np.array(approach(error.tolist(), self.gains.tolist()))

    def shortened(self, term: Row) -> Row:
        """Return ``kappa M s`` so short that no joint exceeds its bound: ``s . u >= 0``."""
        excess: Scalar = 1.0
        for u, bound in zip(term, self.robust_efforts.tolist()):
            excess = larger(excess, absolute(u) * (1.0 / bound if bound else HUGE))
        return [u / excess for u in term]

    def parts(self, dyn: PreparedDynamics
              ) -> tuple[dict[str, int], list[KernelCall | Computed]]:
        """
        Return the inputs of the law with their sizes, and its parts.

        ``(q_n, v_n, qdd_n, effort_n, q, v, gains)`` to effort within the limits, feedback, error,
        error rate and robust term (nv,) each; then the largest cut of an effort, the largest error
        of a joint that turns without end, and the facts about drives (``validity_margins``). In
        place of ``q_n`` it takes the error (nv,) where configurations do not just add.
        """
        model = dyn.model
        n, robust, flat = model.nv, self._robust, is_flat(model)
        shared = bool(model.loops) or self.actuation is not None

        def errors(given: dict[str, list[Symbol]]) -> tuple[Row, Row, Row, Row]:
            """Return error, its rate, the accelerations asked for, and s."""
            error = list(given['q_n'])
            if flat:
                error = difference(error, list(given['q']))
            rate = difference(list(given['v_n']), list(given['v']))
            return (error, rate, *self.wanted(
                error, rate, list(given['a_n']), list(given['gains'])))

        def robust_term(given: dict[str, list[Symbol]]) -> Row:
            """Return ``kappa M s``."""
            return [given['gains'][1] * sum_of(m * x for m, x in zip(row, errors(given)[3]))
                    for row in square(given['M'], n)]

        def results(given: dict[str, list[Symbol]]) -> list[Operand]:
            error, rate, _, _ = errors(given)
            effort: Row = list(given['efforts'][:n])
            term: Row = [0.0] * n
            if robust:
                term = self.shortened(list(given['robust'][:n]))
                effort = [x + y for x, y in zip(effort, term)]
            limited = [clipped(x, limit) for x, limit in zip(effort, self.effort_limits.tolist())]
            turning = [absolute(e) for e, free in zip(error, endless(model)) if free]
            facts = list(given['efforts'][n:]) if shared else empty_rank_report()
            return [*limited, *difference(effort, list(given['f_n'])), *error, *rate, *term,
                    -smallest([-absolute(x - y) for x, y in zip(effort, limited)]),
                    -smallest([-angle for angle in turning]) if turning else 0.0, *facts]
        parts: list[KernelCall | Computed] = [
            Computed(lambda given: errors(given)[2], 'wanted', n),
            robot_call(dyn, 'inverse_dynamics', 'tau' if shared else 'efforts', n, 'q', 'v',
                       'wanted')]
        if shared:
            parts.append(drive_call(dyn, self.actuation, 'q', 'tau', 'efforts'))
        if robust:
            parts += [robot_call(dyn, 'mass_matrix', 'M', n * n, 'q'),
                      Computed(robust_term, 'term' if shared else 'robust', n)]
            if shared:
                parts.append(drive_call(dyn, self.actuation, 'q', 'term', 'robust'))
        inputs = {'q_n': model.nq if flat else n, 'v_n': n, 'a_n': n, 'f_n': n, 'q': model.nq,
                  'v': n, 'gains': 2 + n}
        return inputs, [*parts, Computed(results, 'all', law_size(model))]

    def _interpreted(self, nominal: NominalState, q: Vector, v: Vector) -> Vector:
        """Return what the machine code of the law gives, where it is none or not right."""
        model = self.dyn.model
        q, v = checked(model, 'q', q, model.nq), checked(model, 'v', v, model.nv)
        error = displacement(model, q, nominal.q)
        turns = self.turns(error)   # a measurement may count them, or not
        first = nominal.q - turns if self._flat else error - turns
        inputs, parts = self.parts(self.dyn)
        return interpreted(list(inputs), parts)(
            first, nominal.v, nominal.accelerations, nominal.effort, q, v, self.gains)

    def gravity_compensation(self, q: Vector, v: Vector) -> TrackingEffort:
        """
        Return the efforts that carry the weight, with a little damping: a robot at ease.

        Parameters
        ----------
        q, v : Vector
            Measured configuration (nq,) and velocity (nv,).

        Returns
        -------
        TrackingEffort
            ``g(q) - IDLE_DAMPING diag(M) v`` within the limits.

        Raises
        ------
        ShapeError, NotFiniteError
            If q or v are not a state of the robot.

        """
        model = self.dyn.model
        q, v = checked(model, 'q', q, model.nq), checked(model, 'v', v, model.nv)
        none = np.zeros(model.nv)
        weight = driven(self.dyn, q, self.dyn.bias_forces(q, none), self.actuation)
        damping = driven(self.dyn, q, -IDLE_DAMPING * self.dyn.mass_matrix(q).diagonal() * v,
                         self.actuation)
        return self._limited(weight, weight + damping, none, none, None)

    def machine_code(self, dyn: PreparedDynamics | None = None) -> Fused | None:
        """
        Return the law in one call, where the robot has machine code for it.

        For its dynamics, or for those that ``dyn`` will be, in any thread.
        """
        dyn, known = self.dyn if dyn is None else dyn, self._codes
        if dyn not in known:
            found = None
            if has_machine_code(dyn) and dyn.machine_code('inverse_dynamics') is not None:
                inputs, parts = self.parts(dyn)
                found = fused(inputs, parts, 'tracking_law', (dyn, parts))
            known = {**{one: code for one, code in known.items() if one is self.dyn}, dyn: found}
            self._codes = known
        return known[dyn]

    def _limited(self, nominal: Vector, effort: Vector, error: Vector, error_rate: Vector,
                 robust: Vector | None) -> TrackingEffort:
        """Return efforts cut at their limits, with their parts."""
        limited = np.array([clipped(x, limit) for x, limit in zip(
            effort.tolist(), self.effort_limits.tolist())])
        return TrackingEffort(limited, nominal, effort - nominal, error, error_rate,
                              self._cut(effort), robust)

    def with_more(self, found: TrackingEffort, more: Vector) -> TrackingEffort:
        """Return efforts with what the nominal model lacks (nv,), within their limits."""
        nominal = found.nominal + more
        return self._limited(nominal, nominal + found.feedback, found.error, found.error_rate,
                             found.robust)

    def _cut(self, effort: Vector) -> tuple[str, ...]:
        """Return the joints whose effort is cut."""
        beyond = np.abs(effort) > self.effort_limits
        return tuple(name for name, cut in zip(self.names, beyond) if cut)

    lacks = former('lacks', needs_new_terms)
    settle = former('settle', ramp_gains)
    weightless = former('weightless', gravity_compensation)


def law_size(model: Model) -> int:
    """Return the number of entries that the machine code of a law gives."""
    return 5 * model.nv + 2 + FACTS


def validity_margins(facts: Row) -> Row:
    """
    Return what is positive where a law's machine code is right, from what follows its vectors.

    How far no endless joint is from half a turn away [rad], and how clear it is which motions of
    the loops the actuators control.
    """
    _, turned, *drives = facts
    return [math.pi - turned, *gaps(drives, CLEARLY_FREE)]
