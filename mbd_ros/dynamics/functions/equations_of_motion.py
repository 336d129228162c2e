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
The dynamics of a robot, for one state or for many.

Layout: ``q`` (nq,) holds one entry for each revolute [rad] or prismatic [m] joint; for a floating
joint the position [m] and a quaternion x y z w. ``v`` (nv,) holds rates; for a floating joint the
linear, then the angular velocity in the base's own axes. Many states are (N, nq), (N, nv); an
argument given for one state serves all. The equation is::

    M(q) vdot + c(q, v) + g(q) = tau + sum_i J_i(q)^T F_i

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.algorithms.registry import AUTO
import mbd_ros.dynamics.functions as lazily
from mbd_ros.dynamics.functions.current_fields import in_field, is_field
from mbd_ros.dynamics.functions.frames import jacobian_in
from mbd_ros.dynamics.functions.further_efforts import more_efforts
import mbd_ros.dynamics.loops as loops
from mbd_ros.dynamics.prepared.call import Array, checked_array, deliver
from mbd_ros.dynamics.prepared.prepared import compile_model, PreparedDynamics
from mbd_ros.dynamics.prepared.standard_calls import StandardCalls, StandardLinkCalls
from mbd_ros.dynamics.quantities.frames import WORLD_ALIGNED
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.execution import Executor
from mbd_ros.model import Model

INVERSE_DYNAMICS, BIAS_FORCES = map(StandardCalls, ('inverse_dynamics', 'bias_forces'))
MASS_MATRIX, ENERGY, LINK_POSES = map(StandardCalls, ('mass_matrix', 'energy', 'link_poses'))
POSES, JACOBIANS = map(StandardLinkCalls, ('pose', 'jacobian'))
FORWARD_DYNAMICS = StandardCalls('forward_dynamics', lambda model, call: (
    loops.closure.WarnedCall(model, call) if model.loops else call))


def forward_dynamics(
    model: Model, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *,
    external_forces: Mapping[str, ArrayLike] | None = None, gravity: ArrayLike | None = None,
    formulation: str = 'auto', executor: Executor | str | None = None, dissipation: bool = False,
    fluid: Fluid | None = DEFAULT, ground: Ground | None = None, out: Array | None = None,
) -> Array:
    """
    Return the accelerations that forces produce, by the articulated-body algorithm.

    Parameters
    ----------
    model : Model
        The robot.
    q, v, tau : array_like
        (nq,), (nv,), (nv,) or (N, ...): configuration, velocity, generalized forces [N m, N].
    external_forces : mapping of str to array_like, optional
        For each link acted on, (6,) or (N, 6): force [N], then moment [N m], in world axes, at
        the link's origin.
    gravity : array_like, optional
        (3,) [m/s^2] in world axes; that of the model if left out.
    formulation : str
        ``'recursive'``, for trees; ``'closed_loop'``, the same recursion with the rows of cut
        joints, for all robots; ``'jourdain'``, scans and one dense system in NumPy, for trees;
        ``'augmented'``, multipliers of all joints in NumPy, for robots whose bodies all have mass
        and inertia: block tridiagonal for a chain, eliminated one joint after the other, in p
        chunks by ``Threads(p)``, by cyclic reduction with ``Lanes``; ``'kane'``, Kane's equations,
        for trees; ``'flexible'``, for trees, and for robots with flexible links or elastic joints,
        with loops, too; ``'auto'``, the first of them that suits.
    executor : Executor or str, optional
        Who runs the sweeps; chosen by the model's size if left out.
    dissipation : bool
        Whether the joints' damping and dry friction act.
    fluid : Fluid or None, optional
        What is around links with ``<mbd:fluid>``: buoyancy, drag and added mass. Fresh water if
        left out; None for a vacuum. A current that is a field is asked at the root link's origin,
        at time 0.
    ground : Ground, optional
        What points of ``<mbd:contact>`` touch; nothing if left out.
    out : array, optional
        Where to put the result.

    Returns
    -------
    array
        ``vdot`` (nv,) or (N, nv) [rad/s^2, m/s^2]. With loops those that keep them as they are
        at the state given, ``phi'' = A vdot + bias = 0``. Where they are open there by more than
        ``closure.OPEN``, 1e-3, this warns (prepared callables do not): ``close_loops`` gives
        a state where they are closed, and ``constrained_dynamics`` says how far from that a state
        is and what accelerations leave of rows that contradict each other.

    Warns
    -----
    LoopsOpenWarning
        Where loops are open.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError, UnknownNameError
        If an argument is not as it should be.
    SingularMassError
        If a joint moves no inertia.
    InvalidValueError
        If there is no such formulation, or it does not suit the robot.

    References
    ----------
    Featherstone, Rigid Body Dynamics Algorithms, 2008, table 7.1.

    """
    if (external_forces is None and gravity is None and executor is None and not dissipation
            and fluid is DEFAULT and ground is None and out is None):
        return FORWARD_DYNAMICS.of(model)[formulation](q, v, tau)
    if executor is None and out is None:
        if external_forces is None:
            known = FORWARD_DYNAMICS.within(
                model, formulation, gravity, fluid, ground, (), dissipation)
            if known is not None:
                return known(q, v, tau)
        elif type(external_forces) is dict:
            if len(external_forces) == 1:   # half the time of what serves many
                [link] = external_forces
                known = FORWARD_DYNAMICS.within(
                    model, formulation, gravity, fluid, ground, link, dissipation)
                if known is not None:
                    return known(q, v, tau, external_forces[link])
            else:
                known = FORWARD_DYNAMICS.within(
                    model, formulation, gravity, fluid, ground, (*external_forces,), dissipation)
                if known is not None:
                    return known(q, v, tau, *external_forces.values())
    if is_field(fluid):
        return in_field(forward_dynamics, model, {'q': q, 'v': v, 'tau': tau},
                        fluid, out, external_forces,
                        gravity=gravity, formulation=formulation, executor=executor,
                        dissipation=dissipation, ground=ground)
    dyn = compile_model(model, gravity=gravity, executor=executor, formulation=formulation,
                        fluid=fluid, ground=ground)
    call = dyn.forward_dynamics
    if model.loops:
        call = loops.closure.WarnedCall(model, call)
    if external_forces is not None or dissipation:
        tau = checked_array(model, 'tau', tau, model.nv) + more_efforts(
            dyn, q, v, external_forces, dissipation)
    return call(q, v, tau) if out is None else call(q, v, tau, out=out)


