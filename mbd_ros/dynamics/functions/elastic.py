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

"""Hybrid dynamics, static deflection and natural frequencies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.dynamics.functions.current_fields import in_field, is_field, met_at
from mbd_ros.dynamics.functions.further_efforts import more_efforts
from mbd_ros.dynamics.loops.closure import contradicted, GOAL, leading_joints, open_loops
from mbd_ros.dynamics.prepared.call import (
    Array, checked_array, real_array, require_finite, rows_of)
from mbd_ros.dynamics.prepared.prepared import compile_model, PreparedDynamics
from mbd_ros.dynamics.prepared.rank import least_motion
from mbd_ros.dynamics.quantities.flexible import force_slopes, warn_of_deflection
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.errors import InvalidValueError, ShapeError, SingularMassError
from mbd_ros.execution import Executor
from mbd_ros.model import Model, state
from mbd_ros.spatial.rank_thresholds import MODAL_STIFFNESS

ITERATIONS = 50
"""Of Newton's method for the static deflection; five are usual."""
DIVERGED = 1e6
"""Of a step [m, rad] beyond which there is nothing to be found."""
TOLD = 100.0
"""Of a stiffness against that without load: beyond, the search has left where shapes mean it."""
CONVERGED = 1e-12
"""Of a step against the deflection: quadratic convergence leaves rounding."""


class HybridDynamics(NamedTuple):
    """All accelerations and all generalized forces, each (nv,) or (N, nv)."""

    qdd: Array
    tau: Array


def hybrid_dynamics(
    model: Model, q: ArrayLike, v: ArrayLike, tau: ArrayLike, qdd: ArrayLike, *,
    given: Sequence[str], external_forces: Mapping[str, ArrayLike] | None = None,
    gravity: ArrayLike | None = None, formulation: str = 'auto',
    executor: Executor | str | None = None, dissipation: bool = False,
    fluid: Fluid | None = DEFAULT, ground: Ground | None = None, scheme: str = 'exact',
) -> HybridDynamics:
    """
    Return the motion where accelerations of some joints are given, and forces on all the rest.

    With all joints given this is the inverse dynamics of a robot with flexible links: the
    elastic coordinates move as they must. With flexible links it takes O(n), else one system of
    the size of v. Closed loops stay closed: ``M qdd + h = tau + A^T lambda`` and ``A qdd + bias =
    0``; where the given joints can brace against each other, their forces are of least norm.
    ``constrained_dynamics`` under ``.tau`` gives the multipliers.

    Parameters
    ----------
    model : Model
        The robot.
    q, v : array_like
        (nq,), (nv,) or (N, ...).
    tau : array_like
        (nv,) or (N, nv): generalized forces; those of given joints are not read [N m, N].
    qdd : array_like
        (nv,) or (N, nv): accelerations; only those of given joints are read.
    given : sequence of str
        Names of these joints.
    external_forces, gravity, formulation, executor, dissipation, fluid, ground
        As in ``forward_dynamics``.
    scheme : str, optional
        ``'exact'``, or ``'lin'``: the iteration of Lin (1995), to compare. With all joints given
        it takes the modal mass of each link alone for that of the robot, and mostly diverges.

    Returns
    -------
    HybridDynamics
        ``.qdd`` and ``.tau``, complete.

    Raises
    ------
    MbdError
        As ``forward_dynamics``.
    UnknownNameError
        If there is no joint of a name.
    InvalidValueError
        If Lin's iteration diverges, with the factor by which errors grow; if the loops do not
        allow the accelerations that are given.

    References
    ----------
    Featherstone, Rigid Body Dynamics Algorithms, 2008, section 9.2; Lin, Dynamic equation of
    flexible manipulator, 1995, section 4.

    """
    names = [given] if isinstance(given, str) else list(given)
    joints = sorted({model.joint_index(name) for name in names})
    known = _entries(model, joints)
    arrays = [checked_array(model, 'q', q, model.nq), checked_array(model, 'v', v, model.nv)]
    for name, value, unread in (('tau', tau, known), ('qdd', qdd, ~known)):
        arrays.append(np.where(unread, 0.0, real_array(name, value, model.nv)))
        require_finite(model, name, arrays[-1])
    if is_field(fluid):
        return in_field(hybrid_dynamics, model, dict(zip(('q', 'v', 'tau', 'qdd'), arrays)),
                        fluid, None, external_forces, given=names, gravity=gravity,
                        formulation=formulation, executor=executor, dissipation=dissipation,
                        ground=ground, scheme=scheme)
    dyn = compile_model(model, gravity=gravity, executor=executor, formulation=formulation,
                        fluid=fluid, ground=ground)
    more = more_efforts(dyn, arrays[0], arrays[1], external_forces, dissipation)
    (q, v, tau, qdd), many = rows_of(('q', 'v', 'tau', 'qdd'), arrays)
    if scheme not in ('exact', 'lin'):
        raise InvalidValueError('scheme', scheme, "'exact' or 'lin'")
    if scheme == 'lin':
        found, forces = _lin(dyn, len(joints), q, v, tau + more, qdd)
    elif model.loops:
        both = np.array([_in_loops(dyn, joints, *one) for one in zip(q, v, tau + more, qdd)])
        found, forces = both.reshape(-1, 2, model.nv).transpose(1, 0, 2)   # also of no states
    elif dyn.formulation == 'flexible':
        both = dyn.hybrid_dynamics(tuple(joints))(q, v, tau + more, qdd)
        found, forces = both[:, 0], both[:, 1]
    else:
        found, forces = _dense(dyn, joints, q, v, tau + more, qdd)
    forces = forces - more
    return HybridDynamics(found, forces) if many else HybridDynamics(found[0], forces[0])


