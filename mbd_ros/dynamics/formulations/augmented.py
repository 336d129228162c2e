"""
Dynamics by Jourdain's principle with the velocities of all bodies and multipliers of all joints.

Every body moves for itself; joints are rows of constraints. With a_i the acceleration of body i
and w_i the wrench that its parent exerts through its joint, in the axes and at the origin of the
body, X_i the transform of accelerations from its parent, c_i what velocities add to them, F_i the
wrench of gyroscopic terms and springs::

    M_i a_i = F_i + w_i - sum_children X_c^T w_c          w_i = S_i tau_i - E_i lambda_i
    E_i (a_i - X_i a_parent - c_i) = 0

E_i picks the axes along which joint i cannot move its body. The ground has the acceleration -g. A
rotor of inertia I_r couples two bodies; its rate is a velocity of its own with the row ``rate =
s . (a_i - X_i a_parent - c_i)``, which is one more row of E_i with the compliance 1 / I_r. Solved
for the multipliers, with ``a = M^-1 (F + S tau)`` for the bodies without constraints::

    (Phi M^-1 Phi^T) lambda = r          r_i = E_i (a_i - X_i a_parent - c_i)

which is definite and couples the joints of each body: block tridiagonal for a chain. Cut joints of
loops are further rows L of all bodies, a border of that system.

References
----------
Lu, Zhang and Chen, Parallel computing strategy for the forward dynamics of manipulators based on a
non-recursive formulation, Acta Mechanica Sinica 29(3), 1997, equations (1) to (9).

"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from mbd_ros.dynamics.formulations.bodies import (
    along_axes, apply, around_bodies, axes_of, coriolis_of, inboard, motion_of, spring_loads)
from mbd_ros.dynamics.formulations.border import border_of, of_joints
from mbd_ros.dynamics.formulations.row_space import RowSpace
from mbd_ros.execution import Lanes, Threads
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.blocks import (
    chunks_of, eliminate_chain, eliminate_chunks, eliminate_tree, reduce_cyclically)
from mbd_ros.execution.program.scan import is_chain, share, sum_children
from mbd_ros.execution.program.stacks import cross_matrices, Stack, transforms
from mbd_ros.execution.program.sweeps import Layout, Program
from mbd_ros.model import Model

GRAVITY = 3
"""Numbers of the world that are gravity, the first."""
THIN = 1e-9
"""Part of its largest moment of inertia below which a body's smallest is none: a line of mass."""
SolveChain = Callable[[Stack, Stack, Stack], Stack]
"""``(diagonal, upper, right) -> result`` of block tridiagonal systems, see ``blocks.py``."""


class Constants(NamedTuple):
    """
    What does not depend on the state, of each body.

    Attributes
    ----------
    inertia, compliance : array
        (nb, 1, 6, 6) about the body's origin, angular first, and its inverse.
    first, rotational : array
        (nb, 1, 3) mass times mass centre, (nb, 1, 3, 3) inertia about the body's origin.
    rows : array
        (nb, 1, 6) 1 where joint or rotor give a row, else 0.
    rotors : array
        (nb, 1, 6) 1 / I_r of rotors, 1 where there is no row: the equation is ``lambda = 0``.

    """

    inertia: Stack
    compliance: Stack
    first: Stack
    rotational: Stack
    rows: Stack
    rotors: Stack


@lru_cache(maxsize=64)
def constants_of(model: Model) -> Constants:
    """Return the constants of all bodies."""
    masses, centers = model.masses[:, None, None], model.mass_centers
    lever = cross_matrices(centers)
    compliance, about_center = np.zeros((2, model.nb, 6, 6))
    about_center[:, :3, :3] = np.linalg.inv(model.inertias)
    about_center[:, 3:, 3:] = np.eye(3) / masses
    at_origin = np.broadcast_to(np.eye(6), compliance.shape).copy()
    at_origin[:, 3:, :3] = lever
    compliance = at_origin @ about_center @ at_origin.swapaxes(1, 2)
    axes = axes_of(model)
    rows, rotors = np.ones((model.nb, 6)), np.zeros((model.nb, 6))
    geared = model.armature > 0.0
    rows[axes.body[~geared], axes.number[~geared]] = 0.0
    rotors[axes.body[~geared], axes.number[~geared]] = 1.0
    rotors[axes.body[geared], axes.number[geared]] = 1.0 / model.armature[geared]
    rotational = model.inertias - masses * lever @ lever
    inertia = np.concatenate([
        np.concatenate([rotational, masses * lever], axis=-1),
        np.concatenate([-masses * lever, masses * np.eye(3)], axis=-1)], axis=-2)
    return Constants(*(one[:, None] for one in (
        inertia, compliance, masses[:, 0] * centers, rotational, rows, rotors)))


