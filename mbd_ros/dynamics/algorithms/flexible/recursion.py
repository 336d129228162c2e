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
Dynamics of robots with flexible links, O(n) over the tree of segments, for N states at once.

Each segment has the unknowns ``x = (A; a'')``, its acceleration and that of its elastic
coordinates, and ``M x + h = (F; Q)`` with the sum of wrenches F and modal forces Q on it
(``bodies.py``); a child's wrench acts on its parent as ``G^T F``
(``motion.py``). Forward dynamics eliminates from the tips inward first a'', then the
joint: articulated bodies with elastic coordinates. Joints whose acceleration is given are not
eliminated, which makes it hybrid dynamics. Gravity is the base acceleration -g.

References
----------
Lin, Dynamic equation of flexible manipulator, 1995, corrected; Featherstone, Rigid Body Dynamics
Algorithms, 2008, sections 7.3 and 9.2.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from mbd_ros.dynamics.algorithms.flexible.link_inertia import Array, mirrored, solved
from mbd_ros.dynamics.algorithms.flexible.loads import place_loaded
from mbd_ros.dynamics.algorithms.flexible.motion import Placed, tree_of_segments
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.sweeps import Layout
from mbd_ros.model import Model


def wrenches(model: Model, chain: Sequence[Placed], vdot: Array, base: Array, bias: bool = True
             ) -> list[Array]:
    """
    Return what acts on each segment through its joint, and modal forces, by Newton and Euler.

    Parameters
    ----------
    model : Model
        The robot.
    chain : sequence of Placed
        Its segments in N states.
    vdot : (N, nv, k) array
        Accelerations.
    base : (6,) array
        Acceleration of the base, -g and zeros.
    bias : bool
        Whether velocities, elasticity and damping act; without them forces are linear in vdot.

    Returns
    -------
    list of array
        (N, 6 + n, k) of each segment with all that it carries: force and moment at its origin, in
        its axes, then the modal forces.

    """
    tree = tree_of_segments(model)
    columns = vdot.shape[2]
    unknowns: list[Array] = []
    forces: list[Array] = []
    for segment, own in zip(tree.segments, chain):
        above = (np.broadcast_to(base[:, None], (len(vdot), 6, columns)) if segment.parent < 0
                 else unknowns[segment.parent])
        acceleration = own.transfer @ above + own.axes @ vdot[:, own.joint]
        if bias:
            acceleration = acceleration + own.bias[:, :, None]
        x = np.concatenate([acceleration, vdot[:, own.elastic]], axis=1)
        unknowns.append(x)
        force = own.terms.mass @ x
        forces.append(force + own.terms.bias[:, :, None] if bias else force)
    for segment, own, i in reversed(list(zip(tree.segments, chain, range(len(chain))))):
        if segment.parent >= 0:
            forces[segment.parent] = forces[segment.parent] + (
                own.transfer.transpose(0, 2, 1) @ forces[i][:, :6])
    return forces


def generalized_forces(model: Model, chain: Sequence[Placed], vdot: Array, base: Array,
                       bias: bool = True) -> Array:
    """Return the forces (N, nv, k) that k accelerations each need; arguments as ``wrenches``."""
    forces = wrenches(model, chain, vdot, base, bias)
    result = np.zeros_like(forces[0], shape=vdot.shape) if forces else vdot * 0.0
    for own, force in zip(chain, forces):
        rotors = model.armature[own.joint, None]
        rates = vdot[:, own.joint] + own.drift[:, :, None] if bias else vdot[:, own.joint]
        result[:, own.joint] = own.axes.T @ force[:, :6] + rotors * rates
        if bias and own.sprung is not None:
            result[:, own.joint] = result[:, own.joint] + own.sprung[:, :, None]
        result[:, own.elastic] = force[:, 6:]
    return result


