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
scheme: that of RK4 is ``integrators.rk4_step``, on the ground ``contact_steps.py``.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.execution.compiled_calls.call_recorder import CallRecorder
from mbd_ros.execution.compiled_calls.fused import fused_code, Indirect
from mbd_ros.execution.compiled_calls.repeated_states import repeated_states
from mbd_ros.model import Model, state
from mbd_ros.simulation.dissipation_audit import Resistance
from mbd_ros.simulation.integrators import rk4_step
from mbd_ros.simulation.manifold import Vector
from mbd_ros.simulation.runge_kutta import increment

CHUNK = 256
"""Steps in native code at a time; between them the interpreter sees to signals."""
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
        From ``Recorder`` to q, v and work at the end of a step, one array of symbols.

    """

    name: str
    times: tuple[float, ...]
    kernels: tuple[tuple[PreparedDynamics, str], ...]
    works: int
    record: Callable[[Recorder], Vector]


class Recorder(NamedTuple):
    """
    What a scheme makes its steps of: arrays of symbols, and the kernels of a robot.

    Attributes
    ----------
    model : Model
        The robot.
    recording : CallRecorder
        Of a step: from ``state``, that is q, v and work, what is ``given``, and ``constants``.
    addresses : tuple of int
        Of the kernels.

    """

    model: Model
    recording: CallRecorder
    addresses: tuple[int, ...]

    @property
    def start(self) -> tuple[Vector, Vector, Vector]:
        """Return q, v and work at the start of the step."""
        nq, nv, found = self.model.nq, self.model.nv, self.recording.given['state']
        return found[:nq], found[nq:nq + nv], found[nq + nv:]

    @property
    def length(self) -> Vector:
        """Return the length of the step (1,)."""
        return self.recording.given['constants'][:1]

    def call(self, number: int, q: Vector, v: Vector, *more: Vector) -> Vector:
        """Return the result (nv,) of a kernel."""
        nv = self.model.nv
        return self.recording.call(self.addresses[number], (
            q, v, *more, Indirect('constants', 1 + 2 * nv + number)), nv)

    def efforts(self, q: Vector, v: Vector, row: int) -> Vector:
        """Return the efforts at a state and at one of the times of the step, (nv,)."""
        nv, constants = self.model.nv, self.recording.given['constants']
        tau = self.recording.given['given'][row * nv:(row + 1) * nv].copy()
        places, joints = state.adding_entries(self.model)
        tau[joints] += - constants[1:][joints] * q[places] - constants[1 + nv:][joints] * v[joints]
        return tau


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
        offset, stiffness, damping = checked_linear_efforts(
            self._efforts, times, self._nv, self._curved)
        states = self._steps(count, np.concatenate([q, v, work]), offset, np.concatenate([
            [self._step], stiffness, damping, self._worlds]))
        finite = np.isfinite(states).all(axis=1)
        good = count if finite.all() else int(np.argmin(finite))
        ends = self._nq, self._nq + self._nv
        return [(one[:ends[0]], one[ends[0]:ends[1]], one[ends[1]:]) for one in states[:good]]


def checked_linear_efforts(efforts: Callable[[Vector], LinearEfforts], times: Vector, nv: int,
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


def _rk4(to: Recorder) -> Vector:
    """Return q, v and work after a step."""
    q, v, work = to.start
    powers, rows = [], iter((0, 1, 1, 2))   # times at the stages

    def acceleration(t: float, q: Vector, v: Vector) -> Vector:
        tau = to.efforts(q, v, next(rows))
        # The robot in a vacuum is the first, where there are laws that keep no energy.
        bias = [to.call(number, q, v) for number in range(1, len(to.addresses))]
        powers.append(np.array([tau.dot(v), *less_than_bare(bias, v)]))
        return to.call(0, q, v, tau)

    q, v = rk4_step(to.model, acceleration, 0.0, q, v, to.length)
    return np.concatenate((q, v, work + increment(to.length, *powers)))


def _code(dyn: PreparedDynamics, function: str) -> tuple[int, int]:
    code = dyn.machine_code(function)
    assert code is not None, 'can_be_coded says so'
    return code


def _steps_of(model: Model, scheme: Scheme, addresses: tuple[int, ...]) -> Callable[..., Vector]:
    """Return the steps as ``repeated_states`` does, by the kernels at these addresses."""
    nv, rows = model.nv, len(scheme.times)
    inputs = {'state': model.nq + nv + scheme.works, 'given': (rows + 1) * nv,
              'constants': 1 + 2 * nv + len(addresses)}
    recording = CallRecorder(inputs)
    parts = recording.end(scheme.record(Recorder(model, recording, addresses)))
    return repeated_states(fused_code(inputs, parts, scheme), inputs['state'], rows * nv)


def less_than_bare(forces: Sequence[Vector], along: Vector) -> list[Any]:
    """Return the powers of laws, from the efforts that the robot takes bare and with each."""
    return [(forces[0] - one).dot(along) for one in forces[1:]]
