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

"""Prepared dynamics of a model: callables compiled once, the fastest entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import functools
from typing import Any, overload, TYPE_CHECKING
import weakref

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.dynamics.algorithms.forward_dynamics import (
    closed_loop_dynamics, closed_loop_reactions, position_correction, velocity_correction)
from mbd_ros.dynamics.algorithms.registry import AUTO, formulation_for
import mbd_ros.dynamics.prepared as lazily
from mbd_ros.dynamics.prepared.call import (
    Array, Call, deliver, real_array, require_finite)
from mbd_ros.dynamics.prepared.derivatives import (
    CentroidalDerivatives, ForwardDynamicsDerivatives, FrameAccelerationDerivatives,
    FrameVelocityDerivatives, HessianProduct, in_parts, InverseDynamicsDerivatives)
from mbd_ros.dynamics.prepared.drawing import DRAWN
from mbd_ros.dynamics.prepared.world_values import changed_world
from mbd_ros.dynamics.quantities import flexible, kinematics
from mbd_ros.dynamics.quantities.derivatives import (
    FORWARD_DYNAMICS_DERIVATIVES, INVERSE_DYNAMICS_DERIVATIVES)
from mbd_ros.dynamics.quantities.energies import ENERGIES
from mbd_ros.dynamics.quantities.frames import in_frame, require_frame, WORLD_ALIGNED
from mbd_ros.dynamics.quantities.kinematics import LinkMotion
from mbd_ros.dynamics.quantities.loop_kinematics import loop_rows
from mbd_ros.dynamics.quantities.quantities_as_programs import (
    at_rest, forced, program_of, wrenches_of_efforts)
from mbd_ros.environment.surroundings import DEFAULT, surrounded
from mbd_ros.errors import InvalidValueError, UnsupportedError
from mbd_ros.execution import choose, Compiled, Executor, Kernel
from mbd_ros.execution.compiled_calls.fast_call import fast_call
from mbd_ros.execution.ir.machine_code import address_of
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.records import filled, flatten
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.program.ties import frame_record
from mbd_ros.execution.program.tree import sizes, tree_of, world_of
from mbd_ros.model import Model, state
from mbd_ros.model.caches import owned

if TYPE_CHECKING:
    from mbd_ros.dynamics.prepared.parametric import ParametricDynamics
    from mbd_ros.dynamics.prepared.rank import Question
    from mbd_ros.environment.contact import Ground
    from mbd_ros.environment.fluid_law import Fluid

OF_LINKS = {
    'pose': 'pose', 'jacobian': 'jacobian', 'jacobian_rate': 'jacobian rate',
    'frame_velocity': 'velocity', 'frame_acceleration': 'acceleration',
    'jacobian_derivatives': 'jacobian changes', 'frame_velocity_derivatives': 'velocity changes',
    'frame_acceleration_derivatives': 'acceleration changes'}
"""Functions of links, and the names of what they are in ``kernel``."""
CHANGES: dict[str, tuple[Any, tuple[str, ...], tuple[int, ...]]] = {
    'jacobian changes': (None, ('q',), ()),
    'velocity changes': (FrameVelocityDerivatives, ('q', 'v'), (0, 3)),
    'acceleration changes': (FrameAccelerationDerivatives, ('q', 'v', 'qdd'), (1, 2, 3))}
"""Of derivatives what they are put into, what they read, and places in ``link_changes``."""
FRAMED = ('velocity', 'acceleration', *CHANGES)
"""What has a choice of frames."""
GRAVITY = 3
"""Numbers of the world that are gravity, the first."""


class PreparedDynamics:
    """
    The dynamics of one model under one gravity, as prepared callables.

    Each is made at its first use. With float64 arrays of one state a call takes well under a
    microsecond for an arm; lists, batches ``(N, ...)`` and keywords take an ordinary Python path.
    All may be called from several threads at once.

    Parameters
    ----------
    model : Model
        The model.
    gravity : tuple of float, optional
        (3,) [m/s^2] in world axes; that of the model if left out.
    executor : Executor or str, optional
        Runs the sweeps; or its name, see ``execution.choose``.
    formulation : str
        Name of a formulation, see ``algorithms/registry.py``; ``'auto'``: the first that suits.
    own : tuple of float, optional
        What force laws read of the world, as in ``world_array``; the laws' values if left out.

    """

    def __init__(self, model: Model, gravity: tuple[float, ...] | None = None,
                 executor: Executor | str | None = None, formulation: str = AUTO,
                 own: tuple[float, ...] | None = None) -> None:
        if not isinstance(model, Model):
            raise InvalidValueError('model', model, 'a Model, as mbd_ros.load returns it')
        self.model, _ = surrounded(model)
        model = self.model
        self.executor = choose(executor)
        self._formulation = formulation_for(model, formulation)
        self._world: NDArray[np.float64] = np.array(flatten(world_of(model)))
        self._world[:GRAVITY] = model.gravity if gravity is None else gravity
        if own is not None:
            self._world[GRAVITY:] = own
        self._links = _Links(self)
        self._forced: dict[tuple[str, tuple[str, ...], bool], Callable[..., Array] | None] = {}
        self._products: dict[tuple[str, ...], Callable[..., HessianProduct]] = {}
        self._hybrid: dict[tuple[int, ...], Callable[..., Array]] = {}
        self._kernels: dict[str, Kernel] = {}

    @property
    def gravity(self) -> Array:
        """Gravity (3,) [m/s^2] in world axes, as a copy."""
        return self._world[:GRAVITY].copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy as model and settings; callables are prepared anew."""
        gravity, own = tuple(self._world[:GRAVITY].tolist()), tuple(self._world[GRAVITY:].tolist())
        return PreparedDynamics, (self.model, gravity, self.executor, self.formulation, own)

    @property
    def formulation(self) -> str:
        """Name of the formulation that runs."""
        return self._formulation.name

    def change_gravity(self, gravity: ArrayLike) -> None:
        """
        Go on under another gravity; only for an instance of one's own.

        Those of ``compile_model`` are shared by all who ask for the same; make one's own with the
        constructor.

        Parameters
        ----------
        gravity : array_like
            (3,) [m/s^2] in world axes.

        Raises
        ------
        InvalidValueError
            If it is not three finite numbers.

        """
        self._world[:GRAVITY] = _vector3(gravity)

    @property
    def world_array(self) -> Array:
        """Gravity and what force laws read of the world, as a copy (see ``tree.world_of``)."""
        return self._world.copy()

    @property
    def world(self) -> dict[str, Any]:
        """Return what each force law reads of the world, by name."""
        values = filled(world_of(self.model), self._world.tolist().__getitem__)
        return {law.name: own for law, own in zip(self.model.laws, values.own)}

    def change_world(self, **laws: Any) -> None:
        """
        Go on with other values for force laws; nothing is compiled. See ``change_gravity``.

        Parameters
        ----------
        **laws : NamedTuple or mapping
            By name of the law: the record that it reads of the world, or some fields of it.

        Raises
        ------
        UnknownNameError, InvalidValueError
            If there is no such law or field, or a value is no finite number.

        """
        self._world[GRAVITY:] = changed_world(self.world, laws)

    @functools.cached_property
    def forward_dynamics(self) -> Callable[..., Array]:
        """Callable ``(q, v, tau) -> vdot`` (nv,): accelerations [rad/s^2, m/s^2]."""
        return self._formulated('forward_dynamics', self._dense_solution('accelerations'))

    def forced(self, function: str, links: tuple[str, ...], dissipation: bool = False
               ) -> Callable[..., Array] | None:
        """
        Return a callable that takes forces on links after its other arguments.

        Parameters
        ----------
        function : str
            ``'forward_dynamics'``, ``'inverse_dynamics'`` or ``'bias_forces'``.
        links : tuple of str
            The links; of each (6,), force [N] then moment [N m], in world axes, at its origin.
        dissipation : bool
            Whether damping and dry friction of the joints act.

        Returns
        -------
        callable or None
            ``(q, v, tau, force, ...) -> vdot`` and so on; None where ``mbd_ros`` puts it together
            in Python: closed loops, flexible links, more than 40 bodies, formulations in NumPy.

        Raises
        ------
        UnknownNameError
            If there is no such link.

        """
        key = (function, links, dissipation)
        if key not in self._forced:
            program = forced(self.model, function,
                             self._formulation.programs(self.model)[function], links, dissipation)
            self._forced[key] = None if program is None else self._callable(program)
        return self._forced[key]

    def stabilized_dynamics(self, alpha: float, beta: float) -> Callable[..., Array]:
        """Return ``(q, v, tau) -> vdot`` with Baumgarte's stabilization of loops [1/s]."""
        return self._callable(
            closed_loop_dynamics(tree_of(self.model).slots, alpha, beta),
            dense_solution=self._dense_solution('accelerations', alpha=alpha, beta=beta))

    @functools.cached_property
    def position_correction(self) -> Callable[..., Array]:
        """Callable ``(q, v) -> dq`` (nv,): the least displacement that closes the loops."""
        return self._callable(position_correction(tree_of(self.model).slots),
                              'position_correction', self._dense_solution('positions'))

    @functools.cached_property
    def velocity_correction(self) -> Callable[..., Array]:
        """Callable ``(q, v) -> dv`` (nv,): the least change of v that satisfies the loops."""
        return self._callable(velocity_correction(tree_of(self.model).slots),
                              'velocity_correction', self._dense_solution('velocities'))

    @functools.cached_property
    def loop_reactions(self) -> Callable[..., Array]:
        """
        Callable ``(q, v, tau) -> (nv + 2 m,)``: vdot, then two numbers for each row of the loops.

        These are its multiplier and 1, or 0 where others imply the row.
        """
        return self._callable(closed_loop_reactions(tree_of(self.model).slots), 'loop_reactions',
                              self._dense_solution('reactions'))

    @functools.cached_property
    def loop_rows(self) -> Callable[..., Array]:
        """Callable ``(q, v) -> (m, 3 + nv)``: phi, A v and bias of each row, then A."""
        return self._callable(loop_rows(tree_of(self.model).slots), 'loop_rows')

    @functools.cached_property
    def own_loop_rows(self) -> Callable[..., Array]:
        """
        Callable as ``loop_rows``, of planar loops in the axes of one of their bodies.

        The same equations, combined so that those across the plane are zero wherever it lies;
        those of all else are ``loop_rows``.
        """
        if all(tie.axes < 0 for tie in tree_of(self.model).ties):
            rows = self.loop_rows
            self._kernels['own_loop_rows'] = self._kernels['loop_rows']
            return rows
        return self._callable(loop_rows(tree_of(self.model).slots, own=True), 'own_loop_rows')

    @functools.cached_property
    def inverse_dynamics(self) -> Callable[..., Array]:
        """Callable ``(q, v, qdd) -> tau`` (nv,): generalized forces [N m, N]."""
        return self._formulated('inverse_dynamics')

    @functools.cached_property
    def forward_dynamics_derivatives(self) -> Callable[..., ForwardDynamicsDerivatives]:
        """Callable ``(q, v, tau) -> (dq, dv, dtau)``, each (nv, nv): derivatives of vdot."""
        return in_parts(self._traced('forward_dynamics') if self.differentiates_traces(
            'forward_dynamics') else self._callable(
            FORWARD_DYNAMICS_DERIVATIVES), ForwardDynamicsDerivatives,
            FORWARD_DYNAMICS_DERIVATIVES.name)

    @functools.cached_property
    def inverse_dynamics_derivatives(self) -> Callable[..., InverseDynamicsDerivatives]:
        """Callable ``(q, v, qdd) -> (dq, dv, dqdd)``, each (nv, nv): derivatives of tau."""
        return in_parts(self._traced('inverse_dynamics') if self.differentiates_traces(
            'inverse_dynamics') else self._callable(
            INVERSE_DYNAMICS_DERIVATIVES), InverseDynamicsDerivatives,
            INVERSE_DYNAMICS_DERIVATIVES.name)

    @functools.cached_property
    def inverse_dynamics_hessian_product(self) -> Callable[..., HessianProduct]:
        """
        Callable ``(q, v, qdd, weights, dq, dv, dqdd) -> (dq, dv, dqdd)``, each (nv,).

        The second derivatives of ``weights . tau`` times a direction: see ``HessianProduct``.
        """
        return self.hessian_product()

    def hessian_product(self, links: tuple[str, ...] = ()) -> Callable[..., HessianProduct]:
        """
        Return ``inverse_dynamics_hessian_product`` with forces on links.

        Parameters
        ----------
        links : tuple of str
            The links; of each (6,), force [N] then moment [N m], in world axes, at its origin.

        Returns
        -------
        callable
            ``(q, v, qdd, force, ..., weights, dq, dv, dqdd) -> (dq, dv, dqdd)``, each (nv,).

        Raises
        ------
        UnknownNameError
            If there is no such link.
        UnsupportedError
            For forces on robots with flexible links, and large ones.

        """
        if links not in self._products:
            self._products[links] = lazily.traced_derivatives.hessian_product_of(self, links)
        return self._products[links]

    def differentiates_traces(self, function: str) -> bool:
        """Return whether forward or inverse dynamics are differentiated by their trace."""
        model = self.model
        return bool(model.sprung or model.laws) or (
            model.elastic is not None and flexible.small(model)) or (
            function == 'forward_dynamics' and bool(model.loops))

    def _traced(self, function: str) -> Callable[..., Array]:
        """Return the derivatives of a function whose trace is differentiated."""
        return functools.partial(lazily.traced_derivatives.of_one_or_many, self, function)

    def hybrid_dynamics(self, joints: tuple[int, ...]) -> Callable[..., Array]:
        """Return ``(q, v, tau, qdd) -> (2, nv)``, of formulation 'flexible': qdd and tau."""
        if joints not in self._hybrid:
            self._hybrid[joints] = self._callable(flexible.hybrid_dynamics(joints))
        return self._hybrid[joints]

    @functools.cached_property
    def midpoint(self) -> Callable[..., Array]:
        """
        Callable ``(q, v, tau, step, q_m, v_m) -> (nq + nv,)``: the middle of a step [s].

        With loops ``rows`` follow, ``RowSpace.choice`` as one vector.
        """
        return self._callable(flexible.midpoint(self.model), 'midpoint')

    @functools.cached_property
    def closing(self) -> Callable[..., Array]:
        """Callable ``(q, v, step, rows) -> (nq + nv,)``: after a step, q and v in closed loops."""
        return self._callable(flexible.closing(self.model), 'closing')

    @functools.cached_property
    def bias_forces(self) -> Callable[..., Array]:
        """Callable ``(q, v) -> C(q, v) v + g(q)`` (nv,) [N m, N]."""
        return self._formulated('bias_forces')

    @functools.cached_property
    def joint_wrenches(self) -> Callable[..., Array]:
        """Callable ``(q, v, qdd or tau) -> (nb, 6)``, see ``Formulation``: force, then moment."""
        return self._formulated('joint_wrenches')

    @functools.cached_property
    def mass_matrix(self) -> Callable[..., Array]:
        """Give the mass matrix M (nv, nv) for (q), with rotor inertias [kg m^2, kg]."""
        return self._formulated('mass_matrix')

    @functools.cached_property
    def energies(self) -> Callable[..., Array]:
        """
        Callable ``(q, v) -> (nb, 2)``: kinetic and potential energy of each body [J].

        With flexible links of each segment instead, with strain energy.
        """
        return self._callable(ENERGIES)

    @functools.cached_property
    def energy(self) -> Callable[..., Array]:
        """Callable ``(q, v) -> (2,)``: kinetic energy with rotors, and potential energy [J]."""
        return self._quantity('energy')

    @functools.cached_property
    def gravity_forces(self) -> Callable[..., Array]:
        """Callable ``(q) -> g(q)`` (nv,): what holds the robot at rest [N m, N]."""
        program = self._formulation.programs(self.model)['bias_forces']
        return self._callable(_at_rest('gravity_forces', program), 'gravity_forces')

    @functools.cached_property
    def coriolis_matrix(self) -> Callable[..., Array]:
        """Callable ``(q, v) -> C`` (nv, nv), with ``dM/dt - 2 C`` skew-symmetric."""
        return self._quantity('coriolis_matrix')

    @functools.cached_property
    def regressor(self) -> Callable[..., Array]:
        """
        Callable ``(q, v, qdd) -> Y`` (nv, 10 nb): inverse dynamics by inertial parameters.

        Without rotors, springs and force laws; see ``mbd_ros.regressor``.
        """
        return self._quantity('regressor')

    @functools.cached_property
    def center_of_mass(self) -> Callable[..., Array]:
        """Callable ``(q) -> (3,)``: the mass centre of the robot in the world [m]."""
        return self._quantity('center_of_mass')

    @functools.cached_property
    def center_of_mass_jacobian(self) -> Callable[..., Array]:
        """Callable ``(q) -> J`` (3, nv): ``J v`` is the velocity of the mass centre [m/s]."""
        return self._quantity('center_of_mass_jacobian')

    @functools.cached_property
    def centroidal_map(self) -> Callable[..., Array]:
        """
        Callable ``(q) -> A`` (6, nv): ``A v`` is the momentum about the mass centre.

        Linear [N s], then angular [N m s], in world axes, without rotors.
        """
        return self._quantity('centroidal_map')

    @functools.cached_property
    def centroidal_momentum(self) -> Callable[..., Array]:
        """Callable ``(q, v) -> (6,)``: momentum about the mass centre, as ``centroidal_map``."""
        return self._quantity('centroidal_momentum')

    @functools.cached_property
    def center_of_mass_velocity_derivatives(self) -> Callable[..., Array]:
        """Callable ``(q, v) -> (3, nv)``: of the mass centre's velocity, by q [m/s per rad, m]."""
        return self._quantity('center_of_mass_changes', 'center_of_mass_velocity_derivatives')

    @functools.cached_property
    def centroidal_momentum_derivatives(self) -> Callable[..., CentroidalDerivatives]:
        """Callable ``(q, v, qdd) -> CentroidalDerivatives``, four matrices (6, nv)."""
        return in_parts(self._quantity('momentum_changes', 'centroidal_momentum_derivatives'),
                        CentroidalDerivatives, 'centroidal_momentum_derivatives',
                        ('q', 'v', 'qdd'))

    @functools.cached_property
    def gravity_forces_derivatives(self) -> Callable[..., Array]:
        """Callable ``(q) -> (nv, nv)``: of ``gravity_forces``, by q [N m/rad and so on]."""
        if self.differentiates_traces('inverse_dynamics') or self.model.elastic is not None:
            changes = self.inverse_dynamics_derivatives
            rest = self._rest

            def by_q(q: ArrayLike, out: Array | None = None) -> Array:
                return deliver(changes(q, rest, rest).dq, out)
            return by_q
        return self._quantity('gravity_changes', 'gravity_forces_derivatives')

    @functools.cached_property
    def integrate(self) -> Callable[..., Array]:
        """Callable ``(q, dv) -> (nq,)``: reached from q at velocity dv in unit time."""
        if self.model.nq != self.model.nv:
            return self._curved(state.integrate, {'q': self.model.nq, 'dv': self.model.nv})
        return self._callable(program_of('adding', self.model, 'integrate'))

    @functools.cached_property
    def difference(self) -> Callable[..., Array]:
        """Callable ``(q0, q1) -> (nv,)``: the velocity that leads from q0 to q1 in unit time."""
        if self.model.nq != self.model.nv:
            return self._curved(state.difference, {'q0': self.model.nq, 'q1': self.model.nq})
        return self._callable(program_of('adding', self.model, 'difference'))

    @functools.cached_property
    def random_configuration(self) -> Callable[[], Array]:
        """Callable ``() -> (nq,)``: within the limits, as ``mbd_ros.random_configuration``."""
        return DRAWN.of(self.model)

    @functools.cached_property
    def link_poses(self) -> Callable[..., Array]:
        """
        Callable ``(q) -> (links, 4, 4)``: poses of all links in the world [m].

        In the order of ``model.links``.
        """
        if self.model.elastic is None:
            return self._quantity('link_poses')
        links = [self._found('pose', name, '') for name in self.model.links]

        def poses(q: ArrayLike, out: Array | None = None) -> Array:
            return deliver(np.stack([pose(q) for pose in links], axis=-3), out)
        return poses

    @functools.cached_property
    def wrenches_of_efforts(self) -> Callable[..., Array] | None:
        """
        Callable ``(q, v, tau) -> (nb, 6)``: what ``mbd_ros.joint_wrenches`` gives for a tree.

        None where it takes more than one program: closed loops, flexible links, some formulations.
        """
        program = _of_efforts(self.model, self._formulation.name)
        return None if program is None else self._callable(program, 'wrenches_of_efforts')

    @functools.cached_property
    def body_poses(self) -> Callable[..., Array]:
        """Callable ``(q) -> (nb, 4, 4)``: poses of the bodies in the world [m]."""
        return self._callable(kinematics.body_poses(), 'body_poses')

    @functools.cached_property
    def body_velocities(self) -> Callable[..., Array]:
        """Callable ``(q, v) -> (nb, 6)``: of the bodies' origins in world axes, linear first."""
        return self._callable(kinematics.body_velocities(), 'body_velocities')

    def jacobian(self, q: ArrayLike, link: str, out: Array | None = None) -> Array:
        """Give the Jacobian of a link (6, nv): linear rows first, world axes, at its origin."""
        call = self._found('jacobian', link, '')
        return call(q) if out is None else call(q, out=out)

    def jacobian_rate(self, q: ArrayLike, v: ArrayLike, link: str) -> Array:
        """Give the time derivative of ``jacobian`` (6, nv) at velocities v, in world axes."""
        return self._found('jacobian rate', link, '')(q, v)

    def pose(self, q: ArrayLike, link: str, out: Array | None = None) -> Array:
        """Return the transform (4, 4) from a link to the world [m]."""
        call = self._found('pose', link, '')
        return call(q) if out is None else call(q, out=out)

    def of_link(self, function: str, link: str, frame: str = WORLD_ALIGNED
                ) -> Callable[..., Any]:
        """
        Return the callable of one link, for loops that ask for it often.

        Parameters
        ----------
        function : str
            ``'pose'``, ``'jacobian'``, ``'jacobian_rate'``, ``'frame_velocity'``,
            ``'frame_acceleration'``, ``'jacobian_derivatives'``, ``'frame_velocity_derivatives'``
            or ``'frame_acceleration_derivatives'``.
        link : str
            Name of the link.
        frame : str
            As in ``mbd_ros.frame_velocity``, for all but the first three.

        Returns
        -------
        callable
            Takes q, or q and v, or q, v and qdd.

        Raises
        ------
        InvalidValueError, UnknownNameError, UnsupportedError
            If there is no such function, link or frame, or not for flexible links.

        """
        if function not in OF_LINKS:
            raise InvalidValueError('function', function, ', '.join(OF_LINKS))
        what = OF_LINKS[function]
        return self._found(what, link, frame if what in FRAMED else '')

    def frame_velocity(self, q: ArrayLike, v: ArrayLike, link: str, frame: str = WORLD_ALIGNED
                       ) -> Array:
        """Return the velocity (6,) of a link, see ``mbd_ros.frame_velocity``."""
        return self._found('velocity', link, frame)(q, v)

    def frame_acceleration(self, q: ArrayLike, v: ArrayLike, qdd: ArrayLike, link: str,
                           frame: str = WORLD_ALIGNED) -> Array:
        """Return the classical acceleration (6,) of a link, see ``mbd_ros.frame_velocity``."""
        return self._found('acceleration', link, frame)(q, v, qdd)

    def jacobian_derivatives(self, q: ArrayLike, link: str, frame: str = WORLD_ALIGNED) -> Array:
        """Return the derivatives (6, nv, nv) of ``jacobian`` by q, the kinematic Hessian."""
        return self._found('jacobian changes', link, frame)(q)

    def frame_velocity_derivatives(self, q: ArrayLike, v: ArrayLike, link: str,
                                   frame: str = WORLD_ALIGNED) -> FrameVelocityDerivatives:
        """Return the derivatives of ``frame_velocity``, two matrices (6, nv)."""
        found: FrameVelocityDerivatives = self._found('velocity changes', link, frame)(q, v)
        return found

    def frame_acceleration_derivatives(
            self, q: ArrayLike, v: ArrayLike, qdd: ArrayLike, link: str,
            frame: str = WORLD_ALIGNED) -> FrameAccelerationDerivatives:
        """Return the derivatives of ``frame_acceleration``, three matrices (6, nv)."""
        found: FrameAccelerationDerivatives = self._found('acceleration changes', link, frame)(
            q, v, qdd)
        return found

    def link_motion(self, q: ArrayLike, v: ArrayLike, link: str,
                    accelerations: ArrayLike | None = None) -> LinkMotion:
        """
        Return how a link moves.

        Parameters
        ----------
        q, v : array_like
            (nq,), (nv,) or (N, nq), (N, nv).
        link : str
            Name of the link.
        accelerations : array_like, optional
            ``vdot`` (nv,); zero if left out, so that the acceleration is ``Jdot v``.

        Returns
        -------
        LinkMotion
            Pose, velocity and acceleration.

        """
        rates = self._rest if accelerations is None else accelerations
        return _in_motion(self._found('motion', link, '')(q, v, rates))

    def how(self, function: str, count: int = 1) -> str:
        """
        Return what runs a function.

        Parameters
        ----------
        function : str
            ``'forward_dynamics'`` and so on; prepared if it is not yet.
        count : int
            Number of states in a call.

        Returns
        -------
        str
            ``'unrolled'``, ``'rolled, 8 lanes, 2 threads'`` and the like.

        """
        assert callable(getattr(self, function))
        return self._kernels[function].how(count)

    def kernel(self, function: str, link: str = '') -> Kernel:
        """
        Return what runs a function.

        Parameters
        ----------
        function : str
            ``'mass_matrix'`` and so on; prepared if it is not yet.
        link : str, optional
            The link, for ``'jacobian'``, ``'jacobian rate'``, ``'pose'``, ``'motion'``,
            ``'velocity'`` and ``'acceleration'``.

        Returns
        -------
        Kernel
            The kernel; it lives as long as this object.

        Raises
        ------
        UnsupportedError
            If no single kernel runs it.

        """
        if link:
            frame = WORLD_ALIGNED if function in ('velocity', 'acceleration') else ''
            assert callable(self._found(function, link, frame))
            function = f'{function} of {link}{frame}'
        else:
            assert callable(getattr(self, function))
        if function not in self._kernels:
            raise UnsupportedError(f"a kernel of '{function}' for robot '{self.model.name}'",
                                   'it is put together in Python')
        return self._kernels[function]

    def machine_code(self, function: str, link: str = '') -> tuple[int, int] | None:
        """
        Return where the machine code of a function and its world are.

        Parameters
        ----------
        function, link : str
            As for ``kernel``.

        Returns
        -------
        (int, int) or None
            Addresses of ``void kernel(argument..., world, result)`` and of the world, both
            valid as long as this object; None where no machine code runs it.

        """
        kernel = self.kernel(function, link)
        if kernel.address is None:
            return None
        return kernel.address, address_of(self._world)

    @functools.cached_property
    def _rest(self) -> Array:
        return np.zeros(self.model.nv)

    def _dense_solution(self, question: Question, alpha: float = 0.0, beta: float = 0.0
                        ) -> Callable[..., Array] | None:
        """Return the dense fallback for loops whose rank is ill-conditioned, None for trees."""
        return functools.partial(lazily.rank.dense_solution, self, question, alpha=alpha,
                                 beta=beta) if self.model.loops else None

    def program(self, function: str) -> Program:
        """Return the program of a function of the formulation, or of ``'energies'``."""
        return ENERGIES if function == 'energies' else self._formulation.programs(
            self.model)[function]

    def callable_of(self, program: Program, function: str = '') -> Callable[..., Array]:
        """
        Return the callable of a program of one's own under this world, by this executor.

        Parameters
        ----------
        program : Program
            The program.
        function : str, optional
            Its name here, if that is another one.

        """
        return self._callable(program, function)

    def kernel_of(self, program: Program) -> Kernel:
        """Return what runs a program of one's own; it lives as long as this object."""
        self._callable(program)
        return self._kernels[program.name]

    def _formulated(self, function: str, dense_solution: Callable[..., Array] | None = None
                    ) -> Callable[..., Array]:
        """Return the callable of a function that the formulation defines."""
        program = self._formulation.programs(self.model)[function]
        return self._callable(program, function, dense_solution)

    def _callable(self, program: Program, function: str = '',
                  dense_solution: Callable[..., Array] | None = None) -> Callable[..., Array]:
        """Return the callable of a program; ``function`` is its name here if it differs."""
        kernel: Kernel
        name = function or program.name
        dense = dense_solution is not None and (
            self.model.elastic is not None or lazily.rank.masses_far_apart(self.model))
        if self.model.elastic is not None and not (dense or isinstance(program, ArrayProgram)):
            program = flexible.flexible_program(self.model, name)
        if dense:
            assert dense_solution is not None
            kernel = lazily.rank.RankFirst(program, self.model, dense_solution)
        elif isinstance(program, ArrayProgram) and (
                (program.shares and not isinstance(self.executor, Compiled))
                or not (program.traces(self.model) or program.rolls(self.model))):
            kernel = program.kernel(self.model, self.executor)
        else:
            kernel = self.executor.kernel(program, self.model)
        self._kernels[name] = kernel
        documentation = getattr(getattr(type(self), name, None), '__doc__', None) or (
            f'Return an array {kernel.shape}.')
        call = Call(kernel, self._world, dense_solution, name, documentation)
        if kernel.address is None:
            return call
        return fast_call(kernel.address, sizes(self.model, program.inputs),
                         [self._world.ctypes.data], kernel.shape, call, name,
                         f'{name}{call.__signature__}\n--\n\n{documentation}',
                         getattr(kernel, 'fast_batches', None))

    def _curved(self, function: Callable[..., Array], sizes_of: dict[str, int]
                ) -> Callable[..., Array]:
        """Return a function of configurations of joints whose entries do not just add."""
        model = self.model

        def checked(first: ArrayLike, second: ArrayLike, out: Array | None = None) -> Array:
            given = [real_array(name, value, size) for (name, size), value in zip(
                sizes_of.items(), (first, second))]
            for (name, _), array in zip(sizes_of.items(), given):
                require_finite(model, name, array)
            return deliver(function(model, *given), out)
        return checked

    def _found(self, what: str, link: str, frame: str) -> Callable[..., Any]:
        """Return the callable of a link, made now or earlier."""
        try:
            return self._links[what, link, frame]
        except TypeError:   # a list, say: no name
            return self._of_link(what, link, frame)

    def _quantity(self, name: str, called: str = '') -> Callable[..., Array]:
        """Return the callable of a quantity beside dynamics."""
        return self._callable(program_of(name, self.model), called or name)

    def _of_link(self, what: str, link: str, frame: str) -> Callable[..., Any]:
        """Return the callable of a link; the frame is empty where there is no choice."""
        model = self.model
        if frame or what in FRAMED:
            require_frame(frame)
        if what in CHANGES:
            model.require_rigid(f'derivatives of motions of links, {what},')
            parts, inputs, places = CHANGES[what]
            if parts is None:
                return self._callable(program_of('jacobian_changes', model, link, frame))
            program = program_of('link_changes', model, link, frame, inputs)
            return in_parts(self._callable(program), parts, what, inputs, places)
        if model.elastic is not None:
            if what in FRAMED:
                return self._of_bent_link(what, link, frame)
            program = flexible.link_program(model, what, link)
        else:
            place = model.link(link)
            record = frame_record(place)
            makers: dict[str, Callable[..., Program]] = {
                'jacobian': kinematics.link_jacobian, 'pose': kinematics.link_pose,
                'jacobian rate': kinematics.link_jacobian_rate, 'motion': kinematics.link_motion,
                'velocity': functools.partial(kinematics.link_velocity, axes=frame),
                'acceleration': functools.partial(kinematics.link_acceleration, axes=frame),
            }
            program = makers[what](place.body, record)
        found = self._callable(program)
        self._kernels[f'{what} of {link}{frame}'] = self._kernels[program.name]
        return found

    def _of_bent_link(self, what: str, link: str, frame: str) -> Callable[..., Array]:
        """Return velocity or acceleration of a link of a robot with flexible links."""
        motion, second = self._found('motion', link, ''), what == 'acceleration'
        rest = self._rest

        def seen(q: ArrayLike, v: ArrayLike, qdd: ArrayLike = rest) -> Array:
            flat = motion(q, v, qdd)
            return in_frame(_in_motion(flat), frame)[second]
        return seen


