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
How a motion changes with its start, its forces and its robot's parameters.

Of steps by Runge and Kutta with forces constant in each step, as ``simulate`` takes them::

    x_{k+1} = F(x_k, tau_k, p)        dx_{k+1} = A_k dx_k + B_k dtau_k + P_k dp

F integrates all entries of q, restores the length of quaternions and closes loops by projection;
each of these is differentiated as it is. The derivatives of the rates at all stages come from one
call, exact; those of a step are products of them. The adjoint equations go backwards with the same
matrices, transposed.

References
----------
Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 1993, section II.1 and I.14.

"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.dynamics.algorithms.forward_dynamics import position_correction, velocity_correction
from mbd_ros.dynamics.prepared.call import real_array, require_finite
from mbd_ros.dynamics.prepared.parametric import ParametricDynamics
from mbd_ros.dynamics.prepared.prepared import compile_model, PreparedDynamics
from mbd_ros.dynamics.quantities.parameters import LARGEST
from mbd_ros.dynamics.quantities.tangents import as_function, state_rates, tangent_of
from mbd_ros.errors import InvalidValueError, ShapeError, UnsupportedError
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.model import Model, state
from mbd_ros.model.caches import owned
from mbd_ros.simulation.loop_motion import (
    LoopStabilization, require_closed, require_possible)
from mbd_ros.simulation.manifold import displaced, is_flat, normalized, positive_time, rate
from mbd_ros.simulation.runge_kutta import increment, rk4

Array = NDArray[np.float64]


class Gradients(NamedTuple):
    """
    Derivatives of a number that depends on a motion.

    Attributes
    ----------
    start : array
        (2 nv,): by q, in the coordinates of v, and v at the start.
    efforts : array
        (n, nv): by the forces of each step.
    parameters : array
        (np,): by the parameters; none without.

    """

    start: Array
    efforts: Array
    parameters: Array


class Sensitivities(NamedTuple):
    """
    A motion of n steps and its derivatives.

    A small change of a state is x = (d, w) (2 nv,): d a displacement in the coordinates of v, as
    in ``mbd_ros.integrate``, w a change of v.

    Attributes
    ----------
    states : array
        (n + 1, nq + nv): q and v at the start and after each step.
    A, B : array
        (n, 2 nv, 2 nv), (n, 2 nv, nv): derivatives of a state by the one before and by the forces
        of the step.
    P : array
        (n, 2 nv, np): by the parameters; np is 0 without.

    """

    states: Array
    A: Array
    B: Array
    P: Array

    def tangent(self, start: ArrayLike = 0.0, efforts: ArrayLike = 0.0,
                parameters: ArrayLike = 0.0) -> Array:
        """
        Return how all states change when start, forces and parameters do.

        Parameters
        ----------
        start : array_like
            (2 nv,): of q, in the coordinates of v, and of v.
        efforts : array_like
            (n, nv), or (nv,) in all steps.
        parameters : array_like
            (np,).

        Returns
        -------
        array
            (n + 1, 2 nv).

        """
        steps, size = self.A.shape[:2]
        forced = (self.B @ np.broadcast_to(efforts, (steps, self.B.shape[2]))[..., None])[..., 0]
        forced = forced + self.P @ np.broadcast_to(
            np.asarray(parameters, np.float64), self.P.shape[2])
        found = np.empty((steps + 1, size))
        found[0] = start
        for k in range(steps):
            found[k + 1] = self.A[k] @ found[k] + forced[k]
        return found

    def adjoint(self, gradients: ArrayLike) -> Gradients:
        """
        Return the derivatives of a number, given those by each state.

        Parameters
        ----------
        gradients : array_like
            (n + 1, 2 nv): of the number by each state; by q in the coordinates of v.

        Returns
        -------
        Gradients
            By start, forces and parameters, in one sweep backwards.

        Raises
        ------
        ShapeError
            If there are not as many.

        """
        given = np.asarray(gradients, np.float64)
        steps, size = self.A.shape[:2]
        if given.shape != (steps + 1, size):
            raise ShapeError('gradients', given.shape, f'({steps + 1}, {size}), a row a state')
        multiplier, multipliers = given[steps].copy(), np.empty((steps, given.shape[1]))
        for k in reversed(range(steps)):
            multipliers[k] = multiplier
            multiplier = self.A[k].T @ multiplier + given[k]
        return Gradients(multiplier, np.einsum('nij,ni->nj', self.B, multipliers),
                         np.einsum('nij,ni->j', self.P, multipliers))


