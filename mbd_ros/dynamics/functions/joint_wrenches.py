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

"""What joints carry: for the choice of bearings, and to compare with force sensors."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.algorithms.border import border_of, inwards
from mbd_ros.dynamics.algorithms.registry import formulation_for
from mbd_ros.dynamics.algorithms.stacked_kinematics import Motion, motion_of, paths_of
from mbd_ros.dynamics.functions.constrained import constrained_dynamics
from mbd_ros.dynamics.functions.current_fields import in_field, is_field
from mbd_ros.dynamics.functions.further_efforts import more_efforts
from mbd_ros.dynamics.loops.closure import carried_loops
from mbd_ros.dynamics.loops.efforts import loop_wrenches
from mbd_ros.dynamics.prepared.call import Array, checked_array, deliver
from mbd_ros.dynamics.prepared.prepared import compile_model, PreparedDynamics
from mbd_ros.dynamics.prepared.standard_calls import StandardCalls
from mbd_ros.dynamics.quantities import flexible
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.execution import Executor
from mbd_ros.execution.program.ties import first_rows
from mbd_ros.execution.stacks.scan import scan
from mbd_ros.execution.stacks.stacks import apply
from mbd_ros.model import LinkFrame, Loop, Model


WRENCHES = StandardCalls('wrenches_of_efforts')


def wrench_names(model: Model) -> tuple[str, ...]:
    """Return the joints whose wrenches are given: those of the tree, then those of loops."""
    return (*model.joint_names, *(loop.name for loop in model.loops if loop.kind != 'mimic'))


def joint_wrenches(
    model: Model, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *,
    external_forces: Mapping[str, ArrayLike] | None = None, gravity: ArrayLike | None = None,
    formulation: str = 'auto', executor: Executor | str | None = None, dissipation: bool = False,
    fluid: Fluid | None = DEFAULT, ground: Ground | None = None, out: Array | None = None,
) -> Array:
    """
    Return what parents do to their children through joints, while forces act.

    Of each joint all that passes through it: reactions, drive, friction, and what the rotor takes.
    Fixed joints are merged away and have no row. A joint that follows another (``mimic=True``)
    carries what the coupling exerts along it, too. Where rows of loops are redundant, their
    multipliers are those of least norm.

    Parameters are those of ``forward_dynamics``.

    Returns
    -------
    array
        (joints, 6) or (N, joints, 6), in the order of ``wrench_names``, the tree's joints first:
        force [N], then moment [N m], at the joint's origin, in the axes of the child link. In
        URDF that is the child link's frame, which is the joint's. Of a loop joint the second link
        is the child; the wrench is that of its second frame.

    Raises
    ------
    MbdError
        As ``forward_dynamics``.

    References
    ----------
    Featherstone, Rigid Body Dynamics Algorithms, 2008, table 5.1; or as of the formulation.

    """
    if external_forces is None and executor is None and not dissipation:
        known = WRENCHES.within(model, formulation, gravity, fluid, ground, (), False)
        if known is not None:
            return known(q, v, tau) if out is None else known(q, v, tau, out=out)
    if is_field(fluid):
        return in_field(joint_wrenches, model, {'q': q, 'v': v, 'tau': tau},
                        fluid, out, external_forces,
                        gravity=gravity, formulation=formulation, executor=executor,
                        dissipation=dissipation, ground=ground)
    dyn = compile_model(model, gravity=gravity, executor=executor, formulation=formulation,
                        fluid=fluid, ground=ground)
    applied = checked_array(model, 'tau', tau, model.nv) + more_efforts(
        dyn, q, v, external_forces, dissipation)
    program = formulation_for(dyn.model, formulation).programs(dyn.model)['joint_wrenches']
    complete = 'tau' in program.inputs   # with what cut joints do
    found = dyn.joint_wrenches(q, v, applied if complete else dyn.forward_dynamics(q, v, applied))
    if not found.size:   # of no states
        result = np.zeros((*found.shape[:-2], len(wrench_names(model)), 6))
        return result if out is None else deliver(result, out)
    wrenches = np.roll(np.moveaxis(found.reshape(-1, model.nb, 6), 1, 0), 3, axis=-1)
    cut: list[Array] = []
    if external_forces or model.loops:
        states = [np.broadcast_to(array, (*found.shape[:-2], array.shape[-1])).reshape(
            -1, array.shape[-1]) for array in (*map(np.asarray, (q, v)), applied)]
    if external_forces and model.elastic is not None:
        wrenches = wrenches - np.roll(np.moveaxis(flexible.pushed(
            model, states[0], external_forces), 1, 0), 3, axis=-1)
        external_forces = None
    if model.loops and model.elastic is not None:
        multipliers = constrained_dynamics(model, *states, gravity=gravity, executor=executor,
                                           fluid=fluid, ground=ground).multipliers
        parts = [_cut_joints(dyn, q, own) for q, own in zip(states[0], multipliers)]
        wrenches = wrenches - np.concatenate([acting for acting, _ in parts], axis=1)
        cut = list(np.stack([own for _, own in parts], axis=1))
    elif external_forces or model.loops:
        motion = motion_of(model, states[0], states[1])
    if external_forces:   # entered as efforts; links feel them where they act
        wrenches = wrenches - at_joints(model, motion, pushed(dyn, states[0], external_forces))
    if model.loops and model.elastic is None:
        multipliers = constrained_dynamics(model, *states, gravity=gravity, executor=executor,
                                           fluid=fluid, ground=ground).multipliers[..., None]
        border = border_of(model, motion)
        if not complete:
            acting = (border.L * multipliers)[:, :, _between_links(model)].sum(axis=2)
            wrenches = wrenches - at_joints(model, motion, acting)
        on_bodies = np.concatenate([border.L, border.ground[None]]) * multipliers
        cut = [at_frame(on_bodies[loop.body2, :, first:last].sum(axis=1), loop.frame2)
               for loop, first, last in _rows(model) if loop.kind != 'mimic']
    turns = np.array([model.links[name].rotation for name in model.body_names])
    own = np.concatenate([wrenches[..., :3] @ turns, wrenches[..., 3:] @ turns], axis=-1)
    result = np.roll(np.stack([*own, *cut], axis=1), 3, axis=-1).reshape(*found.shape[:-2], -1, 6)
    return result if out is None else deliver(result, out)


def _cut_joints(dyn: PreparedDynamics, q: Array, multipliers: Array) -> tuple[Array, Array]:
    """
    Return what cut joints do to a robot with flexible links in one state, moments first.

    Through its joints (nb, 1, 6); and what each exerts on its second link (k, 6), at the second
    frame and in its axes.
    """
    model = dyn.model
    exerted = loop_wrenches(dyn, q, multipliers)
    described = {one.name: one for one in model.mechanism.loop_joints}
    acting = {link: np.zeros(6) for link in model.links}
    cut = []
    loops, poses = carried_loops(dyn, q)
    for loop in loops:
        if loop.kind == 'mimic':
            continue
        force, moment = exerted[loop.name][:3], exerted[loop.name][3:]
        at, turn = zip(*((frame.translation, frame.rotation) if frame.body < 0 else (
            poses[frame.body, :3, :3] @ frame.translation + poses[frame.body, :3, 3],
            poses[frame.body, :3, :3] @ frame.rotation) for frame in (loop.frame1, loop.frame2)))
        own = described[loop.name]
        for link, sign in ((own.link1, 1.0), (own.link2, -1.0)):
            arm = at[0] - dyn.pose(q, link)[:3, 3]
            acting[link] += sign * np.concatenate([force, moment + np.cross(arm, force)])
        cut.append(-np.concatenate([(moment + np.cross(at[0] - at[1], force)) @ turn[1],
                                    force @ turn[1]]))
    through = np.moveaxis(flexible.pushed(model, q[None], acting), 1, 0)
    return np.roll(through, 3, axis=-1), np.array(cut).reshape(-1, 6)


def _rows(model: Model) -> list[tuple[Loop, int, int]]:
    """Return each loop with its first row and the one after its last."""
    return list(zip(model.loops, first_rows(model.loops), first_rows(model.loops)[1:]))


def _between_links(model: Model) -> list[int]:
    """Return the rows that are no couplings of joints: those act through the joints themselves."""
    return [k for loop, first, last in _rows(model) if loop.kind != 'mimic'
            for k in range(first, last)]


def at_frame(wrench: Array, frame: LinkFrame) -> Array:
    """Return a wrench (N, 6) on a body, moment first, at a frame on it and in its axes."""
    moment = wrench[:, :3] - np.cross(frame.translation, wrench[:, 3:])
    return np.hstack([moment @ frame.rotation, wrench[:, 3:] @ frame.rotation])


def at_joints(model: Model, motion: Motion, wrenches: Array) -> Array:
    """
    Return the sums of wrenches on bodies over the subtree of each joint.

    Parameters
    ----------
    model : Model
        The robot.
    motion : Motion
        Of its bodies.
    wrenches : array
        (nb, N, 6) moment first, in the axes and at the origin of each body.

    Returns
    -------
    array
        (nb, N, 6) likewise, of each body with all that it carries.

    """
    carried = inwards(model, motion, wrenches[:, :, None])[:, :, 0]
    origins = scan(np.add, motion.offsets, paths_of(model))
    moment = carried[..., :3] - np.cross(origins, carried[..., 3:])
    return np.concatenate([apply(np.swapaxes(motion.rotations, -1, -2), part)
                           for part in (moment, carried[..., 3:])], axis=-1)


def pushed(dyn: PreparedDynamics, q: Array, external_forces: Mapping[str, ArrayLike]) -> Array:
    """Return forces on links, see ``forward_dynamics``, as wrenches (nb, N, 6), moment first."""
    model = dyn.model
    wrenches = np.zeros((model.nb, len(q), 6))
    for name, value in external_forces.items():
        frame = model.link(name)
        if frame.body >= 0:
            turns = dyn.body_poses(q)[:, frame.body, :3, :3]
            force, moment = (apply(np.swapaxes(turns, -1, -2), part) for part in np.split(
                np.broadcast_to(np.asarray(value, dtype=np.float64), (len(q), 6)), 2, axis=-1))
            wrenches[frame.body] += np.hstack(
                [moment + np.cross(frame.translation, force), force])
    return wrenches
