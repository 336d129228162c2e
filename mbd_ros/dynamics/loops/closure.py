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
States that satisfy all loops: Newton's method in the metric of the mass matrix.

With ``M = L L^T`` and ``B = L^-1 A^T`` the least step that closes ``phi + A dq = 0`` is ``dq =
-L^-T B (B^T B)^+ phi``; near singular states it is damped, ``B (B^T B + mu^2)^-1``. Where that
finds no way, Levenberg and Marquardt's method looks for one, and then a trust-region solver of
nonlinear least squares that sees axes which point the wrong way, too; Newton's method goes on from
where they lead.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple
import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray
import scipy

from mbd_ros.dynamics.algorithms.missing_inertia import joint_without_inertia
from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.dynamics.loops.newton import damped_newton, Reached, turned_aside
from mbd_ros.dynamics.prepared.call import Array, checked_array
from mbd_ros.dynamics.prepared.prepared import compile_model, PreparedDynamics
from mbd_ros.dynamics.prepared.triangles import solve_triangle
from mbd_ros.dynamics.quantities.flexible import segments_moving
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import LoopOpenError, LoopsOpenWarning, ShapeError, SingularMassError
from mbd_ros.execution import Executor
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.model import Loop, Model, state
from mbd_ros.model.flexible.on_segments import on_segments
from mbd_ros.spatial.rank_thresholds import LOOP_CONFLICT, LOOP_RANK

GOAL = 1e-13
"""Times (1 + the largest coordinate): phi below is rounding."""
LARGEST_STEP = 0.3
"""[rad, m]: beyond, the rows are no longer the tangents they were."""
LOST = 3.0
"""[rad, m]: a step that wants to go farther, half a turn, leads nowhere in particular."""
LOST_STEPS = 10
"""So many of them one after the other, and another way is looked for."""
DAMPING = (1e-3, 1e-12, 1e10)
"""Of Marquardt's steps, as a part of the diagonal: at first, the least, and where it gives up."""
ITERATIONS = 100
TRIALS = 200
"""Evaluations of the rows by the least-squares solver, its differences not counted."""
OPEN = 1e-3
"""
Violation [m, or product of unit vectors] above which a state is not one of the closed loops: what
is given with three digits is below it. Accelerations of such states are warned of.
"""
NUDGE = 0.02
"""Turn away from where no step helps [rad, m]."""
_UPRIGHT = {'revolute': (2,), 'planar': (2,), 'prismatic': (0, 1, 2), 'fixed': (0, 1, 2)}


class LoopClosure(NamedTuple):
    """
    A state that satisfies all loops, and how it was found.

    Attributes
    ----------
    q, v : array
        (nq,), (nv,).
    moved : array
        (nv,): displacement from the configuration given [rad, m].
    violation : float
        Largest absolute value of phi.
    iterations : int
        Newton steps.
    rank : int
        Number of independent rows at q.
    smallest : float
        Smallest of the singular values that count, see ``RowSpace``: near 0 at singular
        configurations.

    """

    q: Array
    v: Array
    moved: Array
    violation: float
    iterations: int
    rank: int
    smallest: float


def close_loops(model: Model, q: ArrayLike, v: ArrayLike | None = None, *,
                known: Sequence[str] = (), tolerance: float = 1e-10,
                executor: Executor | str | None = None) -> tuple[Array, Array]:
    """
    Return the nearest state that satisfies all loops: for a tree the state itself.

    Parameters
    ----------
    model : Model
        The robot.
    q, v : array_like
        (nq,), (nv,) or (N, ...); v is zero if left out.
    known : sequence of str
        Joints that stay as they are, position and velocity, such as the actuated ones whose
        values were measured; the others follow from them.
    tolerance : float
        Largest absolute value of phi [m, or product of unit vectors] that counts as closed. Across
        the plane of a planar loop, where no joint can help, it is what axes may lean by that are
        written as 1.5708: an angle of ``LOOP_RANK``.
    executor : Executor or str, optional
        Runs the sweeps; see ``execution.choose``.

    Returns
    -------
    q, v : array
        Copies. ``loop_closure`` says more about how they were found.

    Raises
    ------
    LoopOpenError
        If the loops cannot be closed, with the residual and the name of the loop.
    ShapeError, NotFiniteError, InvalidValueError, UnknownNameError
        If an argument is not as it should be.

    """
    configurations = checked_array(model, 'q', q, model.nq)
    velocities = (np.zeros(model.nv) if v is None else checked_array(model, 'v', v, model.nv))
    if not model.loops:
        return configurations.copy(), velocities.copy()
    many = [len(array) for array in (configurations, velocities) if array.ndim == 2]
    if len(set(many)) > 1:
        raise ShapeError('v', velocities.shape, f'{many[0]} states, as in q')
    if not many:
        closure = loop_closure(model, configurations, velocities, known=known,
                               tolerance=tolerance, executor=executor)
        return closure.q, closure.v
    closures = [loop_closure(model, *one, known=known, tolerance=tolerance, executor=executor)
                for one in zip(
        np.broadcast_to(configurations, (many[0], model.nq)),
        np.broadcast_to(velocities, (many[0], model.nv)))]
    return (np.array([closure.q for closure in closures]).reshape(-1, model.nq),
            np.array([closure.v for closure in closures]).reshape(-1, model.nv))   # also of none


