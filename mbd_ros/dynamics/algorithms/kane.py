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

r"""
Kane's equations with the accessibility matrix; the reader's version.

``F_r + F*_r = 0`` for every generalized speed u_r, here the entries of v. With the partial
velocities ``V^r_k`` of the mass centre of body k and its partial angular velocities ``W^r_k``::

    F*_r = sum_k -m_k a_k . V^r_k - (I_k alpha_k + w_k x I_k w_k) . W^r_k
    F_r  = sum_k  m_k g . V^r_k + (f_k . V^r_{o,k} + n_k . W^r_k) + tau_r

where what is around a body does the wrench (n_k, f_k) to it, about its origin o. The tree enters
by ``S_jk``, the accessibility matrix with ones on its diagonal: 1 where joint j lies on the path
from the ground to body k. With z_r the axis of speed r and o_j the origin of its joint j, in the
axes of the world::

    turning:  W^r_k = S_jk z_r     V^r_k(p) = S_jk z_r x (p - o_j)
    sliding:  W^r_k = 0            V^r_k(p) = S_jk z_r

Every axis is fixed in the body that its joint moves, ``z_r' = w_j x z_r``, from which the rates of
partial velocities follow, and ``a_k = V^r_k u_r' + (V^r_k)' u_r``. Together
``M(q) u' + h(q, u) = tau``, in O(nb nv^2) operations, in NumPy over all states at once.

A ring of modules is a tree, cut at a joint. The path matrix is that of the spanning tree; each row
of the cut is a pair of wrenches L_k of the multiplier lambda on the two bodies,
``sum_k L_k . (alpha_k, a_o,k) + b = 0``. Its generalized active force goes along the same paths,
``F_r = sum_k L_k . (W^r_k, V^r_{o,k}) lambda = A_r lambda``, so that

    M u' + h = tau + A^T lambda,     A u' + sum_k L_k . (W', V_o')_k u + b = 0

are its equations; dependent rows are left to ``row_space``.

The paper adds the relative angles along a path, which is right for angular velocities and planar
chains only; here rotations are multiplied.

References
----------
Xu, Yang, Ge and Wang, Modelling of underwater self-reconfigurable robots based on Kane dynamics
and path matrix, Journal of Ship Mechanics 2018 (1), equations 6 to 26; Kane and Levinson,
Dynamics: Theory and Applications, 1985.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mbd_ros.dynamics.algorithms.border import border_of
from mbd_ros.dynamics.algorithms.joint_springs import spring_efforts
from mbd_ros.dynamics.algorithms.row_space import RowSpace
from mbd_ros.dynamics.algorithms.stacked_kinematics import (
    around, axes_of, drift_of, motion_of, paths_of, reaches, spring_loads)
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.sweeps import Layout, Program
from mbd_ros.execution.stacks.blocks import solve_definite
from mbd_ros.execution.stacks.scan import scan
from mbd_ros.execution.stacks.stacks import apply
from mbd_ros.execution.stacks.steps import Stack
from mbd_ros.model import Model

Inputs = Mapping[str, Stack]


class Paths:
    """
    The bodies and the axes of N states, in the axes of the world.

    Parameters
    ----------
    model : Model
        The robot; of its closed loops the spanning tree.
    q : array
        (N, nq).

    Attributes
    ----------
    R, o : array
        (nb, N, 3, 3) and (nb, N, 3): ``R_WB`` and ``p_WBo`` [m].

    """

    def __init__(self, model: Model, q: Stack) -> None:
        axes = axes_of(model)
        self.motion = motion_of(model, q, np.zeros((len(q), model.nv)))
        self.R, self.o = self.motion.rotations, scan(
            np.add, self.motion.offsets, paths_of(model))
        self._joint, self._S = axes.body, reaches(model)[:, None, :, None]
        self._turns = axes.turns[:, None]
        # (N, nv, 3): the axis of each speed.
        self._z = self.R[axes.body, :, :, axes.number % 3].swapaxes(0, 1)

    def partial_angular_velocities(self) -> Stack:
        """Return ``W^r_k`` (nb, N, nv, 3)."""
        return self._along(self._z, np.zeros(3))

    def partial_velocities(self, points: Stack) -> Stack:
        """Return ``V^r_k`` (nb, N, nv, 3) of a point on each body, (nb, N, 3) [m]."""
        return self._along(np.cross(self._z, self._arms(points)), self._z)

    def rates(self, points: Stack, u: Stack) -> tuple[Stack, Stack]:
        """
        Return the rates of partial velocities.

        Parameters
        ----------
        points : array
            (nb, N, 3) a point on each body [m].
        u : array
            (N, nv) generalized speeds.

        Returns
        -------
        tuple of array
            (nb, N, nv, 3) those of ``V^r_k``, then of ``W^r_k``.

        """
        w = times(self.partial_angular_velocities(), u)
        z_rate = np.cross(self._of_joints(w), self._z)
        v, v_o = (times(self.partial_velocities(at), u) for at in (points, self.o))
        arm_rates = v[:, :, None] - self._of_joints(v_o)
        turned = np.cross(z_rate, self._arms(points)) + np.cross(self._z, arm_rates)
        return self._along(turned, z_rate), self._along(z_rate, np.zeros(3))

    def _arms(self, points: Stack) -> Stack:
        """Return ``p_k - o_j`` (nb, N, nv, 3) from the origin of each speed's joint."""
        return points[:, :, None] - self._of_joints(self.o)

    def _of_joints(self, vectors: Stack) -> Stack:
        """Return vectors of bodies (nb, N, 3) for the body that each speed moves, (N, nv, 3)."""
        return vectors[self._joint].swapaxes(0, 1)

    def _along(self, turning: Stack, sliding: Stack) -> Stack:
        """Return what turning and sliding axes do to the bodies on whose paths they are."""
        found: Stack = self._S * np.where(self._turns, turning, sliding)
        return found