def _lin(dyn: PreparedDynamics, given: int, q: Array, v: Array, tau: Array, qdd: Array
         ) -> tuple[Array, Array]:
    """
    Return what Lin's iteration converges to.

    With M_d of the links' own modal masses, and what is missing in the rows of elastic
    coordinates: ``a'' <- a'' - M_d^-1 (M_aa a'' + M_aq q'' + h_a - Q_a)``.
    """
    model = dyn.model
    if model.elastic is None or given < model.nb or model.loops or any(
            body.is_spring for body in model.elastic.bodies):
        raise InvalidValueError('scheme', 'lin', "'exact'; this one if links bend, no joint does, "
                                'no loops are closed, and all joints are given')
    elastic = slice(model.nv - len(model.elastic_names), model.nv)
    own = np.zeros((len(model.elastic_names),) * 2)
    for body in model.elastic.bodies:
        part = slice(body.first, body.first + body.count)
        own[part, part] = body.mass[:body.count, :body.count]
    result, forces = qdd.copy(), tau.copy()
    result[:, elastic] = 0.0
    for vdot, force, place, speed in zip(result, forces, q, v):
        coupled = dyn.mass_matrix(place)[elastic, elastic]
        growth = np.abs(np.linalg.eigvals(np.eye(len(own)) - np.linalg.solve(own, coupled))).max()
        if growth >= 1.0:
            raise InvalidValueError(
                'scheme', 'lin', "'exact': with the links' own modal masses for those of the "
                f'robot errors grow by a factor of {growth:.4g} each time')
        step = np.full(len(own), np.inf)
        while np.abs(step).max() > CONVERGED * max(np.abs(vdot).max(), 1.0):
            needed = dyn.inverse_dynamics(place, speed, vdot)
            step = np.linalg.solve(own, (force - needed)[elastic])
            vdot[elastic] += step
        force[:elastic.start] = dyn.inverse_dynamics(place, speed, vdot)[:elastic.start]
    return result, forces


def _entries(model: Model, joints: Iterable[int]) -> NDArray[np.bool_]:
    """Return which entries of v (nv,) are those of some joints."""
    result = np.zeros(model.nv, bool)
    for i in joints:
        result[model.v_offsets[i]:model.v_offsets[i] + model.joint_types[i].nv] = True
    return result


def _dense(dyn: PreparedDynamics, joints: Sequence[int], q: Array, v: Array, tau: Array,
           qdd: Array) -> tuple[Array, Array]:
    """Return accelerations and forces: ``M_ff qdd_f = tau_f - h_f - M_fg qdd_g``."""
    known = _entries(dyn.model, joints)
    mass, bias = dyn.mass_matrix(q), dyn.bias_forces(q, v)
    result, forces = np.where(known, qdd, 0.0), np.array(tau)
    driven = (mass @ result[:, :, None])[:, :, 0] + bias
    if not known.all():
        result[:, ~known] = np.linalg.solve(
            mass[:, ~known][:, :, ~known], (tau - driven)[:, ~known, None])[:, :, 0]
    forces[:, known] = ((mass @ result[:, :, None])[:, :, 0] + bias)[:, known]
    return result, forces