def inverse_dynamics(
    model: Model, q: ArrayLike, v: ArrayLike, qdd: ArrayLike, *,
    external_forces: Mapping[str, ArrayLike] | None = None, gravity: ArrayLike | None = None,
    formulation: str = 'auto', executor: Executor | str | None = None, dissipation: bool = False,
    fluid: Fluid | None = DEFAULT, ground: Ground | None = None,
    actuated: Sequence[str] | None = None, out: Array | None = None,
) -> Array:
    """
    Return the generalized forces that accelerations need, by the Newton-Euler recursion.

    Parameters
    ----------
    model : Model
        The robot.
    q, v, qdd : array_like
        (nq,), (nv,), (nv,) or (N, ...): configuration, velocity, acceleration.
    external_forces, gravity, formulation, executor, dissipation, fluid, ground, out
        As in ``forward_dynamics``.
    actuated : sequence of str, optional
        Of a robot with flexible links the joints whose accelerations are given; elastic and other
        coordinates get no effort and move as they must, as in ``hybrid_dynamics``.
        Of a robot with closed loops the joints that are driven; the others get no effort, and the
        loop joints carry what they must. Where more are driven than needed, the efforts of least
        norm are taken. If left out all joints are driven, and the loop joints carry nothing.

    Returns
    -------
    array
        ``tau`` (nv,) or (N, nv) [N m, N]: with gravity, velocity terms and rotor inertias; with
        joint damping and friction only if ``dissipation``.

    Raises
    ------
    MbdError
        As ``forward_dynamics``.

    References
    ----------
    Featherstone, Rigid Body Dynamics Algorithms, 2008, table 5.1.

    """
    if (external_forces is None and gravity is None and executor is None and not dissipation
            and fluid is DEFAULT and ground is None and actuated is None and out is None):
        return INVERSE_DYNAMICS.of(model)[formulation](q, v, qdd)
    if executor is None and out is None and actuated is None:
        if external_forces is None:
            known = INVERSE_DYNAMICS.within(
                model, formulation, gravity, fluid, ground, (), dissipation)
            if known is not None:
                return known(q, v, qdd)
        elif type(external_forces) is dict:
            if len(external_forces) == 1:   # half the time of what serves many
                [link] = external_forces
                known = INVERSE_DYNAMICS.within(
                    model, formulation, gravity, fluid, ground, link, dissipation)
                if known is not None:
                    return known(q, v, qdd, external_forces[link])
            else:
                known = INVERSE_DYNAMICS.within(
                    model, formulation, gravity, fluid, ground, (*external_forces,), dissipation)
                if known is not None:
                    return known(q, v, qdd, *external_forces.values())
    if is_field(fluid):
        return in_field(inverse_dynamics, model, {'q': q, 'v': v, 'qdd': qdd},
                        fluid, out, external_forces,
                        gravity=gravity, formulation=formulation, executor=executor,
                        dissipation=dissipation, ground=ground, actuated=actuated)
    dyn = compile_model(model, gravity=gravity, executor=executor, formulation=formulation,
                        fluid=fluid, ground=ground)
    if actuated is not None and model.elastic is not None:
        return _into(lazily.elastic.hybrid_dynamics(
            model, q, v, np.zeros(model.nv), qdd, given=actuated, external_forces=external_forces,
            gravity=gravity, formulation=formulation, dissipation=dissipation, fluid=fluid,
            ground=ground).tau, out)
    if actuated is not None:
        friction = -more_efforts(dyn, q, v, None, dissipation)
        found = loops.efforts.driven_efforts(dyn, q, v, qdd, actuated, external_forces, friction)
        return _into(found, out)
    if external_forces is None and not dissipation:
        return _into(dyn.inverse_dynamics(q, v, qdd), out)
    efforts = dyn.inverse_dynamics(q, v, qdd) - more_efforts(
        dyn, q, v, external_forces, dissipation)
    return _into(efforts, out)


