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

from mbd_ros.control.actuation import Actuation
from mbd_ros.control.loop_constraint import driven
from mbd_ros.control.nominal_model import NominalState
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.simulation.manifold import (
    checked, displacement, endless, joint_of_each_velocity, Vector)

IDLE_DAMPING = 1.0
"""Damping of a weightless robot [1/s]: a push of 1 rad/s is forgotten in a few seconds."""

TURN = 2.0 * math.pi


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
    ) -> None:
        for name, value in (('bandwidth', bandwidth), ('approach_speed', approach_speed)):
            if not value > 0.0 or math.isnan(value):
                raise InvalidValueError(name, value, 'a positive number')
        if not 0.0 <= robust_rate < math.inf:
            raise InvalidValueError('robust_rate', robust_rate, 'a number not below zero')
        model = dyn.model
        limits = model.effort_limits if effort_limits is None else np.array(effort_limits, float)
        if limits.shape != (model.nv,):
            raise ShapeError('effort_limits', limits.shape, f'({model.nv},)')
        if not (limits >= 0.0).all():
            raise InvalidValueError('effort_limits', limits.tolist(), 'numbers not below zero')
        self.dyn = dyn
        self.bandwidth = bandwidth
        self.approach_speed = approach_speed
        self.effort_limits = limits
        bounds = 0.2 * limits if robust_efforts is None else np.array(robust_efforts, float)
        if bounds.shape != (model.nv,):
            raise ShapeError('robust_efforts', bounds.shape, f'({model.nv},)')
        if not (bounds >= 0.0).all():
            raise InvalidValueError('robust_efforts', bounds.tolist(), 'numbers not below zero')
        self.actuation = None if actuation is None or actuation.complete else actuation
        self.robust_rate = robust_rate
        self.robust_efforts = bounds
        self._top = np.minimum(approach_speed, 0.5 * model.velocity_limits)
        self._endless = endless(model)
        self._some_endless = bool(self._endless.any())
        self._names = joint_of_each_velocity(model)

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
        model = self.dyn.model
        q = checked(model, 'q', q, model.nq)
        v = checked(model, 'v', v, model.nv)
        error = displacement(model, q, nominal.q)
        if self._some_endless:   # a measurement may count the turns, or not
            error = error - TURN * np.where(self._endless, np.round(error / TURN), 0.0)
        error_rate = nominal.v - v
        approach = np.minimum(np.maximum(0.5 * self.bandwidth * error, -self._top), self._top)
        wanted = nominal.accelerations + 2.0 * self.bandwidth * (error_rate + approach)
        if self.actuation is None or model.loops:
            effort = driven(self.dyn, q, self.dyn.inverse_dynamics(q, v, wanted), self.actuation)
        else:
            effort = self.actuation.efforts(
                self.dyn.mass_matrix(q), self.dyn.bias_forces(q, v), wanted)
        robust: Vector | None = None
        if self.robust_rate > 0.0:
            robust = self._robust(q, error_rate + 2.0 * approach)
            effort = effort + robust
        return self._limited(nominal.effort, effort - nominal.effort, error, error_rate, robust)

    def weightless(self, q: Vector, v: Vector) -> TrackingEffort:
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
        return self._limited(weight, damping, none, none, None)

    def _limited(self, nominal: Vector, feedback: Vector, error: Vector, error_rate: Vector,
                 robust: Vector | None) -> TrackingEffort:
        """Return efforts cut at their limits, with their parts."""
        effort = nominal + feedback
        limited = np.minimum(np.maximum(effort, -self.effort_limits), self.effort_limits)
        saturated: tuple[str, ...] = ()
        if (limited != effort).any():
            saturated = tuple(
                name for name, cut in zip(self._names, limited != effort) if cut)
        return TrackingEffort(limited, nominal, feedback, error, error_rate, saturated, robust)

    def _robust(self, q: Vector, s: Vector) -> Vector:
        """Return ``kappa M s``, shortened so that no joint exceeds its bound: ``s . u >= 0``."""
        term = driven(self.dyn, q, self.dyn.mass_matrix(q).dot(self.robust_rate * s),
                      self.actuation)
        excess = np.abs(term) > self.robust_efforts
        if excess.any():
            term *= float((self.robust_efforts[excess] / np.abs(term[excess])).min())
        return term