def _in_loops(dyn: PreparedDynamics, joints: Sequence[int], q: Array, v: Array, tau: Array,
              qdd: Array) -> tuple[Array, Array]:
    """
    Return accelerations and forces of one state in closed loops.

    With g given and f free: ``A_f qdd_f + A_g qdd_g + bias = 0``, ``N^T (M qdd + h - tau)_f = 0``
    with ``A_f N = 0``. Multipliers that exert nothing on f are what given joints brace against
    each other with; they make their forces least.
    """
    model, known = dyn.model, _entries(dyn.model, joints)
    rows, mass = dyn.loop_rows(q, v), dyn.mass_matrix(q)
    A, space = rows[:, VALUES:], RowSpace(model, rows[:, VALUES:], np.flatnonzero(~known))
    given = np.where(known, qdd, 0.0)
    applied = tau - dyn.bias_forces(q, v)
    try:
        found = given + least_motion(space, mass, applied - mass @ given,
                                     rows[:, VALUES - 1] + A @ given)
    except (np.linalg.LinAlgError, ValueError):   # singular; not finite
        raise SingularMassError(model.joint_names[0], 'of the motions that the loops allow, one '
                                'has no inertia or no finite one') from None
    name, left = contradicted(model, rows, found)
    if name:
        raise InvalidValueError('qdd', qdd.tolist(), (
            f"accelerations of {', '.join(model.joint_names[i] for i in joints)} that the loops "
            f"allow; of the equations of '{name}' {left:.3g} are left (m/s^2 or 1/s^2)"))
    missing = mass @ found - applied
    missing = missing - A.T @ space.multipliers(missing)
    braces = int(RowSpace(model, A).rank - space.rank)
    if braces:
        ways = np.linalg.svd((space.idle() @ A).T, full_matrices=False)[0][:, :braces]
        missing = missing - ways @ (ways.T @ missing)
    return found, tau + np.where(known, missing, 0.0)


