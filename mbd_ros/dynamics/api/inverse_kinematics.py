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

"""Configurations that bring links to wanted poses, by damped least squares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
import scipy

from mbd_ros.dynamics.api.pose_search import pose_search, suits
from mbd_ros.dynamics.loops.closure import turned_over
from mbd_ros.dynamics.prepared.call import checked_array
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import InvalidValueError, ShapeError, UnknownNameError, UnsupportedError
from mbd_ros.execution import Executor
from mbd_ros.model import Model, state

Array = NDArray[np.float64]
LEAST_DAMPING = 1e-9
"""
Added to half the squared error, which is the damping: far above rounding of ``J^T J`` (1e-16 of
entries of order 1), far below what would slow the last steps.
"""


ITERATIONS, ATTEMPTS, BEGINNINGS = 200, 10, 500


class InverseKinematics(NamedTuple):
    """
    What was found.

    Attributes
    ----------
    q : array
        (nq,) or (N, nq): the best configurations.
    error : array
        () or (N,): largest entry of what is left, positions [m] and rotation vectors [rad], or by
        which a loop is open [m, or product of unit vectors]; infinite where a loop is closed with
        its axes against each other.
    converged : array of bool
        () or (N,): whether that is within the tolerance.

    """

    q: Array
    error: Array
    converged: NDArray[np.bool_]


def inverse_kinematics(
    model: Model, targets: Mapping[str, ArrayLike], q0: ArrayLike | None = None, *,
    limits: bool = True, tolerance: float = 1e-9, iterations: int | None = None,
    attempts: int | None = None, seed: int = 0, solutions: str = 'nearest',
    executor: Executor | str | None = None,
) -> InverseKinematics:
    """
    Return configurations in which links have wanted poses.

    Levenberg-Marquardt with a damping of half the squared error, which needs no choice of a
    parameter and stays bounded at singular configurations and targets out of reach. Of joints
    with fewer coordinates than the targets ask for, the nearest configuration is returned. Elastic
    coordinates stay as they are in ``q0``: joints alone move. Closed loops and mimic joints are
    equations beside those of the targets: what is found has converged if the loops are closed.

    Parameters
    ----------
    model : Model
        The robot.
    targets : mapping of str to array_like
        For each link its pose in the world, (4, 4) or (N, 4, 4), or the position of its origin,
        (3,) or (N, 3) [m].
    q0 : array_like, optional
        (nq,) or (N, nq) to begin with; the neutral configuration if left out.
    limits : bool
        Whether to keep within the joints' position limits.
    tolerance : float
        The error [m, rad] at which it ends.
    iterations : int, optional
        The most steps of an attempt; 200 if left out.
    attempts : int, optional
        How often to begin, from the second time on at random configurations. If left out, until
        it is found, 127 times at most for one link of a robot whose joints have one coordinate
        (machine code, in lanes), 10 times for others.
    seed : int
        Of the random configurations.
    solutions : {'nearest', 'all'}
        One, or all that differ, of one pose of a robot of 6 joints or fewer: ``attempts``
        random beginnings, 500 if left out.
    executor : Executor or str, optional
        Runs poses and Jacobians.

    Returns
    -------
    InverseKinematics
        ``.q``, ``.error`` and ``.converged``; a target out of reach is no error. With
        ``solutions='all'`` a row for each solution, none where there is none.

    Raises
    ------
    UnknownNameError, ShapeError, InvalidValueError, NotFiniteError
        If a link, a shape or a number is not as it should be.
    UnsupportedError
        If all solutions are asked for, of more than one pose of a tree of 6 simple joints.

    References
    ----------
    Sugihara, Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, 2011.

    """
    if (iterations is None and attempts is None and executor is None and solutions == 'nearest'
            and type(targets) is dict and len(targets) == 1):
        (link, target), = targets.items()
        if (_is_plain(model, link, target, q0) and type(tolerance) is float and tolerance > 0.0
                and type(seed) is int and seed >= 0):
            pose = pose_search(model, link, bool(limits))
            at, most = pose.find_one(pose.within(pose.neutral if q0 is None else np.asarray(q0)),
                                     np.asarray(target)[:3].reshape(12), tolerance, seed)
            if most <= tolerance:
                return InverseKinematics(at, np.asarray(most), np.asarray(True))
    if not isinstance(tolerance, (int, float, np.number)) or not tolerance > 0.0:
        raise InvalidValueError('tolerance', tolerance, 'a positive number [m, rad]')
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InvalidValueError('seed', seed, 'a whole number, 0 or more')
    for name, number in (('iterations', iterations), ('attempts', attempts)):
        if number is not None and not isinstance(number, (int, np.integer)) or (
                number is not None and number < 1):
            raise InvalidValueError(name, number, 'a positive whole number')
    if not isinstance(targets, Mapping):
        raise InvalidValueError('targets', targets, 'a mapping of links to targets')
    wanted = {link: _target(model, link, target) for link, target in targets.items()}
    if not wanted:
        raise InvalidValueError('targets', {}, 'at least one link')
    start = checked_array(model, 'q0', state.neutral(model) if q0 is None else q0, model.nq)
    counts = {len(target) for target in wanted.values() if len(target) != 1} | (
        {len(start)} if start.ndim == 2 else set())
    if len(counts - {1}) > 1:
        raise ShapeError('targets', tuple(sorted(counts)), 'as many states in all of them')
    many = start.ndim == 2 or any(np.ndim(target) > (2 if np.shape(target)[-1] == 4 else 1)
                                  for target in targets.values())
    count = next(iter(counts - {1}), 1)
    coded = len(wanted) == 1 and suits(model) and executor is None and all(
        target.ndim == 3 and model.links[link].body >= 0 for link, target in wanted.items())
    if solutions != 'nearest':
        return _all_solutions(model, wanted, solutions, limits, tolerance, attempts, seed,
                              coded and not many)
    if coded and iterations is None and attempts is None:
        (link, target), = wanted.items()
        coordinates = target[:, :3].reshape(-1, 12)
        pose = pose_search(model, link, bool(limits))
        if not many:
            at, most = pose.find_one(pose.within(start), coordinates[0], tolerance, int(seed))
            found, errors = at[None], np.array([most])
        else:
            found, errors = pose.find(
                pose.within(np.broadcast_to(start, (count, model.nq))),
                np.broadcast_to(coordinates, (count, 12)), tolerance, int(seed))
        rest = np.flatnonzero(~(errors <= tolerance))
        if len(rest):   # the nearest there is
            search = _Search(model, {link: np.broadcast_to(
                target, (count, 4, 4))[rest]}, limits, None)
            found[rest], errors[rest] = search.run(found[rest], tolerance, ITERATIONS)
        result = InverseKinematics(found, errors, errors <= tolerance)
        return result if many else InverseKinematics(*(part[0] for part in result))
    iterations = ITERATIONS if iterations is None else iterations
    attempts = ATTEMPTS if attempts is None else attempts
    search = _Search(model, {link: np.broadcast_to(target, (count, *target.shape[1:]))
                             for link, target in wanted.items()}, limits, executor)
    q = np.broadcast_to(start, (count, model.nq)).copy()
    rng = np.random.default_rng(seed)
    best, error = search.run(q, tolerance, iterations)
    for _ in range(attempts - 1):
        open_ = np.flatnonzero(error > tolerance)
        if len(open_):
            anew = np.array([state.random_configuration(model, rng) for _ in open_])
            anew[:, search.elastic:] = q[open_, search.elastic:]
            found, left = search.of(open_).run(anew, tolerance, iterations)
            better = left < error[open_]
            best[open_[better]], error[open_[better]] = found[better], left[better]
    result = InverseKinematics(best, error, error <= tolerance)
    return result if many else InverseKinematics(*(part[0] for part in result))


def _is_plain(model: Model, link: str, target: Any, q0: Any) -> bool:
    """Return whether a target is one pose that needs no closer look: what a control loop sends."""
    if type(target) is not np.ndarray or target.shape != (4, 4) or target.dtype != np.float64:
        return False
    if q0 is not None and (type(q0) is not np.ndarray or q0.shape != (model.nq,)
                           or q0.dtype != np.float64 or not np.isfinite(q0).all()):
        return False
    if link not in model.links or model.links[link].body < 0 or not suits(model):
        return False
    (a, b, c, x), (d, e, f, y), (g, h, i, z), last = target.tolist()
    return last == [0.0, 0.0, 0.0, 1.0] and abs(x) + abs(y) + abs(z) < np.inf and max(
        abs(a * a + b * b + c * c - 1.0), abs(d * d + e * e + f * f - 1.0),
        abs(g * g + h * h + i * i - 1.0), abs(a * d + b * e + c * f), abs(a * g + b * h + c * i),
        abs(d * g + e * h + f * i)) < 1e-6 and (
            a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) > 0.0)


def _all_solutions(model: Model, wanted: Mapping[str, Array], solutions: str, limits: bool,
                   tolerance: float, attempts: int | None, seed: int, suitable: bool
                   ) -> InverseKinematics:
    """Return all configurations with one pose."""
    if solutions != 'all':
        raise InvalidValueError('solutions', solutions, "'nearest' or 'all'")
    if not suitable or model.nv > 6:
        raise UnsupportedError(
            f"all solutions of robot '{model.name}' for these targets", 'one pose of one link of '
            'a tree with 6 joints of one coordinate or fewer, without executor')
    (link, target), = wanted.items()
    q = pose_search(model, link, bool(limits)).all_of(
        target[0, :3].reshape(12), tolerance, int(seed), attempts or BEGINNINGS)
    left = np.zeros(0) if not len(q) else np.abs(
        compile_model(model).pose(q, link)[:, :3] - target[:, :3]).max(axis=(1, 2))
    return InverseKinematics(q, left, np.ones(len(q), np.bool_))


def _target(model: Model, link: str, target: ArrayLike) -> Array:
    """Return wanted poses (N, 4, 4) or positions (N, 3) of a link."""
    if link not in model.links:
        raise UnknownNameError('link', link, model.links)
    name = f"the target of link '{link}'"
    try:
        array = np.asarray(target, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidValueError(name, target, 'numbers') from None
    if array.shape[-2:] == (4, 4) and array.ndim in (2, 3):
        rows: Array = array.reshape(-1, 4, 4)
        turns = rows[:, :3, :3]
        if np.isfinite(array).all() and not (   # as of data with 7 digits
                np.abs(turns @ turns.swapaxes(1, 2) - np.eye(3)).max(initial=0.0) <= 1.1e-6
                and (np.linalg.det(turns) > 0.0).all()
                and np.abs(rows[:, 3] - (0.0, 0.0, 0.0, 1.0)).max(initial=0.0) <= 1e-6):
            raise InvalidValueError(
                name, rows[0].tolist(), 'a rotation matrix and a position, then 0 0 0 1')
    elif array.shape[-1:] == (3,) and array.ndim in (1, 2):
        rows = array.reshape(-1, 3)
    else:
        raise ShapeError(name, array.shape, '(4, 4) or (N, 4, 4) for a pose, (3,) or (N, 3) for '
                                            'a position')
    if not np.isfinite(rows).all():
        raise InvalidValueError(name, array.tolist(), 'finite numbers')
    return rows


class _Search:
    """Damped least squares for N states at once."""

    def __init__(self, model: Model, targets: Mapping[str, Array], limits: bool,
                 executor: Executor | str | None) -> None:
        self._model, self._targets, self._executor = model, targets, executor
        self._limits = limits
        self._dyn = compile_model(model, executor=executor)
        bound = limits & (np.isfinite(model.lower) | np.isfinite(model.upper))
        entries, rates = state.simple_entries(model)
        self._entries, self._rates = entries[bound[rates]], rates[bound[rates]]
        self._lower, self._upper = model.lower[self._rates], model.upper[self._rates]
        self.elastic = model.nq - len(model.elastic_names)

    def of(self, rows: NDArray[np.intp]) -> _Search:
        """Return the search for some of the states."""
        return _Search(self._model, {link: target[rows] for link, target in self._targets.items()},
                       self._limits, self._executor)

    def run(self, q: Array, tolerance: float, iterations: int) -> tuple[Array, Array]:
        """Return the best configurations (N, nq) on the way from q, and their errors (N,)."""
        q = self._within(q)
        error, jacobian = self._linearized(q)
        best, left, least = q.copy(), np.abs(error).max(axis=1), np.linalg.norm(error, axis=1)
        for _ in range(iterations):
            if (left <= tolerance).all():
                break
            q = self._within(self._step(q, error, jacobian))
            error, jacobian = self._linearized(q)
            size = np.linalg.norm(error, axis=1)
            better = size < least
            best[better], least[better] = q[better], size[better]
            left[better] = np.abs(error[better]).max(axis=1)
        if self._model.loops:
            left[np.array([turned_over(self._dyn, one) for one in best])] = np.inf
        return best, left

    def _linearized(self, q: Array) -> tuple[Array, Array]:
        """Return what is left to the targets (N, m) and the Jacobian (N, m, nv)."""
        errors, rows = [], []
        for link, target in self._targets.items():
            pose, jacobian = self._dyn.pose(q, link), np.array(self._dyn.jacobian(q, link))
            jacobian[..., self._model.nv - len(self._model.elastic_names):] = 0.0   # held
            if target.ndim == 2:
                errors.append(target - pose[:, :3, 3])
                rows.append(jacobian[:, :3])
            else:
                turn = target[:, :3, :3] @ pose[:, :3, :3].swapaxes(1, 2)
                errors += [target[:, :3, 3] - pose[:, :3, 3], _rotation_vectors(turn)]
                rows.append(jacobian)
        if self._model.loops:
            loops = self._dyn.loop_rows(q, np.zeros((len(q), self._model.nv)))
            jacobian = loops[..., VALUES:].copy()
            jacobian[..., self._model.nv - len(self._model.elastic_names):] = 0.0
            errors.append(-loops[..., 0])
            rows.append(jacobian)
        return np.concatenate(errors, axis=1), np.concatenate(rows, axis=1)

    def _step(self, q: Array, error: Array, jacobian: Array) -> Array:
        """Return configurations after a damped step; what a limit stops does not take part."""
        free = np.ones((len(q), self._model.nv))
        for _ in range(2):
            used = jacobian * free[:, None]
            damping = 0.5 * (error * error).sum(axis=1) + LEAST_DAMPING
            matrix = used.swapaxes(1, 2) @ used + damping[:, None, None] * np.eye(self._model.nv)
            step = np.linalg.solve(matrix, np.einsum('nij,ni->nj', used, error)[..., None])[..., 0]
            after = q[:, self._entries] + step[:, self._rates]
            at_limit = ((q[:, self._entries] <= self._lower) & (after < self._lower)) | (
                (q[:, self._entries] >= self._upper) & (after > self._upper))
            if not at_limit.any():
                break
            free[:, self._rates] *= ~at_limit
        return state.integrate(self._model, q, step)

    def _within(self, q: Array) -> Array:
        if len(self._entries):
            q = q.copy()
            q[:, self._entries] = np.clip(q[:, self._entries], self._lower, self._upper)
        return q


def _rotation_vectors(turns: Array) -> Array:
    """Return the rotation vectors (N, 3) of rotation matrices (N, 3, 3)."""
    return np.asarray(scipy.spatial.transform.Rotation.from_matrix(turns).as_rotvec())
