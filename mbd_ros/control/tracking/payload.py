"""Payload and gravity of a robot, changed while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
import functools
import math

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.references.arguments import checked_point
from mbd_ros.control.udwadia_kalaba.robot_code import LARGEST_DENSE
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.prepared.prepared import STANDARD_GRAVITY
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError, UnknownNameError
from mbd_ros.execution.calls.fused import Fused, fused, KernelCall
from mbd_ros.execution.ir.loop_code import loop_code
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import checked, Matrix, Vector

NO_INERTIA = ((0.0, 0.0, 0.0),) * 3
LARGEST_MASS, REACH = 1e4, 100.0
"""Of a payload: mass [kg]; distance of its mass centre from the link, and of its parts from that
[m]."""
SHORT = 12
"""Entries of v up to which the loops over them are written out."""
LOAD = 13
"""Numbers of a load: mass, mass centre and inertia."""


@dataclass(frozen=True)
class Payload:
    """
    A rigid body fixed to a link.

    Parameters
    ----------
    link : str
        Link that carries it.
    mass : float
        [kg]; zero: nothing is carried.
    center : tuple of float, optional
        Mass centre (3,) in the link's axes [m].
    inertia : tuple of rows, optional
        (3, 3) about the mass centre, in the link's axes [kg m^2].

    """

    link: str
    mass: float
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: tuple[tuple[float, float, float], ...] = NO_INERTIA

    def check(self, model: Model) -> Payload:
        """
        Return it, checked against a robot.

        Raises
        ------
        UnknownNameError
            If the robot has no such link.
        InvalidValueError, ShapeError, NotFiniteError
            If a number is not finite or too large, the mass is negative, or the inertia is none
            of a body.

        """
        if self.link not in model.links:
            raise UnknownNameError('link', self.link, model.links)
        if not 0.0 <= self.mass <= LARGEST_MASS:
            raise InvalidValueError('mass of the payload', self.mass,
                                    f'a number not below zero, at most {LARGEST_MASS:g} [kg]')
        if np.abs(checked_point('center of the payload', self.center)).max() > REACH:
            raise InvalidValueError('center of the payload', self.center,
                                    f'numbers from {-REACH:g} to {REACH:g} [m]')
        inertia = np.array(self.inertia, np.float64)
        if inertia.shape != (3, 3):
            raise ShapeError('inertia of the payload', inertia.shape, '(3, 3)')
        if not np.isfinite(inertia).all():
            raise NotFiniteError('inertia of the payload', 'an entry',
                                 float(inertia[~np.isfinite(inertia)][0]))
        if np.abs(inertia).max() > self.mass * REACH**2:
            raise InvalidValueError(
                'inertia of the payload', inertia.tolist(), f'that of {self.mass:g} kg no further '
                f'than {REACH:g} m from its centre, at most {self.mass * REACH**2:g} [kg m^2]')
        moments = np.linalg.eigvalsh(inertia)
        scale = 1e-9 * np.abs(inertia).max()
        if (np.abs(inertia - inertia.T).max() > scale or moments[0] < -scale
                or moments[2] > moments[0] + moments[1] + scale):
            raise InvalidValueError(
                'inertia of the payload', inertia.tolist(), 'a symmetric tensor whose principal '
                'moments are not negative and the largest not above the sum of the others')
        return self

    def is_less_than(self, other: Payload) -> bool:
        """Return whether nothing is carried, or the same as another with less mass."""
        return self.mass == 0.0 or (self.mass <= other.mass
                                    and replace(self, mass=other.mass) == other)


class LoadedDynamics(PreparedDynamics):
    """
    Prepared dynamics of a robot with a payload; another payload on the link compiles nothing.

    With the Jacobians ``J_c`` of the load's mass centre and ``J_w`` of its turning,
    ``M' = M + m J_c^T J_c + J_w^T I J_w``, and its weight and inertia forces go the same way.
    The numbers of the load stand in memory behind those of the world, where machine code reads
    them.

    Parameters
    ----------
    model : Model
        The robot.
    payload : Payload
        What it carries, at first.
    gravity : tuple of float, optional
        (3,) [m/s^2].

    Raises
    ------
    UnknownNameError, InvalidValueError, ShapeError, NotFiniteError
        If the payload does not fit.

    """

    def __init__(self, model: Model, payload: Payload,
                 gravity: tuple[float, ...] = STANDARD_GRAVITY) -> None:
        super().__init__(model, gravity)
        self.payload = payload.check(model)
        self._bare = PreparedDynamics(model, gravity)
        self._numbers = np.concatenate([self._world, np.zeros(LOAD)])
        self._world = self._bare._world = self._numbers[:-LOAD]
        self.change_payload(payload)
        self._loaded: dict[str, Fused] = {}

    def change_payload(self, payload: Payload) -> None:
        """
        Go on with another payload on the same link.

        Raises
        ------
        UnknownNameError, InvalidValueError, ShapeError, NotFiniteError
            If the payload does not fit, or is on another link.

        """
        if payload.check(self.model).link != self.payload.link:
            raise InvalidValueError('link of the payload', payload.link,
                                    f"'{self.payload.link}', for which this is made")
        self.payload = payload
        self._numbers[-LOAD:] = (payload.mass, *payload.center,
                                 *(entry for row in payload.inertia for entry in row))

    @functools.cached_property
    def mass_matrix(self) -> Callable[..., Matrix]:
        """Give the mass matrix M' (nv, nv) for (q)."""
        n = self.model.nv
        flat = self._callable_of('mass_matrix')
        return lambda q: flat(q).reshape(n, n)

    @functools.cached_property
    def inverse_dynamics(self) -> Callable[..., Vector]:
        """Callable ``(q, v, qdd) -> tau`` (nv,)."""
        return self._callable_of('inverse_dynamics')

    @functools.cached_property
    def bias_forces(self) -> Callable[..., Vector]:
        """Callable ``(q, v) -> h'`` (nv,)."""
        return self._callable_of('bias_forces')

    @functools.cached_property
    def forward_dynamics(self) -> Callable[..., Vector]:
        """Callable ``(q, v, tau) -> qdd`` (nv,)."""
        def forward_dynamics(q: Vector, v: Vector, tau: ArrayLike) -> Vector:
            force = np.asarray(tau, np.float64) - self.bias_forces(q, v)
            return np.asarray(np.linalg.solve(self.mass_matrix(q), force), np.float64)
        return forward_dynamics

    def machine_code(self, function: str, link: str = '') -> tuple[int, int] | None:
        """Return where the machine code of a function and its gravity, with the load, are."""
        bare = self._bare.machine_code(function, link)
        if link or function not in ARGUMENTS or bare is None:
            return bare
        return self._with_load(function).address, self._numbers.ctypes.data

    def _of_link(self, what: str, link: str) -> Callable[..., Matrix]:
        """Return what a load does not change."""
        return self._bare._of_link(what, link)

    def _callable_of(self, function: str) -> Callable[..., Vector]:
        """Return a function of the loaded robot, for one state."""
        inputs = ARGUMENTS[function]
        sizes = {'q': self.model.nq, 'v': self.model.nv, 'qdd': self.model.nv}
        code = self.machine_code(function)
        call = None if code is None else self._with_load(function).call

        def loaded(*given: Vector) -> Vector:
            result: Vector | None = None if call is None else call(*given, self._numbers)
            if result is not None:
                return result
            vectors = [np.ascontiguousarray(checked(self.model, name, value, sizes[name]))
                       for name, value in zip(inputs, given)]
            result = None if call is None else call(*vectors, self._numbers)
            if result is not None:
                return result
            known = dict(zip(inputs, vectors))
            rest = np.zeros(self.model.nv)
            motion = self._bare.link_motion(known['q'], known.get('v', rest), self.payload.link,
                                            known.get('qdd', rest))
            bare = getattr(self._bare, function)(*vectors)
            found: Vector = np.zeros_like(bare)
            add_load = loaded_mass if function == 'mass_matrix' else loaded_efforts
            add_load(bare, self._bare.jacobian(known['q'], self.payload.link),
                     np.concatenate([part.ravel() for part in motion]), self._numbers, found,
                     self.model.nv, len(self._world))
            return found.ravel()
        return loaded

    def _with_load(self, function: str) -> Fused:
        """Return machine code ``(argument..., gravity and load)`` of a function."""
        if function not in self._loaded:
            link, n, rest = self.payload.link, self.model.nv, np.zeros(self.model.nv)
            inputs, shape = ARGUMENTS[function], (n, n) if function == 'mass_matrix' else (n,)
            rates = [name if name in inputs else rest.ctypes.data for name in ('v', 'qdd')]
            add_load = loop_code(loaded_mass if function == 'mass_matrix' else loaded_efforts,
                                 [shape, (6, n), (28,), self._numbers.shape, shape],
                                 [n, len(self._world)],
                                 written_out=n <= SHORT)

            def call(what: str, on: str, result: str, size: int, *arguments: str | int
                     ) -> KernelCall:
                code = self._bare.machine_code(what, on)
                assert code is not None
                return KernelCall(code[0], (*arguments, 'world'), result, size)
            self._loaded[function] = fused(
                {**{name: self.model.nq if name == 'q' else n for name in inputs},
                 'world': len(self._numbers)},
                [call(function, '', 'bare', math.prod(shape), *inputs),
                 call('jacobian', link, 'J', 6 * n, 'q'),
                 call('motion', link, 'motion', 28, 'q', *rates),
                 KernelCall(add_load.address, ('bare', 'J', 'motion', 'world'), 'all',
                            math.prod(shape))],
                f'loaded_{function}', (self._bare, rest, add_load))
        return self._loaded[function]


