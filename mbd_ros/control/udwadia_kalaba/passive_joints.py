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
Unmeasured joints of closed loops, computed from the measured ones.

A parallel robot measures its drives. With the entries of v split into known and passive ones the
loops say ``A_p dq_p = -phi`` and ``A_p v_p = -A_k v_k``: Newton's method from the state before, on
the branch of that state, as long as the passive columns ``A_p`` are independent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy  # loads its parts when they are asked for: half of what importing took

from mbd_ros.control.constraints.loop_constraint import ClosedLoops
from mbd_ros.control.references.scalar_manifold import displaced as displaced_on_scalars
from mbd_ros.control.udwadia_kalaba.loop_systems import passive_step
from mbd_ros.control.udwadia_kalaba.rank_facts import clear, FACTS
from mbd_ros.control.udwadia_kalaba.robot_code import has_machine_code, padded, robot_call
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.loops.closure import loop_closure
from mbd_ros.dynamics.loops.efforts import free_motions
from mbd_ros.dynamics.loops.newton import newton
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import InvalidValueError, LoopOpenError
from mbd_ros.execution.compiled_calls.fused import Computed, fused, KernelCall
from mbd_ros.execution.ir.loop_code import loop_code
from mbd_ros.execution.ir.machine_code import address_of
from mbd_ros.model.caches import owned
from mbd_ros.model.state import neutral
from mbd_ros.simulation.manifold import displaced, joint_of_each_velocity, Matrix, Vector
from mbd_ros.spatial.rank_thresholds import CLEARLY_FREE, UNDETERMINED_JOINTS

CLOSED = 1e-12
"""Largest phi that counts as closed [m, or product of unit vectors]."""
STEPS = 8
"""From one measured state to the next two or three are enough; more begin somewhere else."""
TOLERATED = 1e-3
"""Largest phi where more joints are measured than needed: they never agree to the last digit."""
LONG = 0.3
"""Longer steps are taken from Python, which moves quaternions exactly [rad or m]."""


class _Step(NamedTuple):
    """Where a step leads, (nq,) and v (nv,); the largest entries of phi before it and of it."""

    moved: Vector
    v: Vector
    size: float
    longest: float

    def is_small(self) -> bool:
        """Return whether the loops are closed, or no step closes them more."""
        return self.size <= CLOSED or self.longest <= CLOSED


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
        self._rest, self._ends = np.zeros(model.nv), (model.nq, model.nq + model.nv)
        self._code = passive_code(dyn, tuple(self._passive.tolist()))

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
            found = closure.q, closure.v
        self._place = found[0]
        return found[0].copy(), found[1]

    def _newton(self, place: Vector, rates: Vector) -> tuple[Vector, Vector] | None:
        """Return the state with its loops closed, None if that takes too many steps."""
        *_, (place, found) = newton(
            place, lambda q: self._step(q, rates), lambda _, step: step.moved, most=STEPS,
            small=_Step.is_small)
        if not found.is_small():
            return None
        if found.size > TOLERATED:
            raise self._open(self._dyn.own_loop_rows(place, self._rest)[:, 0])
        return place, found.v

    def _step(self, place: Vector, rates: Vector) -> _Step:
        """Return a step of Newton from q."""
        result = None if self._code is None else self._code(place, rates)
        if result is not None:
            nq, end = self._ends
            *facts, size, longest = result[end:].tolist()
            if longest <= LONG and clear(facts, CLEARLY_FREE):
                return _Step(result[:nq], result[nq:end], size, longest)
        rows = self._dyn.own_loop_rows(place, self._rest)
        phi, A = rows[:, 0], rows[:, VALUES:]
        moved, v = self._rest.copy(), rates.copy()
        moved[self._passive], v[self._passive] = self._solved(A[:, self._passive], np.column_stack(
            (-phi, -A[:, self._given] @ rates[self._given]))).T
        return _Step(displaced(self._model, place, moved), v, float(np.abs(phi).max()),
                     float(np.abs(moved).max()))

    def _solved(self, A: Matrix, right: Matrix) -> Matrix:
        """Return the least-squares solutions of ``A x = right`` (p, 2)."""
        x, _, rank, _ = np.linalg.lstsq(A, right, rcond=UNDETERMINED_JOINTS)
        if rank < A.shape[1]:
            free = np.linalg.svd(A)[2][-1]
            names = joint_of_each_velocity(self._model)
            loose = names[self._passive[int(np.argmax(np.abs(free)))]]
            raise InvalidValueError('known joints', list(self.known), (
                f"joints that determine the others through the loops; with these '{loose}' can "
                'still move'))
        return np.asarray(x)

    def _open(self, phi: Vector) -> LoopOpenError:
        """Return the error for known joints that contradict the loops."""
        ends = np.cumsum([len(loop.rows) for loop in self._model.loops])
        worst = self._model.loops[int(np.searchsorted(ends, np.argmax(np.abs(phi)), 'right'))]
        return LoopOpenError(worst.name, float(np.abs(phi).max()), 0.0, (
            f'{", ".join(self.known)} are given, more joints than are needed, and contradict it'))


@owned()
def passive_code(dyn: PreparedDynamics, passive: tuple[int, ...]) -> Callable[..., Any] | None:
    """
    Return (q, v without passive entries) to one step of Newton, None without machine code.

    It gives the configuration (nq,) after the step, v (nv,) with its passive entries, the facts of
    ``rank_facts``, and the largest entries of phi and of the step.
    """
    model, n = dyn.model, dyn.model.nv
    if not model.loops or not passive or not has_machine_code(dyn):
        return None
    m, rest = ClosedLoops(dyn).count, np.zeros(n)
    places = np.array(passive, np.float64)
    code = loop_code(
        passive_step, [(m, VALUES + n), (n,), (len(passive),), (2 * n + FACTS + 2,)],
        [n, m, len(passive), padded(len(passive)), VALUES])
    return fused({'q': model.nq, 'v': n}, [
        robot_call(dyn, 'own_loop_rows', 'rows', m * (VALUES + n), 'q', address_of(rest)),
        KernelCall(code.address, ('rows', 'v', address_of(places)), 'step', 2 * n + FACTS + 2),
        Computed(lambda given: [*displaced_on_scalars(
            model, list(given['q']), list(given['step'][:n])), *given['step'][n:]],
            'all', model.nq + n + FACTS + 2)], 'passive_step', (dyn, rest, places, code)).call


def independent_joints(dyn: PreparedDynamics, q: Vector, joints: Sequence[str]) -> tuple[str, ...]:
    """
    Return as many of some joints as move independently of each other at q (nq,): all in a tree.

    Those whose motions are most independent are chosen; a joint with several coordinates is among
    them if one of its motions is.
    """
    model = dyn.model
    if not model.loops:
        return tuple(joints)
    motions, owners = free_motions(dyn, q), joint_of_each_velocity(model)
    places = [at for name in joints for at, owner in enumerate(owners) if owner == name]
    _, R, order = scipy.linalg.qr(motions[places].T, mode='economic', pivoting=True)
    size = np.abs(np.diag(R))
    count = int((size > UNDETERMINED_JOINTS).sum())
    chosen = [owners[places[at]] for at in order[:count]]
    return tuple(name for name in joints if name in chosen)
