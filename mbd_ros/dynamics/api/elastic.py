"""Hybrid dynamics, static deflection and natural frequencies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
import scipy

from mbd_ros.dynamics.api.functions import more_efforts
from mbd_ros.dynamics.formulations.row_space import RANK
from mbd_ros.dynamics.loops.closure import open_loops
from mbd_ros.dynamics.prepared.call import Array, checked_array, rows_of
from mbd_ros.dynamics.prepared.prepared import compile_model, PreparedDynamics
from mbd_ros.dynamics.quantities.flexible import warn_of_deflection
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import InvalidValueError, ShapeError, UnsupportedError
from mbd_ros.execution import Executor
from mbd_ros.model import Model

ITERATIONS = 50
"""Of Newton's method for the static deflection; five are usual."""
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
    executor: Executor | str | None = None, dissipation: bool = False, scheme: str = 'exact',
) -> HybridDynamics:
    """
    Return the motion where accelerations of some joints are given, and forces on all the rest.

    With all joints given this is the inverse dynamics of a robot with flexible links: the
    elastic coordinates move as they must. With flexible links it takes O(n), else one system of
    the size of v.

    Parameters
    ----------
    model : Model
        The robot, without closed loops.
    q, v : array_like
        (nq,), (nv,) or (N, ...).
    tau : array_like
        (nv,) or (N, nv): generalized forces; those of given joints are not read [N m, N].
    qdd : array_like
        (nv,) or (N, nv): accelerations; only those of given joints are read.
    given : sequence of str
        Names of these joints.
    external_forces, gravity, formulation, executor, dissipation
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
    UnsupportedError
        If the robot has closed loops.
    InvalidValueError
        If Lin's iteration diverges; with the factor by which errors grow.

    References
    ----------
    Featherstone, Rigid Body Dynamics Algorithms, 2008, section 9.2; Lin, Dynamic equation of
    flexible manipulator, 1995, section 4.

    """
    if model.loops:
        raise UnsupportedError(f"hybrid_dynamics of '{model.name}', which has closed loops,",
                               'inverse_dynamics with actuated, or constrained_dynamics')
    dyn = compile_model(model, gravity=gravity, executor=executor, formulation=formulation)
    names = [given] if isinstance(given, str) else list(given)
    joints = sorted({model.joint_index(name) for name in names})
    arrays = [checked_array(model, name, value, size) for name, value, size in (
        ('q', q, model.nq), ('v', v, model.nv), ('tau', tau, model.nv), ('qdd', qdd, model.nv))]
    more = more_efforts(dyn, arrays[0], arrays[1], external_forces, dissipation)
    (q, v, tau, qdd), many = rows_of(('q', 'v', 'tau', 'qdd'), arrays)
    if scheme not in ('exact', 'lin'):
        raise InvalidValueError('scheme', scheme, "'exact' or 'lin'")
    if scheme == 'lin':
        found, forces = _lin(dyn, len(joints), q, v, tau + more, qdd)
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
    if model.elastic is None or given < model.nb or any(
            body.is_spring for body in model.elastic.bodies):
        raise InvalidValueError('scheme', 'lin', "'exact'; this one if links bend, no joint does, "
                                'and all joints are given')
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


def _dense(dyn: PreparedDynamics, joints: Sequence[int], q: Array, v: Array, tau: Array,
           qdd: Array) -> tuple[Array, Array]:
    """Return accelerations and forces: ``M_ff qdd_f = tau_f - h_f - M_fg qdd_g``."""
    model = dyn.model
    known = np.zeros(model.nv, bool)
    for i in joints:
        known[model.v_offsets[i]:model.v_offsets[i] + model.joint_types[i].nv] = True
    mass, bias = dyn.mass_matrix(q), dyn.bias_forces(q, v)
    result, forces = np.where(known, qdd, 0.0), np.array(tau)
    driven = (mass @ result[:, :, None])[:, :, 0] + bias
    if not known.all():
        result[:, ~known] = np.linalg.solve(
            mass[:, ~known][:, :, ~known], (tau - driven)[:, ~known, None])[:, :, 0]
    forces[:, known] = ((mass @ result[:, :, None])[:, :, 0] + bias)[:, known]
    return result, forces