def place_load(J: Matrix, motion: Vector, world: Vector, moving: Matrix, inertia: Matrix,
               n: int, first: int) -> None:
    """
    Write the Jacobian of a load's mass centre (3, n) and its inertia (3, 3), in world axes.

    J (6, n) and motion (28,) of the link as the kernels of these names give them; the load begins
    at ``first`` in ``world``.
    """
    arm = np.zeros(3)
    for i in range(3):
        for k in range(3):
            arm[i] += motion[4 * i + k] * world[first + 1 + k]
            inertia[i, k] = 0.0
            for a in range(3):
                for b in range(3):
                    inertia[i, k] += (motion[4 * i + a] * world[first + 4 + 3 * a + b]
                                      * motion[4 * k + b])
    for j in range(n):
        moving[0, j] = J[0, j] + J[4, j] * arm[2] - J[5, j] * arm[1]
        moving[1, j] = J[1, j] + J[5, j] * arm[0] - J[3, j] * arm[2]
        moving[2, j] = J[2, j] + J[3, j] * arm[1] - J[4, j] * arm[0]


def loaded_mass(M: Matrix, J: Matrix, motion: Vector, world: Vector, result: Matrix, n: int,
                first: int) -> None:
    """Write ``M + m J_c^T J_c + J_w^T I J_w``."""
    moving = np.zeros((3, n))
    inertia = np.zeros((3, 3))
    place_load(J, motion, world, moving, inertia, n, first)
    for i in range(n):
        for j in range(n):
            result[i, j] = M[i, j]
        for k in range(3):
            push = world[first] * moving[k, i]
            turn = inertia[k, 0] * J[3, i] + inertia[k, 1] * J[4, i] + inertia[k, 2] * J[5, i]
            for j in range(n):
                result[i, j] += push * moving[k, j] + turn * J[3 + k, j]


