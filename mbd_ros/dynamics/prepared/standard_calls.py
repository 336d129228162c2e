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
from typing import Any

import numpy as np

from mbd_ros.dynamics.prepared.call import Array
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.environment.immersion import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.model import Model

Wrap = Callable[[Model, Callable[..., Array]], Callable[..., Array]]
MOST = 8
"""Models, or settings of one, that are known here; what is prepared for others is found again."""

Last = tuple[Any, str, Any, Any, Any, tuple[str, ...], bool, Callable[..., Array] | None]


class StandardCalls(dict[str, 'CallsByModel']):
    """
    The callables of one function by formulation and model: the shortest way to standard dynamics.

    Parameters
    ----------
    function : str
        Name of the function.
    wrap : callable, optional
        ``(model, callable) -> callable``, what is called instead.

    Attributes
    ----------
    last : tuple
        What ``within`` was last asked and has returned: model, formulation, gravity as a tuple or
        None, fluid, ground, links, whether friction acts, and the callable.

    """

    def __init__(self, function: str, wrap: Wrap = lambda model, call: call) -> None:
        super().__init__()
        self._function, self._wrap = function, wrap
        self._within: dict[Any, tuple[Any, Callable[..., Array] | None]] = {}
        self.last: Last = (None, '', None, None, None, (), False, None)

    def __missing__(self, formulation: str) -> CallsByModel:
        """Return the callables of a formulation; they are kept once it has suited a robot."""
        return CallsByModel(self, formulation)

    def within(self, model: Model, formulation: str, gravity: Any = None, fluid: Any = DEFAULT,
               ground: Any = None, links: tuple[str, ...] = (), dissipation: bool = False
               ) -> Callable[..., Array] | None:
        """
        Return a prepared callable under other gravity, surroundings or forces, made or known.

        Parameters
        ----------
        model, formulation, gravity, fluid, ground
            As for ``compile_model``.
        links, dissipation
            As for ``PreparedDynamics.forced``.

        Returns
        -------
        callable or None
            None where it is put together in Python, and for what is none of these.

        """
        try:   # those that are known are alive, so that theirs are the only ones of their ids
            if type(gravity) is np.ndarray:
                gravity = (*gravity.tolist(),)
            before = self.last
            if (model is before[0] and fluid is before[3] and ground is before[4]
                    and (gravity is before[2]
                         or isinstance(gravity, tuple) and gravity == before[2])
                    and links == before[5] and dissipation is before[6]
                    and formulation == before[1]):
                return before[7]
            if gravity is not None and not isinstance(gravity, tuple):
                gravity = tuple(gravity)
            key = (id(model), formulation, gravity, id(fluid), id(ground), links, dissipation)
            call = self._within[key][1]
        except KeyError:
            if isinstance(fluid, Fluid) and fluid.is_field:
                return None
            dyn = compile_model(model, formulation=formulation, gravity=gravity, fluid=fluid,
                                ground=ground)
            call = (dyn.forced(self._function, links, dissipation) if links or dissipation
                    else self._wrap(model, getattr(dyn, self._function)))
            if len(self._within) >= MOST:
                self._within.clear()
            self._within[key] = (model, fluid, ground), call
        except (TypeError, ValueError):   # no three numbers: who takes them says so
            return None
        self.last = model, formulation, gravity, fluid, ground, links, dissipation, call
        return call

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
        if len(self) >= MOST:
            self.clear()
        self[model] = found
        self._calls.setdefault(self._formulation, self)
        return found


class StandardLinkCalls:
    """
    The callables of one function of links by model, link and frame.

    Parameters
    ----------
    function : str
        As in ``PreparedDynamics.of_link``.

    """

    def __init__(self, function: str) -> None:
        self._function = function
        self._known: dict[int, tuple[Model, dict[tuple[str, str], Callable[..., Any]]]] = {}

    def of(self, model: Model, link: str, frame: str) -> Callable[..., Any]:
        """Return the callable, made now or earlier, and forget the others when there are many."""
        try:   # models that are known are alive, so that theirs are the only ones of their ids
            return self._known[id(model)][1][link, frame]
        except (KeyError, TypeError):   # a list, say: no name
            pass
        found = compile_model(model).of_link(self._function, link, frame)
        if id(model) not in self._known and len(self._known) >= MOST:
            self._known.clear()
        self._known.setdefault(id(model), (model, {}))[1][link, frame] = found
        return found
