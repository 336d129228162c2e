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


"""Prepared dynamics whose masses, payload, friction and so on are arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.prepared.call import Array, real_array
from mbd_ros.dynamics.quantities.parameters import (
    Block, blocks_of, FUNCTIONS, values_of, with_parameters)
from mbd_ros.dynamics.quantities.tangents import state_rates, tangent_of
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.execution import Kernel
from mbd_ros.execution.program.array_program import ArrayProgram

if TYPE_CHECKING:
    from mbd_ros.dynamics.prepared.prepared import PreparedDynamics


class ParametricDynamics:
    """
    The dynamics of robots that differ in numbers, as prepared callables.

    As those of ``PreparedDynamics``, with one argument more, the last: the parameters (np,) of
    one robot, or (N, np), a row for each state.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    names : sequence of str
        Kinds of parameters: ``'masses'``, ``'inertial'``, ``'payload'`` (``'payload:link'``),
        ``'armature'``, ``'damping'``, ``'friction'``, ``'gravity'``; see ``parameters.KINDS``.

    Raises
    ------
    InvalidValueError, UnknownNameError, UnsupportedError
        If there are no such parameters, or not for this robot.

    """

    def __init__(self, dyn: PreparedDynamics, names: Sequence[str]) -> None:
        self.model, self._dyn = dyn.model, dyn
        self._blocks = blocks_of(dyn.model, names)
        self._values = np.concatenate([np.empty(0), *(
            dyn.gravity if block.kind == 'gravity' else values_of(dyn.model, block)
            for block in self._blocks)])
        self._programs: dict[str, ArrayProgram] = {}
        self._tangents: dict[tuple[str, tuple[str, ...]], Callable[..., Array]] = {}

    @property
    def parameters(self) -> dict[str, slice]:
        """Return where each of the parameters that were asked for is."""
        return {block.name: slice(block.first, block.first + block.size)
                for block in self._blocks}

    @property
    def values(self) -> Array:
        """Return the parameters (np,) of the robot as it is described, as a copy."""
        return self._values.copy()

    def pack(self, **given: ArrayLike) -> Array:
        """
        Return parameters (np,) or (N, np).

        Parameters
        ----------
        **given : array_like
            By name (a payload's link left out where there is one): (size,) or (N, size); those
            of the description where left out.

        Returns
        -------
        array
            (np,), or (N, np) where any is (N, size).

        Raises
        ------
        InvalidValueError, ShapeError
            If there are no such parameters, or they are not as many.

        """
        known: dict[str, Block] = {block.name: block for block in self._blocks}
        kinds = [block.kind for block in self._blocks]
        known.update({block.kind: block for block in self._blocks
                      if kinds.count(block.kind) == 1})
        arrays = {}
        for name, value in given.items():
            if name not in known:
                raise InvalidValueError('parameters', name, ', '.join(known))
            arrays[known[name].first] = real_array(name, value, known[name].size)
        counts = {len(array) for array in arrays.values() if array.ndim == 2}
        if len(counts) > 1:
            raise ShapeError('parameters', tuple(counts), 'as many rows of each')
        result = np.tile(self._values, (*counts, 1)) if counts else self.values
        for first, array in arrays.items():
            result[..., first:first + array.shape[-1]] = array
        return result

    @functools.cached_property
    def forward_dynamics(self) -> Callable[..., Array]:
        """Callable ``(q, v, tau, parameters) -> vdot`` (nv,)."""
        return self._call('forward_dynamics')

    @functools.cached_property
    def inverse_dynamics(self) -> Callable[..., Array]:
        """Callable ``(q, v, qdd, parameters) -> tau`` (nv,)."""
        return self._call('inverse_dynamics')

    @functools.cached_property
    def bias_forces(self) -> Callable[..., Array]:
        """Callable ``(q, v, parameters) -> (nv,)``."""
        return self._call('bias_forces')

    @functools.cached_property
    def mass_matrix(self) -> Callable[..., Array]:
        """Give the mass matrix M (nv, nv) for (q, parameters)."""
        return self._call('mass_matrix')

    @functools.cached_property
    def energies(self) -> Callable[..., Array]:
        """Callable ``(q, v, parameters) -> (nb, 2)``: kinetic and potential of each body [J]."""
        return self._call('energies')

    def kernel(self, function: str) -> Kernel:
        """
        Return what runs a function, for other machine code.

        Its ``address`` is that of ``void kernel(q, v, tau, parameters, world, result)`` and so
        on; ``kernel.program.inputs`` names the arguments, of which ``'parameters'`` has
        ``len(dyn.values)`` entries, see ``parameters``.
        """
        return self._dyn.kernel_of(self._program(function))

    def tangent(self, function: str, by: Sequence[str] = ('parameters',)) -> Callable[..., Array]:
        """
        Return the derivative of a function along a direction, exact.

        Parameters
        ----------
        function : str
            ``'forward_dynamics'`` and so on.
        by : sequence of str
            What changes: ``'parameters'`` and names of other arguments.

        Returns
        -------
        callable
            ``(q, v, tau, parameters, dparameters) -> d vdot`` and so on: the arguments, then the
            rates of what changes in the order of ``by``; that of q is in the coordinates of v.

        Raises
        ------
        InvalidValueError
            If there is no such function or argument.

        """
        program = self._program(function)
        if isinstance(by, str) or not by or not set(by) <= set(program.inputs):
            raise InvalidValueError('by', by, f'a list of {", ".join(program.inputs)}')
        key = (function, tuple(by))
        if key not in self._tangents:
            self._tangents[key] = self._dyn.callable_of(
                tangent_of(self.model, program, by))
        return self._tangents[key]

    def tangent_of_rates(self) -> Callable[..., Array]:
        """
        Return the derivative of the rates of q and v along a direction in all entries.

        Callable ``(q, v, tau, parameters, dq, dv, dtau, dparameters) -> (nq + nv,)``; dq is
        (nq,), be it a change to a configuration or not.
        """
        key = 'rates of the state', ()
        if key not in self._tangents:
            program = state_rates(self.model, self._program('forward_dynamics'))
            self._tangents[key] = self._dyn.callable_of(tangent_of(
                self.model, program, program.inputs, entries=True))
        return self._tangents[key]

    def derivatives(self, function: str, *arguments: ArrayLike, by: str = 'parameters') -> Array:
        """
        Return the derivatives of a function by its parameters or another argument, exact.

        Parameters
        ----------
        function : str
            ``'forward_dynamics'`` and so on.
        *arguments : array_like
            Of one state: (q, v, tau, parameters) and so on.
        by : str
            The argument; q in the coordinates of v.

        Returns
        -------
        array
            (*shape of the result, entries).

        Raises
        ------
        InvalidValueError, ShapeError, NotFiniteError
            If an argument is not as it should be.

        """
        call = self.tangent(function, (by,))
        size = {'parameters': len(self._values)}.get(by, self.model.nv)
        columns = call(*arguments, np.eye(size))
        return np.moveaxis(columns, 0, -1)

    def _call(self, function: str) -> Callable[..., Array]:
        return self._dyn.callable_of(self._program(function))

    def _program(self, function: str) -> ArrayProgram:
        if function not in FUNCTIONS:
            raise InvalidValueError('function', function, ', '.join(FUNCTIONS))
        if function not in self._programs:
            self._programs[function] = with_parameters(
                self.model, function, self._dyn.program(function), self._blocks)
        return self._programs[function]
