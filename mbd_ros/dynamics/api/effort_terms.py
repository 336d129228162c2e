"""The generalized forces of inverse dynamics, term by term."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.api.functions import inverse_dynamics
from mbd_ros.dynamics.prepared.call import Array
from mbd_ros.execution import Executor
from mbd_ros.model import Model

NO_GRAVITY = (0.0, 0.0, 0.0)


def effort_terms(
    model: Model, q: Array, v: Array, qdd: Array, *,
    external_forces: Mapping[str, ArrayLike] | None = None, gravity: ArrayLike | None = None,
    formulation: str = 'auto', executor: Executor | str | None = None, dissipation: bool = False,
) -> dict[str, Array]:
    """
    Return the terms whose sum is what ``inverse_dynamics`` returns for the same arguments.

    Parameters
    ----------
    model : Model
        The robot.
    q, v, qdd : array
        (nq,), (nv,), (nv,) or (N, ...): configuration, velocity, acceleration.
    external_forces, gravity, formulation, executor, dissipation
        As in ``inverse_dynamics``.

    Returns
    -------
    dict of str to array
        (nv,) or (N, nv) [N m, N]: ``inertial`` ``M(q) vdot``, ``velocity`` ``C(q, v) v`` and
        ``gravity`` ``g(q)``; where asked for, ``dissipation`` and ``external_forces``
        ``-J(q)^T F``, of robots with springs ``springs``, their dampers with ``velocity``; all
        that force laws add is ``surroundings``.

    Raises
    ------
    MbdError
        As ``inverse_dynamics``.

    """
    if model.laws:
        how = {'gravity': gravity, 'formulation': formulation, 'executor': executor}
        own = model.with_laws()
        around, bare = (inverse_dynamics(one, q, v, qdd, **how)  # type: ignore[arg-type]
                        for one in (model, own))
        return {**effort_terms(own, q, v, qdd, external_forces=external_forces,
                               dissipation=dissipation, **how),  # type: ignore[arg-type]
                'surroundings': around - bare}

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
    if model.springs:
        springs = efforts(still, still)  # which is in all but the differences above
        terms = {name: term if name == 'dissipation' else term - springs
                 for name, term in terms.items()}
        terms['springs'] = springs
    return terms
