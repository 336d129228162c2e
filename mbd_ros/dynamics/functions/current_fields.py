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

"""Functions of states in a current that is a field: each state has its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.prepared.call import Array, checked_array, deliver, rows_of
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.model import Model


def is_field(fluid: Any) -> TypeGuard[Fluid]:
    """Return whether a fluid has a current that has to be asked at places and times."""
    return isinstance(fluid, Fluid) and fluid.is_field


def base_points(model: Model, q: ArrayLike) -> Array:
    """Return the origin of the root link (3,) or (N, 3) in the world, where fields are asked."""
    found: Array = compile_model(model).pose(q, model.root)[..., :3, 3]
    return found


def met_at(fluid: Any, model: Model, q: ArrayLike) -> Any:
    """Return a fluid as it is around one configuration (nq,) at time 0, for ``fluid=``."""
    return fluid.at(base_points(model, q)) if is_field(fluid) else fluid


def in_field(function: Callable[..., Any], model: Model, states: Mapping[str, ArrayLike],
             fluid: Fluid, out: Array | None = None,
             external_forces: Mapping[str, ArrayLike] | None = None, **keywords: Any) -> Any:
    """
    Return what a function gives for states in a field, at time 0.

    Parameters
    ----------
    function : callable
        Of the model and states, with the keywords.
    model : Model
        The robot.
    states : mapping of str to array_like
        Its arguments by name, in their order: q (nq,) or (N, nq), v (nv,) or (N, nv), and so on.
    fluid : Fluid
        Its current is asked at the base in each state.
    out, external_forces, **keywords
        As those of the function.

    Returns
    -------
    array or NamedTuple of array
        As of the function.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If a state is not as it should be, or they are not of as many states.

    """
    given = [checked_array(model, name, state, model.nq if name == 'q' else model.nv)
             for name, state in states.items()]
    if external_forces is not None:
        keywords['external_forces'] = external_forces
    rows, many = rows_of(tuple(states), given)
    if not many or not len(rows[0]):   # of no states, any current will do
        point = np.zeros(3) if many else base_points(model, given[0])
        result = function(model, *given, fluid=fluid.at(point), **keywords)
        return result if out is None else deliver(result, out)
    results = []
    for k, point in enumerate(base_points(model, rows[0])):
        if external_forces is not None:
            keywords['external_forces'] = {
                link: force[k] if np.ndim(force) == 2 else force  # type: ignore[index]
                for link, force in external_forces.items()}
        results.append(function(model, *(row[k] for row in rows), fluid=fluid.at(point),
                                **keywords))
    if isinstance(results[0], tuple):
        return type(results[0])(*map(np.stack, zip(*results)))
    stacked = np.stack(results)
    return stacked if out is None else deliver(stacked, out)
