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
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from mbd_ros.dynamics.algorithms.border import border_of, of_joints
from mbd_ros.dynamics.algorithms.joint_springs import spring_efforts
from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.dynamics.algorithms.stacked_kinematics import (
    along_axes, around_bodies, axes_of, coriolis, drift_of, motion_of, of_axes, paths_of,
    spring_loads)
from mbd_ros.execution import Lanes, Threads
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.sweeps import Layout, Program
from mbd_ros.execution.stacks.blocks import (
    chunks_of, eliminate_chunks, eliminate_tree, reduce_cyclically, transposed)
from mbd_ros.execution.stacks.scan import inboard, sum_children
from mbd_ros.execution.stacks.stacks import apply, cross_matrices, levers, of_parts
from mbd_ros.execution.stacks.steps import each, Stack, Step
from mbd_ros.model import Model
from mbd_ros.model.caches import owned
from mbd_ros.spatial.rank_thresholds import THIN_BODY

GRAVITY = 3
"""Numbers of the world that are gravity, the first."""
SolveChain = Callable[[Step, Sequence[Stack]], Stack]
"""``(row, stacks) -> result`` of block tridiagonal systems, see ``eliminate_chunks``."""


class Constants(NamedTuple):
    """
    What does not depend on the state, of each body.

    Attributes
    ----------
    inertia, compliance, inner : array
        (nb, 1, 6, 6) about the body's origin, angular first, its inverse, and that of the parent.
    first, rotational : array
        (nb, 1, 3) mass times mass centre, (nb, 1, 3, 3) inertia about the body's origin.
    rows, inner_rows : array
        (nb, 1, 6) 1 where joint or rotor give a row, else 0; those of the parent's joint.
    rotors : array
        (nb, 1, 6) 1 / I_r of rotors, 1 where there is no row: the equation is ``lambda = 0``.

    """

    inertia: Stack
    compliance: Stack
    inner: Stack
    first: Stack
    rotational: Stack
    rows: Stack
    inner_rows: Stack
    rotors: Stack


@owned()
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
        inertia, compliance, inboard(compliance, paths_of(model)), masses[:, 0] * centers,
        rotational, rows, inboard(rows, paths_of(model)), rotors)))


def supports(model: Model) -> bool:
    """Return whether all bodies have an inertia of their own that can be inverted."""
    moments = np.linalg.eigvalsh(model.inertias)
    return bool((model.masses > 0.0).all() and (moments[:, 0] > THIN_BODY * moments[:, 2]).all())


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
        self.drives = along_axes(model, tau - model.armature * drift_of(model, v)
                                 - spring_efforts(model, q))
        self.ground = np.concatenate([np.zeros(3), -world[:GRAVITY]])
        lever, self.coriolis, self.applied, self.handed = acting(
            self.motion.turns, self.motion.places, self.motion.rotations, self.motion.turning,
            self.motion.turning_inboard, self.motion.rates, self.drives, self.constants.first,
            self.constants.rotational, threads=threads)
        self.links = self.motion.turns, lever
        self.compliance, self.inner = self.constants.compliance, self.constants.inner
        if model.springs:
            self.applied = self.applied + spring_loads(model, self.motion)
        if model.laws:   # load - A (a - ground), with the A of each body added to its inertia
            load, added = around_bodies(model, self.motion, world)
            down = apply(np.swapaxes(self.motion.rotations, -1, -2), world[:GRAVITY])
            self.applied = self.applied + load - apply(added[..., 3:], down)
            self.compliance = np.linalg.inv(self.constants.inertia + added)
            self.inner = inboard(self.compliance, paths_of(model))

    def accelerations(self, wrenches: Stack, handed: Stack, more: Stack | None = None
                      ) -> tuple[Stack, Stack]:
        """
        Return a of all bodies (nb, N, 6), and of their parents.

        They are under the wrenches of joints and more; parents are handed the former.
        """
        applied = self.applied if more is None else self.applied + more
        found = moved(self.compliance, applied, wrenches, sum_children(
            handed, paths_of(self.model)), threads=self.threads)
        return found, inboard(found, paths_of(self.model), self.ground)

    def elements(self, free: Stack, inner: Stack) -> tuple[Stack, ...]:
        """Return of what ``joint_row`` makes the rows of all joints."""
        return (*self.links, self.compliance, self.inner, self.constants.rows,
                self.constants.inner_rows, self.constants.rotors, free, inner, self.coriolis)

    def solve(self, row: Step, stacks: Sequence[Stack], solve_chain: SolveChain) -> Stack:
        """Return the multipliers (nb, N, 6, k) of joints, ``(Phi M^-1 Phi^T)^-1 right``."""
        if paths_of(self.model).chains:
            return solve_chain(row, stacks)
        diagonal, inner, right = each(row)(*stacks, threads=self.threads)
        parents, couplings, (turns, lever) = self.model.parents, {}, self.links
        rows = self.constants.rows
        for i, parent in enumerate(parents):
            if parent >= 0:
                couplings[i, parent] = inner[i:i + 1]
                for k in range(parent + 1, i):
                    if parents[k] == parent:
                        one, other = slice(i, i + 1), slice(k, k + 1)
                        couplings[i, k] = sibling_block(
                            turns[one], lever[one], turns[other], lever[other],
                            self.inner[one], rows[one], rows[other])
        return eliminate_tree(diagonal, couplings, right, self.threads)