def times(partial: Stack, u: Stack) -> Stack:
    """Return velocities (nb, N, 3) of partial ones (nb, N, nv, 3) and speeds (N, nv)."""
    return np.einsum('knri,nr->kni', partial, u)


def project(partial: Stack, forces: Stack) -> Stack:
    """Return ``sum_k f_k . V^r_k`` (N, nv) of forces (nb, N, 3)."""
    return np.einsum('knri,kni->nr', partial, forces)


def in_body_axes(R: Stack, angular: Stack, linear: Stack) -> Stack:
    """Return vectors of the world as twists (nb, N, ..., 6) in the bodies' axes, angular first."""
    return np.concatenate([np.einsum('knji,kn...j->kn...i', R, one)
                           for one in (angular, linear)], axis=-1)


class Equations(NamedTuple):
    """``M(q) u' + h(q, u) = tau``: (N, nv, nv) and (N, nv)."""

    M: Stack
    h: Stack


def equations(model: Model, q: Stack, u: Stack, world: Stack) -> Equations:
    """
    Return Kane's equations of N states.

    Parameters
    ----------
    model : Model
        The robot; of its closed loops the spanning tree.
    q, u : array
        (N, nq) and (N, nv).
    world : array
        (n,) the world's numbers, gravity first.

    Returns
    -------
    Equations
        With rotor inertias on the diagonal of M.

    """
    paths = Paths(model, q)
    R, m, g = paths.R, model.masses[:, None, None], world[:3]
    c = paths.o + apply(R, model.mass_centers[:, None])
    inertia = R @ model.inertias[:, None] @ np.swapaxes(R, -1, -2)
    V, W = paths.partial_velocities(c), paths.partial_angular_velocities()
    V_rate, W_rate = paths.rates(c, u)
    w, a, alpha = times(W, u), times(V_rate, u), times(W_rate, u)   # a, alpha: where u' is zero
    M = (np.einsum('k,knri,knsi->nrs', model.masses, V, V)
         + np.einsum('knri,knij,knsj->nrs', W, inertia, W) + np.diag(model.armature))
    h = (project(V, m * (a - g))
         + project(W, apply(inertia, alpha) + np.cross(w, apply(inertia, w))))
    if model.laws:   # load - A a at the body's origin
        V_o, (V_o_rate, _) = paths.partial_velocities(paths.o), paths.rates(paths.o, u)
        load, added = around(model, (R, paths.o), (w, times(V_o, u)), world)
        partial = in_body_axes(R, W, V_o)
        rest = in_body_axes(R, alpha, times(V_o_rate, u))
        M = M + np.einsum('knri,knij,knsj->nrs', partial, added, partial)
        h = h + project(partial, apply(added, rest) - load)
    h = h + model.armature * drift_of(model, u) + spring_efforts(model, q)
    if model.springs:
        V_o, loads = paths.partial_velocities(paths.o), spring_loads(model, motion_of(model, q, u))
        h = h - project(W, apply(R, loads[..., :3])) - project(V_o, apply(R, loads[..., 3:]))
    return Equations(M, h)


