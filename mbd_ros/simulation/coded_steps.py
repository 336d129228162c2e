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
Steps without Python between their stages: efforts, dynamics and work in machine code.

For trees under efforts ``tau = u(t) - K q - D v`` with diagonal K and D: constant ones, and
functions that tell u, K and D by a method ``linear`` (``LinearEfforts``), as gaits do. A step
calls the kernels of dynamics and force laws; what is between them is traced from the text of a
scheme, RK4 here, ``contact_steps.py`` on the ground.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.execution.calls.fused import Computed, fused_code, Inside, KernelCall, Pointed
from mbd_ros.execution.calls.repeated_states import repeated_states
from mbd_ros.model import Model, state
from mbd_ros.simulation.manifold import Vector
from mbd_ros.simulation.resistance import Resistance
from mbd_ros.spatial import root

CHUNK = 256
"""Steps in native code at a time; between them the interpreter sees to signals."""
FRACTIONS, WEIGHTS = (0.0, 0.5, 0.5, 1.0), (1.0, 2.0, 2.0, 1.0)
"""Of RK4: how far into the step its stages are, from the rates of the stage before."""
LARGEST = 32
"""Robots whose code is kept."""
_KNOWN: dict[tuple[Model, str, tuple[int, ...]], Callable[..., Vector]] = {}
"""By robot, scheme and addresses of its kernels, which the code keeps alive."""


class LinearEfforts(NamedTuple):
    """
    Efforts ``tau = offset - stiffness q - damping v``, of joints with one coordinate.

    Attributes
    ----------
    offset : array
        (K, nv), one for each of K times.
    stiffness, damping : array
        (nv,), zero for joints of several coordinates.

    """

    offset: Vector
    stiffness: Vector
    damping: Vector


class Scheme(NamedTuple):
    """
    How a step is taken.

    Attributes
    ----------
    name : str
        Of the scheme.
    times : tuple of float
        Where in a step efforts are asked, ascending from 0, as parts of it; and at its end.
    kernels : tuple of (PreparedDynamics, str)
        What is called, and of which robot: ``void kernel(q, v, x or nothing, world, result)``.
    works : int
        How many works are states: of efforts, of each law that keeps no energy, and what else a
        scheme keeps account of.
    record : callable
        From ``Recorder`` to what is done in a step; the last computes q, v and work at its end.

    """

    name: str
    times: tuple[float, ...]
    kernels: tuple[tuple[PreparedDynamics, str], ...]
    works: int
    record: Callable[[Recorder], list[KernelCall | Computed]]


class Recorder(NamedTuple):
    """
    What a scheme makes its steps of.

    Attributes
    ----------
    model : Model
        The robot.
    addresses : tuple of int
        Of the kernels.
    works : int
        How many works are states.

    """

    model: Model
    addresses: tuple[int, ...]
    works: int

    @property
    def size(self) -> int:
        """Entries of q, v and work."""
        return self.model.nq + self.model.nv + self.works

    def parts(self, known: dict[str, Any], name: str) -> tuple[Any, Any, Any]:
        """Return q, v and work of a state."""
        nq, nv, found = self.model.nq, self.model.nv, known[name]
        return found[:nq], found[nq:nq + nv], found[nq + nv:]

    def call(self, number: int, state: str, result: str, *given: str) -> KernelCall:
        """Return the call of a kernel at a state."""
        nq, nv = self.model.nq, self.model.nv
        return KernelCall(self.addresses[number], (
            Inside(state, 0), Inside(state, nq), *given,
            Pointed('constants', 1 + 2 * nv + number)), result, nv)

    def efforts(self, state_name: str, row: int, result: str) -> Computed:
        """Return the efforts at a state, and at one of the times of the step."""
        def record(known: dict[str, Any]) -> Sequence[Any]:
            nv, constants = self.model.nv, known['constants']
            q, v, _ = self.parts(known, state_name)
            tau = list(known['given'][row * nv:(row + 1) * nv])
            for i, j in zip(*(part.tolist() for part in state.adding_entries(self.model))):
                tau[j] = tau[j] - constants[1 + j] * q[i] - constants[1 + nv + j] * v[j]
            return tau
        return Computed(record, result, self.model.nv)

    def normalized(self, q: list[Any]) -> list[Any]:
        """Return a configuration with its quaternions at length one."""
        for joint in state.curved_joints(self.model):
            unit = q[joint.unit]
            inverse = 1.0 / root(dot(unit, unit))
            q[joint.unit] = [one * inverse for one in unit]
        return q


class CodedSteps:
    """
    Steps of a robot in machine code.

    Parameters
    ----------
    model : Model
        A tree of rigid links.
    scheme : Scheme
        How steps are taken.
    efforts : callable
        Times (K,) to ``LinearEfforts``.
    step : float
        Length of a step [s].

    """

    def __init__(self, model: Model, scheme: Scheme,
                 efforts: Callable[[Vector], LinearEfforts], step: float) -> None:
        self._efforts, self._step, self._nq = efforts, step, model.nq
        self._nv, self._times = model.nv, np.array(scheme.times)
        self._keep = scheme   # whose worlds the code reads
        codes = [_code(*one) for one in scheme.kernels]
        key = model, scheme.name, tuple(address for address, _ in codes)
        if key not in _KNOWN:
            while len(_KNOWN) >= LARGEST:
                _KNOWN.pop(next(iter(_KNOWN)))
            _KNOWN[key] = _steps_of(model, scheme, key[2])
        self._steps = _KNOWN[key]
        self._curved = np.ones(self._nv, bool)
        self._curved[state.adding_entries(model)[1]] = False
        self._worlds: Vector = np.array([world for _, world in codes]).view(np.float64)

    def chunk(self, index: int, q: Vector, v: Vector, work: Vector, count: int
              ) -> list[tuple[Vector, Vector, Vector]]:
        """Return q, v and work after each of the next steps, up to one that is not finite."""
        times = self._step * np.append((index + np.arange(count)[:, None] + self._times).ravel(),
                                       index + count)
        offset, stiffness, damping = told(self._efforts, times, self._nv, self._curved)
        states = self._steps(count, np.concatenate([q, v, work]), offset, np.concatenate([
            [self._step], stiffness, damping, self._worlds]))
        finite = np.isfinite(states).all(axis=1)
        good = count if finite.all() else int(np.argmin(finite))
        ends = self._nq, self._nq + self._nv
        return [(one[:ends[0]], one[ends[0]:ends[1]], one[ends[1]:]) for one in states[:good]]