def bias_forces(
    model: Model, q: ArrayLike, v: ArrayLike, *,
    external_forces: Mapping[str, ArrayLike] | None = None, gravity: ArrayLike | None = None,
    formulation: str = 'auto', executor: Executor | str | None = None, dissipation: bool = False,
    fluid: Fluid | None = DEFAULT, ground: Ground | None = None, out: Array | None = None,
) -> Array:
    """
    Return ``c(q, v) + g(q)`` (nv,) or (N, nv): inverse dynamics without acceleration [N m, N].

    Parameters and errors are those of ``inverse_dynamics``.
    """
    if (external_forces is None and gravity is None and executor is None and not dissipation
            and fluid is DEFAULT and ground is None and out is None):
        return BIAS_FORCES.of(model)[formulation](q, v)
    if executor is None and out is None:
        if external_forces is None:
            known = BIAS_FORCES.within(
                model, formulation, gravity, fluid, ground, (), dissipation)
            if known is not None:
                return known(q, v)
        elif type(external_forces) is dict:
            if len(external_forces) == 1:   # half the time of what serves many
                [link] = external_forces
                known = BIAS_FORCES.within(
                    model, formulation, gravity, fluid, ground, link, dissipation)
                if known is not None:
                    return known(q, v, external_forces[link])
            else:
                known = BIAS_FORCES.within(
                    model, formulation, gravity, fluid, ground, (*external_forces,), dissipation)
                if known is not None:
                    return known(q, v, *external_forces.values())
    if is_field(fluid):
        return in_field(bias_forces, model, {'q': q, 'v': v}, fluid, out, external_forces,
                        gravity=gravity, formulation=formulation, executor=executor,
                        dissipation=dissipation, ground=ground)
    dyn = compile_model(model, gravity=gravity, executor=executor, formulation=formulation,
                        fluid=fluid, ground=ground)
    if external_forces is None and not dissipation:
        return _into(dyn.bias_forces(q, v), out)
    efforts = dyn.bias_forces(q, v) - more_efforts(dyn, q, v, external_forces, dissipation)
    return _into(efforts, out)


def mass_matrix(
    model: Model, q: ArrayLike, *, formulation: str = 'auto',
    executor: Executor | str | None = None, fluid: Fluid | None = DEFAULT,
    out: Array | None = None,
) -> Array:
    """
    Return the mass matrix M (nv, nv) or (N, nv, nv), with rotor inertias [kg m^2, kg m, kg].

    In a fluid with the added mass. Parameters and errors are those of ``forward_dynamics``.

    References
    ----------
    Featherstone, Rigid Body Dynamics Algorithms, 2008, table 6.2.

    """
    if executor is None and fluid is DEFAULT and out is None:
        return MASS_MATRIX.of(model)[formulation](q)
    if executor is None and out is None:
        known = MASS_MATRIX.within(model, formulation, None, fluid, None, (), False)
        if known is not None:
            return known(q)
    if is_field(fluid):   # velocities of the fluid do not count
        fluid = fluid.at(np.zeros(3))
    dyn = compile_model(model, executor=executor, formulation=formulation, fluid=fluid)
    return _into(dyn.mass_matrix(q), out)


