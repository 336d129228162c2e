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

"""The dynamics of a robot as functions of JAX: jit, vmap and grad on processors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import ctypes
import importlib
import itertools
from typing import Any

import numpy as np

from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.errors import MachineError, ShapeError
from mbd_ros.export.for_process import Opened, opened, require_differentiable
from mbd_ros.export.jax_ir import name_of
from mbd_ros.model import Model

_NUMBERS = itertools.count()


def jax_function(model: Model, function: str, *, gravity: Sequence[float] | None = None,
                 fluid: Fluid | None = DEFAULT, ground: Ground | None = None,
                 stabilization: float = 0.0) -> Callable[..., Any]:
    """
    Return a function of JAX that runs machine code on the CPU, and whose derivatives do, too.

    ``jax.jit``, ``jax.vmap``, ``jax.jvp`` and ``jax.grad`` work on it; second derivatives do not.

    Parameters
    ----------
    model : Model
        The robot; all its joints are revolute or prismatic.
    function : str
        ``'forward_dynamics'`` (q, v, tau) -> qdd or ``'inverse_dynamics'`` (q, v, qdd) -> tau.
    gravity, fluid, ground
        As in ``compile_model``.
    stabilization : float
        At which rate s forward dynamics closes loops that are open [1/s]:
        ``A qdd + bias = -2 s phi_dot - s^2 phi``, 0 where they are closed. With 0 loops stay as
        they are, and integrators let them drift apart; take some tenth of a step's inverse.

    Returns
    -------
    callable
        Takes arrays (..., nv) of float64, with leading dimensions that broadcast; gives
        (..., nv). States that are singular or not finite give NaN, as JAX has it.

    Raises
    ------
    InvalidValueError
        If there is no such function.
    UnsupportedError
        If joints have several coordinates, or the derivatives have no machine code.
    MachineError
        If JAX is not installed or computes in single precision (set ``jax_enable_x64``), or
        nothing here links shared libraries.

    """
    require_differentiable(model, function, 'JAX')
    try:
        jax = importlib.import_module('jax')
    except ImportError:
        raise MachineError("JAX is not installed: pip install 'mbd_ros[jax]'") from None
    if not jax.config.jax_enable_x64:
        raise MachineError('JAX computes in single precision, these functions in double: '
                           "jax.config.update('jax_enable_x64', True) comes first")
    place = None if gravity is None else tuple(map(float, gravity))
    library = opened(model, function, 'jax', place, fluid, ground, stabilization)
    value, slopes = _registered(jax, library)

    call = jax.custom_jvp(value)

    def rule(point: Sequence[Any], directions: Sequence[Any]) -> tuple[Any, Any]:
        matrices = slopes(*point)
        total = sum(jax.numpy.einsum('...ij,...j->...i', matrices[..., k, :, :], direction)
                    for k, direction in enumerate(directions))
        return value(*point), total

    call.defjvp(rule)
    names = [name for name, _ in library.written.functions[0][1].inputs]

    def dynamics(x: Any, y: Any, z: Any) -> Any:
        given = [jax.numpy.asarray(one, dtype=np.float64) for one in (x, y, z)]
        for name, one in zip(names, given):
            if one.ndim == 0 or one.shape[-1] != model.nv:
                raise ShapeError(name, one.shape, f'(..., {model.nv})')
        shape = np.broadcast_shapes(*(one.shape for one in given))
        return call(*(jax.numpy.broadcast_to(one, shape) for one in given))

    dynamics.__name__ = dynamics.__qualname__ = function
    return dynamics


def _registered(jax: Any, library: Opened) -> list[Callable[..., Any]]:
    """Return value and derivatives as functions of arrays (..., nv) of one shape."""
    dll = ctypes.CDLL(str(library.shared))
    found = []
    for symbol, function in library.written.functions:
        target = f'mbd_ros_{next(_NUMBERS)}_{symbol}'
        jax.ffi.register_ffi_target(
            target, jax.ffi.pycapsule(getattr(dll, name_of(symbol))), platform='cpu')
        found.append(_batched(jax, target, function.shape, library.written.work))
    return found


def _batched(jax: Any, target: str, shape: tuple[int, ...], work: int) -> Callable[..., Any]:
    """Return a function whose states are counted when it is traced; ``vmap`` makes one call."""
    numbers = jax.numpy.float64

    def run(*given: Any) -> Any:
        states = given[0].shape[:-1]
        call = jax.ffi.ffi_call(
            target, (jax.ShapeDtypeStruct((*states, *shape), numbers),
                     jax.ShapeDtypeStruct((work,), numbers)))
        return call(np.array([int(np.prod(states))], np.int64), *given)[0]

    function = jax.custom_batching.custom_vmap(run)

    def rule(size: int, batched: Sequence[bool], *given: Any) -> tuple[Any, bool]:
        return function(*(one if has else jax.numpy.broadcast_to(one, (size, *one.shape))
                          for one, has in zip(given, batched))), True

    function.def_vmap(rule)
    batched_function: Callable[..., Any] = function
    return batched_function