def accelerations(model: Model, chain: Sequence[Placed], tau: Array, base: Array,
                  given: Mapping[int, Array] | None = None) -> tuple[Array, Array]:
    """
    Return the accelerations that forces produce, and all forces, each as tau.

    Parameters
    ----------
    model : Model
        The robot.
    chain : sequence of Placed
        Its segments in N states.
    tau : (N, nv) or (N, nv, k) array
        Generalized forces; those of joints with given accelerations are found. Of k columns
        velocities, elasticity, loads and the base act in the first; the others are ``M^-1 tau``.
    base : (6,) array
        Acceleration of the base, -g and zeros.
    given : mapping of int to (N, nj) array, optional
        Accelerations of joints, by number.

    """
    tree, given = tree_of_segments(model), given or {}
    masses = [own.terms.mass for own in chain]
    several = tau.shape[2:]
    tau = np.array(tau, np.result_type(tau, *masses[:1])).reshape(*tau.shape[:2], -1)
    others = tau.shape[2] - 1

    def first(values: Array) -> Array:
        return np.concatenate([values[:, :, None], np.zeros((*values.shape, others))], axis=2)

    loads = [first(own.terms.bias) for own in chain]
    rotors = [first(model.armature[own.joint] * own.drift
                    + (0.0 if own.sprung is None else own.sprung)) for own in chain]
    held: list[tuple[Array, ...]] = [()] * len(chain)
    for i in reversed(range(len(chain))):
        segment, own = tree.segments[i], chain[i]
        inertia, load, modal = without_bending(masses[i], loads[i], tau[:, own.elastic])
        seen = load + inertia @ first(own.bias)
        if segment.joint in given:
            driven = np.zeros((len(tau), own.axes.shape[1], 7 + others), tau.dtype)
            driven[:, :, 6] = -given[segment.joint]
        else:
            driven = driven_by(inertia, seen, own.axes, model.armature[own.joint],
                               tau[:, own.joint] - rotors[i])
        held[i] = (inertia, load, modal, driven)
        if segment.parent >= 0:
            more, heavier = carried_by(inertia, seen, driven, own.axes, own.transfer)
            masses[segment.parent] = masses[segment.parent] + more
            loads[segment.parent] = loads[segment.parent] + heavier
    vdot = np.zeros_like(tau)
    unknowns: list[Array] = []
    for segment, own, rotor, (inertia, load, modal, driven) in zip(
            tree.segments, chain, rotors, held):
        above = (first(np.broadcast_to(base, (len(tau), 6))) if segment.parent < 0
                 else unknowns[segment.parent])
        carried = own.transfer @ above
        vdot[:, own.joint] = -(driven[:, :, :6] @ carried) - driven[:, :, 6:]
        A = carried + first(own.bias) + own.axes @ vdot[:, own.joint]
        vdot[:, own.elastic] = -(modal[:, :, :6] @ A) - modal[:, :, 6:]
        unknowns.append(np.concatenate([A, vdot[:, own.elastic]], axis=1))
        if segment.joint in given:
            tau[:, own.joint] = (own.axes.T @ (inertia @ A + load) + rotor
                                 + model.armature[own.joint, None] * vdot[:, own.joint])
    return vdot.reshape(*vdot.shape[:2], *several), tau.reshape(*tau.shape[:2], *several)


def without_bending(mass: Array, load: Array, modal_forces: Array
                    ) -> tuple[Array, Array, Array]:
    """
    Eliminate a'' from ``M x + h = (F; Q)`` of a segment.

    Parameters
    ----------
    mass : (N, 6 + n, 6 + n) array
        M.
    load : (N, 6 + n, k) array
        h.
    modal_forces : (N, n, k) array
        Q.

    Returns
    -------
    tuple of array
        Inertia (N, 6, 6) and load (N, 6, k) of what is left, and ``(N, n, 6 + k)`` with
        ``a'' = -modal (A; 1)``.

    """
    across = mass[:, 6:, :6]
    modal = solved(mass[:, 6:, 6:], np.concatenate([across, load[:, 6:] - modal_forces], axis=2))
    back = across.transpose(0, 2, 1)
    return (mirrored(mass[:, :6, :6] - back @ modal[:, :, :6]),
            load[:, :6] - back @ modal[:, :, 6:], modal)


def driven_by(inertia: Array, seen: Array, axes: Array, armature: Array, efforts: Array
              ) -> Array:
    """Return (N, nj, 6 + k) with ``v' = -driven (G A_p; 1)`` of a joint, for its efforts."""
    sized = inertia @ axes
    return solved(axes.T @ sized + np.diag(armature), np.concatenate(
        [np.swapaxes(sized, 1, 2), axes.T @ seen - efforts], axis=2))


