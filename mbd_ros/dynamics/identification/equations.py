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
The equations of a recording: efforts, linear in parameters of bodies and joints.

Rows are joints; of a robot with closed loops, the driven joints, whose efforts move the robot as
the generalized forces of all joints would. Samples are sorted into cells, the eight parts of state
space between the medians along its three main directions: a half space left out is a motion that
the rest has not seen, which parts of the same periodic motion are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.dynamics.algorithms.stacked_kinematics import drift_of
from mbd_ros.dynamics.functions.whole_robot import regressor
from mbd_ros.dynamics.identification.recording import Run
from mbd_ros.dynamics.loops.efforts import driven_entries, free_motions
from mbd_ros.dynamics.prepared.external_forces import external_efforts
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.dynamics.quantities.joint_friction import dry_friction_sign, growing_friction
from mbd_ros.environment.surroundings import in_vacuum
from mbd_ros.errors import InvalidValueError
from mbd_ros.model import Model, state

Array = NDArray[np.float64]
UNDETERMINED = 1e12
"""Condition of the motions of driven joints at which they leave others open: 1 / rounding."""
DIRECTIONS = 3
"""Main directions of the states that are halved."""
TINY = 1e-9
"""Part of a joint's own motion below which it rests."""


def joint_columns(v: Array, qdd: Array, entries: NDArray[np.intp], stribeck: float | None
                  ) -> Array:
    """
    Return (N, nv, 3 or 4 k) of damping, dry friction, rotors and, at low speed, more.

    Of joints that slide along axes which turn, ``qdd`` is with what turning adds (``drift_of``).
    """
    sign = dry_friction_sign(v)
    parts = [v, sign, qdd]
    if stribeck is not None:
        parts.append(sign * np.exp(-(v / stribeck) ** 2))
    unit = np.eye(v.shape[1])[:, entries]
    return np.concatenate([unit * part[:, entries][:, None, :] for part in parts], axis=2)


def tilt_axes(gravity: Array) -> Array:
    """Return two directions (2, 3) across gravity, of its length."""
    size = float(np.linalg.norm(gravity))
    if size == 0.0:
        return np.zeros((0, 3))
    along = gravity / size
    first = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    first /= np.linalg.norm(first)
    return size * np.array([np.cross(first, along), first])


@dataclass
class Equations:
    """
    Regressors of all samples, in the order of their cells.

    Attributes
    ----------
    bodies : array
        (N, r, 10 B) columns of the parameters of bodies that are sought.
    tilts : list of array
        The same for unit gravity along each direction of a tilt.
    joints : array
        (N, r, p) columns of numbers of joints.
    measured : array
        (N, r) efforts, without those that are known.
    names : tuple of str
        Of the rows.
    starts : array
        Where cells begin, and the end.
    order : array
        (N,) places of the samples in the recording.
    use : array
        (N, r) one, or zero for outliers.

    """

    bodies: Array
    tilts: list[Array]
    joints: Array
    measured: Array
    names: tuple[str, ...]
    starts: NDArray[np.intp]
    order: NDArray[np.intp]
    use: Array = field(init=False)

    def __post_init__(self) -> None:
        """Use all samples at first."""
        self.use = np.ones_like(self.measured)

    def grams(self, blocks: Sequence[Array], weights: Array) -> Array:
        """
        Return the products (cells, n + 1, n + 1) of columns and measured efforts.

        Parameters
        ----------
        blocks : sequence of array
            (N, r, k) columns.
        weights : array
            (r,) of the rows: one over the standard deviation.

        """
        width = sum(block.shape[2] for block in blocks) + 1
        found = np.zeros((len(self.starts) - 1, width, width))
        for row, weight in enumerate(weights):
            columns = np.concatenate([*(block[:, row] for block in blocks),
                                      self.measured[:, row, None]], axis=1)
            if not self.use[:, row].all():
                columns = columns * self.use[:, row, None]
            filled = np.flatnonzero(columns.any(axis=0))
            columns = columns[:, filled] * weight
            for k, (first, last) in enumerate(zip(self.starts, self.starts[1:])):
                part = columns[first:last]
                found[k][np.ix_(filled, filled)] += part.T @ part
        return found


def equations(model: Model, runs: Sequence[Run], bodies: Sequence[int], known: Array,
              gravity: Array, entries: NDArray[np.intp], stribeck: float | None, tilt: bool,
              actuated: Sequence[str] | None) -> Equations:
    """
    Return the equations of all runs.

    Parameters
    ----------
    model : Model
        The robot.
    runs : sequence of Run
        What was recorded.
    bodies : sequence of int
        Bodies whose parameters are sought.
    known : array
        (nb, 10) parameters that count as known efforts: zero where they are sought.
    gravity : array
        (3,) [m/s^2].
    entries : array
        Entries of v that have friction and rotors.
    stribeck : float or None
        Speed within which friction falls, if it does [rad/s, m/s].
    tilt : bool
        Whether gravity may lean.
    actuated : sequence of str, optional
        Driven joints of a robot with closed loops.

    """
    open_chain = bare(model)
    own = np.concatenate([np.arange(10 * b, 10 * b + 10) for b in bodies])
    parts: list[tuple[Array, ...]] = []
    axes = tilt_axes(gravity) if tilt else np.zeros((0, 3))
    for run in runs:
        still = np.zeros_like(run.v)
        matrix = regressor(open_chain, run.q, run.v, run.qdd, gravity=gravity)
        measured = run.tau - matrix @ known.ravel() - others(
            model, run.q, run.v, run.qdd, gravity)
        if run.loads:
            measured = measured + external_efforts(compile_model(model), run.q, run.loads)
        leaning = [regressor(open_chain, run.q, still, still, gravity=axis) for axis in axes]
        columns = [matrix[:, :, own], *(one[:, :, own] for one in leaning),
                   joint_columns(run.v, run.qdd + drift_of(model, run.v), entries, stribeck),
                   measured[:, :, None]]
        if model.loops:
            transfer = transfers(model, run.q, actuated)
            columns = [transfer @ one for one in columns]
        parts.append(tuple(columns))
    joined = [np.concatenate(blocks) for blocks in zip(*parts)]
    features = np.concatenate([np.concatenate((run.q, run.v), axis=1) for run in runs])
    order, starts = _cells(features)
    joined = [block[order] for block in joined]
    names = model.coordinate_names
    if model.loops:
        names = tuple(names[k] for k in driven_entries(model, actuated))
    return Equations(joined[0], joined[1:-2], joined[-2], joined[-1][:, :, 0], names, starts,
                     order)


