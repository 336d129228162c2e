"""
Steps of RK4 without Python between their stages: efforts, dynamics and work in machine code.

For trees under efforts ``tau = u(t) - K q - D v`` with diagonal K and D: constant ones, and
functions that tell u, K and D by a method ``linear`` (``LinearEfforts``), as gaits do. A step
calls the kernels of dynamics and force laws; what is between them is traced from this text.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

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
ROWS = (0, 1, 1, 2)
"""Which of start, middle and end of the step the stages are at."""
LARGEST = 32
"""Robots whose code is kept."""
_KNOWN: dict[tuple[Model, tuple[int, ...]], Callable[..., Vector]] = {}
"""By robot and addresses of its kernels, which the code keeps alive."""


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


class CodedSteps:
    """
    Steps of a robot in machine code.

    Parameters
    ----------
    dyn : PreparedDynamics
        A tree of rigid links.
    resistance : Resistance
        Which laws keep no energy.
    efforts : callable
        Times (K,) to ``LinearEfforts``.
    step : float
        Length of a step [s].

    """

    def __init__(self, dyn: PreparedDynamics, resistance: Resistance,
                 efforts: Callable[[Vector], LinearEfforts], step: float) -> None:
        self._efforts, self._step, self._nq = efforts, step, dyn.model.nq
        self._nv, self._works = dyn.model.nv, 1 + len(resistance.names)
        self._prepared = [dyn, *resistance.prepared]   # whose worlds the code reads
        codes = [_code(one, name) for one, name in zip(self._prepared, _functions(resistance))]
        key = dyn.model, tuple(address for address, _ in codes)
        if key not in _KNOWN:
            while len(_KNOWN) >= LARGEST:
                _KNOWN.pop(next(iter(_KNOWN)))
            _KNOWN[key] = _steps_of(dyn.model, key[1], self._prepared)
        self._steps = _KNOWN[key]
        self._curved = np.ones(self._nv, bool)
        self._curved[state.adding_entries(dyn.model)[1]] = False
        self._worlds: Vector = np.array([world for _, world in codes]).view(np.float64)

    def chunk(self, index: int, q: Vector, v: Vector, work: Vector, count: int
              ) -> list[tuple[Vector, Vector, Vector]]:
        """Return q, v and work after each of the next steps, up to one that is not finite."""
        times = self._step * (index + 0.5 * np.arange(2 * count + 1, dtype=np.float64))
        offset, stiffness, damping = self._checked(self._efforts(times), len(times))
        states = self._steps(count, np.concatenate([q, v, work]), offset, np.concatenate([
            [self._step], stiffness, damping, self._worlds]))
        finite = np.isfinite(states).all(axis=1)
        good = count if finite.all() else int(np.argmin(finite))
        ends = self._nq, self._nq + self._nv
        return [(one[:ends[0]], one[ends[0]:ends[1]], one[ends[1]:]) for one in states[:good]]

    def _checked(self, law: LinearEfforts, count: int) -> list[Vector]:
        """Return what a function has told, in the sizes that machine code reads."""
        arrays = []
        for name, value in zip(LinearEfforts._fields, law):
            wanted = (count, self._nv) if name == 'offset' else (self._nv,)
            array = np.asarray(value, np.float64)
            if array.shape != wanted:
                raise ShapeError(f'{name} of linear efforts', array.shape, str(wanted))
            if name != 'offset' and array[self._curved].any():
                raise InvalidValueError(f'{name} of linear efforts', array.tolist(),
                                        'zero at joints with several coordinates')
            arrays.append(array)
        return arrays


def can_be_coded(dyn: PreparedDynamics) -> bool:
    """Return whether a robot is one of those that steps in machine code are for."""
    model = dyn.model
    return not model.loops and model.elastic is None and dyn.machine_code(
        'forward_dynamics') is not None


def _functions(resistance: Resistance) -> list[str]:
    """Return what is asked of the robot, and of each as ``Resistance.prepared`` has them."""
    return ['forward_dynamics'] + ['bias_forces'] * len(resistance.prepared)


def _code(dyn: PreparedDynamics, function: str) -> tuple[int, int]:
    code = dyn.machine_code(function)
    assert code is not None, 'can_be_coded says so'
    return code


def _steps_of(model: Model, addresses: tuple[int, ...], keep: object) -> Callable[..., Vector]:
    """Return the steps as ``repeated_states`` does, by the kernels at these addresses."""
    nq, nv, laws = model.nq, model.nv, len(addresses) - 1
    works = max(1, laws)   # of efforts and of each law; the robot in a vacuum is one, too
    size = nq + nv + works
    parts: list[KernelCall | Computed] = []

    def of_stage(k: int, known: dict[str, Any]) -> tuple[Any, Any]:
        found = known[f'state{k}' if k else 'state']
        return found[:nq], found[nq:nq + nv]

    for k in range(4):
        at = f'state{k}' if k else 'state'

        def efforts(known: dict[str, Any], k: int = k) -> Sequence[Any]:
            q, v = of_stage(k, known)
            tau = list(known['given'][ROWS[k] * nv:(ROWS[k] + 1) * nv])
            constants = known['constants']
            for i, j in zip(*(part.tolist() for part in state.adding_entries(model))):
                tau[j] = tau[j] - constants[1 + j] * q[i] - constants[1 + nv + j] * v[j]
            return tau

        def following(known: dict[str, Any], k: int = k) -> Sequence[Any]:
            h = known['constants'][0] * FRACTIONS[k + 1]
            rates = [*_rate(model, *of_stage(k, known)), *known[f'a{k}']]
            return [y + h * rate for y, rate in zip(known['state'], rates)]

        parts.append(Computed(efforts, f'tau{k}', nv))
        worlds = [Pointed('constants', 1 + 2 * nv + n) for n in range(1 + laws)]
        parts.append(KernelCall(addresses[0], (
            Inside(at, 0), Inside(at, nq), f'tau{k}', worlds[0]), f'a{k}', nv))
        parts += [KernelCall(address, (Inside(at, 0), Inside(at, nq), world), f'bias{k}.{n}', nv)
                  for n, (address, world) in enumerate(zip(addresses[1:], worlds[1:]))]
        if k < 3:
            parts.append(Computed(following, f'state{k + 1}', nq + nv))

    def end(known: dict[str, Any]) -> Sequence[Any]:
        total = list(known['state'])
        for k, weight in enumerate(WEIGHTS):
            q, v = of_stage(k, known)
            biases = [known[f'bias{k}.{n}'] for n in range(laws)]
            powers = [_dot(known[f'tau{k}'], v), *(
                _dot([bare - own for bare, own in zip(biases[0], bias)], v)
                for bias in biases[1:])]
            share = known['constants'][0] * (weight / 6.0)
            total = [y + share * rate for y, rate in zip(
                total, [*_rate(model, q, v), *known[f'a{k}'], *powers])]
        for joint in state.curved_joints(model):
            unit = total[joint.unit]
            inverse = 1.0 / root(_dot(unit, unit))
            total[joint.unit] = [one * inverse for one in unit]
        return total

    parts.append(Computed(end, 'end', size))
    step = fused_code({'state': size, 'given': 3 * nv, 'constants': 2 + 2 * nv + laws}, parts,
                      keep)
    return repeated_states(step, size, 2 * nv)


def _rate(model: Model, q: Sequence[Any], v: Sequence[Any]) -> list[Any]:
    """Return the rates of a configuration, of symbols as of floats."""
    rates: list[Any] = [0.0] * model.nq
    for i, j in zip(*(part.tolist() for part in state.adding_entries(model))):
        rates[i] = v[j]
    for joint in state.curved_joints(model):
        rates[joint.q] = joint.manifold.rate(tuple(q[joint.q]), tuple(v[joint.v]))
    return rates


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    total: Any = 0.0
    for x, y in zip(a, b):
        total = total + x * y
    return total
