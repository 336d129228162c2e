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
Bound on the tracking error of a plant that differs from its model, with the proof.

Plant ``M qdd + h = tau``, model ``M^, h^``, error ``e = q_n - q``. Near the path the law is
``tau = M^ (qdd_n + k_1 ed + k_0 e) + h^`` with ``k_1 = 2 w + kappa``, ``k_0 = w (w + kappa)``, the
robust term included. Then exactly, with ``M^-1 M^ = 1 - E``,

    edd + (1 - E) (k_1 ed + k_0 e) = d,    d = M^-1 ((M - M^) qdd_n + h - h^).

Let ``E = eps 1 + E'``: all masses too large by the same part make ``E' = 0``. One filter for all
joints, ``F = 1 / (s^2 + (1 - eps) (k_1 s + k_0))``, gives

    e = F x,    x = d + E' (k_1 ed + k_0 e),

and d at the robot's state differs from that at the nominal state by ``L_q e + L_v ed``, to first
order. With the norms ``|F|`` (integral of the absolute impulse response) the largest values obey,
joint by joint, ``|x| <= |d| + (|E'| |(k_1 s + k_0) F| + |L_q| |F| + |L_v| |s F|) |x|``, which is
solved for ``|x|`` if the matrix has a spectral radius below one. The tool's error keeps the signs,
since F is the same for all joints:

    J e = F (J x) + (J F - F J) x,    |(J F - F J) x| <= |Jdot| |tau F| |x|

with ``|tau F|`` the first moment of the absolute impulse response. All of it holds once initial
errors have decayed, for errors small enough that their square does not matter; that the law is in
its linear range, approach and robust term not cut, follows from the bound and is checked. Time is
continuous here: a law that is evaluated at 500 Hz comes with the error of its sampling besides,
that with exact data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy

from mbd_ros.control.tracking.law import TrackingLaw
from mbd_ros.control.tracking.nominal_state import NominalState
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError, UnsupportedError
from mbd_ros.simulation.manifold import displaced, Matrix, Vector

DIFFERENCE = 1e-5
"""Step of the differences for the rates of J and d."""


class Guarantee(NamedTuple):
    """
    A bound on the tracking error of one plant along one motion.

    Attributes
    ----------
    joint_error : Vector
        (nv,): largest ``|q_n - q|`` [rad or m].
    tool_error : float
        Largest distance of the tool from that of the nominal model [m].
    mass_excess : float
        By which the plant's mass matrix exceeds the model's at most.
    decay : float
        Rate at which a larger error decays to the bound, where ``E' = 0`` [1/s].

    """

    joint_error: Vector
    tool_error: float
    mass_excess: float
    decay: float


class Gains(NamedTuple):
    """
    Norms of the filter ``F = 1 / (s^2 + b_1 s + b_0)`` and of what follows from it.

    Integrals of the absolute impulse responses of F, of ``s F``, and of time times that of F; the
    same for ``(k_1 s + k_0) F`` and ``(s + w) F``; slowest rate of decay of F [1/s].
    """

    position: float
    rate: float
    delay: float
    feedback: float
    sliding: float
    decay: float


class Differences(NamedTuple):
    """
    How a plant differs from a model at one state of a motion.

    d (nv,) [rad/s^2 or m/s^2] and its largest part that comes from friction; ``L_q`` and ``L_v``
    side by side (nv, 2 nv); ``E = 1 - M^-1 M^`` (nv, nv); J and its rate for the tool's position
    (3, nv); ``M^`` (nv, nv); largest eigenvalue of ``M^ ^-1 M - 1``.
    """

    disturbance: Vector
    friction: Vector
    slopes: Matrix
    E: Matrix
    jacobian: Matrix
    jacobian_rate: Matrix
    known: Matrix
    mass_excess: float


def guarantee(
    law: TrackingLaw, plant: PreparedDynamics, motion: Sequence[NominalState], link: str, *,
    friction: Vector | None = None,
) -> Guarantee:
    """
    Return the bound for a plant that follows a nominal motion under a law.

    Parameters
    ----------
    law : TrackingLaw
        The law, with the model it knows.
    plant : PreparedDynamics
        The robot as it is.
    motion : sequence of NominalState
        States of the nominal model, close enough together to show its extremes.
    link : str
        The tool.
    friction : Vector, optional
        Largest friction of each joint (nv,) that the model does not know [N m or N].

    Returns
    -------
    Guarantee
        The bound.

    Raises
    ------
    InvalidValueError
        If there is no bound: the plant differs too much, or the law would leave its linear range.
    UnsupportedError
        If the robot has closed loops, or joints without an actuator.

    """
    model = law.dyn.model
    if model.loops or law.actuation is not None:
        raise UnsupportedError('a bound for a robot with closed loops or passive joints',
                               'simulate it with the plant that differs most')
    none = np.zeros(model.nv)
    along = [_differences(law.dyn, plant, state, link, none if friction is None else friction)
             for state in motion]
    eps = float(np.mean([each.E.trace() for each in along])) / model.nv
    gains = gains_of(law.bandwidth, law.robust_rate, eps)
    # By how much x changes for a unit of |x| at each joint: through E', q and v.
    lengths = np.concatenate((np.full(model.nv, gains.position), np.full(model.nv, gains.rate)))

    def returned(left: Matrix, each: Differences) -> Matrix:
        """Return ``|left E'| |(k_1 s + k_0) F| + |left L_q| |F| + |left L_v| |s F|``."""
        own = each.E - eps * np.eye(model.nv)
        slopes = np.abs(left @ each.slopes) * lengths
        matrix: Matrix = (np.abs(left @ own) * gains.feedback + slopes[:, :model.nv]
                          + slopes[:, model.nv:])
        return matrix
    back = np.max([returned(np.eye(model.nv), each) for each in along], axis=0)
    radius = float(np.abs(np.linalg.eigvals(back)).max())
    if radius >= 1.0:
        raise InvalidValueError(
            'bandwidth', law.bandwidth, 'a law for a model that is nearer to this plant: what it '
            f'does not know comes back {radius:.3g} times')
    largest = np.max([np.abs(each.disturbance) + each.friction for each in along], axis=0)
    x = np.linalg.solve(np.eye(model.nv) - back, largest)
    _check_range(law, gains, x, along)
    tool = max(float(np.linalg.norm(each.jacobian @ each.disturbance) + np.linalg.norm(
        np.abs(each.jacobian) @ each.friction + returned(each.jacobian, each) @ x))
        for each in along)
    turning = max(float(np.linalg.norm(np.abs(each.jacobian_rate) @ x)) for each in along)
    return Guarantee(gains.position * x, gains.position * tool + gains.delay * turning,
                     max(each.mass_excess for each in along), gains.decay)


def gains_of(bandwidth: float, robust_rate: float, eps: float) -> Gains:
    """
    Return the norms of the filters of a law, by the trapezoidal rule to about 1e-6.

    w and kappa are its ``bandwidth`` and ``robust_rate`` [rad/s, 1/s]; ``eps``, below one, the
    part of itself by which the plant's mass matrix is larger.
    """
    if eps >= 1.0:
        raise InvalidValueError('mass matrix', eps, 'a plant with a positive one')
    k1, k0 = 2.0 * bandwidth + robust_rate, bandwidth * (bandwidth + robust_rate)
    one, other = np.roots([1.0, (1.0 - eps) * k1, (1.0 - eps) * k0])
    decay = -float(max(one.real, other.real))
    t = np.linspace(0.0, 30.0 / decay, 40001)
    if abs(one - other) > 1e-4 * abs(one):
        first, second = np.exp(one * t), np.exp(other * t)
        f = ((first - second) / (one - other)).real
        rate = ((one * first - other * second) / (one - other)).real
    else:   # two equal roots, to 1e-8
        middle = 0.5 * (one + other).real
        f, rate = t * np.exp(middle * t), (1.0 + middle * t) * np.exp(middle * t)

    def norm(response: Vector) -> float:
        return float(0.5 * np.sum(np.abs(response[1:]) + np.abs(response[:-1])) * t[1])
    return Gains(norm(f), norm(rate), norm(t * f), norm(k1 * rate + k0 * f),
                 norm(rate + bandwidth * f), decay)


def _differences(model: PreparedDynamics, plant: PreparedDynamics, state: NominalState, link: str,
                 friction: Vector) -> Differences:
    """Return how a plant differs from a model at a state of a motion."""
    q, v, a = state.q, state.v, state.accelerations
    M, known = plant.mass_matrix(q), model.mass_matrix(q)

    def disturbance(q: Vector, v: Vector) -> Vector:
        return np.asarray(np.linalg.solve(
            plant.mass_matrix(q),
            plant.inverse_dynamics(q, v, a) - model.inverse_dynamics(q, v, a)), np.float64)
    steps = DIFFERENCE * np.eye(len(v))
    slopes = [disturbance(displaced(model.model, q, step), v)
              - disturbance(displaced(model.model, q, -step), v) for step in steps]
    slopes += [disturbance(q, v + step) - disturbance(q, v - step) for step in steps]
    J = plant.jacobian(q, link)[:3]
    later = plant.jacobian(displaced(model.model, q, DIFFERENCE * v), link)[:3]
    return Differences(
        disturbance(q, v), np.abs(np.linalg.inv(M)) @ np.abs(friction),
        np.array(slopes).T / (2.0 * DIFFERENCE), np.eye(len(v)) - np.linalg.solve(M, known), J,
        (later - J) / DIFFERENCE, known,
        float(scipy.linalg.eigh(M, known, eigvals_only=True)[-1]) - 1.0)


def _check_range(law: TrackingLaw, gains: Gains, x: Vector, along: Sequence[Differences]) -> None:
    """Refuse a bound outside the range in which the law is linear."""
    speeds = 0.5 * law.bandwidth * gains.position * x
    if (speeds > law.approach_speeds).any():
        joint = int(np.argmax(speeds / law.approach_speeds))
        raise InvalidValueError(
            'approach_speed', float(law.approach_speeds[joint]),
            f"more than {speeds[joint]:.3g} at joint '{law.names[joint]}', for errors as large as "
            "this plant's")
    term = law.robust_rate * gains.sliding * np.max(
        [np.abs(each.known) @ x for each in along], axis=0)
    if (term > law.robust_efforts).any():
        joint = int(np.argmax(term - law.robust_efforts))
        raise InvalidValueError(
            'robust_efforts', law.robust_efforts.tolist(), f'more than {term[joint]:.3g} at joint '
            f"'{law.names[joint]}', for errors as large as this plant's")