def jacobian(
    model: Model, q: ArrayLike, link: str, *, frame: str = WORLD_ALIGNED,
    executor: Executor | str | None = None, out: Array | None = None,
) -> Array:
    """
    Return the Jacobian of a link's origin: (6, nv) or (N, 6, nv).

    ``J v`` is the linear [m/s], then the angular [rad/s] velocity of the link: by default at the
    link's origin in world axes (``'world_aligned'``), or as ``frame_velocity`` has it in the
    frames ``'local'`` and ``'world'``.

    Raises
    ------
    UnknownNameError, InvalidValueError
        If there is no such link or frame.

    """
    if frame != WORLD_ALIGNED:
        return _into(jacobian_in(model, q, link, frame=frame, executor=executor), out)
    if executor is None and out is None:
        found: Array = JACOBIANS.call(model, frame, link)(q)
        return found
    return _into(compile_model(model, executor=executor).jacobian(q, link), out)


def pose(
    model: Model, q: ArrayLike, link: str, *, executor: Executor | str | None = None,
    out: Array | None = None,
) -> Array:
    """
    Return the pose of a link in the world: homogeneous, (4, 4) or (N, 4, 4) [m].

    Raises
    ------
    UnknownNameError
        If there is no such link.

    """
    if executor is None and out is None:
        found: Array = POSES.call(model, WORLD_ALIGNED, link)(q)
        return found
    return _into(compile_model(model, executor=executor).pose(q, link), out)


def link_poses(model: Model, q: ArrayLike) -> dict[str, Array]:
    """
    Return the poses of all links in the world.

    Parameters
    ----------
    model : Model
        The robot.
    q : array_like
        (nq,) or (N, nq).

    Returns
    -------
    dict of str to array
        For each link of the description a homogeneous transform (4, 4) or (N, 4, 4) [m].

    """
    poses = LINK_POSES.of(model)[AUTO](q)
    if poses.ndim == 3:
        return dict(zip(model.links, poses))
    return dict(zip(model.links, poses.swapaxes(0, 1)))


class Energy(NamedTuple):
    """Kinetic energy with that of the rotors, and potential energy [J]; floats or (N,)."""

    kinetic: Array
    potential: Array


def energy(model: Model, q: ArrayLike, v: ArrayLike, *, gravity: ArrayLike | None = None,
           fluid: Fluid | None = DEFAULT, ground: Ground | None = None) -> Energy:
    """
    Return the energies of a robot [J]; potential energy is zero at the world's origin.

    Parameters
    ----------
    model : Model
        The robot.
    q, v : array_like
        (nq,), (nv,) or (N, ...).
    gravity : array_like, optional
        (3,) [m/s^2] in world axes; that of the model if left out.
    fluid, ground
        As in ``forward_dynamics``.

    Returns
    -------
    Energy
        ``.kinetic`` and ``.potential``; with those of the fluid: kinetic as seen by who drifts
        with the current, potential by buoyancy. The ground stores none.

    """
    if gravity is None and fluid is DEFAULT and ground is None:
        return _in_two(ENERGY.of(model)[AUTO](q, v))
    known = ENERGY.within(model, AUTO, gravity, fluid, ground, (), False)
    if known is not None:
        return _in_two(known(q, v))
    if is_field(fluid):
        return in_field(energy, model, {'q': q, 'v': v}, fluid, gravity=gravity, ground=ground)
    return energy_of(compile_model(model, gravity=gravity, fluid=fluid, ground=ground), q, v)


def energy_of(dyn: PreparedDynamics, q: ArrayLike, v: ArrayLike) -> Energy:
    """Return the same for prepared dynamics."""
    return _in_two(dyn.energy(q, v))


_NEW = tuple.__new__


def _in_two(total: Array) -> Energy:
    if total.ndim == 1:
        return _NEW(Energy, total.tolist())   # a third of the time of Energy(...)
    return Energy(total[..., 0], total[..., 1])


def _into(result: Array, out: Array | None) -> Array:
    return result if out is None else deliver(result, out)