def bare(model: Model) -> Model:
    """Return the bodies and joints of a robot alone, in a vacuum."""
    if model.loops or model.sprung or model.laws or model.lifted:
        model = replace(model, loops=(), springs=(), joint_springs=(), laws=(), lifted=())
    return in_vacuum(model)


def others(model: Model, q: Array, v: Array, qdd: Array, gravity: Array) -> Array | float:
    """Return the efforts of springs, of damping that grows, and of what surrounds the robot."""
    growing = growing_friction(model, v)
    if not (model.sprung or model.laws or model.lifted):
        return growing
    whole = compile_model(replace(model, loops=()), gravity=gravity)
    alone = compile_model(bare(model), gravity=gravity)
    return np.asarray(whole.inverse_dynamics(q, v, qdd)
                      - alone.inverse_dynamics(q, v, qdd) + growing)


def transfers(model: Model, q: Array, actuated: Sequence[str] | None) -> Array:
    """Return T (N, k, nv): the efforts of driven joints that stand for forces on all."""
    driven = driven_entries(model, actuated)
    dyn = compile_model(model)
    found = np.empty((len(q), len(driven), model.nv))
    for k, place in enumerate(q):
        motions = free_motions(dyn, place)
        square = motions[driven]
        if motions.shape[1] != len(driven) or np.linalg.cond(square) > UNDETERMINED:
            raise InvalidValueError('actuated', list(actuated or ()), (
                f'as many driven joints as the loops leave motions, {motions.shape[1]}, that '
                'determine all others'))
        found[k] = np.linalg.solve(square.T, motions.T)
    return found


def _cells(features: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the order of samples by cells, and where each cell begins."""
    centred = features - features.mean(axis=0)
    size = centred.std(axis=0)
    moving = size > TINY * max(float(size.max(initial=0.0)), 1e-300)
    centred = centred[:, moving] / size[moving]
    cells = np.zeros(len(features), np.intp)
    if centred.shape[1]:
        _, directions = np.linalg.eigh(centred.T @ centred)
        along = centred @ directions[:, ::-1][:, :DIRECTIONS]
        cells = ((along > np.median(along, axis=0)) << np.arange(along.shape[1])).sum(axis=1)
    order = np.argsort(cells, kind='stable')
    starts = np.searchsorted(cells[order], np.arange(2 ** DIRECTIONS + 1))
    return order, starts


def folds(starts: NDArray[np.intp]) -> list[NDArray[np.bool_]]:
    """Return the cells (8,) that each fold leaves out: half spaces, where both halves are."""
    sizes, numbers = np.diff(starts), np.arange(2 ** DIRECTIONS)
    halves = [(numbers >> k & 1) == side for k in range(DIRECTIONS) for side in (0, 1)]
    return [half for half in halves if sizes[half].sum() and sizes[~half].sum()]


def lag(rows: Array) -> float:
    """
    Return how many samples (N,) of a residual stand for one that is independent, 1 or more.

    The sum of its correlations up to where they are lost in noise (initial positive sequence).

    References
    ----------
    Geyer, Practical Markov chain Monte Carlo, 1992.

    """
    centred = rows - rows.mean()
    size = 2 ** int(np.ceil(np.log2(2 * len(rows))))
    spectrum = np.abs(np.fft.rfft(centred, size)) ** 2
    correlation = np.fft.irfft(spectrum, size)[:len(rows)]
    if not correlation[0] > 0.0:
        return 1.0
    correlation /= correlation[0]
    pairs = correlation[:len(rows) // 2 * 2].reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(pairs <= 0.0)
    last = ends[0] if len(ends) else len(pairs)
    return float(max(2.0 * pairs[:last].sum() - 1.0, 1.0))


def as_gravity(model: Model, gravity: ArrayLike | None) -> Array:
    """Return gravity (3,) [m/s^2] in world axes, that of the model if none is given."""
    found = np.array(model.gravity if gravity is None else gravity, dtype=np.float64)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise InvalidValueError('gravity', gravity, 'three finite numbers [m/s^2]')
    return found


def friction_entries(model: Model) -> NDArray[np.intp]:
    """Return the entries of v of joints, without those of a floating base."""
    base = state.floating_base(model)
    return np.arange(6 if base is not None else 0, model.nv)