def supports(model: Model) -> bool:
    """Return whether all bodies have an inertia of their own that can be inverted."""
    moments = np.linalg.eigvalsh(model.inertias)
    return bool((model.masses > 0.0).all() and (moments[:, 0] > THIN * moments[:, 2]).all())


class Reactions(NamedTuple):
    """
    What joints do, and what comes of it.

    Attributes
    ----------
    accelerations : array
        (N, nv) of joints.
    wrenches : array
        (nb, N, 6) w_i, with what couplings of mimic joints exert; moment first.
    multipliers : array
        (N, m) of the rows of cut joints, which exert ``L^T multipliers``.

    """

    accelerations: Stack
    wrenches: Stack
    multipliers: Stack


class Bodies:
    """
    The bodies of a robot, each for itself, at N states.

    Parameters
    ----------
    model : Model
        The robot.
    state : sequence of array
        q, v, tau: (N, nq), (N, nv), (N, nv).
    world : array
        (n,) the world's numbers, gravity first.
    threads : int
        Among which scans are shared.

    """

    def __init__(self, model: Model, state: Sequence[Stack], world: Stack, threads: int = 1
                 ) -> None:
        q, v, tau = state
        self.model, self.constants, self.threads = model, constants_of(model), threads
        self.motion = motion_of(model, q, v, threads)
        self.drives = along_axes(model, tau)
        self.X = transforms(self.motion.turns, self.motion.places)
        self.ground = np.concatenate([np.zeros(3), -world[:GRAVITY]])
        self.coriolis = coriolis_of(model, self.motion)
        self.applied = spring_loads(model, self.motion) - self._gyroscopic()
        self.compliance = self.constants.compliance
        if model.laws:   # load - A (a - ground), with the A of each body added to its inertia
            load, added = around_bodies(model, self.motion, world)
            down = apply(np.swapaxes(self.motion.rotations, -1, -2), world[:GRAVITY])
            self.applied = self.applied + load - apply(added[..., 3:], down)
            self.compliance = np.linalg.inv(self.constants.inertia + added)

    def _gyroscopic(self) -> Stack:
        w = apply(np.swapaxes(self.motion.rotations, -1, -2), self.motion.turning)
        first, rotational = self.constants.first, self.constants.rotational
        return np.concatenate([np.cross(w, apply(rotational, w)),
                               np.cross(w, np.cross(w, first))], axis=-1)

    def accelerate(self, wrenches: Stack, more: Stack | float = 0.0) -> Stack:
        """Return a of all bodies (nb, N, 6) under the wrenches of joints, and more."""
        handed = apply(np.swapaxes(self.X, -1, -2), wrenches)
        return apply(self.compliance, self.applied + more + wrenches - sum_children(
            handed, self.model.parents))

    def across(self, accelerations: Stack, ground: Stack) -> Stack:
        """Return ``a_i - X_i a_parent`` of stacks (nb, N, 6, k); of the ground (6, k)."""
        inner = inboard(self.model, accelerations)
        inner[np.array(self.model.parents) < 0] = ground
        return accelerations - self.X @ inner

    def relative(self, accelerations: Stack) -> Stack:
        """Return ``a_i - X_i a_parent - c_i`` of all joints (nb, N, 6)."""
        return self.across(accelerations[..., None], self.ground[:, None])[..., 0] - self.coriolis

    def solve(self, right: Stack, solve_chain: SolveChain) -> Stack:
        """Return the multipliers (nb, N, 6, k) of joints, ``(Phi M^-1 Phi^T)^-1 right``."""
        parents, rows = self.model.parents, self.constants.rows
        compliance, inner = self.compliance, inboard(self.model, self.compliance)
        inner_rows = inboard(self.model, rows)
        passed, diagonal, to_parent = (np.empty_like(self.X) for _ in range(3))

        def build(part: slice) -> None:
            X, own = self.X[part], rows[part, ..., None]
            passed[part] = X @ inner[part]   # X_i M_parent^-1
            yielding = compliance[part] + passed[part] @ np.swapaxes(X, -1, -2)
            diagonal[part] = own * yielding * rows[part, :, None] + np.eye(
                6) * self.constants.rotors[part, ..., None]
            to_parent[part] = -own * passed[part] * inner_rows[part, :, None]

        share(self.threads, self.model.nb, build)
        if is_chain(parents):
            return solve_chain(diagonal, np.swapaxes(to_parent[1:], -1, -2), right)
        children: dict[int, list[int]] = {}
        couplings = {}
        for i, parent in enumerate(parents):
            if parent >= 0:
                for k in children.setdefault(parent, []):
                    couplings[i, k] = rows[i, ..., None] * (passed[i] @ np.swapaxes(
                        self.X[k], -1, -2)) * rows[k, ..., None, :]
                children[parent].append(i)
                couplings[i, parent] = to_parent[i]
        return np.stack(eliminate_tree([*diagonal], couplings, [*right]))


