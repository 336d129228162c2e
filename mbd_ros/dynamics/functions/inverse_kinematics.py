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

"""Configurations in which links have wanted poses, and other targets are met."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.dynamics.inverse_kinematics.search import Search, search
from mbd_ros.dynamics.inverse_kinematics.targets import (
    is_plain_pose, is_plain_row, Kind, PoseTarget, read_targets, Targets)
from mbd_ros.dynamics.prepared.call import checked_array
from mbd_ros.errors import InvalidValueError, ShapeError, UnsupportedError
from mbd_ros.execution import Executor
from mbd_ros.execution.executors.choice import Auto, choose
from mbd_ros.execution.executors.compiled import Compiled
from mbd_ros.execution.executors.lanes import Lanes
from mbd_ros.execution.executors.threads import Threads
from mbd_ros.execution.program.interpreted import Interpreted
from mbd_ros.execution.threads.processors import processors
from mbd_ros.model import Model, state
from mbd_ros.model.caches import owned

Array = NDArray[np.float64]
ITERATIONS, ATTEMPTS, BEGINNINGS = 200, 10, 8192
LARGEST = 6
"""Joints of a robot all of whose solutions can be told: of more they form curves."""


class InverseKinematics(NamedTuple):
    """
    What was found.

    Attributes
    ----------
    q : array
        (nq,) or (N, nq): the best configurations.
    error : array
        () or (N,): largest entry of what is left, positions [m], rotation vectors [rad] and
        differences of unit vectors, or by which a loop is open [m, or product of unit vectors];
        infinite where a loop is closed with its axes against each other.
    converged : array of bool
        () or (N,): whether that is within the tolerance.
    message : str
        Which targets were not reached, and how near q comes; empty if all were.

    """

    q: Array
    error: Array
    converged: NDArray[np.bool_]
    message: str = ''


def inverse_kinematics(
    model: Model, targets: Targets, q0: ArrayLike | None = None, *, limits: bool = True,
    tolerance: float = 1e-9, iterations: int | None = None, attempts: int | None = None,
    seed: int = 0, solutions: str = 'nearest', executor: Executor | str | None = None,
) -> InverseKinematics:
    """
    Return configurations in which links have wanted poses, or other targets are met.

    Levenberg-Marquardt with a damping of half the squared error, which needs no choice of a
    parameter and stays bounded at singular configurations and targets out of reach. Of joints
    with fewer coordinates than the targets ask for, the nearest configuration is returned. Elastic
    coordinates stay as they are in ``q0``: joints alone move. Closed loops and mimic joints are
    equations beside those of the targets: what is found has converged if the loops are closed.

    Parameters
    ----------
    model : Model
        The robot.
    targets : mapping of str to array_like, Target, or sequence of Target
        For each link its pose in the world, (4, 4) or (N, 4, 4), or the position of its origin,
        (3,) or (N, 3) [m]; or any of ``PoseTarget``, ``PositionTarget``, ``AxisTarget``,
        ``LookAtTarget``, ``CenterOfMassTarget``, ``RelativePoseTarget``, ``PostureTarget``.
    q0 : array_like, optional
        (nq,) or (N, nq) to begin with; the posture, or else the neutral configuration, if left
        out.
    limits : bool
        Whether to keep within the joints' position limits.
    tolerance : float
        The error [m, rad] at which it ends.
    iterations : int, optional
        The most steps of an attempt; 40 if left out, and 200 from the nearest configuration
        where none arrives.
    attempts : int, optional
        How often to begin, from the second time on at random configurations. If left out, until
        it is found, 511 times at most, in lanes.
    seed : int
        Of the random configurations.
    solutions : {'nearest', 'all'}
        One, or all that differ by more than whole turns, of one pose of a robot of 6 joints or
        fewer, each at the turns nearest to ``q0``: random beginnings until each is found a dozen
        times, ``attempts`` at most, 8192 if left out.
    executor : Executor or str, optional
        Lanes of one thread if left out; ``'threads'``, ``Threads`` and ``'auto'`` share batches,
        ``'interpreted'`` carries out the same steps in Python.

    Returns
    -------
    InverseKinematics
        ``.q``, ``.error``, ``.converged`` and ``.message``; a target out of reach is no error.
        With ``solutions='all'`` a row for each solution, none where there is none.

    Raises
    ------
    UnknownNameError, ShapeError, InvalidValueError, NotFiniteError
        If a link, a shape or a number is not as it should be.
    UnsupportedError
        If all solutions are asked for, of more than one pose of a tree of 6 simple joints; if the
        executor is one of other kinds.

    References
    ----------
    Sugihara, Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, 2011.

    """
    if (type(targets) is dict and len(targets) == 1 and iterations is None and attempts is None
            and executor is None and solutions == 'nearest'):
        (link, target), = targets.items()
        if (_is_plain(model, link, target, q0) and type(tolerance) is float and tolerance > 0.0
                and type(seed) is int and seed >= 0):
            one = _of_pose(model, link, bool(limits))
            start = one.within(one.neutral if q0 is None else np.asarray(q0))
            at, most = one.find_one(start, target[:3].reshape(12), tolerance, seed)
            if most <= tolerance:
                return InverseKinematics(at, np.asarray(most), _YES)
    _check(tolerance, seed, iterations, attempts, solutions)
    kinds, numbers = read_targets(model, targets)
    start = checked_array(model, 'q0', _start(model, kinds, numbers) if q0 is None else q0,
                          model.nq)
    counts = {len(one) for one in (numbers, start) if one.ndim == 2}
    if len(counts - {1}) > 1:
        raise ShapeError('targets', tuple(sorted(counts)), 'as many states in all of them')
    interpreted, threads = _way(executor)
    if solutions == 'all':
        return _all_solutions(model, kinds, numbers, start, limits, tolerance, attempts, seed,
                              interpreted)
    way = search(model, kinds, bool(limits), interpreted)
    start = way.within(start)
    if not counts and iterations is None and attempts is None:
        at, most = way.find_one(start, numbers, tolerance, int(seed))
        found, errors = at[None], np.array([most])
    else:
        count = next(iter(counts - {1}), 1)
        start = np.ascontiguousarray(np.broadcast_to(start, (count, model.nq)))
        numbers = np.broadcast_to(numbers, (count, numbers.shape[-1]))
        found, errors = (
            way.find(start, numbers, tolerance, int(seed), threads)
            if iterations is None and attempts is None else way.attempts(
                start, numbers, tolerance, int(seed), attempts or ATTEMPTS,
                iterations or ITERATIONS))
    result = InverseKinematics(found, errors, errors <= tolerance, _message(
        model, kinds, np.broadcast_to(numbers, (len(found), numbers.shape[-1])), found, errors,
        tolerance))
    return result if counts else InverseKinematics(
        found[0], np.asarray(errors[0]), np.asarray(errors[0] <= tolerance), result.message)


_YES = np.asarray(True)
_YES.setflags(write=False)


@owned(most=32)
def _of_pose(model: Model, link: str, limits: bool) -> Search:
    """Return the search for a pose of a link."""
    return search(model, (PoseTarget(link, np.eye(4)).read(model)[0],), limits)


def _is_plain(model: Model, link: str, target: Any, q0: Any) -> bool:
    """Return whether all is as a control loop sends it, so that it needs no closer look."""
    return (q0 is None or is_plain_row(q0, model.nq)) and (
        type(link) is str and link in model.links and is_plain_pose(target))


def _check(tolerance: Any, seed: Any, iterations: Any, attempts: Any, solutions: Any) -> None:
    """Refuse options that are not as they should be."""
    if not isinstance(tolerance, (int, float, np.number)) or not tolerance > 0.0:
        raise InvalidValueError('tolerance', tolerance, 'a positive number [m, rad]')
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InvalidValueError('seed', seed, 'a whole number, 0 or more')
    for name, number in (('iterations', iterations), ('attempts', attempts)):
        if number is not None and not isinstance(number, (int, np.integer)) or (
                number is not None and number < 1):
            raise InvalidValueError(name, number, 'a positive whole number')
    if solutions not in ('nearest', 'all'):
        raise InvalidValueError('solutions', solutions, "'nearest' or 'all'")


def _way(executor: Executor | str | None) -> tuple[bool, int]:
    """Return whether an executor interprets, and its number of threads."""
    chosen = choose(executor)
    if isinstance(chosen, Interpreted):
        return True, 1
    if isinstance(chosen, Auto):
        return False, chosen.count or processors()
    if isinstance(chosen, Threads):
        return isinstance(chosen.inner, Interpreted), chosen.count
    if isinstance(chosen, (Compiled, Lanes)):
        return False, 1
    raise UnsupportedError(f"inverse kinematics by executor '{chosen.name}'",
                           'compiled code, threads, or interpreted')


def _start(model: Model, kinds: tuple[Kind, ...], numbers: Array) -> Array:
    """Return the posture, if there is one, or the neutral configuration."""
    first = 0
    for kind in kinds:
        if kind.name == 'posture':
            return numbers[..., first:first + model.nq]
        first += kind.numbers
    return state.neutral(model)


def _all_solutions(model: Model, kinds: tuple[Kind, ...], numbers: Array, start: Array,
                   limits: bool, tolerance: float, attempts: int | None, seed: int,
                   interpreted: bool) -> InverseKinematics:
    """Return all configurations with one pose."""
    if (len(kinds) != 1 or kinds[0].name not in ('pose', 'relative pose') or numbers.ndim != 1
            or start.ndim != 1 or model.loops or model.elastic is not None
            or model.nv > LARGEST or state.curved_joints(model)):
        raise UnsupportedError(
            f"all solutions of robot '{model.name}' for these targets", 'one pose of one link of '
            f'a tree with {LARGEST} joints of one coordinate or fewer; other robots and targets '
            'have curves of solutions or cannot be told to be complete: begin at several q0')
    way = search(model, kinds, False, interpreted)
    q, left, complete = way.all_of(numbers, start, tolerance, int(seed), attempts or BEGINNINGS)
    entries, rates = state.simple_entries(model)
    bounds = np.full((2, model.nq), ((-np.inf,), (np.inf,)))
    if limits:
        bounds[:, entries] = model.lower[rates], model.upper[rates]
    q = way.at_turns(q, start, *bounds)
    inside = np.isfinite(q).all(axis=1)
    q, left = q[inside], left[inside]
    return InverseKinematics(q, left, np.ones(len(q), np.bool_), '' if complete else (
        f'the solutions form curves: these are points of them; {_wanted(model, kinds, numbers)}'))


def _message(model: Model, kinds: tuple[Kind, ...], numbers: Array, q: Array, errors: Array,
             tolerance: float) -> str:
    """Return what was not reached, in words."""
    missed = np.flatnonzero(~(errors <= tolerance))
    if not len(missed):
        return ''
    worst = int(missed[np.argmax(errors[missed])])
    head = (f'{len(missed)} of {len(errors)} targets are not reached; the worst is state {worst}, '
            if len(errors) > 1 else 'not reached: ')
    left = (f'is off by {errors[worst]:.3g} [m, rad] at most' if np.isfinite(errors[worst])
            else 'has a loop whose axes point against each other')
    return (f'{head}{_wanted(model, kinds, numbers[worst])}: the nearest configuration that was '
            f'found, in q, {left}; allowed: {tolerance:g}')


def _wanted(model: Model, kinds: tuple[Kind, ...], numbers: Array) -> str:
    """Return what is asked for, in words."""
    what = []
    first = 0
    for kind in kinds:
        given = np.asarray(numbers[first:first + kind.numbers])
        first += kind.numbers
        if kind.name == 'posture':
            continue
        about = ' and '.join(f"'{link}'" for link in kind.links) or f"'{model.name}'"
        what.append(f'{kind.name} of {about}')
        if kind.name in ('pose', 'position', 'center of mass'):
            place = given[3:12:4] if kind.name == 'pose' else given[:3]
            what[-1] += f' at ({place[0]:.4g}, {place[1]:.4g}, {place[2]:.4g}) m'
    return ', '.join(what)