class _Links(dict[tuple[str, str, str], Callable[..., Any]]):
    """The callables of links by what they are, link and frame, made at the first question."""

    def __init__(self, dyn: PreparedDynamics) -> None:
        super().__init__()
        self._dyn = weakref.proxy(dyn)

    def __missing__(self, key: tuple[str, str, str]) -> Callable[..., Any]:
        """Make one."""
        found: Callable[..., Any] = self._dyn._of_link(*key)
        self[key] = found
        return found


def _in_motion(flat: Array) -> LinkMotion:
    """Return the parts of what ``kinematics.link_motion`` gives."""
    return LinkMotion(flat[..., :16].reshape(*flat.shape[:-1], 4, 4), flat[..., 16:22],
                      flat[..., 22:])


@functools.lru_cache(maxsize=64)
def _at_rest(name: str, program: Program) -> Program:
    return at_rest(name, program)


@owned()
def _of_efforts(model: Model, formulation: str) -> Program | None:
    return wrenches_of_efforts(model, formulation_for(model, formulation).programs(model))


@overload
def compile_model(model: Model, *, gravity: ArrayLike | None = None,
                  executor: Executor | str | None = None, formulation: str = AUTO,
                  world: Mapping[str, Any] | None = None, fluid: Fluid | None = DEFAULT,
                  ground: Ground | None = None, parameters: None = None) -> PreparedDynamics: ...


