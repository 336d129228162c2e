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
Inertial parameters of a robot from recorded motions and efforts, physically consistent.

Generalized forces are linear in the inertial parameters, ``tau = Y pi`` (``regressor``), but not
every pi belongs to a body: its pseudo-inertia must be positive definite::

    P = [ (tr I / 2) 1 - I   m c ]
        [      (m c)^T         m ]

With ``P = T P0 T^T``, T upper triangular with the exponentials of its parameters on the diagonal
and P0 of the description, every parameter vector is a body, and zero is the description. These are
found by nonlinear least squares; what the motion does not excite stays as it was described.

References
----------
Wensing, Kim, Slotine, Linear matrix inequalities for physically consistent inertial parameter
identification, 2018; Rucker, Wensing, Smooth parameterization of rigid-body inertia, 2022.

"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares
from scipy.signal import savgol_filter

from mbd_ros.description.records.finding import Finding
from mbd_ros.description.records.mechanism import Inertia, Mechanism
from mbd_ros.dynamics.api.whole_robot import inertial_parameters, regressor, states_of
from mbd_ros.dynamics.prepared.call import checked_array
from mbd_ros.errors import InvalidValueError, ShapeError, UnsupportedError
from mbd_ros.model import Model, state
from mbd_ros.model.lock import rebuilt

Array = NDArray[np.float64]
EXCITED = 1e-6
"""
Singular values of the regressor below this part of the largest count as zero: efforts of some
100 N m that are known to 0.1 mN m say nothing below it.
"""
LEAST_SIZE = 1e-3
"""[m]: a body without extent gets the inertia of so small a ball, so that it can change at all."""
EVALUATIONS = 1000
"""Of the least squares at most: 15 with good data, 700 where friction is found to be zero."""
WINDOW, ORDER = 11, 3
"""Samples and order of the polynomials that velocities are differentiated with."""


class Identification(NamedTuple):
    """
    What was identified.

    Attributes
    ----------
    model : Model
        The robot with the parameters that were found; its mechanism can be written as URDF.
    parameters : array
        (nb, 10), as ``inertial_parameters`` returns them.
    damping, friction, armature : array
        (nv,) of the joints; those of the description where they were not asked for.
    residual : array
        (nv,): root mean square of measured less computed generalized forces [N m, N].
    rank, base : int
        How many combinations of inertial parameters the motion excites, and how many any motion
        of this robot can.
    findings : tuple of Finding
        What the motion did not excite, and whether the least squares were given up.

    """

    model: Model
    parameters: Array
    damping: Array
    friction: Array
    armature: Array
    residual: Array
    rank: int
    base: int
    findings: tuple[Finding, ...]


def identify(
    model: Model, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, qdd: ArrayLike | None = None,
    time: ArrayLike | None = None, joints: bool = False, prior: float = 1e-8,
    gravity: ArrayLike | None = None,
) -> Identification:
    """
    Identify masses, mass centres and inertias from a recorded motion.

    Parameters
    ----------
    model : Model
        The robot as described: its geometry, and parameters to start from.
    q, v : array_like
        (N, nq), (N, nv): recorded states, N of 20 or more.
    tau : array_like
        (N, nv): recorded generalized forces [N m, N].
    qdd : array_like, optional
        (N, nv); from v and ``time`` by local polynomials if left out.
    time : array_like, optional
        (N,) [s], evenly spaced; needed without ``qdd``.
    joints : bool
        Whether damping, dry friction and rotor inertias are identified as well.
    prior : float
        Weight of the description against the data: of the squared parameters of T against the
        mean squared relative error of efforts.
    gravity : array_like, optional
        (3,) [m/s^2] in world axes; that of the model if left out.

    Returns
    -------
    Identification
        The parameters, the model with them, and what was not excited.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If the recording is not as above.
    UnsupportedError
        If the robot has closed loops, springs or force laws.

    """
    if model.loops or model.springs or model.fluids or model.laws:
        raise UnsupportedError(f"identification of robot '{model.name}', which has closed loops, "
                               'springs, or force laws such as a fluid', 'robots without them')
    if not isinstance(prior, (int, float, np.number)) or not 0.0 < float(prior) < np.inf:
        raise InvalidValueError('prior', prior, 'a positive number')
    model.require_rigid('identify')
    (rows, rates), _ = states_of(model, 'identify', q=q, v=v)
    efforts = np.atleast_2d(checked_array(model, 'tau', tau, model.nv))
    if len(rows) < 20 or len(efforts) != len(rows):
        raise ShapeError('tau', np.shape(tau), f'({max(len(rows), 20)}, {model.nv}), one row for '
                                               'each of 20 or more states')
    accelerations = (_differentiated(rates, time) if qdd is None else
                     np.atleast_2d(checked_array(model, 'qdd', qdd, model.nv)))
    if len(accelerations) != len(rows):
        raise ShapeError('qdd', accelerations.shape, f'({len(rows)}, {model.nv})')
    matrix = regressor(model, rows, rates, accelerations, gravity=gravity)
    of_joints = _joint_columns(rates, accelerations)
    described = np.concatenate((model.damping, model.friction, model.armature))
    if not joints:
        efforts = efforts - of_joints @ described
    scale = np.sqrt((efforts * efforts).mean(axis=0))
    scale = np.where(scale > 0.0, scale, 1.0) * np.sqrt(len(rows) * model.nv)
    weighted = np.concatenate((matrix, of_joints), axis=2) / scale[:, None]
    parameters, joint_values, settled = _solve(
        model, weighted.reshape(-1, weighted.shape[2]), (efforts / scale).ravel(), float(prior),
        joints)
    left = efforts - matrix @ parameters.ravel()
    if joints:
        left = left - of_joints @ joint_values
    rank, base, findings = _excitation(model, matrix, gravity)
    if not settled:
        findings = (*findings, Finding(
            'warning', f'the least squares still moved after {EVALUATIONS} evaluations: efforts '
            'that fit no robot of this kind, or friction and rotor inertias that are zero; '
            'what is left of the efforts is in residual', model.mechanism.file))
    damping, friction, armature = joint_values.reshape(3, model.nv)
    return Identification(
        _with_parameters(model, parameters, joint_values, findings), parameters, damping, friction,
        armature, np.sqrt((left * left).mean(axis=0)), rank, base, findings)