@each
def acting(turn: Stack, place: Stack, rotation: Stack, turning: Stack, inner: Stack, rate: Stack,
           drive: Stack, first: Stack, rotational: Stack) -> tuple[Stack, ...]:
    """
    Return what of its motion and of its drive acts on a body.

    These are the lever of X, c, F without springs, and what the drive exerts on the parent.
    """
    lever = levers(turn, place)
    w = apply(transposed(rotation), turning)
    gyroscopic = np.concatenate([np.cross(w, apply(rotational, w)),
                                 np.cross(w, np.cross(w, first))], axis=-1)
    return (lever, coriolis(rotation, inner, turn, place, rate), -gyroscopic,
            apply(transposed(of_parts(turn, lever)), drive))


@each
def handed_on(turn: Stack, lever: Stack, drive: Stack, multipliers: Stack
              ) -> tuple[Stack, Stack]:
    """Return the wrench of a joint, and ``X^T w``: the same on the parent."""
    wrench = drive - multipliers
    return wrench, apply(transposed(of_parts(turn, lever)), wrench)


@each
def moved(compliance: Stack, applied: Stack, wrench: Stack, handed: Stack) -> Stack:
    """Return the acceleration of a body under the wrenches of its joint and its children's."""
    return apply(compliance, applied + wrench - handed)


def across(turn: Stack, lever: Stack, acceleration: Stack, inner: Stack) -> Stack:
    """Return ``a - X a_parent``, (6,)."""
    return acceleration - apply(of_parts(turn, lever), inner)


@each
def relative(turn: Stack, lever: Stack, acceleration: Stack, inner: Stack, bias: Stack) -> Stack:
    """Return ``a - X a_parent - c``, (6,)."""
    return across(turn, lever, acceleration, inner) - bias


def joint_row(turn: Stack, lever: Stack, compliance: Stack, inner: Stack, rows: Stack,
              inner_rows: Stack, rotors: Stack, acceleration: Stack, inner_acceleration: Stack,
              bias: Stack) -> tuple[Stack, Stack, Stack]:
    """Return the row of a joint: the block in its own column, in its parent's, and r."""
    X = of_parts(turn, lever)
    passed, own = X @ inner, rows[..., None]   # X M_parent^-1
    diagonal = own * (compliance + passed @ transposed(X)) * rows[..., None, :]
    r = across(turn, lever, acceleration, inner_acceleration) - bias
    return (diagonal + np.eye(6) * rotors[..., None],
            -own * passed * inner_rows[..., None, :], own * r[..., None])


def bordered_row(V: Stack, *elements: Stack) -> tuple[Stack, Stack, Stack]:
    """Return the row of a joint with further right sides V (6, m)."""
    diagonal, inner, right = joint_row(*elements)
    return diagonal, inner, np.concatenate([right, V], axis=-1)


@each
def sibling_block(turn: Stack, lever: Stack, other_turn: Stack, other_lever: Stack, inner: Stack,
                  rows: Stack, other_rows: Stack) -> Stack:
    """Return the block of a joint's row in the column of another joint of the same parent."""
    passed = of_parts(turn, lever) @ inner @ transposed(of_parts(other_turn, other_lever))
    return rows[..., None] * passed * other_rows[..., None, :]


