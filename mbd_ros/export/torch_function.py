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

"""The dynamics of a robot as functions of PyTorch, with exact first derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import functools
import importlib
from typing import Any

import numpy as np

from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.immersion import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.errors import MachineError, ShapeError
from mbd_ros.execution import Executor
from mbd_ros.export.for_process import require_differentiable
from mbd_ros.model import Model


def torch_function(model: Model, function: str, *, gravity: Sequence[float] | None = None,
                   fluid: Fluid | None = DEFAULT, ground: Ground | None = None,
                   executor: Executor | str | None = None) -> Callable[..., Any]:
    """
    Return a function of PyTorch that runs machine code on the CPU; so do its derivatives.

    ``backward`` and ``torch.autograd.gradcheck`` work on it; second derivatives do not.
    Contiguous tensors of float64 on the CPU are read where they are; others are copied, and the
    result and gradients are given back in their type and on their device.

    Parameters
    ----------
    model : Model
        The robot; all its joints are revolute or prismatic.
    function : str
        ``'forward_dynamics'`` (q, v, tau) -> qdd or ``'inverse_dynamics'`` (q, v, qdd) -> tau.
    gravity, fluid, ground, executor
        As in ``compile_model``.

    Returns
    -------
    callable
        Takes tensors (..., nv), with leading dimensions that broadcast; gives (..., nv). Raises
        what prepared callables raise where a state is singular or not finite.

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
    dyn = compile_model(model, gravity=gravity, executor=executor, fluid=fluid, ground=ground)
    value, slopes = getattr(dyn, function), getattr(dyn, f'{function}_derivatives')
    node = _node()

    def dynamics(x: Any, y: Any, z: Any) -> Any:
        given = [torch.as_tensor(one) for one in (x, y, z)]
        for name, one in zip(names, given):
            if one.ndim == 0 or one.shape[-1] != model.nv:
                raise ShapeError(name, tuple(one.shape), f'(..., {model.nv})')
        return node.apply(value, slopes, *torch.broadcast_tensors(*given))

    names = ('q', 'v', 'tau' if function == 'forward_dynamics' else 'qdd')
    dynamics.__name__ = dynamics.__qualname__ = function
    return dynamics


@functools.cache
def _node() -> Any:
    """Return the node of the graph of gradients, made when PyTorch is there."""
    torch = importlib.import_module('torch')

    def rows(given: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
        """Return tensors as arrays (N, nv), the same memory where that is possible."""
        return [one.detach().to('cpu', torch.float64).contiguous().numpy().reshape(
            -1, one.shape[-1]) for one in given]

    class Dynamics(torch.autograd.Function):   # type: ignore[misc]
        """A prepared callable, and the one for its derivatives."""

        @staticmethod
        def forward(ctx: Any, value: Callable[..., Any], slopes: Callable[..., Any],
                    *given: Any) -> Any:
            """Return the result for all states."""
            ctx.save_for_backward(*given)
            ctx.slopes = slopes
            kind = functools.reduce(torch.promote_types, (one.dtype for one in given))
            kind = kind if kind.is_floating_point else torch.float64
            result = torch.from_numpy(value(*rows(given)))
            return result.reshape(given[0].shape).to(given[0].device, kind)

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, gradient: Any) -> Any:
            """Return the products of a gradient with the derivatives."""
            given = ctx.saved_tensors
            weights, = rows([gradient])
            found: list[Any] = [None, None]
            for wanted, one, matrices in zip(ctx.needs_input_grad[2:], given,
                                             ctx.slopes(*rows(given))):
                product = None
                if wanted:
                    product = torch.from_numpy(np.ascontiguousarray(
                        np.einsum('ni,nij->nj', weights, matrices)))
                    product = product.reshape(one.shape).to(one.device, one.dtype)
                found.append(product)
            return tuple(found)

    return Dynamics
