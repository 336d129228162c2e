"""
Closed loops: the cases without a loop, on which everything else will stand.

A tree has no cut joints: its constraint forces are empty and every state is consistent. Models
with loops cannot be made in this version: the readers refuse them with file and line.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.api import forward_dynamics
from mbd_ros.dynamics.call import Array, checked_array
from mbd_ros.errors import UnsupportedError
from mbd_ros.execution import Executor
from mbd_ros.model import Model


class ClosedLoopSolution(NamedTuple):
    """
    Accelerations and what holds the loops together, for one state or N.

    Attributes
    ----------
    accelerations : array
        (nv,) or (N, nv) [rad/s^2, m/s^2].
    multipliers : array
        (m,) or (N, m): forces of the m rows of the cut joints [N, N m].
    rank : int
        Number of independent rows.
    residual : array
        (m,) or (N, m): what is left of each row.
    redundant : tuple of str
        Names of rows that others imply.

    """

    accelerations: Array
    multipliers: Array
    rank: int
    residual: Array
    redundant: tuple[str, ...]


def constrained_dynamics(
    model: Model, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *,
    external_forces: Mapping[str, ArrayLike] | None = None, gravity: ArrayLike | None = None,
    executor: Executor | str | None = None, dissipation: bool = False,
) -> ClosedLoopSolution:
    """
    Return accelerations with the forces of the cut joints.

    Parameters and errors are those of ``forward_dynamics``.

    Returns
    -------
    ClosedLoopSolution
        For a tree with no rows: (0,) or (N, 0) multipliers, rank 0.

    Raises
    ------
    UnsupportedError
        If the model has loops.

    """
    _only_trees(model)
    accelerations = forward_dynamics(
        model, q, v, tau, external_forces=external_forces, gravity=gravity, executor=executor,
        dissipation=dissipation)
    none = np.empty((*accelerations.shape[:-1], 0))
    return ClosedLoopSolution(accelerations, none, 0, none.copy(), ())


def close_loops(model: Model, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
    """
    Return the nearest state that satisfies all loops: for a tree the state itself.

    Parameters
    ----------
    model : Model
        The robot.
    q, v : array_like
        (nq,), (nv,) or (N, ...).

    Returns
    -------
    q, v : array
        Copies.

    Raises
    ------
    UnsupportedError
        If the model has loops.
    ShapeError, NotFiniteError, InvalidValueError
        If a vector is not as it should be.

    """
    _only_trees(model)
    return (checked_array(model, 'q', q, model.nq).copy(),
            checked_array(model, 'v', v, model.nv).copy())


def _only_trees(model: Model) -> None:
    if model.loops:
        raise UnsupportedError('a model with closed loops', 'remove the loop joints')
