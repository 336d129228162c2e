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
Parameters of a robot from recorded motions and efforts: rigid bodies, friction, rotors, offsets.

Generalized forces are linear in the inertial parameters, ``tau = Y pi`` (``regressor``), and in
damping, dry friction, rotor inertias and offsets. Rows are weighted by the residuals of their
joints. What the motion does not say comes from the description (``bodies``), whose weight
cross-validation chooses: the fit to one half of the states the robot was in has to predict the
other half. Gravity may lean, as bases are seldom level, and efforts may be motor currents times a
constant; both are bilinear, and found by repeating the fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.description.records.finding import Finding
from mbd_ros.dynamics.functions.current_fields import is_field
from mbd_ros.dynamics.functions.whole_robot import inertial_parameters
from mbd_ros.dynamics.identification.bodies import (
    as_body, BASIS, matrices, minimum, parameters_of, Prior, solved, Squares)
from mbd_ros.dynamics.identification.equations import (
    as_gravity, equations, folds, friction_entries, lag, tilt_axes)
from mbd_ros.dynamics.identification.excited import excitation
from mbd_ros.dynamics.identification.recording import Recording, recording
from mbd_ros.dynamics.identification.result import (
    Deviations, Identification, with_parameters)
from mbd_ros.dynamics.loops.efforts import driven_entries
from mbd_ros.dynamics.quantities.joint_friction import grows, STICKING_SPEED
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT, FRESH_WATER, immersed, surrounded
from mbd_ros.errors import InvalidValueError, UnknownNameError, UnsupportedError
from mbd_ros.execution.threads.matrix_products import one_thread
from mbd_ros.model import Model, state
from mbd_ros.model.attachments.payload import with_payload

Array = NDArray[np.float64]
LADDER = 10.0 ** -np.arange(-1.0, 10.5, 0.5)
"""Weights of the prior for each sample that are tried, from stiff to loose."""
WORSE = 3
"""Weights in a row that predict worse than the best before: it ends."""
FIRST = 0.1
"""Weight of the prior until residuals are known."""
EASE = 0.01
"""Weight of what is assumed of numbers of joints beside that of bodies."""
USUAL = 0.02
"""Part of the efforts that friction is assumed to have where none is described."""
LEAN = 0.05
"""Standard deviation of the tilt of a base [rad]."""
SURE = 1e-6
"""Part of the efforts of a joint below which residuals are not believed."""
FAR = 8.0
"""Robust standard deviations beyond which a sample is an outlier."""
NEAR = 0.05
"""Part of the efforts of a joint within which no sample is an outlier."""
TRUST = 0.25
"""
Of how sharply the bodies' own movement says how far the description is from the truth: bodies
differ by more than one number tells, twice as far is taken.
"""
PIECES = 50
"""Pieces of time, of which the sums of scores tell what noise does: to a tenth."""
PASSES, CURRENT_PASSES = 3, 8
"""Fits, each with weights, tilt and constants of the one before."""
FRICTION = ('stribeck', 'coulomb')
LOAD = 0.1
"""[m]: radius of gyration of a payload of 1 kg that is assumed at first."""


