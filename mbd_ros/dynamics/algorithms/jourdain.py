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
Dynamics of trees by Jourdain's principle with redundant velocities, reduced to those of joints.

All bodies are treated at once; what couples them are scans along the tree, and one system of the
size of v. Vectors are in world axes, moments about the world's origin; w and u are the ``Columns``
of the axes of joints.

References
----------
Lu, Zhang and Chen, Parallel computing strategy for the forward dynamics of manipulators based on a
non-recursive formulation, Acta Mechanica Sinica 29(3), 1997: the size-reduced form.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbd_ros.dynamics.algorithms.joint_springs import spring_efforts
from mbd_ros.dynamics.algorithms.stacked_kinematics import (
    along_axes, around_bodies, axes_of, columns_of, drift_of, motion_of, paths_of, reaches,
    spring_loads)
from mbd_ros.execution import Threads
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.sweeps import Layout, Program
from mbd_ros.execution.stacks.blocks import solve_definite
from mbd_ros.execution.stacks.scan import inboard, scan, suffix_sum
from mbd_ros.execution.stacks.stacks import apply, transforms
from mbd_ros.execution.stacks.steps import Stack
from mbd_ros.model import Model

UPPER, FULL = np.triu_indices(3), np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])
"""The entries of a symmetric matrix that are summed, and where they stand in it."""

Inputs = Mapping[str, Stack]
GRAVITY = 3
"""Numbers of the world that are gravity, the first."""


def symmetric(matrices: Stack) -> Stack:
    """Return symmetric matrices (..., 3, 3) with the upper triangles of others."""
    full: Stack = matrices[..., UPPER[0], UPPER[1]][..., FULL]
    return full


LARGEST_TRACED = 12
"""Bodies up to which the arithmetic is recorded once and becomes straight-line code."""


class Robot:
    """
    A robot at N states, with what both sides of ``M vdot + h = tau`` need.

    Parameters
    ----------
    model : Model
        A tree.
    q, v : array
        (N, nq), (N, nv).
    world : array
        (n,) the world's numbers, gravity first.
    threads : int
        Among which scans are shared.

    """

    def __init__(self, model: Model, q: Stack, v: Stack, world: Stack, threads: int) -> None:
        self._model, self._threads, self._gravity = model, threads, world[:GRAVITY]
        self._v = v
        self._motion = motion_of(model, q, v, threads)
        self._axes = axes_of(model)
        self._origins = self._prefix(self._motion.offsets)
        # Mass centres, and inertias about them, of all bodies.
        turns = self._motion.rotations
        self._centers = self._origins + apply(turns, model.mass_centers[:, None])
        self._inertias = symmetric(
            turns @ model.inertias[:, None] @ np.swapaxes(turns, -1, -2))
        self._w, self._u = columns_of(model, self._motion, self._origins)
        self._around = around_bodies(model, self._motion, world) if model.laws else None

    def _prefix(self, stack: Stack) -> Stack:
        return scan(np.add, stack, paths_of(self._model), self._threads)

    def _suffix(self, stack: Stack) -> Stack:
        return suffix_sum(stack, paths_of(self._model), self._threads)

    def efforts(self, qdd: Stack | None = None) -> Stack:
        """Return the efforts, (N, nv), that accelerations need; the bias h for none."""
        model, (_, _, turns, offsets, rates, W, W_inboard, _) = self._model, self._motion
        spin, slide = apply(turns, rates[..., :3]), apply(turns, rates[..., 3:])
        spun, slid = np.cross(W_inboard, spin), 2.0 * np.cross(W_inboard, slide) + np.cross(
            spin, slide)
        if qdd is not None:
            more = along_axes(model, qdd)
            spun, slid = spun + apply(turns, more[..., :3]), slid + apply(turns, more[..., 3:])
        W_rate = self._prefix(spun)
        carried = (np.cross(inboard(W_rate, paths_of(model)), offsets)
                   + np.cross(W_inboard, np.cross(W_inboard, offsets)) + slid)
        true = self._prefix(carried)
        acceleration = true - self._gravity
        lever = self._centers - self._origins
        force = model.masses[:, None, None] * (
            acceleration + np.cross(W_rate, lever) + np.cross(W, np.cross(W, lever)))
        moment = (apply(self._inertias, W_rate) + np.cross(W, apply(self._inertias, W))
                  + np.cross(self._centers, force))
        if model.springs or self._around:
            loads = spring_loads(model, self._motion)
            if self._around:   # load - A a
                back = np.swapaxes(turns, -1, -2)
                loads = loads + self._around.load - apply(self._around.inertia, np.concatenate(
                    [apply(back, W_rate), apply(back, true)], axis=-1))
            pull = apply(turns, loads[..., 3:])
            force = force - pull
            moment = moment - apply(turns, loads[..., :3]) - np.cross(self._origins, pull)
        force, moment = (self._suffix(one)[self._axes.body] for one in (force, moment))
        efforts: Stack = (self._w * moment + self._u * force).sum(axis=-1).T
        efforts = efforts + model.armature * drift_of(model, self._v) + spring_efforts(
            model, self._motion.q)
        return efforts if qdd is None else efforts + model.armature * qdd

    def mass_matrix(self) -> Stack:
        """Return M (N, nv, nv), from composite bodies about the world's origin."""
        model, x = self._model, self._centers
        masses = model.masses[:, None, None]
        square = (masses * x)[..., None] * x[..., None, :]
        about_origin = self._inertias - square + np.eye(3) * np.trace(
            square, axis1=-2, axis2=-1)[..., None, None]
        mass, first, upper = (self._suffix(one)[self._axes.body] for one in (
            masses, masses * x, about_origin[..., UPPER[0], UPPER[1]]))
        # Momentum of what each axis carries at a unit rate: linear, and angular.
        linear = mass * self._u + np.cross(self._w, first)
        angular = apply(upper[..., FULL], self._w) + np.cross(first, self._u)
        moves = np.concatenate([self._w, self._u], axis=-1).swapaxes(0, 1)
        momenta = np.concatenate([angular, linear], axis=-1).swapaxes(0, 1)
        if self._around:
            momenta = momenta + apply(
                self._added(self._around.inertia), moves.swapaxes(0, 1)).swapaxes(0, 1)
        carry = np.triu(reaches(model)[self._axes.body].T) > 0.0
        M = np.where(carry, moves @ np.swapaxes(momenta, -1, -2), 0.0)
        strictly = np.where(np.eye(model.nv, dtype=bool), 0.0, M)
        return M + np.swapaxes(strictly, -1, -2) + np.diag(model.armature)

    def _added(self, inertias: Stack) -> Stack:
        """Return what laws add, (nb, N, 6, 6), to what each axis carries, (nv, N, 6, 6)."""
        to_body = transforms(self._motion.rotations, self._origins)
        added = np.swapaxes(to_body, -1, -2) @ inertias @ to_body
        return self._suffix(added)[self._axes.body]


