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

Of steps by Runge and Kutta with forces constant in each step, x = (q, v)::

    x_{k+1} = F(x_k, tau_k, p)        dx_{k+1} = A_k dx_k + B_k dtau_k + P_k dp

All derivatives of the accelerations at the stages come from one call, exact; those of a step are
products of them. The adjoint equations go backwards with the same matrices, transposed.

References
----------
Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 1993, section II.1 and I.14.

"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.dynamics.prepared.call import real_array, require_finite
from mbd_ros.dynamics.prepared.parametric import ParametricDynamics
from mbd_ros.dynamics.prepared.prepared import compile_model, PreparedDynamics
from mbd_ros.errors import InvalidValueError, ShapeError, UnsupportedError
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import is_flat, positive_time

Array = NDArray[np.float64]
FRACTIONS = (0.0, 0.5, 0.5, 1.0)
WEIGHTS = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)


class Gradients(NamedTuple):
    """
    Derivatives of a number that depends on a motion.

    Attributes
    ----------
    start : array
        (2 nv,): by q and v at the start.
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

    Attributes
    ----------
    states : array
        (n + 1, 2 nv): q and v at the start and after each step.
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
            (2 nv,): of q and v.
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
            (n + 1, 2 nv): of the number by each state.

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
        if given.shape != self.states.shape:
            raise ShapeError('gradients', given.shape, f'{self.states.shape}, as of the states')
        steps = len(self.A)
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

    Parameters
    ----------
    model : Model, PreparedDynamics or ParametricDynamics
        The robot, or its dynamics under other gravity, in a fluid, on the ground, or with
        parameters as ``mbd_ros.compile(model, parameters=[...])`` has them. All its joints have
        one coordinate each, and it has no closed loops.
    q, v : array_like
        (nq,), (nv,): where it starts.
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
        For closed loops, and joints with several coordinates.
    ShapeError, NotFiniteError, InvalidValueError
        If an argument is not as it should be.

    """
    parametric = model if isinstance(model, ParametricDynamics) else None
    dyn = compile_model(model) if isinstance(model, Model) else model
    if not isinstance(dyn, (PreparedDynamics, ParametricDynamics)):
        raise InvalidValueError('model', model, 'a Model, or what mbd_ros.compile returns')
    robot = dyn.model
    if robot.loops or not is_flat(robot):
        raise UnsupportedError(f"sensitivities of robot '{robot.name}'",
                               'its joints have to have one coordinate each, and no closed loops')
    h, rows = positive_time('step', step), real_array('efforts', efforts, robot.nv)
    start = [real_array(name, value, size) for name, value, size in (
        ('q', q, robot.nq), ('v', v, robot.nv))]
    for name, array in (('q', start[0]), ('v', start[1]), ('efforts', rows)):
        if array.ndim != 1 and name != 'efforts' or (array.ndim != 2 and name == 'efforts'):
            raise ShapeError(name, array.shape, 'one state; efforts a row for each step')
        require_finite(robot, 'tau' if name == 'efforts' else name, array)
    values: tuple[Array, ...] = ()
    if parametric is not None:
        given = parametric.values if parameters is None else real_array(
            'parameters', parameters, len(parametric.values))
        values = (given,)
    elif parameters is not None:
        raise InvalidValueError('parameters', parameters, 'nothing, or dynamics that are compiled '
                                'with parameters')
    states, stages = _run(dyn, np.concatenate(start), rows, h, values)
    return Sensitivities(states, *_derivatives(dyn, stages, np.repeat(rows, 4, axis=0), h, values))


def _run(dyn: Any, x: Array, efforts: Array, h: float, values: tuple[Array, ...]
         ) -> tuple[Array, Array]:
    """Return the states (n + 1, 2 nv) and those of all stages (4 n, 2 nv)."""
    nv = dyn.model.nv
    states, stages = np.empty((len(efforts) + 1, 2 * nv)), np.empty((4 * len(efforts), 2 * nv))
    states[0] = x
    for k, tau in enumerate(efforts):
        slope, total = np.zeros(2 * nv), np.zeros(2 * nv)
        for stage, (fraction, weight) in enumerate(zip(FRACTIONS, WEIGHTS)):
            here = stages[4 * k + stage]
            here[:] = states[k] + fraction * h * slope
            slope = np.concatenate([here[nv:], dyn.forward_dynamics(
                here[:nv].copy(), here[nv:].copy(), tau, *values)])
            total += weight * slope
        states[k + 1] = states[k] + h * total
    return states, stages


def _derivatives(dyn: Any, stages: Array, efforts: Array, h: float, values: tuple[Array, ...]
                 ) -> tuple[Array, Array, Array]:
    """Return A, B and P of all steps from the derivatives at all stages."""
    nv, count = dyn.model.nv, len(stages) // 4
    q, v = np.ascontiguousarray(stages[:, :nv]), np.ascontiguousarray(stages[:, nv:])
    parts = [np.empty((len(stages), nv, 0))]
    if values:
        by = ['q', 'v', 'tau', 'parameters']
        size = 3 * nv + len(values[0])
        call, eye = dyn.tangent('forward_dynamics', by), np.eye(size)
        cuts = np.cumsum([0, nv, nv, nv, len(values[0])])
        rates = [np.tile(eye[:, first:last], (len(stages), 1))
                 for first, last in itertools.pairwise(cuts)]
        columns = call(*(np.repeat(part, size, axis=0) for part in (q, v, efforts)), values[0],
                       *rates)
        whole = columns.reshape(len(stages), size, nv).swapaxes(1, 2)
        parts = [whole[..., first:last] for first, last in itertools.pairwise(cuts)]
    else:
        parts = [*dyn.forward_dynamics_derivatives(q, v, efforts), *parts]
    by_q, by_v, by_tau, by_p = (part.reshape(count, 4, nv, -1) for part in parts)
    slopes = np.zeros((count, 4, 2 * nv, 2 * nv))   # of (v, a) by (q, v), at each stage
    slopes[:, :, :nv, nv:] = np.eye(nv)
    slopes[:, :, nv:, :nv], slopes[:, :, nv:, nv:] = by_q, by_v
    rest = np.concatenate([by_tau, by_p], axis=3)
    own = np.concatenate([np.zeros_like(rest), rest], axis=2)
    identity = np.eye(2 * nv)
    state, forced = np.zeros((count, 2 * nv, 2 * nv)), np.zeros_like(own[:, 0])
    total, pushed = np.zeros_like(state), np.zeros_like(forced)
    for stage, (fraction, weight) in enumerate(zip(FRACTIONS, WEIGHTS)):
        state = slopes[:, stage] @ (identity + fraction * h * state)
        forced = slopes[:, stage] @ (fraction * h * forced) + own[:, stage]
        total, pushed = total + weight * state, pushed + weight * forced
    return identity + h * total, h * pushed[..., :nv], h * pushed[..., nv:]