@overload
def compile_model(model: Model, *, gravity: ArrayLike | None = None,
                  executor: Executor | str | None = None, formulation: str = AUTO,
                  world: Mapping[str, Any] | None = None, fluid: Fluid | None = DEFAULT,
                  ground: Ground | None = None, parameters: Sequence[str]
                  ) -> ParametricDynamics: ...


def compile_model(model: Model, *, gravity: ArrayLike | None = None,
                  executor: Executor | str | None = None, formulation: str = AUTO,
                  world: Mapping[str, Any] | None = None, fluid: Fluid | None = DEFAULT,
                  ground: Ground | None = None, parameters: Sequence[str] | None = None
                  ) -> PreparedDynamics | ParametricDynamics:
    """
    Return prepared callables for a model, made now or earlier.

    Parameters
    ----------
    model : Model
        The model.
    gravity : array_like, optional
        (3,) [m/s^2] in world axes; that of the model if left out.
    executor : Executor or str, optional
        Runs the sweeps.
    formulation : str
        As for ``PreparedDynamics``.
    world : mapping, optional
        What force laws read of the world, as for ``PreparedDynamics.change_world``.
    fluid : Fluid or None, optional
        What is around links with ``<mbd:fluid>``: fresh water if left out, None for a vacuum. A
        current that is a field is taken as it is at the world's origin at time 0;
        ``dyn.change_world(fluid=fluid.water(point, t))`` changes that, and any of its numbers.
    ground : Ground, optional
        What points of ``<mbd:contact>`` touch.
    parameters : sequence of str, optional
        What is an argument of each call instead of a constant of the robot: ``'masses'``,
        ``'inertial'``, ``'payload'`` or ``'payload:link'``, ``'armature'``, ``'damping'``,
        ``'friction'``, ``'gravity'``.

    Returns
    -------
    PreparedDynamics or ParametricDynamics
        ``dyn.forward_dynamics(q, v, tau)`` and so on; with parameters
        ``dyn.forward_dynamics(q, v, tau, values)``.

    Raises
    ------
    InvalidValueError, UnknownNameError, UnsupportedError
        If this is no model, gravity is not three finite numbers, there is no executor of that
        name, no such formulation for this robot, or there are no such parameters.

    """
    if parameters is not None:
        return lazily.parametric.ParametricDynamics(compile_model(
            model, gravity=gravity, executor=executor, formulation=formulation, world=world,
            fluid=fluid, ground=ground), parameters)
    place = None if gravity is None else _vector3(gravity)
    own = None
    if isinstance(model, Model):
        place = model.gravity if place is None else place
        model, around = surrounded(model, fluid, ground)
        if around or world:
            own = changed_world({law.name: law.world for law in model.laws},
                                {**around, **(world or {})})
    try:
        return _prepared(model, place, executor, formulation, own)
    except TypeError:  # what cannot be hashed is none of them: the constructor says so
        return PreparedDynamics(model, place, executor, formulation, own)


@owned(most=16)
def _prepared(model: Model, gravity: tuple[float, ...] | None, executor: Executor | str | None,
              formulation: str, own: tuple[float, ...] | None) -> PreparedDynamics:
    return PreparedDynamics(model, gravity, executor, formulation, own)


def _vector3(gravity: ArrayLike) -> tuple[float, ...]:
    try:
        vector = np.asarray(gravity, dtype=np.float64)
    except (TypeError, ValueError):
        vector = np.empty(0)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise InvalidValueError('gravity', gravity, 'three finite numbers [m/s^2]')
    return tuple(float(entry) for entry in vector)