def identify(
    model: Model, q: ArrayLike | Sequence[ArrayLike], v: Any = None, tau: Any = None, *,
    qdd: Any = None, time: Any = None, joints: bool = True, prior: float | None = None,
    gravity: ArrayLike | None = None, external_forces: Any = None,
    actuated: Sequence[str] | None = None, payload: str | None = None,
    currents: bool = False, friction: str = 'coulomb', level: bool = False,
    cutoff: float | None = None, fluid: Fluid | None = DEFAULT,
) -> Identification:
    """
    Identify bodies, friction, rotors and offsets of a robot from recorded motions.

    Parameters
    ----------
    model : Model
        The robot as described: its geometry, and parameters to start from.
    q, v : array_like
        (N, nq), (N, nv): recorded states, N of 20 or more; v from q and ``time`` if left out. A
        list of arrays, here and of all that was recorded, is several runs.
    tau : array_like
        (N, nv): recorded generalized forces [N m, N], or motor currents. Of a floating base zero.
    qdd : array_like, optional
        (N, nv); if left out, from the filtered v and ``time``.
    time : array_like, optional
        (N,) [s], even or not; needed without ``qdd`` or ``v``.
    joints : bool
        Whether damping, dry friction, rotor inertias, constant offsets of efforts and a tilt of
        the base are identified as well. Quadratic and cubic damping count as described.
    prior : float, optional
        Weight of the description against the data: of its divergence of log-determinants for each
        sample, against half the squared efforts in units of the residuals. Chosen by
        cross-validation if left out.
    gravity : array_like, optional
        (3,) [m/s^2] in the axes of the base; that of the model if left out.
    external_forces : mapping of str to array_like, optional
        Measured forces on links, (N, 6) as in ``inverse_dynamics``: of feet on the ground.
    actuated : sequence of str, optional
        The driven joints of a robot with closed loops or mimics, as many as it has motions; those
        whose ``tau`` is measured.
    payload : str, optional
        A link: the ten parameters of what it carries are identified, and no other body's.
    currents : bool
        Whether ``tau`` are motor currents [A] or other multiples of efforts, whose constants are
        identified, too. The masses of the description say how large they are.
    friction : {'coulomb', 'stribeck'}
        Viscous and dry friction, or dry friction that is larger at low speed, as well.
    level : bool
        Whether the base is known to be level.
    cutoff : float, optional
        Of the low-pass filter of velocities [Hz]; proposed from their spectrum if left out.
    fluid : Fluid or None, optional
        What was around links with ``<mbd:fluid>``, whose added mass, drag and lift count as
        described; None is a vacuum. Fresh water at rest if left out.

    Returns
    -------
    Identification
        The parameters, their standard deviations, the model with them, and what was not excited.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError, UnknownNameError
        If the recording or an option is not as above, or no robot moves so under these efforts.
    UnsupportedError
        If the robot has flexible links, currents of motors meet known forces, or the current of
        the fluid is a field.

    """
    model = _around(model, fluid)
    _check(model, prior, payload, currents, friction, actuated, external_forces)
    model.require_rigid('identify')
    down = as_gravity(model, gravity)
    recorded = recording(model, q, v, tau, qdd, time, external_forces, cutoff)
    try:
        with one_thread():
            search = _Search(model, recorded, down, joints, payload, currents,
                             friction == 'stribeck', not level, actuated)
            return search.result(*search.run(None if prior is None else float(prior)))
    except np.linalg.LinAlgError:   # the search ends at a body without mass
        raise InvalidValueError(
            'tau', f'those of {sum(len(run.v) for run in recorded.runs)} states', 'efforts that '
            'move the robot as recorded: these fit best with a body that has no mass. Those of a '
            'floating base are zero, units are N m and N, signs those of v') from None


def _around(model: Model, fluid: Fluid | None) -> Model:
    """Return the robot in what was around it."""
    if is_field(fluid):
        raise UnsupportedError('identification in a current that is a field', 'a uniform one')
    around, _ = surrounded(model, fluid)   # checks it
    if fluid is DEFAULT:
        return model if around is model else immersed(model, FRESH_WATER)
    return immersed(model, fluid)


def _check(model: Model, prior: Any, payload: str | None, currents: bool, friction: str,
           actuated: Sequence[str] | None, external_forces: Any) -> None:
    if prior is not None and (not isinstance(prior, (int, float, np.number))
                              or not 0.0 < float(prior) < np.inf):
        raise InvalidValueError('prior', prior, 'a positive number')
    if payload is not None and (payload not in model.links or model.links[payload].body < 0):
        raise UnknownNameError('link that moves', payload, [
            name for name, frame in model.links.items() if frame.body >= 0])
    if friction not in FRICTION:
        raise InvalidValueError('friction', friction, ' or '.join(map(repr, FRICTION)))
    if currents and (payload is not None or external_forces or model.sprung or model.lifted
                     or model.laws or grows(model)):
        raise UnsupportedError(
            'currents with a payload, external forces, springs, fluids or damping that grows with '
            'the speed', 'efforts in N m, or currents of a robot without them')
    if model.loops and actuated is None:
        raise InvalidValueError('actuated', None, f"the driven joints of robot '{model.name}', "
                                'which has closed loops')