@np.errstate(over='ignore', invalid='ignore')   # a search that diverges is told as such
def static_deflection(model: Model, q: ArrayLike, tau: ArrayLike | None = None, *,
                      external_forces: Mapping[str, ArrayLike] | None = None,
                      gravity: ArrayLike | None = None, fluid: Fluid | None = DEFAULT,
                      ground: Ground | None = None, held: Sequence[str] | None = None) -> Array:
    """
    Return the elastic coordinates at which a robot rests, its joints held as they are.

    Closed loops stay closed, ``h = tau + A^T lambda`` and ``phi = 0``. If bending alone cannot
    keep them closed, as that of one link alone cannot, only some joints are held; the others rest
    where the loops and their forces leave them, as ``close_loops(..., known=held)`` says.

    Parameters
    ----------
    model : Model
        The robot, with flexible links.
    q : array_like
        (nq,); its elastic coordinates are where the search begins.
    tau : array_like, optional
        (nv,): forces on elastic coordinates, mostly zero, and on joints that are not held; those
        of held joints are not read.
    external_forces, gravity, fluid, ground
        As in ``forward_dynamics``.
    held : sequence of str, optional
        The joints that do not move; all if not given, or, where bending alone cannot close the
        loops, the first that lead the others. In closed loops the others follow.

    Returns
    -------
    array
        (number of elastic coordinates,).

    Raises
    ------
    InvalidValueError
        If no link is flexible, or one has no stiffness; the load is above what the links carry: a
        link has buckled, or no rest is found; too many joints are held for the loops to close, or
        too few to hold the others where the linkage rests.
    ShapeError, NotFiniteError, UnknownNameError
        If an argument is not as it should be.

    Warns
    -----
    LargeDeflectionWarning
        Where linear modes are no longer valid.

    """
    if model.elastic is None:
        raise InvalidValueError('model', model.name, 'a robot with flexible links')
    _require_stiff(model)
    place_now = checked_array(model, 'q', q, model.nq).copy()
    forces = np.zeros(model.nv) if tau is None else checked_array(model, 'tau', tau, model.nv)
    for name, array in (('q', place_now), ('tau', forces)):
        if array.ndim != 1:
            raise ShapeError(name, array.shape, 'one state')
    dyn = compile_model(model, gravity=gravity, fluid=met_at(fluid, model, place_now),
                        ground=ground)
    names = _held_by_default(dyn, place_now) if held is None else (
        [held] if isinstance(held, str) else held)
    free = np.flatnonzero(~_entries(model, {model.joint_index(name) for name in names}))
    _require_led(dyn, place_now, free, list(names))
    rest = np.zeros(model.nv)
    for _ in range(ITERATIONS):
        load = forces + more_efforts(dyn, place_now, rest, external_forces, False)
        missing = load - dyn.bias_forces(place_now, rest)
        rows = dyn.loop_rows(place_now, rest) if model.loops else np.zeros((0, VALUES + model.nv))
        space = RowSpace(model, rows[:, VALUES:], free)
        tangent = dyn.inverse_dynamics_derivatives(place_now, rest, rest).dq
        if model.loops:
            held_by = space.multipliers(-missing)
            tangent = tangent - force_slopes(model, place_now, held_by)
        try:
            step = least_motion(space, tangent, missing, rows[:, 0], np.linalg.solve)
        except np.linalg.LinAlgError:   # no stiffness left along some motion
            step = np.full(model.nv, np.inf)
        if not np.abs(step).max() < DIVERGED:
            step = np.full_like(step, np.inf)
            break
        place_now = state.integrate(model, place_now, step)
        small = CONVERGED * max(np.abs(place_now[-len(model.elastic_names):]).max(), 1e-12)
        if np.abs(step).max() <= (max(small, GOAL) if model.loops else small):
            break
    else:
        step = np.full_like(step, np.inf)
    bent = place_now[-len(model.elastic_names):]
    scale = np.ones(model.nv)   # of joints, which have no stiffness of their own
    scale[model.nv - len(bent):] = np.sqrt(np.concatenate([
        np.diag(body.stiffness) for body in model.elastic.bodies]))
    ways = np.linalg.qr(scale[:, None] * space.motions())[0]
    stiffness = ways.T @ (0.5 * (tangent + tangent.T) / np.outer(scale, scale)) @ ways
    if not np.isfinite(step).all() and not (stiffness.size and np.isfinite(stiffness).all()):
        raise InvalidValueError('q', place_now.tolist(), 'a configuration near one at which '
                                'bending closes the loops')
    falls = np.linalg.eigvalsh(stiffness).min(initial=1.0) <= 0.0
    if falls or not np.isfinite(step).all():
        _require_led(dyn, place_now, free, list(names))
    if falls:   # what is left moves only as links bend: by how much per bending
        left, sizes, right = np.linalg.svd((scale[:, None] * space.motions())[-len(bent):],
                                           full_matrices=False)
        ways = space.motions() @ right.T / sizes
        values, vectors = np.linalg.eigh(ways.T @ (0.5 * (tangent + tangent.T)) @ ways)
        worst = model.elastic_names[int(np.argmax(np.abs(left @ vectors[:, 0])))]
        left_over = (f'{values[0]:.3g} of that without load' if abs(values[0]) < TOLD else
                     'lost far from rest, where the search ended')
        raise InvalidValueError(
            'the load', f'at q = {np.asarray(q).tolist()}',
            f"what the flexible links carry; they have buckled: the stiffness along '{worst}' is "
            f'{left_over}')
    if not np.isfinite(step).all():
        raise InvalidValueError('the load', f'at q = {np.asarray(q).tolist()}', 'what the '
                                'flexible links carry; from there no rest was found')
    warn_of_deflection(model, place_now[None], rest[None])
    return bent


def _held_by_default(dyn: PreparedDynamics, q: Array) -> Sequence[str]:
    """Return all joints, or, where bending cannot close the loops, those that lead the others."""
    model = dyn.model
    if not model.loops:
        return model.joint_names
    A = dyn.loop_rows(q, np.zeros(model.nv))[:, VALUES:]
    bending = np.arange(model.nv - len(model.elastic_names), model.nv)
    closes = RowSpace(model, A, bending).rank == RowSpace(model, A).rank
    return model.joint_names if closes else leading_joints(model, q)


def _require_stiff(model: Model) -> None:
    """Check that no link bends without a force."""
    for body in model.elastic.bodies if model.elastic else ():
        scale = np.sqrt(np.diag(body.stiffness))
        if not scale.all() or np.linalg.eigvalsh(
                body.stiffness / np.outer(scale, scale))[0] <= MODAL_STIFFNESS:
            raise InvalidValueError('model', model.name, 'a robot whose links resist bending: '
                                    f"'{body.link}' has shapes without stiffness")