def _robot(model: Model, inputs: Inputs, world: Stack, executor: Any) -> Robot:
    q = inputs['q']
    v = inputs['v'] if 'v' in inputs else np.zeros((len(q), model.nv), dtype=q.dtype)
    return Robot(model, q, v, world, executor.count if isinstance(executor, Threads) else 1)


def accelerations(model: Model, inputs: Inputs, world: Stack, executor: Any) -> Stack:
    """Return ``vdot`` (N, nv) [rad/s^2, m/s^2]; see ``Evaluate``."""
    robot = _robot(model, inputs, world, executor)
    applied = inputs['tau'] - robot.efforts()
    return solve_definite(robot.mass_matrix(), applied[..., None])[..., 0]


def efforts(model: Model, inputs: Inputs, world: Stack, executor: Any) -> Stack:
    """Return ``tau`` (N, nv) [N m, N] of accelerations, of none where there are no inputs."""
    return _robot(model, inputs, world, executor).efforts(inputs.get('qdd'))


def mass_matrix(model: Model, inputs: Inputs, world: Stack, executor: Any) -> Stack:
    """Return M (N, nv, nv) [kg m^2, kg m, kg]."""
    return _robot(model, inputs, world, executor).mass_matrix()


def few(model: Model) -> bool:
    """Return whether a robot is small enough for straight-line code."""
    return model.nb <= LARGEST_TRACED and not model.laws and not model.sprung


PROGRAMS: dict[str, Program] = {
    'forward_dynamics': ArrayProgram('jourdain_forward_dynamics', ('q', 'v', 'tau'),
                                     evaluate=accelerations, traces=few, shares=True),
    'inverse_dynamics': ArrayProgram('jourdain_inverse_dynamics', ('q', 'v', 'qdd'),
                                     evaluate=efforts, traces=few, shares=True),
    'bias_forces': ArrayProgram('jourdain_bias_forces', ('q', 'v'), evaluate=efforts,
                                traces=few, shares=True),
    'mass_matrix': ArrayProgram('jourdain_mass_matrix', ('q',), layout=Layout.SYMMETRIC,
                                evaluate=mass_matrix, traces=few, shares=True)}