def loop_closure(model: Model, q: Array, v: Array, *, known: Sequence[str] = (),
                 tolerance: float = 1e-10, executor: Executor | str | None = None) -> LoopClosure:
    """
    Return the nearest state of one robot that satisfies all loops, with a report.

    Parameters and errors are those of ``close_loops``, for one state.
    """
    dyn = compile_model(model, executor=executor)
    free = _free_entries(model, known)
    start = state.normalize(model, q)
    place, phi, steps = _closed(dyn, start, free, tolerance)
    all_of_it = np.append(free, np.arange(model.nv - len(model.elastic_names), model.nv))
    if np.abs(phi).max() > tolerance and len(all_of_it) > len(free):   # links have to bend
        free = all_of_it
        place, phi, steps = _closed(dyn, start, free, tolerance)
    for search in (_marquardt, _least_squares):
        if not len(free) or (np.abs(phi).max() <= tolerance and (
                _cosines(dyn, place) >= 0.0).all()):
            break
        other, found, more = _closed(dyn, search(dyn, start, free), free, tolerance)
        if np.abs(found).max() <= max(tolerance, float(np.abs(phi).max())):
            place, phi, steps = other, found, steps + more
    moved = state.difference(model, start, place)
    phi = _require_closed(dyn, place, tolerance, moved, steps)
    metric = RowMetric(dyn, place, free)
    rates = _rates(metric, v)
    if len(all_of_it) > len(free) and np.abs(metric.rows @ rates).max() > tolerance:
        metric = RowMetric(dyn, place, all_of_it)
        rates = _rates(metric, v)
    return LoopClosure(place, rates, moved, float(np.abs(phi).max()), steps, metric.rank,
                       float(metric.space.smallest))


def _rates(metric: RowMetric, v: Array) -> Array:
    """Return the nearest velocity that the rows allow; the second time for rounding."""
    for _ in range(2):
        v = v + metric.remove(metric.rows @ v)
    return v


def _closed(dyn: PreparedDynamics, start: Array, free: NDArray[np.int64], tolerance: float
            ) -> tuple[Array, Array, int]:
    """Return where damped steps of least length lead, phi there, and how many were tried."""
    found = damped_newton(_LeastSteps(dyn, free, tolerance, start), start)
    return found.q, found.phi, found.trials


def _marquardt(dyn: PreparedDynamics, start: Array, free: NDArray[np.int64]) -> Array:
    """Return where Levenberg and Marquardt's steps lead."""
    return damped_newton(_MarquardtSteps(dyn, free), start).q


