"""Forces on links as generalized forces."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.call import Array
from mbd_ros.dynamics.prepared import PreparedDynamics
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError


def external_efforts(dyn: PreparedDynamics, q: ArrayLike,
                     external_forces: Mapping[str, ArrayLike]) -> Array:
    """
    Return ``sum_i J_i(q)^T F_i``.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    q : array_like
        (nq,) or (N, nq).
    external_forces : mapping of str to array_like
        For each link, (6,) or (N, 6): force [N], then moment [N m], in world axes, at the link's
        origin.

    Returns
    -------
    array
        (nv,) or (N, nv) [N m, N].

    Raises
    ------
    UnknownNameError, ShapeError, NotFiniteError, InvalidValueError
        If a link or its force is not as it should be.

    """
    total = np.zeros(dyn.model.nv)
    for link, value in external_forces.items():
        name = f"external_forces['{link}']"
        try:
            force = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidValueError(name, value, 'six real numbers') from None
        if force.ndim not in (1, 2) or force.shape[-1] != 6:
            raise ShapeError(name, force.shape, '(6,) for one state, (N, 6) for many')
        if not np.isfinite(force).all():
            bad = np.argwhere(~np.isfinite(force))[0]
            raise NotFiniteError(name, f'entry {int(bad[-1])}', float(force[tuple(bad)]))
        jacobian = dyn.jacobian(q, link)
        if force.ndim == 2 and jacobian.ndim == 3 and len(force) != len(jacobian):
            raise ShapeError(name, force.shape, f'{len(jacobian)} states, as in q')
        total = total + np.einsum('...ij,...i->...j', jacobian, force)
    return total
