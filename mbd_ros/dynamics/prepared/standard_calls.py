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
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.errors import InvalidValueError
from mbd_ros.model import Model
from mbd_ros.model.caches import OwnedTable

Wrap = Callable[[Model, Callable[..., Array]], Callable[..., Array]]
MOST = 8
"""Settings of a robot that are known here; what is prepared for others is found again."""

Last = tuple[Model | None, tuple[Any, ...], tuple[Any, ...], Callable[..., Array] | None]


class StandardCalls(OwnedTable['CallsOfModel']):
    """
    The callables of one function: ``of(model)[formulation]``, the shortest way to its dynamics.

    Parameters
    ----------
    function : str
        Name of the function.
    wrap : callable, optional
        ``(model, callable) -> callable``, what is called instead.

    Attributes
    ----------
    last : tuple
        What ``within`` was last asked, a model and the rest, the rest with gravity as a list, and
        what it returned.

    """

    def __init__(self, function: str, wrap: Wrap = lambda model, call: call) -> None:
        super().__init__(lambda model: CallsOfModel(_checked(model), function, wrap))
        self.last: Last = (None, (), (), None)

    def within(self, model: Model, formulation: str, gravity: Any, fluid: Any, ground: Any,
               links: tuple[str, ...] | str, dissipation: bool) -> Callable[..., Array] | None:
        """
        Return a prepared callable under other gravity, surroundings or forces, made or known.

        Parameters
        ----------
        model, formulation, gravity, fluid, ground
            As for ``compile_model``.
        links, dissipation
            As for ``PreparedDynamics.forced``; or the name of one link.

        Returns
        -------
        callable or None
            None where it is put together in Python, and for what is none of these.

        """
        last = self.last
        try:
            if type(gravity) is np.ndarray:   # its list can be compared
                gravity = gravity.tolist()
                if model is last[0] and (
                        formulation, gravity, fluid, ground, links, dissipation) == last[2]:
                    return last[3]
            elif model is last[0] and (
                    formulation, gravity, fluid, ground, links, dissipation) == last[1]:
                return last[3]
            gravity = gravity if gravity is None else (*gravity,)
            call = self.of(model).within(formulation, gravity, fluid, ground, links, dissipation)
        except (TypeError, ValueError):   # no three numbers: who takes them says so
            return None
        listed = [*(gravity or ())]
        self.last = (model, (formulation, gravity, fluid, ground, links, dissipation),
                     (formulation, listed, fluid, ground, links, dissipation), call)
        return call


class CallsOfModel(dict[str, Callable[..., Array]]):
    """
    The callables of one function and robot by formulation.

    Parameters
    ----------
    model : Model
        The robot.
    function, wrap
        As for ``StandardCalls``.

    """

    def __init__(self, model: Model, function: str, wrap: Wrap) -> None:
        super().__init__()
        self._model, self._function, self._wrap = model, function, wrap
        self._within: dict[Any, tuple[Any, Callable[..., Array] | None]] = {}

    def __missing__(self, formulation: str) -> Callable[..., Array]:
        """Make the callable of a formulation ready; it is kept once it has suited the robot."""
        dyn = compile_model(self._model, formulation=formulation)
        return self.setdefault(
            formulation, self._wrap(self._model, getattr(dyn, self._function)))

    def within(self, formulation: str, gravity: tuple[Any, ...] | None, fluid: Any, ground: Any,
               links: tuple[str, ...] | str, dissipation: bool) -> Callable[..., Array] | None:
        """Return what ``StandardCalls.within`` does."""
        # fluids and grounds that are known are alive, and the only ones of their ids
        key = (formulation, gravity, id(fluid), id(ground), links, dissipation)
        known = self._within.get(key)
        if known is not None:
            return known[1]
        if isinstance(fluid, Fluid) and fluid.is_field:
            return None
        dyn = compile_model(self._model, formulation=formulation, gravity=gravity,
                            fluid=fluid, ground=ground)
        call = (dyn.forced(self._function, (links,) if isinstance(links, str) else links,
                           dissipation) if links or dissipation
                else self._wrap(self._model, getattr(dyn, self._function)))
        if len(self._within) >= MOST:
            self._within.clear()
        self._within[key] = (fluid, ground), call
        return call


class StandardLinkCalls(OwnedTable['CallsOfFrames']):
    """
    The callables of one function of links: ``of(model)[frame][link]``.

    Parameters
    ----------
    function : str
        As in ``PreparedDynamics.of_link``.

    """

    def __init__(self, function: str) -> None:
        super().__init__(lambda model: CallsOfFrames(_checked(model), function))
        self._function = function

    def call(self, model: Model, frame: str, link: str) -> Callable[..., Any]:
        """Return the callable of a link; what is wrong with a name is an error of this package."""
        try:
            return self.of(model)[frame][link]
        except TypeError:   # a list, for one
            return compile_model(_checked(model)).of_link(self._function, link, frame)


class CallsOfFrames(dict[str, 'CallsOfLinks']):
    """The callables of one function and robot by frame, then by link."""

    def __init__(self, model: Model, function: str) -> None:
        super().__init__()
        self._model, self._function = model, function

    def __missing__(self, frame: str) -> CallsOfLinks:
        """Return an empty table; it is kept once there is a callable in it."""
        return CallsOfLinks(self, self._model, self._function, frame)


class CallsOfLinks(dict[str, Callable[..., Any]]):
    """The callables of one function, robot and frame by link."""

    def __init__(self, tables: CallsOfFrames, model: Model, function: str, frame: str) -> None:
        super().__init__()
        self._tables, self._model, self._function, self._frame = tables, model, function, frame

    def __missing__(self, link: str) -> Callable[..., Any]:
        """Make the callable of a link ready."""
        found = compile_model(self._model).of_link(self._function, link, self._frame)
        self._tables.setdefault(self._frame, self)
        return self.setdefault(link, found)


def _checked(model: Model) -> Model:
    if not isinstance(model, Model):
        raise InvalidValueError('model', model, 'a Model, as mbd_ros.load returns it')
    return model
