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

"""
Dense fallback for closed loops whose rank is ill-conditioned (``row_space.py``).

The recursion (``aba_loops.py``) decides by its pivots where they leave no doubt; not where
masses are so far apart that what only heavy bodies obey looks like rounding. Else the least change
of the motion in the metric of the mass matrix is found densely: with N a basis of the motions that
the independent rows leave, ``A N = 0``::

    vdot = vdot_0 + N z      A vdot_0 + rest = 0      N^T M N z = N^T (Q - M vdot_0)

"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TYPE_CHECKING

import numpy as np
import scipy  # loads its parts when they are asked for: a third of what starting a node took

from mbd_ros.dynamics.algorithms.missing_inertia import joint_of_no_inertia
from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.dynamics.prepared.call import Array
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import SingularMassError
from mbd_ros.execution.program.kernel import all_finite
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.program.tree import result_shape
from mbd_ros.model import Model
from mbd_ros.spatial.rank_thresholds import MASSES_FAR_APART

if TYPE_CHECKING:
    from mbd_ros.dynamics.prepared.prepared import PreparedDynamics

Question = Literal['accelerations', 'reactions', 'positions', 'velocities']
"""What is asked for; ``reactions`` are accelerations, then multiplier and 1 or 0 of each row."""


@np.errstate(over='ignore', invalid='ignore')   # callers tell what is not finite
def dense_solution(dyn: PreparedDynamics, question: Question, q: Array, v: Array,
                   tau: Array | None = None, alpha: float = 0.0, beta: float = 0.0) -> Array:
    """
    Return what a question asks of one state, with the rank decided first.

    Parameters
    ----------
    dyn : PreparedDynamics
        A robot with closed loops.
    question : str
        As ``Question``.
    q, v, tau : array
        (nq,), (nv,), (nv,); of corrections there are no efforts.
    alpha, beta : float
        Of Baumgarte's stabilization [1/s].

    Returns
    -------
    array
        (nv,), of reactions (nv + 2 m,).

    """
    values = dyn.loop_rows(q, v)
    A, (phi, rate, bias) = values[:, VALUES:], values[:, :VALUES].T
    rest = {'positions': phi, 'velocities': rate}.get(
        question, bias + 2.0 * alpha * rate + beta * beta * phi)
    applied = np.zeros(dyn.model.nv) if tau is None else tau - dyn.bias_forces(q, v)
    space, M = RowSpace(dyn.model, A), dyn.mass_matrix(q)
    joint = joint_of_no_inertia(dyn.model, M)
    if joint is not None:
        raise SingularMassError(joint, f'the {question} are not finite')
    try:
        motion = least_motion(space, M, applied, rest)
    except (np.linalg.LinAlgError, ValueError):   # singular; not finite
        raise SingularMassError(
            dyn.model.joint_names[0], f'the {question} are not finite: of the motions that '
            'the loops allow, one has no inertia or no finite one') from None
    if question != 'reactions':
        return motion
    multipliers = space.multipliers(M @ motion - applied)
    return np.concatenate([motion, np.column_stack([multipliers, space.independent()]).ravel()])


def positive_solve(matrix: Array, rest: Array) -> Array:
    """Solve a system that is positive definite; others are an error."""
    return np.asarray(scipy.linalg.solve(matrix, rest, assume_a='pos'))


def least_motion(space: RowSpace, M: Array, applied: Array, rest: Array,
                 solve: Callable[..., Array] = positive_solve) -> Array:
    """
    Return x (nv,) with ``A x + rest = 0`` and ``N^T (M x - Q) = 0``.

    Parameters
    ----------
    space : RowSpace
        The rows A of one state.
    M, applied, rest : array
        (nv, nv), Q (nv,), (m,).
    solve : callable, optional
        Solves one system; if not given for M that is positive definite.

    """
    x, N = space.nearest(rest), space.motions()
    return x + N @ solve(N.T @ M @ N, N.T @ (applied - M @ x)) if N.shape[1] else x


def masses_far_apart(model: Model) -> bool:
    """Return whether there are loops and masses too far apart to see their rank in pivots."""
    masses = [mass for mass in model.masses if mass > 0.0]
    return bool(model.loops and masses and max(masses) > MASSES_FAR_APART * min(masses))


@dataclass(frozen=True)
class RankFirst:
    """A kernel that decides the rank of loops first, at every state; see ``Kernel``."""

    program: Program
    model: Model
    answer: Callable[..., Array]
    address: None = None
    name: str = 'dense, rank first'

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the result for one state."""
        return result_shape(self.program, self.model)

    def how(self, count: int) -> str:
        """Return what runs so many states."""
        return self.name

    def run(self, arguments: list[Array], world: Array, out: Array) -> bool:
        """Run on N states, one after the other; the world is that of ``answer``."""
        if not all_finite(*arguments):
            return False
        for k, state in enumerate(zip(*arguments)):
            out[k] = np.reshape(self.answer(*state), self.shape)
        return all_finite(out)