def loaded_efforts(bare: Vector, J: Matrix, motion: Vector, world: Vector, result: Vector, n: int,
                   first: int) -> None:
    """Write efforts with those that move and carry the load: ``J_c^T f + J_w^T m``."""
    moving = np.zeros((3, n))
    inertia = np.zeros((3, 3))
    force = np.zeros(3)
    moment = np.zeros(3)
    spun = np.zeros(3)
    place_load(J, motion, world, moving, inertia, n, first)
    # How the mass centre accelerates: as one more column of that Jacobian, and by the spin.
    arm = np.zeros(3)
    swept = np.zeros(3)
    for i in range(3):
        for k in range(3):
            arm[i] += motion[4 * i + k] * world[first + 1 + k]
            spun[i] += inertia[i, k] * motion[19 + k]
            moment[i] += inertia[i, k] * motion[25 + k]
    for i in range(3):
        a = (i + 1) % 3
        b = (i + 2) % 3
        swept[i] = motion[19 + a] * arm[b] - motion[19 + b] * arm[a]
        moment[i] += motion[19 + a] * spun[b] - motion[19 + b] * spun[a]
    for i in range(3):
        a = (i + 1) % 3
        b = (i + 2) % 3
        force[i] = world[first] * (
            motion[22 + i] + motion[25 + a] * arm[b] - motion[25 + b] * arm[a]
            + motion[19 + a] * swept[b] - motion[19 + b] * swept[a] - world[i])
    for j in range(n):
        result[j] = bare[j]
        for k in range(3):
            result[j] += moving[k, j] * force[k] + J[3 + k, j] * moment[k]