def sensitivities(model: Model | PreparedDynamics | ParametricDynamics, q: ArrayLike,
                  v: ArrayLike, efforts: ArrayLike, step: float, *,
                  parameters: ArrayLike | None = None) -> Sensitivities:
    """
    Return a motion in steps by Runge and Kutta, and its exact derivatives.

    Closed loops are closed after each step by projection, as ``simulate(method='rk4')`` does.

    Parameters
    ----------
    model : Model, PreparedDynamics or ParametricDynamics
        The robot, or its dynamics under other gravity, in a fluid, on the ground, or with
        parameters as ``mbd_ros.compile(model, parameters=[...])`` has them.
    q, v : array_like
        (nq,), (nv,): where it starts; in closed loops a state in which they are closed.
    efforts : array_like
        (n, nv): generalized forces [N m, N], constant in each of the n steps.
    step : float
        [s].
    parameters : array_like, optional
        (np,): those of the robot as described if left out.

    Returns
    -------
    Sensitivities
        ``.states``, ``.A``, ``.B``, ``.P``, ``.tangent(...)``, ``.adjoint(...)``.

    Raises
    ------
    UnsupportedError
        For robots of more than 64 bodies with closed loops or joints with several coordinates,
        and with flexible links that float or are in loops.
    LoopOpenError, LoopConflictError
        If loops are not closed at the start, or cannot stay so.
    ShapeError, NotFiniteError, InvalidValueError
        If an argument is not as it should be.

    """
    parametric = model if isinstance(model, ParametricDynamics) else None
    dyn = compile_model(model) if isinstance(model, Model) else model
    if not isinstance(dyn, (PreparedDynamics, ParametricDynamics)):
        raise InvalidValueError('model', model, 'a Model, or what mbd_ros.compile returns')
    robot = dyn.model
    if (robot.loops or not is_flat(robot)) and (robot.elastic is not None or robot.nb > LARGEST):
        raise UnsupportedError(
            f"sensitivities of robot '{robot.name}'", 'with closed loops or joints with several '
            f'coordinates it takes rigid links, at most {LARGEST} bodies')
    h, rows = positive_time('step', step), real_array('efforts', efforts, robot.nv)
    place, pace = real_array('q', q, robot.nq), real_array('v', v, robot.nv)
    for name, array in (('q', place), ('v', pace), ('efforts', rows)):
        if array.ndim != 1 and name != 'efforts' or (array.ndim != 2 and name == 'efforts'):
            raise ShapeError(name, array.shape, 'one state; efforts a row for each step')
        require_finite(robot, 'tau' if name == 'efforts' else name, array)
    values: tuple[Array, ...] = ()
    if parametric is not None:
        values = (parametric.values if parameters is None else real_array(
            'parameters', parameters, len(parametric.values)),)
        require_finite(robot, 'v', values[0])
    elif parameters is not None:
        raise InvalidValueError('parameters', parameters, 'none, but with dynamics that are '
                                'compiled with parameters')
    run = _Run(dyn, h, values)
    if robot.loops:
        assert isinstance(dyn, PreparedDynamics)
        require_closed(dyn, place, pace)
        require_possible(dyn, place, pace, dyn.forward_dynamics(
            place, pace, rows[0] if len(rows) else np.zeros(robot.nv)))
    states = run.forwards(place, pace, rows)
    return Sensitivities(states, *run.derivatives(rows))