def static_deflection(model: Model, q: ArrayLike, tau: ArrayLike | None = None, *,
                      external_forces: Mapping[str, ArrayLike] | None = None,
                      gravity: ArrayLike | None = None) -> Array:
    """
    Return the elastic coordinates at which a robot rests, its joints held as they are.

    Parameters
    ----------
    model : Model
        The robot, with flexible links.
    q : array_like
        (nq,); its elastic coordinates are where the search begins.
    tau : array_like, optional
        (nv,): forces on elastic coordinates, mostly zero; those of joints are not read.
    external_forces, gravity
        As in ``forward_dynamics``.

    Returns
    -------
    array
        (number of elastic coordinates,).

    Raises
    ------
    InvalidValueError
        If no link is flexible, or the load is above what the links carry: a link has buckled.
    ShapeError, NotFiniteError
        If an argument is not as it should be.

    Warns
    -----
    LargeDeflectionWarning
        Where linear modes are no longer valid.

    """
    if model.elastic is None:
        raise InvalidValueError('model', model.name, 'a robot with flexible links')
    if model.loops:
        raise UnsupportedError(f"static_deflection of '{model.name}', which has closed loops,",
                               'open the loops')
    dyn = compile_model(model, gravity=gravity)
    place_now = checked_array(model, 'q', q, model.nq).copy()
    forces = np.zeros(model.nv) if tau is None else checked_array(model, 'tau', tau, model.nv)
    for name, array in (('q', place_now), ('tau', forces)):
        if array.ndim != 1:
            raise ShapeError(name, array.shape, 'one state')
    rest = np.zeros(model.nv)
    elastic = slice(model.nv - len(model.elastic_names), model.nv)
    bent = slice(model.nq - len(model.elastic_names), model.nq)
    for _ in range(ITERATIONS):
        load = forces + more_efforts(dyn, place_now, rest, external_forces, False)
        missing = (load - dyn.bias_forces(place_now, rest))[elastic]
        tangent = dyn.inverse_dynamics_derivatives(place_now, rest, rest).dq[elastic, elastic]
        step = np.linalg.solve(tangent, missing)
        place_now[bent] += step
        if np.abs(step).max() <= CONVERGED * max(np.abs(place_now[bent]).max(), 1e-12):
            break
    else:
        step = np.full_like(step, np.inf)
    scale = np.sqrt(np.concatenate([np.diag(body.stiffness) for body in model.elastic.bodies]))
    values, vectors = np.linalg.eigh(0.5 * (tangent + tangent.T) / np.outer(scale, scale))
    if not np.isfinite(step).all() or values[0] <= 0.0:
        worst = model.elastic_names[int(np.argmax(np.abs(vectors[:, 0])))]
        raise InvalidValueError(
            'the load', f'at q = {np.asarray(q).tolist()}',
            f"what the flexible links carry; they have buckled: the stiffness along '{worst}' is "
            f'{values[0]:.3g} of that without load')
    warn_of_deflection(model, place_now[None], rest[None])
    return place_now[bent]


class NaturalFrequencies(NamedTuple):
    """Frequencies (k,) [Hz], ascending, and modes (nv, k) as columns, of modal mass 1."""

    frequencies: Array
    modes: Array


def natural_frequencies(model: Model, q: ArrayLike, *, locked: Sequence[str] = (),
                        gravity: ArrayLike = (0.0, 0.0, 0.0), formulation: str = 'auto'
                        ) -> NaturalFrequencies:
    """
    Return the natural frequencies of small undamped motions about a configuration.

    The forces that hold the robot there are constant. Motions without stiffness, such as those of
    a robot that floats, have the frequency 0.

    Parameters
    ----------
    model : Model
        The robot; closed loops stay closed, and carry nothing at the configuration.
    q : array_like
        (nq,): a configuration, with the static deflection if that counts.
    locked : sequence of str
        Joints that do not move; all the others do.
    gravity : array_like, optional
        (3,) [m/s^2] in world axes. Here weight counts only if it is given: it stiffens what hangs
        and softens what stands.
    formulation : str
        As in ``forward_dynamics``.

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
    dyn = compile_model(model, gravity=gravity, formulation=formulation)
    place_now = checked_array(model, 'q', q, model.nq)
    if place_now.ndim != 1:
        raise ShapeError('q', place_now.shape, f'({model.nq},), one configuration')
    names = [locked] if isinstance(locked, str) else list(locked)
    held = {model.joint_index(name) for name in names}
    moves = np.ones(model.nv, bool)
    for i in held:
        moves[model.v_offsets[i]:model.v_offsets[i] + model.joint_types[i].nv] = False
    rest = np.zeros(model.nv)
    if loops := open_loops(model, place_now):
        raise InvalidValueError('q', place_now.tolist(), f'where {loops}')
    free = np.eye(int(moves.sum()))   # the motions that are left
    if model.loops:
        free = scipy.linalg.null_space(dyn.loop_rows(place_now, rest)[:, VALUES:][:, moves],
                                       rcond=RANK)
    held_by = dyn.inverse_dynamics_derivatives(place_now, rest, rest).dq
    stiffness, mass = (free.T @ matrix[moves][:, moves] @ free for matrix in (
        held_by, dyn.mass_matrix(place_now)))
    lower = np.linalg.cholesky(mass)
    scaled = np.linalg.solve(lower, np.linalg.solve(lower, 0.5 * (stiffness + stiffness.T)).T)
    squares, vectors = np.linalg.eigh(0.5 * (scaled + scaled.T))
    zero = 1e3 * np.finfo(float).eps * max(np.abs(squares).max(initial=0.0), 1.0)
    modes = np.zeros((model.nv, len(squares)))
    modes[moves] = free @ np.linalg.solve(lower.T, vectors)
    if len(squares) and squares[0] < -zero:
        worst = model.coordinate_names[int(np.argmax(np.abs(modes[:, 0])))]
        raise InvalidValueError(
            'q', place_now.tolist(), 'a configuration about which the robot swings; it falls away '
            f"from this one by '{worst}': lock joints, or another configuration or gravity")
    squares = np.where(squares < zero, 0.0, squares)
    return NaturalFrequencies(np.sqrt(squares) / (2.0 * np.pi), modes)
