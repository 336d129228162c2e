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

"""Functions of PyTorch that run the machine code of a robot, with their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import importlib
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.errors import InvalidValueError, MachineError, ShapeError, UnsupportedError
from mbd_ros.export.for_process import require_differentiable
from mbd_ros.model import Model

_THIRD = {'forward_dynamics': 'tau', 'inverse_dynamics': 'qdd'}


def torch_function(model: Model, function: str, *, gravity: Sequence[float] | None = None,
                   fluid: Fluid | None = DEFAULT, ground: Ground | None = None
                   ) -> Callable[..., Any]:
    """
    Return a function of PyTorch that runs machine code on the CPU, and whose gradients do, too.

    ``backward``, ``torch.func.grad`` and ``torch.func.vmap`` work on it; second derivatives and
    forward mode do not. Gradients are products with the exact derivatives of the model; where
    only tau or qdd asks for one, and neither springs nor force laws act, the product with the
    (inverse) mass matrix is one more call of the recursion, and no matrix is made.

    Parameters
    ----------
    model : Model
        The robot; all its joints are revolute or prismatic.
    function : str
        ``'forward_dynamics'`` (q, v, tau) -> qdd or ``'inverse_dynamics'`` (q, v, qdd) -> tau.
    gravity, fluid, ground
        As in ``compile_model``.

    Returns
    -------
    callable
        Takes CPU tensors (..., nv), all float64 or all float32, with leading dimensions that
        broadcast; gives (..., nv). Tensors of float64 are read where they are, others are
        computed in double precision. States that are singular or not finite raise
        ``MbdError``, as they do without PyTorch.

    Raises
    ------
    InvalidValueError
        If there is no such function.
    UnsupportedError
        If joints have several coordinates.
    MachineError
        If PyTorch is not installed.

    """
    require_differentiable(model, function, 'PyTorch')
    try:
        torch = importlib.import_module('torch')
    except ImportError:
        raise MachineError("PyTorch is not installed: pip install 'mbd_ros[torch]'") from None
    dyn = compile_model(model, gravity=gravity, fluid=fluid, ground=ground)
    weightless = None if model.sprung or dyn.model.laws else getattr(
        compile_model(model, gravity=(0.0, 0.0, 0.0), fluid=fluid, ground=ground), function)
    apply = _operator(torch, getattr(dyn, function), getattr(dyn, f'{function}_derivatives'),
                      weightless)
    names = ('q', 'v', _THIRD[function])

    def dynamics(x: Any, y: Any, z: Any) -> Any:
        given = (x, y, z)
        for name, one in zip(names, given):
            if not isinstance(one, torch.Tensor):
                raise InvalidValueError(name, type(one).__name__, 'a tensor')
            if one.device.type != 'cpu':
                raise UnsupportedError(f'{name} on {one.device}', 'tensors are on the CPU')
            if one.dtype not in (torch.float64, torch.float32) or one.dtype != x.dtype:
                raise InvalidValueError(f'dtype of {name}', str(one.dtype), 'torch.float64 or '
                                        'torch.float32, the same for all')
            if one.ndim == 0 or one.shape[-1] != model.nv:
                raise ShapeError(name, tuple(one.shape), f'(..., {model.nv})')
        try:
            given = torch.broadcast_tensors(*given)
        except RuntimeError:
            raise ShapeError(f'{names[1]} or {names[2]}', tuple(y.shape), 'one that broadcasts '
                             f'with {tuple(x.shape)} and {tuple(z.shape)}') from None
        return apply(*given)

    dynamics.__name__ = dynamics.__qualname__ = function
    return dynamics


def _operator(torch: Any, value: Callable[..., Any], slopes: Callable[..., Any],
              weightless: Callable[..., Any] | None) -> Callable[..., Any]:
    """Return the function of tensors of one shape that autograd knows."""

    def run(call: Callable[..., Any], *given: Any) -> Any:
        """Call with arrays (nv,) or (N, nv), which share memory with tensors of float64."""
        rows = [_rows(one.detach().to(torch.float64).numpy()) for one in given]
        return call(*rows)

    def back(result: NDArray[Any], like: Any) -> Any:
        return torch.from_numpy(np.ascontiguousarray(result)).reshape(like.shape).to(like.dtype)

    class Pullback(torch.autograd.Function):   # type: ignore[misc]
        """The product of a vector with the derivatives."""

        @staticmethod
        def forward(q: Any, v: Any, third: Any, w: Any, needed: tuple[bool, ...]) -> Any:
            """Return the gradients by q, v and the third argument; zero where none is needed."""
            if not math.prod(q.shape):
                return q.clone(), v.clone(), third.clone()
            if weightless is not None and not needed[0] and not needed[1]:
                still = torch.zeros_like(v)
                return still, still.clone(), back(run(weightless, q, still, w), third)
            matrices = run(slopes, q, v, third)
            weights = _rows(w.detach().to(torch.float64).numpy())
            return tuple(back(np.einsum('...i,...ij->...j', weights, one), q)
                         for one in matrices)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            """Keep nothing."""

        @staticmethod
        def backward(ctx: Any, *given: Any) -> Any:
            """Refuse second derivatives."""
            raise UnsupportedError('second derivative by PyTorch', 'there are first ones alone')

        @staticmethod
        def vmap(info: Any, dims: Any, *given: Any) -> Any:
            """Make one call of many states."""
            return Pullback.apply(*_in_front(torch, info, dims[:4], given[:4]), given[4]), (
                0, 0, 0)

    class Dynamics(torch.autograd.Function):   # type: ignore[misc]
        """The function."""

        @staticmethod
        def forward(q: Any, v: Any, third: Any) -> Any:
            """Return its value."""
            if not math.prod(q.shape):
                return q.clone()
            return back(run(value, q, v, third), third)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            """Keep the state."""
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, w: Any) -> Any:
            """Return the gradients."""
            found = Pullback.apply(*ctx.saved_tensors, w, tuple(ctx.needs_input_grad))
            return tuple(one if needed else None
                         for one, needed in zip(found, ctx.needs_input_grad))

        @staticmethod
        def vmap(info: Any, dims: Any, *given: Any) -> Any:
            """Make one call of many states."""
            return Dynamics.apply(*_in_front(torch, info, dims, given)), 0

    apply: Callable[..., Any] = Dynamics.apply
    return apply


def _rows(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array (nv,) as it is, others as (N, nv)."""
    return array if array.ndim < 3 else array.reshape(-1, array.shape[-1])


def _in_front(torch: Any, info: Any, dims: Sequence[int | None], given: Sequence[Any]
              ) -> list[Any]:
    """Return tensors with the mapped dimension first, repeated where they have none."""
    return [one.expand(info.batch_size, *one.shape) if dim is None else torch.movedim(one, dim, 0)
            for one, dim in zip(given, dims)]