class _Run:
    """
    Steps of one robot, and what their derivatives are taken at.

    Attributes
    ----------
    stages : list of array
        (nq + nv,) at each of the four stages of each step.
    ends : list of array
        (nq + nv,) after each step, quaternions as long as they have become.
    places : list of list of (array, array, array)
        Of each step the configurations on the way onto the loops with the displacements from
        them, and v.

    """

    def __init__(self, dyn: PreparedDynamics | ParametricDynamics, h: float,
                 values: tuple[Array, ...]) -> None:
        self.dyn, self.h, self.values = dyn, h, values
        self.model = dyn.model
        self.nq, self.nv = self.model.nq, self.model.nv
        self.keeper = (LoopStabilization(dyn) if self.model.loops
                       and isinstance(dyn, PreparedDynamics) else None)
        self.stages: list[Array] = []
        self.ends: list[Array] = []
        self.places: list[list[tuple[Array, Array, Array]]] = []

    def forwards(self, q: Array, v: Array, efforts: Array) -> Array:
        """Return the states (n + 1, nq + nv)."""
        model, nq, dynamics = self.model, self.nq, self.dyn.forward_dynamics

        def rates(tau: Array, part: float, y: Array) -> Array:
            self.stages.append(y)
            return np.concatenate([rate(model, y[:nq], y[nq:]), dynamics(
                y[:nq], y[nq:], tau, *self.values)])
        states = np.empty((len(efforts) + 1, nq + self.nv))
        states[0] = np.concatenate([normalized(model, q), v])
        for k, tau in enumerate(efforts):
            end = rk4(partial(rates, tau), states[k].copy(), self.h)
            self.ends.append(end)
            place, pace = normalized(model, end[:nq].copy()), end[nq:].copy()
            if self.keeper is not None:
                self.places.append([(*one, pace) for one in self.keeper.corrections(place, pace)])
                place, pace = self.keeper.correct(place, pace)
            states[k + 1] = np.concatenate([place, pace])
        return states

    def derivatives(self, efforts: Array) -> tuple[Array, Array, Array]:
        """Return A, B and P of all steps from the derivatives at all stages."""
        nq, nv, count = self.nq, self.nv, len(self.ends)
        size = nq + nv
        if not count:
            rest = len(self.values[0]) if self.values else 0
            return (np.empty((0, 2 * nv, 2 * nv)), np.empty((0, 2 * nv, nv)),
                    np.empty((0, 2 * nv, rest)))
        slopes, own = self._slopes(np.repeat(efforts, 4, axis=0))
        slopes = slopes.reshape(count, 4, size, size)
        own = own.reshape(count, 4, size, -1)
        h, identity = self.h, np.eye(size)
        grown, pushed = [], []   # of each stage: derivatives of its rates by state, by the rest
        state_, forced = np.zeros((count, size, size)), np.zeros_like(own[:, 0])
        for stage, part in enumerate((0.0, 0.5, 0.5, 1.0)):
            state_ = slopes[:, stage] @ (identity + part * h * state_)
            forced = slopes[:, stage] @ (part * h * forced) + own[:, stage]
            grown.append(state_)
            pushed.append(forced)
        A, B = identity + increment(h, *grown), increment(h, *pushed)
        if not is_flat(self.model):
            A, B = self._in_coordinates_of_v(A, B)
        if self.keeper is not None:
            closing = np.array([self._closing(one) for one in self.places])
            A, B = closing @ A, closing @ B
        return A, B[..., :nv], B[..., nv:]

    def _slopes(self, efforts: Array) -> tuple[Array, Array]:
        """Return the derivatives of all rates (N, nq + nv, ...): by the state, by the rest."""
        nq, nv, stages = self.nq, self.nv, np.array(self.stages)
        q, v = np.ascontiguousarray(stages[:, :nq]), np.ascontiguousarray(stages[:, nq:])
        if isinstance(self.dyn, PreparedDynamics) and is_flat(self.model):
            by_q, by_v, by_tau = self.dyn.forward_dynamics_derivatives(q, v, efforts)
            slopes = np.zeros((len(stages), 2 * nv, 2 * nv))
            slopes[:, :nv, nv:] = np.eye(nv)
            slopes[:, nv:, :nv], slopes[:, nv:, nv:] = by_q, by_v
            return slopes, np.concatenate([np.zeros_like(by_tau), by_tau], axis=1)
        call, sizes = self._tangent(), [nq, nv, nv, *(len(one) for one in self.values)]
        directions = np.eye(sum(sizes))
        rates = [np.tile(part, (len(stages), 1)) for part in np.split(
            directions, np.cumsum(sizes)[:-1], axis=1)]
        columns = call(*(np.repeat(part, len(directions), axis=0) for part in (q, v, efforts)),
                       *self.values, *rates)
        whole = columns.reshape(len(stages), len(directions), nq + nv).swapaxes(1, 2)
        return whole[..., :nq + nv], whole[..., nq + nv:]

    def _tangent(self) -> Any:
        """Return the derivative of all rates along a direction in all entries."""
        if isinstance(self.dyn, ParametricDynamics):
            return self.dyn.tangent_of_rates()
        return self.dyn.callable_of(_tangent_of_rates(
            self.model, as_function(self.model, self.dyn.program('forward_dynamics'))))

    def _in_coordinates_of_v(self, A: Array, B: Array) -> tuple[Array, Array]:
        """Return the derivatives of displacements and v by displacements and v."""
        model, nq, nv = self.model, self.nq, self.nv
        ends = np.array(self.ends)
        after = ends.copy()
        for joint in state.curved_joints(model):   # lengths are restored
            unit = ends[:, joint.unit]
            length = np.linalg.norm(unit, axis=1)[:, None]
            after[:, joint.unit] = unit = unit / length
            across = (np.eye(unit.shape[1]) - unit[:, :, None] * unit[:, None]) / length[..., None]
            A[:, joint.unit] = across @ A[:, joint.unit]
            B[:, joint.unit] = across @ B[:, joint.unit]
        before, back = (np.zeros((len(ends), nq + nv, 2 * nv)) for _ in range(2))
        for matrix, places in ((before, np.array(self.stages[::4])), (back, after)):
            matrix[:, nq:, nv:] = np.eye(nv)
            for one, place in zip(matrix, places):
                one[:nq, :nv] = np.transpose([
                    state.configuration_rate(model, place[:nq], axis) for axis in np.eye(nv)])
        inverse = np.linalg.solve(back.swapaxes(1, 2) @ back, back.swapaxes(1, 2))
        return inverse @ A @ before, inverse @ B

    def _closing(self, places: list[tuple[Array, Array, Array]]) -> Array:
        """Return the derivative (2 nv, 2 nv) of a state with its loops closed."""
        model, nv = self.model, self.nv
        assert isinstance(self.dyn, PreparedDynamics)
        moves, changes = (self.dyn.callable_of(program) for program in _corrections(model))
        by_q = np.eye(nv)
        along, none = np.eye(nv), np.zeros((nv, nv))
        for q, step, v in places:
            slopes = np.ascontiguousarray(moves(q, v, along)).T
            turned = state.integrate_derivatives(model, q, step)
            by_q = (turned.dq + turned.ddv @ slopes) @ by_q
        q, step, v = places[-1]
        q = displaced(model, q, step)
        slopes = changes(q, v, np.vstack([along, none]), np.vstack([none, along])).T
        found = np.eye(2 * nv)
        found[:nv, :nv] = by_q
        found[nv:, :nv] = slopes[:, :nv] @ by_q
        found[nv:, nv:] += slopes[:, nv:]
        return found


@owned()
def _tangent_of_rates(model: Model, program: ArrayProgram) -> ArrayProgram:
    return tangent_of(model, state_rates(model, program), ['q', 'v', 'tau'], entries=True)


@owned()
def _corrections(model: Model) -> tuple[ArrayProgram, ArrayProgram]:
    """Return the derivatives of ``position_correction`` by q, and of the other by q and v."""
    slots = tree_of(model).slots
    return (tangent_of(model, as_function(model, position_correction(slots)), ['q']),
            tangent_of(model, as_function(model, velocity_correction(slots)), ['q', 'v']))
