"""
The joints of closed loops that nobody measures, from those that somebody does.

A parallel robot measures its drives. With the entries of v split into known and passive ones the
loops say ``A_p dq_p = -phi`` and ``A_p v_p = -A_k v_k``: Newton's method from the state before, on
the branch of that state, as long as the passive columns ``A_p`` are independent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import qr
from scipy.linalg.lapack import dgelsy

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.loop_closure import loop_closure
from mbd_ros.dynamics.loop_efforts import free_motions
from mbd_ros.dynamics.loop_kinematics import VALUES
from mbd_ros.errors import InvalidValueError, LoopOpenError
from mbd_ros.model.state import neutral
from mbd_ros.simulation.manifold import displaced, joint_of_each_velocity, Matrix, Vector

CLOSED = 1e-12
"""Largest phi that counts as closed [m, or product of unit vectors]."""
STEPS = 8
"""From one measured state to the next two or three are enough; more begin somewhere else."""
TOLERATED = 1e-3
"""Largest phi where more joints are measured than needed: they never agree to the last digit."""
DEPENDENT = 1e-6
"""Columns of A_p whose independent part is a smaller share of the largest are dependent."""


class PassiveJoints:
    """
    Completes states of a robot with closed loops of which some joints are known.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    known : sequence of str
        The joints whose positions and velocities are given, such as the measured ones.
    start : Vector, optional
        Where the others are at first, roughly (nq,): it chooses the branch, elbow out or in. The
        zero pose of the description if not given.

    """

    def __init__(self, dyn: PreparedDynamics, known: Sequence[str], start: Vector | None = None
                 ) -> None:
        model = self._model = dyn.model
        self._dyn = dyn
        self.known = tuple(known)
        indices = {model.joint_index(name) for name in known}
        owners = np.repeat(np.arange(model.nb), [kind.nv for kind in model.joint_types])
        coordinates = np.repeat(np.arange(model.nb), [kind.nq for kind in model.joint_types])
        self._given = np.flatnonzero(np.isin(owners, list(indices)))
        self._passive = np.flatnonzero(~np.isin(owners, list(indices)))
        self._given_q = np.flatnonzero(np.isin(coordinates, list(indices)))
        self._place = neutral(model) if start is None else start.copy()
        self._rest = np.zeros(model.nv)

    def complete(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """
        Return the state with its passive joints, which are found beside those of the last call.

        Parameters
        ----------
        q, v : Vector
            (nq,), (nv,); entries of passive joints are not read.

        Returns
        -------
        q, v : Vector
            Copies that satisfy the loops.

        Raises
        ------
        LoopOpenError
            If the loops cannot be closed with the known joints where they are.
        InvalidValueError
            If the known joints do not determine the others; says which.

        """
        place = self._place.copy()
        place[self._given_q] = q[self._given_q]
        rates = self._rest.copy()
        rates[self._given] = v[self._given]
        found = self._newton(place, rates)
        if found is None:
            closure = loop_closure(self._model, place, rates, known=self.known,
                                   tolerance=TOLERATED)
            found = self._newton(closure.q, rates) or (closure.q, closure.v)
        self._place = found[0]
        return found[0].copy(), found[1]

    def _newton(self, place: Vector, rates: Vector) -> tuple[Vector, Vector] | None:
        """Return the state with its loops closed, None if that takes too many steps."""
        for _ in range(STEPS):
            rows = self._dyn.loop_rows(place, self._rest)
            phi, A = rows[:, 0], rows[:, VALUES:]
            step, passive = self._solved(
                A[:, self._passive], -np.column_stack((phi, A[:, self._given]
                                                       @ rates[self._given]))).T
            size = float(np.abs(phi).max())
            if size <= CLOSED or np.abs(step).max(initial=0.0) <= CLOSED:
                if size > TOLERATED:
                    raise self._open(phi)
                v = rates.copy()
                v[self._passive] = passive
                return place, v
            moved = self._rest.copy()
            moved[self._passive] = step
            place = displaced(self._model, place, moved)
        return None

    def _solved(self, A: Matrix, right: Matrix) -> Matrix:
        """Return the least-squares solutions of ``A x = right`` (p, 2)."""
        m, p = A.shape
        if not p:
            return np.zeros((0, 2))
        b = np.zeros((max(m, p), 2))
        b[:m] = right
        _, x, _, rank, _ = dgelsy(A, b, np.zeros(p, np.int32), DEPENDENT, 8 * (m + p) + 64)
        if rank < p:
            free = np.linalg.svd(A)[2][-1]
            names = joint_of_each_velocity(self._model)
            loose = names[self._passive[int(np.argmax(np.abs(free)))]]
            raise InvalidValueError('known joints', list(self.known), (
                f"joints that determine the others through the loops; with these '{loose}' can "
                'still move'))
        return np.asarray(x[:p])

    def _open(self, phi: Vector) -> LoopOpenError:
        """Return the error for known joints that contradict the loops."""
        ends = np.cumsum([len(loop.rows) for loop in self._model.loops])
        worst = self._model.loops[int(np.searchsorted(ends, np.argmax(np.abs(phi)), 'right'))]
        return LoopOpenError(worst.name, float(np.abs(phi).max()), 0.0, (
            f'{", ".join(self.known)} are given, more joints than are needed, and contradict it'))


def independent_joints(dyn: PreparedDynamics, q: Vector, joints: Sequence[str]) -> tuple[str, ...]:
    """
    Return as many of some joints as the loops leave motions, so that they determine the others.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    q : Vector
        Configuration (nq,) with closed loops.
    joints : sequence of str
        Joints with one coordinate to choose from.

    Returns
    -------
    tuple of str
        Those whose motions are most independent; all of them for a tree.

    Raises
    ------
    InvalidValueError
        If they leave a motion free.

    """
    model = dyn.model
    if not model.loops:
        return tuple(joints)
    motions = free_motions(dyn, q)
    places = [model.v_offsets[model.joint_index(name)] for name in joints]
    _, R, order = qr(motions[places].T, mode='economic', pivoting=True)
    size = np.abs(np.diag(R))
    count = motions.shape[1]
    if (size > DEPENDENT).sum() < count:
        raise InvalidValueError('joints', list(joints),
                                f'at least {count} joints that determine the others')
    return tuple(joints[at] for at in sorted(order[:count]))