class _LeastSteps:
    """Steps of least length in the metric of the mass matrix, see ``damped_newton``."""

    def __init__(self, dyn: PreparedDynamics, free: NDArray[np.int64], tolerance: float,
                 start: Array) -> None:
        self._dyn, self._free, self._tolerance = dyn, free, tolerance
        self._goal = GOAL * (1.0 + float(np.abs(start).max()))
        self._mu, self._nudge, self._lost = 0.0, NUDGE, 0

    def violation(self, q: Array) -> Array:
        """Return phi (m,)."""
        return _phi(self._dyn, q)

    def goes_on(self, now: Reached) -> bool:
        """Return whether loops are open yet, and whether steps lead anywhere."""
        return bool(np.abs(now.phi).max() > self._goal and now.trials < ITERATIONS
                    and self._lost < LOST_STEPS)

    def step(self, q: Array, phi: Array) -> Array:
        """Return the least step that closes the loops, not longer than its rows are tangents."""
        step = RowMetric(self._dyn, q, self._free).remove(phi, self._mu)
        longest = np.abs(step).max()
        self._lost = self._lost + 1 if longest > LOST else 0
        return step * min(1.0, LARGEST_STEP / longest) if longest > 0.0 else step

    def displaced(self, q: Array, step: Array) -> Array:
        """Return q after a step."""
        return state.integrate(self._dyn.model, q, step)

    def accepts(self, trial: Array, phi: Array) -> bool:
        """Return whether a step closes the loops more."""
        return bool(np.linalg.norm(trial) < np.linalg.norm(phi))

    def relax(self) -> None:
        """Damp less."""
        self._mu = 0.1 * self._mu if self._mu > 1e-6 else 0.0

    def tighten(self, step: Array, phi: Array) -> bool:
        """Damp more, as long as that is not all there is of the step."""
        closed = np.abs(phi).max() <= self._tolerance
        if closed or self._mu > 1e6:
            self._nudge = 0.0 if closed else self._nudge
            return False
        self._mu = max(10.0 * self._mu, 1e-3)
        return True

    def aside(self) -> Array | None:
        """Turn aside, once: of a stretched chain, say, no direction leads closer."""
        if self._nudge == 0.0:
            return None
        step = np.zeros(self._dyn.model.nv)
        step[self._free] = turned_aside(self._nudge, len(self._free))
        self._mu, self._nudge = 0.0, 0.0
        return step


class _MarquardtSteps(_LeastSteps):
    """Steps ``-(A^T A + mu diag(A^T A))^-1 A^T phi``, which never open loops more."""

    def __init__(self, dyn: PreparedDynamics, free: NDArray[np.int64]) -> None:
        super().__init__(dyn, free, 0.0, np.zeros(1))
        self._mu, self._least, self._most = DAMPING
        self._rest = np.zeros(dyn.model.nv)

    def goes_on(self, now: Reached) -> bool:
        """Return whether loops are open yet; the first step is taken in any case."""
        return now.steps < ITERATIONS and not (now.steps and np.abs(now.phi).max() <= GOAL)

    def step(self, q: Array, phi: Array) -> Array:
        """Return the damped step."""
        A = self._dyn.own_loop_rows(q, self._rest)[:, VALUES:][:, self._free]
        H, gradient = A.T @ A, A.T @ phi
        diagonal = np.diag(H) + GOAL * (1.0 + np.trace(H))
        step = self._rest.copy()
        step[self._free] = -np.linalg.solve(H + np.diag(self._mu * diagonal), gradient)
        return step

    def accepts(self, trial: Array, phi: Array) -> bool:
        """Return whether a step closes the loops more."""
        return bool(trial @ trial < phi @ phi)

    def relax(self) -> None:
        """Damp less."""
        self._mu = max(0.2 * self._mu, self._least)

    def tighten(self, step: Array, phi: Array) -> bool:
        """Damp more, up to where it gives up."""
        self._mu *= 4.0
        return self._mu < self._most

    def aside(self) -> Array | None:
        """Return None: no step is taken that opens the loops."""
        return None


def _least_squares(dyn: PreparedDynamics, start: Array, free: NDArray[np.int64]) -> Array:
    """Return the configuration of least violation that a trust-region solver finds."""
    def moved(entries: Array) -> Array:
        displacement = np.zeros(dyn.model.nv)
        displacement[free] = entries
        return state.integrate(dyn.model, start, displacement)

    def gaps(entries: Array) -> Array:
        place = moved(entries)
        return np.concatenate([_phi(dyn, place), 1.0 - _cosines(dyn, place)])

    return moved(scipy.optimize.least_squares(gaps, np.zeros(len(free)), max_nfev=TRIALS).x)


def carried_loops(dyn: PreparedDynamics, q: Array) -> tuple[tuple[Loop, ...], Array]:
    """Return the cut joints, and the poses of the bodies, or segments, that carry their frames."""
    if dyn.model.elastic is None:
        return dyn.model.loops, dyn.body_poses(q)
    return on_segments(dyn.model).loops, segments_moving(dyn.model, q, np.zeros(dyn.model.nv))[0]


def _cosines(dyn: PreparedDynamics, q: Array) -> Array:
    """Return the cosines of the angles between axes that agree where loops are closed."""
    loops, bodies = carried_loops(dyn, q)
    axes = (((np.eye(3) if frame.body < 0 else bodies[frame.body, :3, :3]) @ frame.rotation
             for frame in (loop.frame1, loop.frame2)) for loop in loops)
    return np.array([first[:, axis] @ second[:, axis] for loop, (first, second) in zip(
        loops, axes) for axis in _UPRIGHT.get(loop.kind, ())])