class _Search:
    """Unknowns, their equations, and what earlier fits said of both."""

    def __init__(self, model: Model, recorded: Recording, gravity: Array, joints: bool,
                 payload: str | None, currents: bool, stribeck: bool, tilt: bool,
                 actuated: Sequence[str] | None) -> None:
        self._model, self._recorded, self._gravity = model, recorded, gravity
        self._payload, self._joints, self._currents = payload, joints, currents
        self._actuated = None if actuated is None else tuple(actuated)
        self._findings = list(recorded.findings)
        self._described = inertial_parameters(model)
        self._entries = friction_entries(model)
        rates = np.concatenate([run.v for run in recorded.runs])
        changes = np.concatenate([run.qdd for run in recorded.runs])
        self._speed = 0.1 * float(np.abs(rates).max()) if stribeck else None
        if payload is None:
            bodies, known = list(range(model.nb)), np.zeros((model.nb, 10))
            pseudo = [as_body(row) for row in self._described]
        else:
            frame = model.links[payload]
            bodies, known = [frame.body], self._described
            ball = np.diag([LOAD ** 2 / 2.0] * 3 + [1.0])
            transform = np.eye(4)
            transform[:3, :3], transform[:3, 3] = frame.rotation, frame.translation
            pseudo = [transform @ ball @ transform.T]
        leans = (joints and tilt and state.floating_base(model) is None
                 and len(tilt_axes(gravity)) > 0)
        self._equations = equations(model, recorded.runs, bodies, known, gravity, self._entries,
                                    self._speed, leans, actuated)
        joint_values = np.array((model.damping, model.friction, model.armature))[:, self._entries]
        if not joints:
            self._equations.measured -= self._equations.joints[:, :, :joint_values.size] @ (
                joint_values.ravel())
            self._equations.joints = self._equations.joints[:, :, :0]
        count, rows = self._equations.measured.shape
        self._gains, self._signs = np.ones((2, rows))
        size = np.sqrt((self._equations.measured ** 2).mean(axis=0))
        self._size = np.maximum(size, 1e-3 * size.max() if size.any() else 1.0)
        usual = self._usual(rates, changes, joint_values) if joints else np.zeros(0)
        offsets = rows - self._base() if joints else 0
        self._offsets = np.eye(rows)[:, rows - offsets:]
        free = np.concatenate((np.full(offsets, np.inf), np.full(len(self._equations.tilts), LEAN),
                               np.full(rows if currents else 0, 0.3)))
        self._prior = Prior(np.array(pseudo), usual, free, EASE)
        self._x = self._prior.start
        self._samples = count
        self._weights = 1.0 / self._size
        if currents:
            self._first_gains()

    def _base(self) -> int:
        return 0 if self._model.loops else int(self._entries[0]) if len(self._entries) else (
            self._model.nv)

    def _usual(self, v: Array, qdd: Array, described: Array) -> Array:
        """Return sizes of friction and rotors: those described, or a part of the efforts."""
        tau = np.concatenate([run.tau for run in self._recorded.runs])[:, self._entries]
        effort = USUAL * np.maximum(np.sqrt((tau ** 2).mean(axis=0)), 1e-3 * self._size.max())

        def per(motion: Array) -> Array:
            size = np.sqrt((motion[:, self._entries] ** 2).mean(axis=0))
            return np.asarray(effort / np.maximum(size, max(1e-3 * float(size.max()), 1e-9)))
        assumed = [per(v), effort, 0.2 * per(qdd)]
        if self._currents:
            return np.concatenate(assumed + [effort] * (self._speed is not None))
        rows = [np.where(given > 0.0, given, own) for given, own in zip(described, assumed)]
        return np.concatenate(rows + [effort] * (self._speed is not None))

    def _first_gains(self) -> None:
        """
        Set the constants to what the description's efforts say of each row.

        A joint that is wired the other way is turned round: friction takes energy, so that its
        sign is known. It decides where it tells more of the currents than the bodies do.
        """
        own, equations = self._prior.parts(self._x)[0].ravel(), self._equations
        efforts, count = equations.bodies @ own, len(self._entries)
        for row in range(len(self._gains)):
            rates, rubbing = (equations.joints[:, row, :n * count] for n in (1, 2))
            rest = equations.joints[:, row, 2 * count:]
            parts = [part[:, part.any(axis=0)] for part in (rubbing, rest)]
            columns = np.column_stack((efforts[:, row], *parts, np.ones(len(efforts))))
            found = np.linalg.lstsq(columns, equations.measured[:, row], rcond=1e-6)[0]
            gain, friction = float(found[0]), parts[0] @ found[1:1 + parts[0].shape[1]]
            power = float((friction * rates.sum(axis=1)).mean())
            told = power if friction.std() > abs(gain) * efforts[:, row].std() else gain
            if told < 0.0:
                self._signs[row] = -1.0
                equations.measured[:, row] *= -1.0
            self._gains[row] = abs(gain) if gain != 0.0 else 1.0

    def _blocks(self) -> list[Array]:
        """Return the columns of all unknowns, linear about the last fit."""
        equations = self._equations
        own = self._prior.parts(self._x)[0].ravel()
        bodies = equations.bodies if not self._currents else (
            equations.bodies * self._gains[:, None])
        shape = (len(bodies), *self._offsets.shape)
        blocks = [bodies, equations.joints, np.broadcast_to(self._offsets, shape)]
        if equations.tilts:
            blocks.append(np.stack([one @ own * self._gains for one in equations.tilts], axis=2))
        if self._currents:
            change: Array = bodies @ own   # by the logarithm of a constant
            blocks.append(change[:, :, None] * np.eye(len(self._gains)))
        return blocks

    def run(self, prior: float | None) -> tuple[float, float]:
        """Fit, and return the weight of the prior for each sample, and the expected error."""
        expected = np.nan
        passes = CURRENT_PASSES if self._currents else PASSES
        for k in range(passes):
            blocks = self._blocks()
            grams = self._equations.grams(blocks, self._weights)
            total = Squares(grams.sum(axis=0))
            weight = FIRST if prior is None else prior
            if prior is None and k == passes - 2:
                prior, expected = self._validated(grams)
                weight = prior
            self._x = minimum(total, self._prior, weight * self._samples, self._x)
            self._settle(blocks)
        return weight, expected

    def _validated(self, grams: Array) -> tuple[float, float]:
        """Return the weight under which halves of the motion predict each other best."""
        parts = [(Squares(grams[~left].sum(axis=0)), Squares(grams[left].sum(axis=0)))
                 for left in folds(self._equations.starts)]
        if not parts:
            return FIRST, np.nan
        size = sum(test.gram[-1, -1] for _, test in parts)
        found: list[float] = []
        at = [self._prior.start] * len(parts)
        for weight in LADDER:
            at = [minimum(fit, self._prior, weight * self._samples, x, 1e-3)
                  for (fit, _), x in zip(parts, at)]
            found.append(sum(test.of(x) for (_, test), x in zip(parts, at)))
            if len(found) - int(np.argmin(found)) > WORSE:
                break
        best = int(np.argmin(found))
        return float(LADDER[best]), float(np.sqrt(found[best] / max(size, 1e-300)))

    def _settle(self, blocks: Sequence[Array]) -> None:
        """Take weights, outliers and constants from the fit."""
        left = self._left(blocks)
        self._residual = left
        spread = 1.4826 * np.median(np.abs(left), axis=0)
        least = SURE * self._size
        spread = np.maximum(spread, least)
        self._equations.use = (
            np.abs(left) <= np.maximum(FAR * spread, NEAR * self._size)).astype(float)
        kept = self._equations.use
        sigma = np.sqrt((kept * left ** 2).sum(axis=0) / np.maximum(kept.sum(axis=0), 1.0))
        self._weights = 1.0 / np.maximum(sigma, least)
        if self._currents:
            rows = len(self._gains)
            self._gains = self._gains * np.exp(np.clip(self._x[-rows:], -0.5, 0.5))
            self._x = self._x.copy()
            self._x[-rows:] = 0.0

    def _left(self, blocks: Sequence[Array]) -> Array:
        left, first = self._equations.measured.copy(), 0
        for block in blocks:
            left -= block @ self._x[first:first + block.shape[2]]
            first += block.shape[2]
        return np.asarray(left)

    def _deviations(self, weight: float) -> tuple[Array, Array]:
        """
        Return standard deviations of all unknowns, and their covariance.

        Of ``H^-1 (A^T n - w D')``: noise n that is correlated in time, and a description that is
        as far from the truth as the bodies have moved, or as a body itself has. What n does is
        told twice, by the correlations of residuals, as if they were the same everywhere, and by
        sums over pieces of time (White's and Newey and West's estimate), which hold what goes with
        the motion: stamps that jitter, and friction at speeds that are not quite known. The larger
        one counts.
        """
        prior, gamma = self._prior, weight * self._samples
        blocks = self._blocks()
        used = self._residual * self._equations.use
        by_time = np.empty_like(used)
        by_time[self._equations.order] = used
        lags = np.array([lag(column) for column in by_time.T])
        gram = self._equations.grams(blocks, self._weights).sum(axis=0)[:-1, :-1]
        noisy = self._equations.grams(blocks, self._weights * np.sqrt(lags)).sum(
            axis=0)[:-1, :-1]
        scores = np.concatenate([(block * (used * self._weights ** 2)[:, :, None]).sum(axis=1)
                                 for block in blocks], axis=1)
        scores[self._equations.order] = scores - scores.mean(axis=0)
        pieces = np.array([piece.sum(axis=0) for piece in np.array_split(scores, PIECES)])
        _, hessian = prior.derivatives(self._x)
        whole = gram + gamma * hessian
        drawn = self._drawn(gamma, hessian, 1.0 - np.diag(solved(whole, gamma * hessian)))
        spread: Array = solved(whole, solved(whole, noisy + drawn).T)
        other = solved(whole, solved(whole, pieces.T @ pieces + drawn).T)
        own, larger = (np.sqrt(np.maximum(np.diag(one), 1e-300)) for one in (spread, other))
        wider = np.maximum(larger / own, 1.0)
        return own * wider, spread * wider * wider[:, None]

    def _drawn(self, gamma: float, hessian: Array, said: Array) -> Array:
        """
        Return the covariance of the description's pull.

        Parameters
        ----------
        gamma : float
            Weight of the description.
        hessian : array
            (n, n) of its distance.
        said : array
            (n,) which part of each unknown the motion tells.

        """
        prior = self._prior
        bodies, positive, _ = prior.parts(self._x)
        count = 10 * len(bodies)
        moved = np.array([Prior(one[None], prior.positive[:0], prior.free[:0], EASE).distance(row)
                          for one, row in zip(prior.bodies, bodies)])
        told = np.minimum(said[:count].reshape(-1, 10).sum(axis=1), 10.0)

        def sureness(known: Array, far: Array) -> Array:
            return TRUST * np.clip(known / np.maximum(2.0 * far, 1e-12), 0.1, 1e6)
        total = float(np.clip(said.sum(), 0.0, count))
        scale = np.minimum(sureness(np.array([total]), moved.sum()), sureness(told, moved))
        drawn = np.zeros_like(hessian)
        drawn[:count, :count] = gamma ** 2 * hessian[:count, :count] / np.repeat(scale, 10)
        own = gamma * EASE
        rest = np.arange(count, len(hessian))
        drawn[rest, rest] = np.concatenate((
            own ** 2 * np.maximum(1.0 / positive ** 2, (1.0 / prior.positive - 1.0 / positive)
                                  ** 2), own ** 2 / prior.free ** 2))
        return drawn

    def result(self, weight: float, expected: float) -> Identification:
        """Return what was found."""
        model, prior = self._model, self._prior
        deviations, covariance = self._deviations(weight)
        bodies, positive, free = prior.parts(self._x)
        rows = len(self._gains)
        sure_bodies, sure_positive, sure_free = prior.parts(deviations)
        gains = np.ones(model.nv)
        driven = np.array(driven_entries(model, self._actuated) if model.loops
                          else range(model.nv))
        gains[driven] = self._gains
        damping, friction, armature, excess = self._joint_numbers(positive, gains)
        sure = self._joint_numbers(sure_positive, gains, np.zeros((3, model.nv)))
        offsets = self._offsets.shape[1]
        offset, sure_offset = np.zeros((2, model.nv))
        offset[driven[rows - offsets:]] = free[:offsets]
        sure_offset[driven[rows - offsets:]] = sure_free[:offsets]
        constants = 1.0 / gains
        constants[driven] *= self._signs
        sure_constants = np.zeros(model.nv)
        if self._currents:
            sure_constants[driven] = np.abs(constants[driven]) * sure_free[-rows:]
        tilts = len(self._equations.tilts)
        tilt = free[offsets:offsets + tilts]
        gravity = self._gravity + (tilt @ tilt_axes(self._gravity) if tilts else 0.0)
        parameters, found, sure_bodies = self._bodies(bodies, sure_bodies, covariance)
        left: Array = self._residual / self._gains
        residual = np.zeros(model.nv)
        residual[driven] = np.sqrt((left ** 2).mean(axis=0))
        measured = self._measured()
        rank, base, missing = excitation(model, self._recorded, self._gravity)
        self._remark(tilt, missing)
        findings = tuple(self._findings)
        robot = self._robot(parameters, np.array((damping, friction, armature)), findings)
        return Identification(
            robot, parameters, damping, friction, armature, offset / gains, gravity, excess,
            self._speed, constants, Deviations(
                sure_bodies, sure[0], sure[1], sure[2], sure_offset * np.abs(constants), sure[3],
                sure_free[offsets:offsets + tilts], sure_constants),
            residual, float(np.linalg.norm(left) / max(np.linalg.norm(
                measured / self._gains), 1e-300)), expected, weight, self._recorded.cutoff, rank,
            base, findings, model, found, self._actuated)

    def _measured(self) -> Array:
        tau = np.concatenate([run.tau for run in self._recorded.runs])
        if self._model.loops:
            tau = tau[:, driven_entries(self._model, self._actuated)]
        return np.asarray(tau)

    def _joint_numbers(self, values: Array, gains: Array, start: Array | None = None) -> Array:
        """Return damping, friction, armature and the excess of friction at rest (4, nv)."""
        model = self._model
        found = np.zeros((4, model.nv))
        found[:3] = np.array((model.damping, model.friction, model.armature)) if (
            start is None) else start
        if len(values):
            part = values.reshape(-1, len(self._entries))
            found[:len(part), self._entries] = part / np.abs(gains[self._entries])
        return found

    def _bodies(self, bodies: Array, sure: Array, covariance: Array
                ) -> tuple[Array, Array, Array]:
        """Return parameters, those of all bodies of the robot, and standard deviations."""
        if self._payload is None:
            return bodies, bodies, sure
        frame = self._model.links[self._payload]
        back = np.eye(4)
        back[:3, :3], back[:3, 3] = frame.rotation.T, -frame.rotation.T @ frame.translation
        change = np.array([parameters_of(back @ one @ back.T) for one in BASIS]).T
        whole = self._described.copy()
        whole[frame.body] += bodies[0]
        spread = change @ covariance[:10, :10] @ change.T
        return (parameters_of(back @ matrices(bodies[0]) @ back.T)[None], whole,
                np.sqrt(np.maximum(np.diag(spread), 0.0))[None])

    def _robot(self, parameters: Array, numbers: Array, findings: tuple[Finding, ...]) -> Model:
        if self._payload is None:
            return with_parameters(self._model, parameters, numbers, findings)
        mass, center = float(parameters[0, 0]), parameters[0, 1:4] / parameters[0, 0]
        return with_payload(
            with_parameters(self._model, None, numbers, findings), self._payload, mass, center,
            _about_center(parameters[0]))

    def _remark(self, tilt: Array, missing: Sequence[Finding]) -> None:
        """Add what was not excited, outliers and a base that leans."""
        model, file = self._model, self._model.mechanism.file
        self._findings += missing
        speeds = np.max([np.abs(run.v).max(axis=0) for run in self._recorded.runs], axis=0)
        slow = 2.0 * STICKING_SPEED
        resting = [model.coordinate_names[k] for k in self._entries if speeds[k] < slow]
        if resting and self._joints:
            self._findings.append(Finding(
                'warning', f"joints {', '.join(resting)} hardly move (below {slow:g} rad/s "
                'or m/s): their friction and rotor inertias stay as assumed', file))
        outliers = (self._equations.use == 0.0).sum(axis=0)
        if outliers.any():
            names = [f'{name} {count}' for name, count in zip(self._equations.names, outliers)
                     if count]
            self._findings.append(Finding(
                'info', f'of {self._samples} samples, outliers were passed over: '
                f"{', '.join(names)}", file))
        if len(tilt) and np.linalg.norm(tilt) > 0.01:
            self._findings.append(Finding(
                'info', f'the base seems to lean by {np.degrees(np.linalg.norm(tilt)):.2g} '
                'degrees: gravity holds the direction', file))


def _about_center(parameters: Array) -> Array:
    """Return the inertia (3, 3) about the mass centre of parameters (10,)."""
    pseudo = matrices(parameters)
    second = pseudo[:3, :3] - np.outer(pseudo[:3, 3], pseudo[:3, 3]) / pseudo[3, 3]
    return np.asarray(np.trace(second) * np.eye(3) - second)
