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

"""Motion with closed loops: stabilization and projection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.dynamics.loops.closure import contradicted
from mbd_ros.dynamics.loops.newton import newton
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import InvalidValueError, LoopConflictError, LoopOpenError
from mbd_ros.simulation.manifold import displaced, Vector

Stabilization: TypeAlias = Literal['projection', 'baumgarte', 'none']
STABILIZATIONS = ('projection', 'baumgarte', 'none')

CLOSED = 1e-14
"""|phi| and |phi'| below are rounding [m, m/s, and the like]."""
CORRECTIONS = 3
NEARLY_CLOSED = 1e-4
"""Largest |phi| and |phi'| at the start that is corrected without notice [m, m/s]."""


class LoopStabilization:
    """
    Keeps the loops of a robot closed.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    stabilization : str
        ``'projection'``: after every step the state is moved the least way, in the metric of the
        mass matrix, to where the loops are closed. ``'baumgarte'``: accelerations satisfy
        ``phi'' + 2 alpha phi' + beta^2 phi = 0``. ``'none'``: the loops drift.
    alpha, beta : float
        Of Baumgarte's stabilization [1/s].

    Raises
    ------
    InvalidValueError
        If an argument is not allowed.

    """

    def __init__(self, dyn: PreparedDynamics, stabilization: str = 'projection',
                 alpha: float = 5.0, beta: float = 5.0) -> None:
        if stabilization not in STABILIZATIONS:
            raise InvalidValueError('stabilization', stabilization,
                                    ', '.join(f"'{name}'" for name in STABILIZATIONS))
        for name, value in (('alpha', alpha), ('beta', beta)):
            if not 0.0 <= value < np.inf:
                raise InvalidValueError(name, value, 'a rate [1/s], 0 or more')
        self._dyn, self._how = dyn, (stabilization, alpha, beta)
        self._projects = stabilization == 'projection' and bool(dyn.model.loops)
        self.accelerations: Callable[..., Vector] = dyn.forward_dynamics
        if stabilization == 'baumgarte' and dyn.model.loops:
            self.accelerations = dyn.stabilized_dynamics(alpha, beta)

    def of(self, dyn: PreparedDynamics) -> LoopStabilization:
        """Return what keeps the loops of another robot closed in the same way."""
        return LoopStabilization(dyn, *self._how)

    def correct(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return the state with its loops closed, the same arrays where they are."""
        if not self._projects:
            return q, v
        *_, (q, step) = self.corrections(q, v)
        if np.abs(step).max() > CLOSED:
            q = displaced(self._dyn.model, q, step)
        return q, v + self._dyn.velocity_correction(q, v)

    def corrections(self, q: Vector, v: Vector) -> Iterator[tuple[Vector, Vector]]:
        """
        Yield configurations on the way onto the loops, and the displacement from each.

        The last displacement is none: rounding, smaller than ``CLOSED``.

        Raises
        ------
        LoopOpenError
            If there are ``CORRECTIONS`` larger ones.

        """
        dyn = self._dyn
        for place, step in newton(
                q, lambda q: dyn.position_correction(q, v), partial(displaced, dyn.model),
                most=CORRECTIONS, small=lambda step: not np.abs(step).max() > CLOSED):
            yield place, step
        if np.abs(step).max() > CLOSED:
            require_closed(dyn, displaced(dyn.model, place, step), None)

    def violation(self, q: Vector) -> float:
        """Return the norm of phi."""
        if not self._dyn.model.loops:
            return 0.0
        return float(np.linalg.norm(self._dyn.loop_rows(q, np.zeros(self._dyn.model.nv))[:, 0]))


def require_closed(dyn: PreparedDynamics, q: Vector, v: Vector | None) -> None:
    """
    Check that a state satisfies all loops well enough to be corrected without notice.

    Without a velocity only the configuration is looked at: at the end of a step, which must not
    tear the loops open.

    Raises
    ------
    LoopOpenError
        With the loop that is open most.

    """
    speeds = np.zeros(dyn.model.nv) if v is None else v
    row, rows = 0, dyn.loop_rows(q, speeds) if dyn.model.loops else None
    for loop in dyn.model.loops:
        assert rows is not None
        phi, rate = np.linalg.norm(rows[row:row + len(loop.rows), :2], axis=0)
        row += len(loop.rows)
        if max(phi, rate) > NEARLY_CLOSED:
            raise LoopOpenError(loop.name, float(max(phi, rate)), 0.0, (
                'a step of the motion tore it open: shorter steps, or a motion that all loops '
                'allow') if v is None else
                                'a motion begins at a consistent state, position and velocity: '
                                'close_loops(model, q, v) finds one')


def require_possible(dyn: PreparedDynamics, q: Vector, v: Vector, accelerations: Vector) -> None:
    """
    Check that the accelerations of a state satisfy all loops.

    Raises
    ------
    LoopConflictError
        With the loop that is violated most.

    """
    if not dyn.model.loops:
        return
    name, left = contradicted(dyn.model, dyn.loop_rows(q, v), accelerations)
    if name:
        rank = int(loop_health(dyn, q[None], v[None])[2][0])
        raise LoopConflictError(name, left, rank, sum(len(loop.rows) for loop in dyn.model.loops))


def loop_health(dyn: PreparedDynamics, q: Vector, v: Vector
                ) -> tuple[Vector, Vector, NDArray[np.int64], Vector]:
    """
    Return how well the loops are closed at K states, and how well their rows stand apart.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    q, v : array
        (K, nq), (K, nv).

    Returns
    -------
    violation, rate : array
        (K,) norms of phi and phi'.
    rank : array
        (K,) number of independent rows.
    condition : array
        (K,) largest over smallest singular value of the independent rows, see ``RowSpace``.

    """
    rows = dyn.loop_rows(q, v)
    space = RowSpace(dyn.model, rows[..., VALUES:])
    return (np.linalg.norm(rows[..., 0], axis=-1), np.linalg.norm(rows[..., 1], axis=-1),
            space.rank, space.condition)