def carried_by(inertia: Array, seen: Array, driven: Array, axes: Array, transfer: Array
               ) -> tuple[Array, Array]:
    """Return the mass matrix and the load that a segment adds to its parent's."""
    sized = inertia @ axes
    left, rest = inertia - sized @ driven[:, :, :6], seen - sized @ driven[:, :, 6:]
    up = transfer.transpose(0, 2, 1)
    return mirrored(up @ mirrored(left) @ transfer), up @ rest


def base_of(world: Array) -> Array:
    """Return the acceleration (6,) of the base that accounts for gravity, first in the world."""
    return np.concatenate([-world[:3], np.zeros(3)])


def _forward(model: Model, inputs: Mapping[str, Array], world: Array, executor: Any) -> Array:
    chain = place_loaded(model, inputs['q'], inputs['v'], world)
    return accelerations(model, chain, inputs['tau'], base_of(world))[0]


def hybrid_dynamics(joints: tuple[int, ...]) -> ArrayProgram:
    """Return the program of all accelerations and forces where those of some joints are given."""
    return ArrayProgram(f'flexible_hybrid_dynamics {joints}', ('q', 'v', 'tau', 'qdd'),
                        layout=Layout.COLUMNS, extent=(2,), evaluate=partial(_hybrid, joints),
                        traces=small)


def _hybrid(joints: tuple[int, ...], model: Model, inputs: Mapping[str, Array], world: Array,
            executor: Any) -> Array:
    chain = place_loaded(model, inputs['q'], inputs['v'], world)
    places = {i: slice(model.v_offsets[i], model.v_offsets[i] + model.joint_types[i].nv)
              for i in joints}
    return np.stack(accelerations(
        model, chain, inputs['tau'], base_of(world),
        {i: inputs['qdd'][:, where] for i, where in places.items()}), axis=1)


def _inverse(model: Model, inputs: Mapping[str, Array], world: Array, executor: Any) -> Array:
    chain = place_loaded(model, inputs['q'], inputs['v'], world)
    vdot = inputs['qdd'] if 'qdd' in inputs else np.zeros_like(inputs['v'])
    return np.squeeze(generalized_forces(model, chain, vdot[:, :, None], base_of(world)), axis=2)


def of_bodies(model: Model, values: Sequence[Array]) -> list[Array]:
    """Return those of the links that joints move, in the order of the joints."""
    links = tree_of_segments(model).links
    return [values[links[name].body] for name in model.body_names]


def _joint_wrenches(model: Model, inputs: Mapping[str, Array], world: Array, executor: Any
                    ) -> Array:
    chain = place_loaded(model, inputs['q'], inputs['v'], world)
    found = wrenches(model, chain, inputs['qdd'][:, :, None], base_of(world))
    return np.stack([own[:, :6, 0] for own in of_bodies(model, found)], axis=1)


def _mass_matrix(model: Model, inputs: Mapping[str, Array], world: Array, executor: Any
                 ) -> Array:
    q = inputs['q']
    chain = place_loaded(model, q, np.zeros((len(q), model.nv)), world)
    columns = np.broadcast_to(np.eye(model.nv), (len(q), model.nv, model.nv))
    matrix = generalized_forces(model, chain, columns, np.zeros(6), bias=False)
    return mirrored(matrix)


LARGEST_TRACED = 20000
"""Operations of forward dynamics up to which they become straight-line code, compiled in 1 s."""


def small(model: Model) -> bool:
    """Return whether a robot is small enough for straight-line code."""
    return sum(700 if segment.elastic is None else 1200 + 15 * segment.elastic.mass.size
               for segment in tree_of_segments(model).segments) <= LARGEST_TRACED


PROGRAMS: dict[str, ArrayProgram] = {
    'forward_dynamics': ArrayProgram('flexible_forward_dynamics', ('q', 'v', 'tau'),
                                     evaluate=_forward, traces=small),
    'inverse_dynamics': ArrayProgram('flexible_inverse_dynamics', ('q', 'v', 'qdd'),
                                     evaluate=_inverse, traces=small),
    'bias_forces': ArrayProgram('flexible_bias_forces', ('q', 'v'), evaluate=_inverse,
                                traces=small),
    'mass_matrix': ArrayProgram('flexible_mass_matrix', ('q',), layout=Layout.SYMMETRIC,
                                evaluate=_mass_matrix, traces=small),
    'joint_wrenches': ArrayProgram('flexible_joint_wrenches', ('q', 'v', 'qdd'),
                                   layout=Layout.BODIES, extent=(6,), evaluate=_joint_wrenches,
                                   traces=small)}