def reactions(bodies: Bodies, solve_chain: SolveChain) -> Reactions:
    """Return the wrenches of all joints with the accelerations that follow."""
    model, rows = bodies.model, bodies.constants.rows[..., None]
    free, inner = bodies.accelerations(bodies.drives, bodies.handed)
    elements, exerted = bodies.elements(free, inner), None
    if not model.loops:
        multipliers = bodies.solve(joint_row, elements, solve_chain)[..., 0]
        held = np.zeros((free.shape[1], 0))
    else:
        border = border_of(model, bodies.motion)
        yielding = bodies.compliance @ np.swapaxes(border.L, -1, -2)   # M^-1 L^T
        V = rows * (yielding - of_parts(*bodies.links) @ inboard(yielding, paths_of(model)))
        found = bodies.solve(bordered_row, (V, *elements), solve_chain)
        own, sides = found[..., 0], found[..., 1:]
        inertia = (border.L @ yielding - np.swapaxes(V, -1, -2) @ sides).sum(axis=0)
        rest = border.bias + border.ground @ bodies.ground + (
            apply(border.L, free) - apply(np.swapaxes(V, -1, -2), own)).sum(axis=0)
        held = -np.stack([independent(model, *one) for one in zip(
            of_joints(model, bodies.motion, border.L), inertia, rest)])
        multipliers = own + apply(sides, held)
        exerted = apply(np.swapaxes(border.L, -1, -2), held)
    wrenches, handed = handed_on(*bodies.links, bodies.drives, multipliers,
                                 threads=bodies.threads)
    moving = relative(*bodies.links, *bodies.accelerations(wrenches, handed, exerted),
                      bodies.coriolis, threads=bodies.threads)
    if model.loops:
        wrenches = wrenches + apply(np.swapaxes(border.coupled, -1, -2), held)
    return Reactions(of_axes(model, moving), wrenches, held)


def independent(model: Model, A: Stack, inertia: Stack, rest: Stack) -> Stack:
    """Solve ``inertia x = rest`` (m, m), rows that may depend on others: x of least norm."""
    space = RowSpace(model, A)
    combined = space.combinations()
    found = combined.T @ np.linalg.solve(combined @ inertia @ combined.T, combined @ rest)
    exerting, _, _ = np.linalg.svd(A)   # what is of least norm exerts the same
    exerting = exerting[:, :int(space.rank)]
    least: Stack = exerting @ (exerting.T @ found)
    return least


def solver_of(executor: Any, count: int, many: int) -> SolveChain:
    """Return the solver for a chain of so many joints at so many states."""
    if isinstance(executor, Threads) and many == 1:
        return partial(eliminate_chunks, count=chunks_of(count), threads=executor.count)
    if isinstance(executor, Lanes):
        return lambda row, stacks: reduce_cyclically(*each(row)(*stacks))
    threads = executor.count if isinstance(executor, Threads) else 1
    return partial(eliminate_chunks, count=1, threads=threads)


LARGEST_TRACED = 12
"""Bodies up to which the arithmetic is recorded once and becomes straight-line code."""


def solved(model: Model, inputs: Mapping[str, Stack], world: Stack, executor: Any) -> Reactions:
    """Return accelerations and wrenches at N states; see ``Evaluate``."""
    threads = executor.count if isinstance(executor, Threads) else 1
    return reactions(Bodies(model, (inputs['q'], inputs['v'], inputs['tau']), world, threads),
                     solver_of(executor, model.nb, len(inputs['q'])))


def accelerations(model: Model, inputs: Mapping[str, Stack], world: Stack, executor: Any
                  ) -> Stack:
    """Return ``vdot`` (N, nv) [rad/s^2, m/s^2]."""
    return solved(model, inputs, world, executor).accelerations


def joint_wrenches(model: Model, inputs: Mapping[str, Stack], world: Stack, executor: Any
                   ) -> Stack:
    """Return what parents exert on bodies (N, nb, 6): force [N], then moment [N m]."""
    moments_first = solved(model, inputs, world, executor).wrenches.swapaxes(0, 1)
    return np.roll(moments_first, 3, axis=-1)


def few(model: Model) -> bool:
    """Return whether a robot is small enough for straight-line code."""
    return model.nb <= LARGEST_TRACED and not (model.laws or model.sprung or model.loops)


FORWARD_DYNAMICS: Program = ArrayProgram(
    'augmented_forward_dynamics', ('q', 'v', 'tau'), evaluate=accelerations, traces=few,
    shares=True)
JOINT_WRENCHES: Program = ArrayProgram(
    'augmented_joint_wrenches', ('q', 'v', 'tau'), layout=Layout.BODIES, extent=(6,),
    evaluate=joint_wrenches, traces=few, shares=True)