def reactions(bodies: Bodies, solve_chain: SolveChain) -> Reactions:
    """Return the wrenches of all joints with the accelerations that follow."""
    rows, model = bodies.constants.rows, bodies.model
    free = bodies.accelerate(bodies.drives)
    exerted: Stack | float = 0.0
    right = (rows * bodies.relative(free))[..., None]
    many = right.shape[1]
    if not model.loops:
        multipliers, held = bodies.solve(right, solve_chain)[..., 0], np.zeros((many, 0))
    else:
        border = border_of(model, bodies.motion)
        yielding = bodies.compliance @ np.swapaxes(border.L, -1, -2)   # M^-1 L^T
        V = rows[..., None] * bodies.across(yielding, np.zeros((6, yielding.shape[-1])))
        found = bodies.solve(np.concatenate([right, V], axis=-1), solve_chain)
        own, sides = found[..., 0], found[..., 1:]
        inertia = (border.L @ yielding - np.swapaxes(V, -1, -2) @ sides).sum(axis=0)
        rest = border.bias + border.ground @ bodies.ground + (
            apply(border.L, free) - apply(np.swapaxes(V, -1, -2), own)).sum(axis=0)
        held = -np.stack([independent(model, *one) for one in zip(
            of_joints(model, bodies.motion, border.L), inertia, rest)])
        multipliers = own + apply(sides, held)
        exerted = apply(np.swapaxes(border.L, -1, -2), held)
    wrenches = bodies.drives - multipliers
    axes = axes_of(model)
    relative = bodies.relative(bodies.accelerate(wrenches, exerted))
    if model.loops:
        wrenches = wrenches + apply(np.swapaxes(border.coupled, -1, -2), held)
    return Reactions(relative[axes.body, :, axes.number].T, wrenches, held)


def independent(model: Model, A: Stack, inertia: Stack, rest: Stack) -> Stack:
    """Solve ``inertia x = rest`` (m, m), rows that may depend on others: x of least norm."""
    space = RowSpace(model, A)
    combined = space.combinations()
    found = combined.T @ np.linalg.solve(combined @ inertia @ combined.T, combined @ rest)
    exerting, _, _ = np.linalg.svd(A)   # what is of least norm exerts the same
    exerting = exerting[:, :int(space.rank)]
    least: Stack = exerting @ (exerting.T @ found)
    return least


def solver_of(executor: Any, count: int) -> SolveChain:
    """Return who solves for a chain of so many joints, as the executor wants it."""
    if isinstance(executor, Lanes):
        return reduce_cyclically
    if isinstance(executor, Threads):
        lanes = max(1, chunks_of(count) // executor.count)
        return partial(eliminate_chunks, count=lanes * executor.count, threads=executor.count)
    return eliminate_chain


def solved(model: Model, inputs: Mapping[str, Stack], world: Stack, executor: Any) -> Reactions:
    """Return accelerations and wrenches at N states, shared among threads; see ``Evaluate``."""
    state = inputs['q'], inputs['v'], inputs['tau']
    many = len(inputs['q'])
    threads = executor.count if isinstance(executor, Threads) else 1
    solve_chain = solver_of(executor, model.nb)
    if many == 1 or threads == 1:
        return reactions(Bodies(model, state, world, threads), solve_chain)
    found = {}

    def some(part: slice) -> None:
        bodies = Bodies(model, [one[part] for one in state], world)
        found[part.start] = reactions(bodies, eliminate_chain)

    share(threads, many, some)
    parts = [found[first] for first in sorted(found)]
    return Reactions(*(np.concatenate(stacks, axis=axis) for stacks, axis in zip(
        zip(*parts), (0, 1, 0))))


def accelerations(model: Model, inputs: Mapping[str, Stack], world: Stack, executor: Any
                  ) -> Stack:
    """Return ``vdot`` (N, nv) [rad/s^2, m/s^2]."""
    return solved(model, inputs, world, executor).accelerations


def joint_wrenches(model: Model, inputs: Mapping[str, Stack], world: Stack, executor: Any
                   ) -> Stack:
    """Return what parents exert on bodies (N, nb, 6): force [N], then moment [N m]."""
    moments_first = solved(model, inputs, world, executor).wrenches.swapaxes(0, 1)
    return np.roll(moments_first, 3, axis=-1)


FORWARD_DYNAMICS: Program = ArrayProgram(
    'augmented_forward_dynamics', ('q', 'v', 'tau'), evaluate=accelerations)
JOINT_WRENCHES: Program = ArrayProgram(
    'augmented_joint_wrenches', ('q', 'v', 'tau'), layout=Layout.BODIES, extent=(6,),
    evaluate=joint_wrenches)