def _forward(model: Model, inputs: Inputs, world: Stack, executor: Any) -> Stack:
    q, u = inputs['q'], inputs['v']
    M, h = equations(model, q, u, world)
    if not model.loops:
        return solve_definite(M, (inputs['tau'] - h)[..., None])[..., 0]
    A, rest = ring_rows(model, q, u)
    return np.array([_along(RowSpace(model, rows), *one) for rows, *one in zip(
        A, M, inputs['tau'] - h, rest)]).reshape(u.shape)


def ring_rows(model: Model, q: Stack, u: Stack) -> tuple[Stack, Stack]:
    """Return A (N, m, nv) of the rows of cut joints, and what is left where u' is zero (N, m)."""
    paths, border = Paths(model, q), border_of(model, motion_of(model, q, u))
    V, W = paths.partial_velocities(paths.o), paths.partial_angular_velocities()
    V_rate, W_rate = paths.rates(paths.o, u)
    rest = in_body_axes(paths.R, times(W_rate, u), times(V_rate, u))
    return (np.einsum('knmi,knri->nmr', border.L, in_body_axes(paths.R, W, V)),
            np.einsum('knmi,kni->nm', border.L, rest) + border.bias)


def _along(space: RowSpace, M: Stack, force: Stack, rest: Stack) -> Stack:
    """Return u' (nv,) of one state, ``A u' = -rest``, under forces (nv,) and those of the rows."""
    p, N = space.nearest(rest), space.motions()
    found: Stack = p + N @ np.linalg.solve(N.T @ M @ N, N.T @ (force - M @ p))
    return found


def _inverse(model: Model, inputs: Inputs, world: Stack, executor: Any) -> Stack:
    M, h = equations(model, inputs['q'], inputs['v'], world)
    return apply(M, inputs['qdd']) + h


def _bias(model: Model, inputs: Inputs, world: Stack, executor: Any) -> Stack:
    return equations(model, inputs['q'], inputs['v'], world).h


def _mass_matrix(model: Model, inputs: Inputs, world: Stack, executor: Any) -> Stack:
    at_rest = np.zeros((len(inputs['q']), model.nv))
    return equations(model, inputs['q'], at_rest, world).M


PROGRAMS: dict[str, Program] = {
    'forward_dynamics': ArrayProgram('kane_forward_dynamics', ('q', 'v', 'tau'),
                                     evaluate=_forward),
    'inverse_dynamics': ArrayProgram('kane_inverse_dynamics', ('q', 'v', 'qdd'),
                                     evaluate=_inverse),
    'bias_forces': ArrayProgram('kane_bias_forces', ('q', 'v'), evaluate=_bias),
    'mass_matrix': ArrayProgram('kane_mass_matrix', ('q',), layout=Layout.SYMMETRIC,
                                evaluate=_mass_matrix)}
