"""
How many rows of loops are independent, and dynamics where that is in doubt.

The rank is a matter of geometry: it depends neither on masses, nor on units, nor on the order of
rows. It is that of the rows as displacements, lengths that joints turn divided by the longest
lever of the robot: ``A' = R A C``. Singular values below ``RANK`` of the largest are zero, ``A' =
U S V^T``.

The recursion (``branches.py``) decides by its pivots where they leave no doubt; not where
masses are so far apart that what only heavy bodies obey looks like rounding. Else the least change
of the motion in the metric of the mass matrix is found densely: with N a basis of the motions that
the independent rows leave, ``A N = 0``::

    vdot = vdot_0 + N z      A vdot_0 + rest = 0      N^T M N z = N^T (Q - M vdot_0)

"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
import scipy

from mbd_ros.dynamics.formulations.mass_matrix import joint_of_no_inertia
from mbd_ros.dynamics.prepared.call import Array
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import SingularMassError
from mbd_ros.execution.program.kernel import all_finite
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.program.tree import result_shape
from mbd_ros.model import Model

if TYPE_CHECKING:
    from mbd_ros.dynamics.prepared.prepared import PreparedDynamics

RANK = 3e-5
"""Part of the largest singular value below which others are zero: an angle."""
ROUNDING = 1e-12
"""Levers [m] and singular values below are rounding: of rows that nothing in the robot moves."""
FAR_APART = 1e9
"""
Ratio of masses from which on pivots decide nothing: the inverse inertia of a heavy body is as
small beside that of a light one as what rounding leaves of it (``branches.CANCELLED``).
"""
Question = Literal['accelerations', 'reactions', 'positions', 'velocities']
"""What is asked for; ``reactions`` are accelerations, then multiplier and 1 or 0 of each row."""


@lru_cache(maxsize=64)
def _kinds(model: Model) -> tuple[Array, Array]:
    """Return which rows (m,) are lengths, and which axes (nv,) turn."""
    return (np.array([len(row) != 2 for loop in model.loops for row in loop.rows], dtype=bool),
            np.array([axis < 3 for kind in model.joint_types for axis in kind.pair.axes],
                     dtype=bool))


class RowSpace:
    """
    The rows of all loops at one state or at N.

    Parameters
    ----------
    model : Model
        The robot.
    A : array
        (m, nv) or (N, m, nv).
    free : array, optional
        Entries of v that count, all if left out; the others' columns are zero.

    Attributes
    ----------
    sigma : array
        (..., k) singular values, the largest first.
    rank : array
        (...) number of independent rows.

    """

    def __init__(self, model: Model, A: Array, free: NDArray[np.int64] | None = None) -> None:
        lengths, turns = _kinds(model)
        counts = np.zeros(model.nv, dtype=bool)
        counts[slice(None) if free is None else free] = True
        levers = np.abs(A) * np.outer(lengths, turns)
        longest = levers.max(axis=(-2, -1), initial=0.0)[..., None]
        longest = np.where(longest > ROUNDING, longest, 1.0)
        self._rows = np.where(lengths, 1.0, longest)
        self._columns = np.where(turns, 1.0 / longest, 1.0) * counts
        self._scaled = A * self._rows[..., None] * self._columns[..., None, :]
        if A.ndim == 2:
            self._U, self.sigma, self._Vt = np.linalg.svd(self._scaled)
        else:  # of many states only what is asked of many
            self.sigma = np.linalg.svd(self._scaled, compute_uv=False)
        self.rank = (self.sigma > np.maximum(RANK * self.sigma[..., :1], ROUNDING)).sum(axis=-1)

    @property
    def smallest(self) -> Array:
        """Smallest of the singular values that count; 0 where none do."""
        last = np.maximum(self.rank - 1, 0)[..., None]
        return np.where(self.rank > 0, np.take_along_axis(self.sigma, last, -1)[..., 0], 0.0)

    @property
    def condition(self) -> Array:
        """Largest over smallest of the singular values that count; 1 where none do."""
        return np.where(self.rank > 0, self.sigma[..., 0] / np.where(
            self.rank > 0, self.smallest, 1.0), 1.0)

    def combinations(self) -> Array:
        """Return E (rank, m) of one state: the rows of E A are independent."""
        return self._U[:, :self.rank].T * self._rows

    def motions(self) -> Array:
        """Return N (nv, f) of one state: the velocities that the rows leave, ``A N = 0``."""
        return self._columns[:, None] * self._Vt[self.rank:].T

    def nearest(self, violation: Array) -> Array:
        """Return a displacement (nv,) of one state with ``A dq = -violation``."""
        sizes = -(self.combinations() @ violation) / self.sigma[:self.rank]
        displacement: Array = self._columns * (self._Vt[:self.rank].T @ sizes)
        return displacement

    def multipliers(self, force: Array) -> Array:
        """Return multipliers of one state that exert a force (nv,); there may be others."""
        parts = self._Vt[:self.rank] @ (self._columns * force) / self.sigma[:self.rank]
        multipliers: Array = self.combinations().T @ parts
        return multipliers

    def independent(self) -> Array:
        """Return for each row (m,) of one state whether it is one of a largest independent set."""
        _, _, order = scipy.linalg.qr(self._scaled.T, mode='economic', pivoting=True)
        chosen = np.zeros(len(self._scaled), dtype=bool)
        chosen[order[:self.rank]] = True
        return chosen


def revealed(dyn: PreparedDynamics, question: Question, q: Array, v: Array,
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
    motion, N = space.nearest(rest), space.motions()
    if N.shape[1]:
        try:
            motion = motion + N @ scipy.linalg.solve(
                N.T @ M @ N, N.T @ (applied - M @ motion), assume_a='pos')
        except (np.linalg.LinAlgError, ValueError):   # singular; not finite
            raise SingularMassError(
                dyn.model.joint_names[0], f'the {question} are not finite: of the motions that '
                'the loops allow, one has no inertia or no finite one') from None
    if question != 'reactions':
        return motion
    multipliers = space.multipliers(M @ motion - applied)
    return np.concatenate([motion, np.column_stack([multipliers, space.independent()]).ravel()])


def masses_far_apart(model: Model) -> bool:
    """Return whether there are loops and masses too far apart to see their rank in pivots."""
    masses = [mass for mass in model.masses if mass > 0.0]
    return bool(model.loops and masses and max(masses) > FAR_APART * min(masses))


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
