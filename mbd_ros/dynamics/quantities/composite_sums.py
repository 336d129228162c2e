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

"""The sums of ``composites.py`` in machine code, for many states of any robot in one call."""

from __future__ import annotations

from collections.abc import Callable
import ctypes
import functools

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.quantities import composites, motion_changes
from mbd_ros.execution.ir.loop_code import loop_code, LoopCode
from mbd_ros.model import Model

Array = NDArray[np.float64]


def centroidal_map(model: Model, poses: Array) -> Array:
    """Return A (N, 6, nv) with ``A v`` the momentum about the mass centre, in world axes."""
    return _of_states(composites.centroidal_map, model, (6, model.nv), poses)


def coriolis_matrix(model: Model, poses: Array, v: Array) -> Array:
    """Return C (N, nv, nv) with ``C v`` the velocity terms and ``dM/dt - 2 C`` skew-symmetric."""
    return _of_states(composites.coriolis_matrix, model, (model.nv, model.nv), poses, v)


def regressor(model: Model, poses: Array, v: Array, qdd: Array, gravity: Array) -> Array:
    """Return Y (N, nv, 10 nb): inverse dynamics without rotors are Y times the parameters."""
    found = _of_states(composites.regressor, model, (model.nv, model.nb, 10), poses, v, qdd,
                       gravity)
    return found.reshape(len(poses), model.nv, 10 * model.nb)


def link_changes(model: Model, poses: Array, v: Array, qdd: Array, places: Array, body: int,
                 moves: bool, turns: bool) -> Array:
    """Return derivatives (N, 4, 6, nv) of a motion: ``motion_changes.link_changes``."""
    return _of_states(motion_changes.link_changes, model, (4, 6, model.nv), poses, v, qdd, places,
                      np.array((body, moves, turns)))


def momentum_changes(model: Model, poses: Array, v: Array, qdd: Array) -> Array:
    """Return derivatives (N, 4, 6, nv) of momentum and its rate, about the mass centre."""
    return _of_states(motion_changes.momentum_changes, model, (4, 6, model.nv), poses, v, qdd)


def _of_states(function: Callable[..., None], model: Model, shape: tuple[int, ...],
               poses: Array, *others: Array) -> Array:
    """Return what a function makes of poses (N, nb, 4, 4) and others, of one shape per state."""
    result = np.zeros((len(poses), *shape))
    arrays = [np.ascontiguousarray(one, np.float64) for one in (
        np.array((len(poses),)), poses, *_layout(model), *others)]
    _code(function, model.nb, model.nv)(*(one.ctypes.data for one in arrays), result.ctypes.data)
    return result


def machine_code(function: Callable[..., None], model: Model) -> tuple[int, Array, Array]:
    """
    Return the machine code of a function of ``composites.py`` for other machine code to call.

    Parameters
    ----------
    function : callable
        ``regressor`` and so on.
    model : Model
        The robot.

    Returns
    -------
    address : int
        Of ``void kernel(count, poses, bodies, coordinates, other..., result)``, doubles all.
    bodies, coordinates : array
        The robot's.

    """
    code: LoopCode = _code(function, model.nb, model.nv).keep   # type: ignore[attr-defined]
    return code.address, *_layout(model)


@functools.lru_cache(maxsize=64)
def _layout(model: Model) -> tuple[Array, Array]:
    """Return ``bodies`` and ``coordinates``."""
    bodies, coordinates = np.zeros((model.nb, 16)), np.zeros((model.nv, 3))
    for i, (parent, kind) in enumerate(zip(model.parents, model.joint_types)):
        first = model.v_offsets[i]
        bodies[i, :4] = parent, first, kind.nv, model.masses[i]
        for j, axis in enumerate(kind.pair.axes, first):
            coordinates[j] = i, axis % 3, axis < 3
    bodies[:, 4:7], bodies[:, 7:] = model.mass_centers, np.reshape(model.inertias, (-1, 9))
    return bodies, coordinates


@functools.lru_cache(maxsize=64)
def _code(function: Callable[..., None], nb: int, nv: int) -> Callable[..., None]:
    """Return the machine code for robots of one size; it takes addresses."""
    bodies = [(1,), (1, nb, 4, 4), (nb, 16), (nv, 3)]
    shapes = {composites.centroidal_map: [*bodies, (1, 6, nv)],
              composites.coriolis_matrix: [*bodies, (1, nv), (1, nv, nv)],
              composites.regressor: [*bodies, (1, nv), (1, nv), (3,), (1, nv, nb, 10)],
              motion_changes.link_changes: [
                  *bodies, (1, nv), (1, nv), (1, 4, 4), (3,), (1, 4, 6, nv)],
              motion_changes.momentum_changes: [*bodies, (1, nv), (1, nv), (1, 4, 6, nv)],
              }[function]
    code: LoopCode = loop_code(function, shapes, [nb, nv])
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(shapes))(code.address)

    def run(*addresses: int) -> None:
        call(*addresses)
    run.keep = code   # type: ignore[attr-defined]
    return run