def _require_led(dyn: PreparedDynamics, q: Array, free: NDArray[np.int64], held: list[str]
                 ) -> None:
    """Check that what is free can close the loops, and that these lead all joints in it."""
    model = dyn.model
    A = (dyn.loop_rows(q, np.zeros(model.nv))[:, VALUES:] if model.loops
         else np.zeros((0, model.nv)))
    others = free[free < model.nv - len(model.elastic_names)]
    if RowSpace(model, A, free).rank < RowSpace(model, A).rank:
        raise InvalidValueError('held', held, 'joints without which the loops can close: bending '
                                f'alone cannot close them at q = {q.tolist()}')
    if RowSpace(model, A, others).rank < len(others):
        raise InvalidValueError('held', held, 'joints that hold all others by the loops at q = '
                                f'{q.tolist()}; hold more or begin elsewhere')


class NaturalFrequencies(NamedTuple):
    """Frequencies (k,) [Hz], ascending, and modes (nv, k) as columns, of modal mass 1."""

    frequencies: Array
    modes: Array


def natural_frequencies(model: Model, q: ArrayLike, *, locked: Sequence[str] = (),
                        gravity: ArrayLike = (0.0, 0.0, 0.0), formulation: str = 'auto',
                        fluid: Fluid | None = DEFAULT, ground: Ground | None = None
                        ) -> NaturalFrequencies:
    """
    Return the natural frequencies of small undamped motions about a configuration.

    The forces that hold the robot there are constant. Motions without stiffness, such as those of
    a robot that floats, have the frequency 0.

    Parameters
    ----------
    model : Model
        The robot; closed loops stay closed, and carry what they can of the weight that counts,
        drives the rest.
    q : array_like
        (nq,): a configuration, with the static deflection if that counts.
    locked : sequence of str
        Joints that do not move; all the others do.
    gravity : array_like, optional
        (3,) [m/s^2] in world axes. Here weight counts only if it is given: it stiffens what hangs
        and softens what stands.
    formulation, fluid, ground
        As in ``forward_dynamics``; water adds mass, its drag and that of contacts damp nothing.

    Returns
    -------
    NaturalFrequencies
        ``.frequencies`` [Hz] and ``.modes`` (nv, k); zero for locked joints.

    Raises
    ------
    InvalidValueError
        If the robot falls away from the configuration instead of swinging about it, or a loop is
        open there.
    UnknownNameError, ShapeError, NotFiniteError
        If an argument is not as it should be.

    """
    place_now = checked_array(model, 'q', q, model.nq)
    if place_now.ndim != 1:
        raise ShapeError('q', place_now.shape, f'({model.nq},), one configuration')
    dyn = compile_model(model, gravity=gravity, formulation=formulation,
                        fluid=met_at(fluid, model, place_now), ground=ground)
    names = [locked] if isinstance(locked, str) else list(locked)
    moves = ~_entries(model, {model.joint_index(name) for name in names})
    rest = np.zeros(model.nv)
    if loops := open_loops(model, place_now):
        raise InvalidValueError('q', place_now.tolist(), f'where {loops}')
    free = np.eye(model.nv)[:, moves]   # the motions that are left
    held_by = dyn.inverse_dynamics_derivatives(place_now, rest, rest).dq
    if model.loops:
        space = RowSpace(model, dyn.loop_rows(place_now, rest)[:, VALUES:], np.flatnonzero(moves))
        free = np.linalg.qr(space.motions())[0]
        held_by = held_by - force_slopes(
            model, place_now, space.multipliers(dyn.bias_forces(place_now, rest)))
    stiffness, mass = (free.T @ matrix @ free for matrix in (
        held_by, dyn.mass_matrix(place_now)))
    lower = np.linalg.cholesky(mass)
    scaled = np.linalg.solve(lower, np.linalg.solve(lower, 0.5 * (stiffness + stiffness.T)).T)
    squares, vectors = np.linalg.eigh(0.5 * (scaled + scaled.T))
    zero = 1e3 * np.finfo(float).eps * max(np.abs(squares).max(initial=0.0), 1.0)
    modes = free @ np.linalg.solve(lower.T, vectors)
    if len(squares) and squares[0] < -zero:
        worst = model.coordinate_names[int(np.argmax(np.abs(modes[:, 0])))]
        raise InvalidValueError(
            'q', place_now.tolist(), 'a configuration about which the robot swings; it falls away '
            f"from this one by '{worst}': lock joints, or another configuration or gravity")
    squares = np.where(squares < zero, 0.0, squares)
    return NaturalFrequencies(np.sqrt(squares) / (2.0 * np.pi), modes)