def turned_over(dyn: PreparedDynamics, q: Array) -> bool:
    """Return whether axes that are to agree point against each other at a configuration (nq,)."""
    return bool((_cosines(dyn, q) < 0.0).any())


def open_loops(model: Model, q: ArrayLike) -> str:
    """
    Return which loop is open most and by how much, in words; empty where all are closed.

    Parameters
    ----------
    model : Model
        The robot.
    q : array_like
        (nq,) or (N, nq).

    Returns
    -------
    str
        Empty where no row is violated by more than ``OPEN``.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If q is not as it should be.

    """
    if not model.loops:
        return ''
    dyn = compile_model(model)
    phi = np.abs(dyn.loop_rows(q, np.zeros(model.nv))[..., 0])
    if not phi.size or phi.max() <= OPEN:
        return ''
    *states, row = np.unravel_index(np.argmax(phi), phi.shape)
    name = [name for loop in model.loops for name in loop.row_names][row]
    where = f' in state {states[0]}' if states else ''
    return (f"loops are open: row '{name}'{where} is violated by {phi.max():.3g}; allowed: "
            f'{OPEN:g} [m, or product of unit vectors]; the accelerations keep the loops as they '
            'are, close_loops gives a state where they are closed')


def loop_gaps(model: Model, q: ArrayLike) -> dict[str, float]:
    """
    Return by how much each loop is open at a configuration (nq,).

    Returns
    -------
    dict of str to float
        For each loop joint the largest absolute value of its rows [m, or product of unit vectors].

    """
    if not model.loops:
        return {}
    phi = np.abs(compile_model(model).loop_rows(q, np.zeros(model.nv))[..., 0])
    ends = np.cumsum([len(loop.rows) for loop in model.loops])[:-1]
    return {loop.name: float(rows.max(initial=0.0))
            for loop, rows in zip(model.loops, np.split(phi, ends))}


def leading_joints(model: Model, q: Array) -> tuple[str, ...]:
    """Return the first joints that tell by the loops where all are, at a configuration (nq,)."""
    A = compile_model(model).loop_rows(q, np.zeros(model.nv))[:, VALUES:]
    led: list[int] = []
    for entry in reversed(_free_entries(model, ()).tolist()):
        if RowSpace(model, A, np.array([*led, entry])).rank > len(led):
            led.append(entry)
    followers = set(np.searchsorted(model.v_offsets, led, side='right') - 1)
    return tuple(name for i, name in enumerate(model.joint_names) if i not in followers)


def contradicted(model: Model, rows: Array, accelerations: Array) -> tuple[str, float]:
    """
    Return the loop that accelerations (nv,) violate most, and what is left of its equations.

    The rows are those of ``PreparedDynamics.loop_rows`` at one state; no name where all are kept.
    """
    parts, bias = rows[:, VALUES:] * accelerations, rows[:, VALUES - 1]
    left = np.abs(parts.sum(axis=1) + bias)
    size = max(1.0, float(np.abs(parts).max()), float(np.abs(bias).max()))
    owners = [loop.name for loop in model.loops for _ in loop.rows]
    worst = int(left.argmax())
    return owners[worst] if left[worst] > LOOP_CONFLICT * size else '', float(left[worst])


class WarnedCall:
    """
    Forward dynamics of a robot with loops, with a warning where these are open.

    Parameters
    ----------
    model : Model
        The robot.
    call : callable
        ``(q, v, tau) -> vdot``.

    """

    def __init__(self, model: Model, call: Callable[..., Array]) -> None:
        self._model, self._call = model, call

    def __call__(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, out: Array | None = None
                 ) -> Array:
        """Return the accelerations, as the prepared callable does."""
        if text := open_loops(self._model, q):
            warnings.warn(text, LoopsOpenWarning, stacklevel=3)
        return self._call(q, v, tau) if out is None else self._call(q, v, tau, out=out)


def mobility(model: Model, q: ArrayLike) -> int:
    """
    Return how many independent velocities the loops leave at a configuration.

    It is nv less the rank of the rows, found numerically: Bricard's linkage has one, whatever a
    count of its joints says. At a change point it is larger than around it.

    Parameters
    ----------
    model : Model
        The robot.
    q : array_like
        (nq,); where loops are open there, mobility is that of the rows all the same.

    Returns
    -------
    int
        nv for a tree.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If q is not one configuration.

    """
    place = checked_array(model, 'q', q, model.nq)
    if place.ndim != 1:
        raise ShapeError('q', place.shape, f'({model.nq},), one configuration')
    return model.nv - (RowMetric(compile_model(model), place).rank if model.loops else 0)


