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

"""The shortest way from a model to a callable under standard gravity."""

from __future__ import annotations

from collections.abc import Callable

from mbd_ros.dynamics.prepared.call import Array
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.model import Model

Wrap = Callable[[Model, Callable[..., Array]], Callable[..., Array]]


class StandardCalls(dict[str, 'CallsByModel']):
    """
    The callables of one function by formulation and model: the shortest way to standard dynamics.

    Parameters
    ----------
    function : str
        Name of the function.
    wrap : callable, optional
        ``(model, callable) -> callable``, what is called instead.

    """

    def __init__(self, function: str, wrap: Wrap = lambda model, call: call) -> None:
        super().__init__()
        self._function, self._wrap = function, wrap

    def __missing__(self, formulation: str) -> CallsByModel:
        """Return the callables of a formulation; they are kept once it has suited a robot."""
        return CallsByModel(self, formulation)

    def make(self, model: Model, formulation: str) -> Callable[..., Array]:
        """Return a prepared callable."""
        dyn = compile_model(model, formulation=formulation)
        return self._wrap(model, getattr(dyn, self._function))


class CallsByModel(dict[Model, Callable[..., Array]]):
    """The callables of one function and formulation by model."""

    def __init__(self, calls: StandardCalls, formulation: str) -> None:
        super().__init__()
        self._calls, self._formulation = calls, formulation

    def __missing__(self, model: Model) -> Callable[..., Array]:
        """Make the callable ready, and forget the others when there are many."""
        found = self._calls.make(model, self._formulation)
        if len(self) >= 64:
            self.clear()
        self[model] = found
        self._calls.setdefault(self._formulation, self)
        return found