ARGUMENTS = {'mass_matrix': ('q',), 'bias_forces': ('q', 'v'),
             'inverse_dynamics': ('q', 'v', 'qdd')}


def dynamics_with(model: Model, payload: Payload | None, gravity: ArrayLike) -> PreparedDynamics:
    """
    Return prepared dynamics of a robot with a payload, or none, under a gravity.

    Parameters
    ----------
    model : Model
        The robot.
    payload : Payload or None
        What it carries; None or without mass: nothing.
    gravity : array_like
        (3,) in world axes [m/s^2].

    Returns
    -------
    PreparedDynamics
        A new one.

    Raises
    ------
    MbdError
        If the payload or the gravity are not as they should be.

    """
    field = tuple(checked_point('gravity', gravity).tolist())
    if payload is None or payload.check(model).mass == 0.0:
        return PreparedDynamics(model, field)
    return LoadedDynamics(model, payload, field)


def carrier(model: Model, payload: Payload | None, link: str, gravity: ArrayLike
            ) -> PreparedDynamics:
    """
    Return dynamics that take a payload on a link while the robot moves, at once.

    Parameters
    ----------
    model, payload, gravity
        As for ``dynamics_with``.
    link : str
        The link that is to carry, where it carries nothing yet; another one needs machine code
        of its own, and so does any of a long robot.

    Returns
    -------
    PreparedDynamics
        A new one; hand it to ``reloaded``.

    Raises
    ------
    MbdError
        As ``dynamics_with``.

    """
    if payload is None or payload.check(model).mass == 0.0:
        if link not in model.links or model.nv > LARGEST_DENSE:
            return dynamics_with(model, None, gravity)
        payload = Payload(link, 0.0)
    return LoadedDynamics(model, payload, tuple(checked_point('gravity', gravity).tolist()))


def reloaded(dyn: PreparedDynamics, payload: Payload) -> PreparedDynamics:
    """
    Return dynamics with another payload: the same object, where its link carries it already.

    Raises
    ------
    MbdError
        If the payload does not fit the robot.

    """
    if payload.check(dyn.model).mass == 0.0 and isinstance(dyn, LoadedDynamics):
        payload = replace(payload, link=dyn.payload.link)
    if isinstance(dyn, LoadedDynamics) and payload.link == dyn.payload.link:
        dyn.change_payload(payload)
        return dyn
    other = dynamics_with(dyn.model, payload, dyn.gravity)
    other.change_world(**dyn.world)
    return other