class RowMetric:
    """
    The rows of all loops at a configuration, in the metric of the mass matrix.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    q : array
        (nq,).
    free : array, optional
        Entries of v that may change; all if left out.

    Attributes
    ----------
    rows : array
        A (m, nv).
    rank : int
        Number of independent rows.
    space : RowSpace
        Their singular values and the motions they leave.

    """

    def __init__(self, dyn: PreparedDynamics, q: Array,
                 free: NDArray[np.int64] | None = None) -> None:
        model = dyn.model
        self.rows = dyn.own_loop_rows(q, np.zeros(model.nv))[:, VALUES:]
        self._free: NDArray[np.int64] = np.arange(model.nv) if free is None else free
        mass = dyn.mass_matrix(q)[np.ix_(self._free, self._free)]
        self._factor, info = scipy.linalg.lapack.dpotrf(mass, lower=1)
        if info:
            raise SingularMassError(joint_without_inertia(model, q) or model.joint_names[0],
                                    'the mass matrix is not positive definite')
        self.space = RowSpace(model, self.rows, self._free)
        self.rank = int(self.space.rank)
        independent = self.space.combinations()
        columns = solve_triangle(self._factor, (independent @ self.rows[:, self._free]).T)
        scale = np.linalg.norm(columns, axis=0)
        self._independent = independent / scale[:, None]
        self._U, self._sigma, self._Vt = np.linalg.svd(columns / scale, full_matrices=False)

    def remove(self, violation: Array, mu: float = 0.0) -> Array:
        """Return the least displacement dq (nv,) with ``A dq = -violation``, damped by mu."""
        factors = self._sigma / (self._sigma * self._sigma + mu * mu)
        weights = -factors * (self._Vt @ (self._independent @ violation))
        step = np.zeros(self.rows.shape[1])
        if len(self._free):
            step[self._free] = solve_triangle(
                self._factor, self._U @ weights, transposed=True)
        return step


def _phi(dyn: PreparedDynamics, q: Array) -> Array:
    phi: Array = dyn.own_loop_rows(q, np.zeros(dyn.model.nv))[:, 0]
    return phi


def _free_entries(model: Model, known: Sequence[str]) -> NDArray[np.int64]:
    """Return the entries of v that belong to joints which are not known."""
    fixed = {model.joint_index(name) for name in known}
    ends = (*model.v_offsets[1:], model.nv - len(model.elastic_names))  # joints close, none bends
    return np.array([k for joint, (first, end) in enumerate(zip(model.v_offsets, ends))
                     for k in range(first, end) if joint not in fixed], dtype=np.int64)


def _require_closed(dyn: PreparedDynamics, q: Array, tolerance: float, moved: Array, steps: int
                    ) -> Array:
    """Return phi; an error for the loop that is open most, or closed the wrong way round."""
    model, rest = dyn.model, np.zeros(dyn.model.nv)
    gaps = []
    rows, all_rows = dyn.own_loop_rows(q, rest), dyn.loop_rows(q, rest)
    for loop, tie in zip(model.loops, tree_of(model).ties):
        own = slice(tie.row, tie.row + len(loop.rows))
        gap, whole = (float(np.linalg.norm(part[own, 0])) for part in (rows, all_rows))
        levers = max(1.0, float(np.abs(rows[own, VALUES:]).sum()))
        if whole > gap + LOOP_RANK * levers * bool(tie.idle):
            gap = whole
        gaps.append(gap)
    size = max(gaps)
    worst = model.loops[gaps.index(size)]
    if not size <= tolerance:
        raise LoopOpenError(worst.name, size, float(np.abs(moved).max()),
                            f'after {steps} Newton steps, damped where rows depend on each other')
    axes = [(loop, axis) for loop in model.loops for axis in _UPRIGHT.get(loop.kind, ())]
    for (loop, axis), cosine in zip(axes, _cosines(dyn, q)):
        if cosine < 0.0:
            raise LoopOpenError(
                loop.name, 2.0, float(np.abs(moved).max()),
                f"its frames' {'xyz'[axis]} axes point in opposite directions; begin nearer "
                'to where they agree')
    phi: Array = all_rows[:, 0]
    return phi