def told(efforts: Callable[[Vector], LinearEfforts], times: Vector, nv: int,
         curved: NDArray[np.bool_]) -> LinearEfforts:
    """
    Return what a function tells of efforts at times (K,), in the sizes that machine code reads.

    Parameters
    ----------
    efforts : callable
        Times (K,) to ``LinearEfforts``.
    times : (K,) array
        [s].
    nv : int
        Size of v.
    curved : (nv,) array of bool
        Where stiffness and damping have to be zero.

    Raises
    ------
    ShapeError, InvalidValueError
        If it tells something else.

    """
    arrays = []
    for name, value in zip(LinearEfforts._fields, efforts(times)):
        wanted = (len(times), nv) if name == 'offset' else (nv,)
        array = np.asarray(value, np.float64)
        if array.shape != wanted:
            raise ShapeError(f'{name} of linear efforts', array.shape, str(wanted))
        if name != 'offset' and array[curved].any():
            raise InvalidValueError(f'{name} of linear efforts', array.tolist(),
                                    'zero at joints with several coordinates')
        arrays.append(array)
    return LinearEfforts(*arrays)


def can_be_coded(dyn: PreparedDynamics) -> bool:
    """Return whether a robot is one of those that steps in machine code are for."""
    model = dyn.model
    return not model.loops and model.elastic is None and dyn.machine_code(
        'forward_dynamics') is not None


def rk4(dyn: PreparedDynamics, resistance: Resistance) -> Scheme:
    """
    Return the scheme of RK4.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    resistance : Resistance
        Which laws keep no energy.

    """
    return Scheme('rk4', (0.0, 0.5), ((dyn, 'forward_dynamics'), *(
        (one, 'bias_forces') for one in resistance.prepared)), 1 + len(resistance.names),
        _rk4)


def _rk4(to: Recorder) -> list[KernelCall | Computed]:
    parts: list[KernelCall | Computed] = []
    laws = len(to.addresses) - 1   # the robot in a vacuum is one, too

    def following(known: dict[str, Any], k: int) -> Sequence[Any]:
        h = known['constants'][0] * FRACTIONS[k]
        q, v, _ = to.parts(known, states[k - 1])
        rates = [*rate(to.model, q, v), *known[f'a{k - 1}']]
        return [y + h * one for y, one in zip(known['state'], rates)]

    states = ['state', *(f'state{k}' for k in range(1, 4))]
    for k, at in enumerate(states):
        if k:
            parts.append(Computed(partial(following, k=k), at, to.model.nq + to.model.nv))
        parts.append(to.efforts(at, (0, 1, 1, 2)[k], f'tau{k}'))
        parts.append(to.call(0, at, f'a{k}', f'tau{k}'))
        parts += [to.call(1 + n, at, f'bias{k}.{n}') for n in range(laws)]

    def end(known: dict[str, Any]) -> Sequence[Any]:
        total = list(known['state'])
        for k, weight in enumerate(WEIGHTS):
            q, v, _ = to.parts(known, states[k])
            powers = [dot(known[f'tau{k}'], v), *less_than_bare(
                [known[f'bias{k}.{n}'] for n in range(laws)], v)]
            share = known['constants'][0] * (weight / 6.0)
            total = [y + share * one for y, one in zip(
                total, [*rate(to.model, q, v), *known[f'a{k}'], *powers])]
        return to.normalized(total)

    return [*parts, Computed(end, 'end', to.size)]


def _code(dyn: PreparedDynamics, function: str) -> tuple[int, int]:
    code = dyn.machine_code(function)
    assert code is not None, 'can_be_coded says so'
    return code


def _steps_of(model: Model, scheme: Scheme, addresses: tuple[int, ...]) -> Callable[..., Vector]:
    """Return the steps as ``repeated_states`` does, by the kernels at these addresses."""
    nv, rows = model.nv, len(scheme.times)
    to = Recorder(model, addresses, scheme.works)
    step = fused_code({'state': to.size, 'given': (rows + 1) * nv,
                       'constants': 1 + 2 * nv + len(addresses)}, scheme.record(to), scheme)
    return repeated_states(step, to.size, rows * nv)


def less_than_bare(forces: Sequence[Any], along: Sequence[Any]) -> list[Any]:
    """Return the powers of laws, from the efforts that the robot takes bare and with each."""
    return [dot([bare - own for bare, own in zip(forces[0], one)], along) for one in forces[1:]]


def rate(model: Model, q: Sequence[Any], v: Sequence[Any]) -> list[Any]:
    """Return the rates of a configuration, of symbols as of floats."""
    rates: list[Any] = [0.0] * model.nq
    for i, j in zip(*(part.tolist() for part in state.adding_entries(model))):
        rates[i] = v[j]
    for joint in state.curved_joints(model):
        rates[joint.q] = joint.manifold.rate(tuple(q[joint.q]), tuple(v[joint.v]))
    return rates


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Return the inner product, of symbols as of floats."""
    total: Any = 0.0
    for x, y in zip(a, b):
        total = total + x * y
    return total