def _differentiated(v: Array, time: ArrayLike | None) -> Array:
    """Return the rates of v (N, nv)."""
    if time is None:
        raise InvalidValueError('time', None, '(N,) [s] where qdd is left out')
    try:
        stamps = np.asarray(time, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidValueError('time', time, f'{len(v)} stamps [s]') from None
    steps = np.diff(stamps)
    if stamps.shape != (len(v),) or not (steps > 0.0).all() or (
            np.ptp(steps) > 0.01 * steps.mean()):   # as of a recorder that keeps its rate
        raise InvalidValueError('time', stamps.tolist()[:5], f'{len(v)} evenly spaced stamps [s]')
    return np.asarray(savgol_filter(v, WINDOW, ORDER, deriv=1, delta=float(steps.mean()), axis=0))


def _joint_columns(v: Array, qdd: Array) -> Array:
    """Return the columns (N, nv, 3 nv) of damping, dry friction and rotor inertias."""
    unit = np.eye(v.shape[1])
    return np.concatenate([unit * part[:, None, :] for part in (v, np.sign(v), qdd)], axis=2)


def _solve(model: Model, matrix: Array, efforts: Array, prior: float, joints: bool
           ) -> tuple[Array, Array, bool]:
    """Return the inertial parameters (nb, 10), those of the joints (3 nv,), whether it settled."""
    # The same least squares with as many rows as columns.
    factor: Any = np.linalg.qr(np.column_stack((matrix, efforts)), mode='r')
    triangle, projected = factor[:, :-1], factor[:, -1]
    start = [_pseudo_inertia(row) for row in inertial_parameters(model)]
    count = 10 * model.nb
    described = np.concatenate((model.damping, model.friction, model.armature))
    weight = np.sqrt(prior)

    def bodies(x: Array) -> list[tuple[Array, Array]]:
        return [_transformed(origin, x[10 * i:10 * i + 10]) for i, origin in enumerate(start)]

    def values(x: Array) -> Array:
        return x[count:] if joints else np.zeros_like(described)

    def residuals(x: Array) -> Array:
        found = np.concatenate([body[0] for body in bodies(x)])
        return np.concatenate((triangle @ np.concatenate((found, values(x))) - projected,
                               weight * x[:count]))

    def jacobian(x: Array) -> Array:
        rows = np.zeros((len(projected) + count, len(x)))
        for i, (_, derivative) in enumerate(bodies(x)):
            own = slice(10 * i, 10 * i + 10)
            rows[:len(projected), own] = triangle[:, own] @ derivative
        rows[len(projected):, :count] = weight * np.eye(count)
        rows[:len(projected), count:] = triangle[:, count:] if joints else 0.0
        return rows

    first = np.concatenate((np.zeros(count), described if joints else []))
    least = np.concatenate((np.full(count, -np.inf), np.zeros(len(first) - count)))
    solution = least_squares(residuals, first, jacobian, x_scale='jac',
                             bounds=(least, np.inf), xtol=1e-10, ftol=1e-8, gtol=1e-12,
                             max_nfev=EVALUATIONS)
    found = np.array([body[0] for body in bodies(solution.x)])
    return found, values(solution.x) if joints else described, solution.status > 0


def _pseudo_inertia(parameters: Array) -> Array:
    """Return P (4, 4), positive definite, of parameters (10,)."""
    mass, moment, inertia = parameters[0], parameters[1:4], _matrix(parameters[4:])
    mass = max(float(mass), 1e-6)
    pseudo = np.block([[0.5 * np.trace(inertia) * np.eye(3) - inertia, moment[:, None]],
                       [moment[None], np.array([[mass]])]])
    least = np.linalg.eigvalsh(pseudo[:3, :3] - np.outer(moment, moment) / mass)[0]
    pseudo[:3, :3] += max(mass * LEAST_SIZE ** 2 - least, 0.0) * np.eye(3)
    return pseudo


def _transformed(origin: Array, x: Array) -> tuple[Array, Array]:
    """Return the parameters (10,) of ``T P0 T^T`` and their derivatives (10, 10) by x (10,)."""
    upper = np.eye(4)
    upper[np.diag_indices(3)] = np.exp(x[1:4])
    upper[0, 1], upper[1, 2], upper[0, 2] = x[4:7]
    upper[:3, 3] = x[7:]
    upper *= np.exp(x[0])
    grown = np.exp(x[0])
    slopes = np.zeros((10, 4, 4))
    slopes[0] = upper
    for k in range(3):
        slopes[1 + k, k, k] = upper[k, k]
        slopes[7 + k, k, 3] = grown
    for k, place in enumerate(((0, 1), (1, 2), (0, 2))):
        slopes[4 + k][place] = grown
    half = slopes @ origin @ upper.T
    return (_parameters(upper @ origin @ upper.T),
            np.array([_parameters(part + part.T) for part in half]).T)


def _parameters(pseudo: Array) -> Array:
    """Return the parameters (10,) of a pseudo-inertia (4, 4)."""
    second = pseudo[:3, :3]
    inertia = np.trace(second) * np.eye(3) - second
    return np.concatenate(([pseudo[3, 3]], pseudo[:3, 3], inertia[
        [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]))


def _matrix(entries: Array) -> Array:
    xx, xy, yy, xz, yz, zz = entries
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _excitation(model: Model, matrix: Array, gravity: ArrayLike | None
                ) -> tuple[int, int, tuple[Finding, ...]]:
    """Return the rank of the motion, that of any motion, and what is missing."""
    rng = np.random.default_rng(0)
    count = 20 + 3 * model.nb
    q = np.array([state.random_configuration(model, rng) for _ in range(count)])
    v, qdd = rng.normal(size=(2, count, model.nv))
    # In units of the described parameters, so that what is small there is not taken for zero.
    pseudo = np.array([_pseudo_inertia(row) for row in inertial_parameters(model)])
    sizes = np.concatenate([np.repeat((p[3, 3], np.sqrt(p[3, 3] * np.trace(p[:3, :3])),
                                       np.trace(p[:3, :3])), (1, 3, 6)) for p in pseudo])

    def directions(rows: Array) -> Array:
        flat = rows.reshape(-1, rows.shape[2]) * sizes
        _, values, right = np.linalg.svd(np.linalg.qr(flat, mode='r'))
        return right[:len(values)][values > EXCITED * values[0]]
    possible = directions(regressor(model, q, v, qdd, gravity=gravity))
    excited = directions(matrix)
    missing = possible - possible @ excited.T @ excited
    shares = np.sqrt((missing * missing).reshape(len(possible), model.nb, 10).sum(axis=(0, 2)))
    if len(excited) >= len(possible):
        return len(excited), len(possible), ()
    links = [model.body_names[i] for i in np.argsort(-shares) if shares[i] > 0.1]
    return len(excited), len(possible), (Finding(
        'warning', f'the motion excites {len(excited)} of {len(possible)} combinations of '
        'inertial parameters; what it leaves open is mostly of the links '
        f"{', '.join(links[:5])}, whose parameters stay near those of the description",
        model.mechanism.file),)


def _with_parameters(model: Model, parameters: Array, joint_values: Array,
                     findings: tuple[Finding, ...]) -> Model:
    """Return the model with other parameters; of links fixed to each other one carries all."""
    inertias: dict[str, Inertia | None] = {}
    for name, frame in model.links.items():
        if frame.body >= 0:
            inertias[name] = None
    for name, row in zip(model.body_names, parameters):
        rotation = model.links[name].rotation
        center = row[1:4] / row[0]
        about_center = _matrix(row[4:]) - row[0] * (
            center @ center * np.eye(3) - np.outer(center, center))
        inertias[name] = Inertia(
            float(row[0]), tuple((rotation.T @ center).tolist()),
            tuple(tuple(line) for line in (
                rotation.T @ about_center @ rotation).tolist()))  # type: ignore[arg-type]
    links = tuple(replace(link, inertia=inertias.get(link.name, link.inertia))
                  for link in model.mechanism.links)
    damping, friction, armature = joint_values.reshape(3, model.nv)
    places = dict(zip(model.joint_names, model.v_offsets))
    joints = tuple(joint if joint.name not in places else replace(joint, dynamics=replace(
        joint.dynamics, damping=float(damping[places[joint.name]]),
        friction=float(friction[places[joint.name]]),
        armature=float(armature[places[joint.name]]))) for joint in model.mechanism.joints)
    mechanism: Mechanism = replace(model.mechanism, links=links, joints=joints,
                                   findings=(*model.mechanism.findings, *findings), text='')
    return rebuilt(model, mechanism)
