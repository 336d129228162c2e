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

"""The generalized forces of inverse dynamics, term by term."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.functions.current_fields import in_field, is_field
from mbd_ros.dynamics.functions.equations_of_motion import inverse_dynamics
from mbd_ros.dynamics.prepared.call import Array
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid, TERMS
from mbd_ros.environment.fluid_law import NAME as FLUID
from mbd_ros.environment.surroundings import (
    DEFAULT, in_vacuum, surrounded, with_terms, without_laws)
from mbd_ros.execution import Executor
from mbd_ros.model import Model

NO_GRAVITY = (0.0, 0.0, 0.0)


def effort_terms(
    model: Model, q: Array, v: Array, qdd: Array, *,
    external_forces: Mapping[str, ArrayLike] | None = None, gravity: ArrayLike | None = None,
    formulation: str = 'auto', executor: Executor | str | None = None, dissipation: bool = False,
    fluid: Fluid | None = DEFAULT, ground: Ground | None = None,
) -> dict[str, Array]:
    """
    Return the terms whose sum is what ``inverse_dynamics`` returns for the same arguments.

    Parameters
    ----------
    model : Model
        The robot.
    q, v, qdd : array
        (nq,), (nv,), (nv,) or (N, ...): configuration, velocity, acceleration.
    external_forces, gravity, formulation, executor, dissipation, fluid, ground
        As in ``inverse_dynamics``.

    Returns
    -------
    dict of str to array
        (nv,) or (N, nv) [N m, N]: ``inertial`` ``M(q) vdot``, ``velocity`` ``C(q, v) v`` and
        ``gravity`` ``g(q)``; where asked for, ``dissipation`` and ``external_forces``
        ``-J(q)^T F``, of robots with springs ``springs``, their dampers with ``velocity``; of
        robots in a fluid ``buoyancy``, ``drag`` and ``added_mass``; ``ground``, and all that other
        force laws add, by their names.

    Raises
    ------
    MbdError
        As ``inverse_dynamics``.

    """
    if is_field(fluid):
        return _each_in_field(model, q, v, qdd, fluid, external_forces, gravity=gravity,
                              formulation=formulation, executor=executor,
                              dissipation=dissipation, ground=ground)
    around, world = surrounded(model, fluid, ground)
    if around.laws:
        how = {'gravity': gravity, 'formulation': formulation, 'executor': executor}
        bare = without_laws(around)
        own = effort_terms(bare, q, v, qdd, external_forces=external_forces,
                           dissipation=dissipation, **how)  # type: ignore[arg-type]
        total = compile_model(bare, **how).inverse_dynamics(q, v, qdd)  # type: ignore[arg-type]
        for name, one in _one_by_one(around):
            law = one.laws[0].name
            dyn = compile_model(one, world={law: world[law]} if law in world else None,
                                **how)  # type: ignore[arg-type]
            own[name] = dyn.inverse_dynamics(q, v, qdd) - total
        return own
    model = around

    def efforts(v: Array, qdd: Array, **terms: object) -> Array:
        return inverse_dynamics(model, q, v, qdd, formulation=formulation, executor=executor,
                                **{'gravity': NO_GRAVITY, **terms})  # type: ignore[arg-type]

    still = np.zeros_like(v)
    terms = {
        'inertial': efforts(still, qdd),
        'velocity': efforts(v, still),
        'gravity': efforts(still, still, gravity=gravity),
    }
    if dissipation:
        terms['dissipation'] = efforts(v, still, dissipation=True) - terms['velocity']
    if external_forces is not None:
        terms['external_forces'] = efforts(still, still, external_forces=external_forces)
    if model.sprung:
        springs = efforts(still, still)  # which is in all but the differences above
        terms = {name: term if name == 'dissipation' else term - springs
                 for name, term in terms.items()}
        terms['springs'] = springs
    return terms


def _one_by_one(model: Model) -> Iterator[tuple[str, Model]]:
    """Yield the robot under each of its force laws, of a fluid under each of its terms."""
    for law in model.laws:
        alone = model.with_laws(law)
        if law.name != FLUID:
            yield law.name, in_vacuum(alone)
            continue
        for term in TERMS:
            yield term, with_terms(alone, term)


def _each_in_field(model: Model, q: Array, v: Array, qdd: Array, fluid: Fluid,
                   external_forces: Mapping[str, ArrayLike] | None, **keywords: Any
                   ) -> dict[str, Array]:
    """Return the terms of states each of which has its own current."""
    names: list[str] = []

    def stacked(model: Model, *state: Array, **others: Any) -> Array:
        terms = effort_terms(model, *state, **others)
        names[:] = terms
        return np.stack([*terms.values()], axis=-2)

    found = in_field(stacked, model, {'q': q, 'v': v, 'qdd': qdd},
                     fluid, None, external_forces, **keywords)
    return {name: found[..., k, :] for k, name in enumerate(names)}
