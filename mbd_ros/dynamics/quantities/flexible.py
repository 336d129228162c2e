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

"""Poses, Jacobians, energies and derivatives of robots with flexible links, for N states."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
import warnings

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.algorithms.flexible.link_inertia import Array, cross
from mbd_ros.dynamics.algorithms.flexible.loads import energies_along_joints, energies_around
from mbd_ros.dynamics.algorithms.flexible.loop_rows import (
    accelerations_of, loop_rows, twists, VALUES)
from mbd_ros.dynamics.algorithms.flexible.midpoint import closing, midpoint
from mbd_ros.dynamics.algorithms.flexible.motion import place, Placed, tree_of_segments
from mbd_ros.dynamics.algorithms.flexible.recursion import (
    accelerations, base_of, generalized_forces, hybrid_dynamics, of_bodies, small)
from mbd_ros.dynamics.quantities.flexible_momenta import along, moment_of, STEP
from mbd_ros.errors import LargeDeflectionWarning
from mbd_ros.execution.program.array_program import ArrayProgram, Evaluate, never
from mbd_ros.execution.program.sweeps import Layout
from mbd_ros.execution.stacks.stacks import apply
from mbd_ros.model import Model
from mbd_ros.model.flexible.on_segments import on_segments
from mbd_ros.model.flexible.shape_integrals import cross_matrices
from mbd_ros.model.flexible.stations import link_stations
from mbd_ros.model.state import configuration_rate

__all__ = ['closing', 'efforts_of', 'flexible_program', 'force_slopes', 'hybrid_dynamics',
           'link_program', 'midpoint', 'push_slopes', 'pushed', 'segments_moving', 'small',
           'twists', 'warn_of_deflection']


def flexible_program(model: Model, function: str) -> ArrayProgram:
    """
    Return the program of a function of ``PreparedDynamics`` for a robot with flexible links.

    Raises
    ------
    UnsupportedError
        If there is none.

    """
    count = len(tree_of_segments(model).segments)
    known: dict[str, tuple[tuple[str, ...], Evaluate, Layout, tuple[int, ...]]] = {
        'body_poses': (('q',), _body_poses, Layout.BODIES, (4, 4)),
        'body_velocities': (('q', 'v'), _body_velocities, Layout.BODIES, (6,)),
        'energies': (('q', 'v'), _energies, Layout.ONE_BODY, (count, 2)),
        'loop_rows': (('q', 'v'), loop_rows, Layout.ROWS, (VALUES,)),
        'own_loop_rows': (('q', 'v'), loop_rows, Layout.ROWS, (VALUES,)),
        'forward_dynamics_derivatives': (
            ('q', 'v', 'tau'), _forward_derivatives, Layout.SQUARES, (3,)),
        'inverse_dynamics_derivatives': (
            ('q', 'v', 'qdd'), _inverse_derivatives, Layout.SQUARES, (3,))}
    if function not in known:
        model.require_rigid(function)
    inputs, evaluate, layout, extent = known[function]
    return ArrayProgram(f'flexible_{function}', inputs, layout=layout, extent=extent,
                        evaluate=evaluate, traces=never if 'derivatives' in function else small)


def link_program(model: Model, what: str, link: str) -> ArrayProgram:
    """Return the program of the pose, the Jacobian, its rate or the motion of a link or seat."""
    found = on_segments(model).link(link)
    frame = (found.body, found.rotation, found.translation)
    name = f'{what} of flexible {link}'
    if what == 'pose':
        return ArrayProgram(name, ('q',), layout=Layout.ONE_BODY, extent=(4, 4),
                            evaluate=partial(_link_pose, frame), traces=small)
    if what == 'jacobian':
        return ArrayProgram(name, ('q',), layout=Layout.COLUMNS, extent=(6,),
                            evaluate=partial(_link_jacobian, frame), traces=small)
    if what == 'jacobian rate':
        return ArrayProgram(name, ('q', 'v'), layout=Layout.COLUMNS, extent=(6,),
                            evaluate=partial(_link_jacobian_rate, frame))
    return ArrayProgram(name, ('q', 'v', 'qdd'), layout=Layout.ONE_BODY, extent=(28,),
                        evaluate=partial(_link_motion, frame), traces=small)


Inputs = Mapping[str, Array]
Frame = tuple[int, Array, Array]
"""The segment of a link, its rotation and translation there."""


def _at_rest(model: Model, q: Array) -> list[Placed]:
    return place(model, q, np.zeros((len(q), model.nv)))


def _seen(frame: Frame, chain: list[Placed], states: int) -> Array:
    """Return the poses (N, 4, 4) of a frame on a segment, -1 for the ground."""
    segment, local = frame[0], np.eye(4)
    local[:3, :3], local[:3, 3] = frame[1:]
    if segment < 0:
        return np.broadcast_to(local, (states, 4, 4))
    result: Array = chain[segment].pose @ local
    return result


def _link_pose(frame: Frame, model: Model, inputs: Inputs, world: Array, executor: Any
               ) -> Array:
    q = inputs['q']
    return _seen(frame, _at_rest(model, q), len(q))


def _link_jacobian(frame: Frame, model: Model, inputs: Inputs, world: Array, executor: Any
                   ) -> Array:
    return _columns(frame, model, _at_rest(model, inputs['q']), len(inputs['q']))


def _link_jacobian_rate(frame: Frame, model: Model, inputs: Inputs, world: Array, executor: Any
                        ) -> Array:
    q, v = inputs['q'], inputs['v']
    rate: Array = _columns(frame, model, along(model, q, v), len(q)).imag / STEP
    return rate


def _columns(frame: Frame, model: Model, chain: list[Placed], states: int) -> Array:
    """Return the Jacobians (N, 6, nv) of a frame on a segment, -1 for the ground."""
    segment, _, place_there = frame
    if segment < 0:
        return np.zeros((states, 6, model.nv))
    columns = twists(model, chain)[segment]
    turn = chain[segment].pose[:, :3, :3]
    linear = columns[:, :3] - cross_matrices(place_there) @ columns[:, 3:]
    return np.concatenate([turn @ linear, turn @ columns[:, 3:]], axis=1)


def _link_motion(frame: Frame, model: Model, inputs: Inputs, world: Array, executor: Any
                 ) -> Array:
    q, v, vdot = inputs['q'], inputs['v'], inputs['qdd']
    chain = place(model, q, v)
    pose = _seen(frame, chain, len(q))
    moving = np.zeros((len(q), 12), pose.dtype)
    if frame[0] >= 0:
        found = accelerations_of(model, chain, vdot)
        turn, p = chain[frame[0]].pose[:, :3, :3], frame[2]
        twist, acceleration = chain[frame[0]].twist, found[frame[0]]
        w = twist[:, 3:]
        for k, vector in enumerate((
                twist[:, :3] + cross(w, p), w,
                acceleration[:, :3] + cross(acceleration[:, 3:], p) + cross(w, cross(w, p)),
                acceleration[:, 3:])):
            moving[:, 3 * k:3 * k + 3] = apply(turn, vector)
    return np.hstack([pose.reshape(len(q), 16), moving])


def pushed(model: Model, q: Array, forces: Mapping[str, ArrayLike]) -> Array:
    """Return what forces on links put through joints (N, nb, 6): forces, moments, body axes."""
    return np.stack(of_bodies(model, _carried(model, _at_rest(model, q), forces)[0]), axis=1)


def efforts_of(model: Model, q: Array, forces: Mapping[str, ArrayLike]) -> Array:
    """Return the generalized forces (N, nv) of forces on links (6,) or (N, 6), world axes."""
    chain = _at_rest(model, q)
    carried, result = _carried(model, chain, forces)
    for own, wrench in zip(chain, carried):
        result[:, own.joint] = wrench @ own.axes
    return result


def _carried(model: Model, chain: list[Placed], forces: Mapping[str, ArrayLike]
             ) -> tuple[list[Array], Array]:
    """Return what forces on links put through each segment (N, 6), and on shapes (N, nv)."""
    tree = tree_of_segments(model)
    states = len(chain[0].pose) if chain else 1
    shapes = np.zeros((states, model.nv))
    carried = [np.zeros((states, 6)) for _ in chain]
    for link, value in forces.items():
        frame = tree.links[link]
        if frame.body >= 0:
            turn = chain[frame.body].pose[:, :3, :3].transpose(0, 2, 1)
            wrench = np.broadcast_to(np.asarray(value, np.float64), (states, 6))
            force, moment = apply(turn, wrench[:, :3]), apply(turn, wrench[:, 3:])
            carried[frame.body] = carried[frame.body] + np.hstack(
                [force, moment + np.cross(frame.translation, force)])
    for i in reversed(range(len(chain))):
        parent = tree.segments[i].parent
        if parent >= 0:
            given = apply(chain[i].transfer.transpose(0, 2, 1), carried[i])
            carried[parent] = carried[parent] + given[:, :6]
            shapes[:, chain[parent].elastic] += given[:, 6:]
    return carried, shapes


def _body_poses(model: Model, inputs: Inputs, world: Array, executor: Any) -> Array:
    chain = of_bodies(model, [own.pose for own in _at_rest(model, inputs['q'])])
    return np.stack(chain, axis=1) if chain else np.zeros((len(inputs['q']), 0, 4, 4))


def _body_velocities(model: Model, inputs: Inputs, world: Array, executor: Any) -> Array:
    chain = place(model, inputs['q'], inputs['v'])
    result = np.zeros((len(inputs['q']), model.nb, 6), inputs['q'].dtype)
    for i, (pose, twist) in enumerate(zip(of_bodies(model, [own.pose for own in chain]),
                                          of_bodies(model, [own.twist for own in chain]))):
        for part in (slice(0, 3), slice(3, 6)):
            result[:, i, part] = apply(pose[:, :3, :3], twist[:, part])
    return result


def segments_moving(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """Return poses (n, 4, 4) and velocities (n, 6) of all segments in one state, world axes."""
    chain = place(model, q[None], v[None])
    poses = np.array([own.pose[0] for own in chain]).reshape(-1, 4, 4)
    twists = np.array([own.twist[0] for own in chain]).reshape(-1, 2, 3)
    return poses, (twists @ poses[:, :3, :3].transpose(0, 2, 1)).reshape(-1, 6)


def _energies(model: Model, inputs: Inputs, world: Array, executor: Any) -> Array:
    """Return kinetic, and potential with strain energy of each segment (N, segments, 2) [J]."""
    q, v = inputs['q'], inputs['v']
    chain, segments = place(model, q, v), tree_of_segments(model).segments
    result = np.zeros((len(q), len(segments), 2), q.dtype)
    shift = model.nq - model.nv
    for k, (segment, own) in enumerate(zip(segments, chain)):
        rates = np.hstack([own.twist, v[:, own.elastic]])
        result[:, k, 0] = 0.5 * (np.sum(rates * apply(own.terms.mass, rates), axis=1)
                                 + v[:, own.joint] ** 2 @ model.armature[own.joint])
        fallen = segment.mass * own.pose[:, :3, 3] + apply(own.pose[:, :3, :3], moment_of(own))
        result[:, k, 1] = -(fallen @ world[:3])
        if segment.elastic is not None:
            a = q[:, own.elastic.start + shift:own.elastic.stop + shift]
            body = segment.elastic
            products = a[:, body.pairs[0]] * a[:, body.pairs[1]]
            result[:, k, 1] += 0.5 * (
                np.sum(a * (a @ body.stiffness), axis=1)
                + np.sum(products * (products @ body.second_stiffness), axis=1))
    along = energies_along_joints(model, q)
    for k, segment in enumerate(segments):
        if segment.joint >= 0:
            result[:, k, 1] += along[:, segment.joint]
    around: Array = result + energies_around(model, chain, world)
    return around


def _stepped(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """Return states (2 nv, ...) with a complex step along each displacement and velocity."""
    nv = model.nv
    places = np.repeat(q[None].astype(complex), 2 * nv, axis=0)
    rates = np.repeat(v[None].astype(complex), 2 * nv, axis=0)
    places[:nv] += 1j * STEP * np.array([configuration_rate(model, q, one)
                                         for one in np.eye(nv)]).reshape(nv, len(q))
    rates[nv:] += 1j * STEP * np.eye(nv)
    return places, rates


def _forward_derivatives(model: Model, inputs: Inputs, world: Array, executor: Any) -> Array:
    nv, base = model.nv, base_of(world)
    result = np.zeros((len(inputs['q']), 3, nv, nv))
    for found, q, v, tau in zip(result, inputs['q'], inputs['v'], inputs['tau']):
        chain = place(model, *_stepped(model, q, v))
        columns = accelerations(model, chain, np.tile(tau, (2 * nv, 1)), base)[0]
        found[:2] = columns.imag.reshape(2, nv, nv).transpose(0, 2, 1) / STEP
        still = place(model, np.tile(q, (nv, 1)), np.zeros((nv, nv)))
        zero = accelerations(model, still, np.zeros((nv, nv)), 0.0 * base)[0]
        found[2] = (accelerations(model, still, np.eye(nv), 0.0 * base)[0] - zero).T
    return result


def _inverse_derivatives(model: Model, inputs: Inputs, world: Array, executor: Any) -> Array:
    nv, base = model.nv, base_of(world)
    result = np.zeros((len(inputs['q']), 3, nv, nv))
    for found, q, v, vdot in zip(result, inputs['q'], inputs['v'], inputs['qdd']):
        chain = place(model, *_stepped(model, q, v))
        columns = generalized_forces(model, chain, np.tile(vdot, (2 * nv, 1))[:, :, None], base)
        found[:2] = columns[:, :, 0].imag.reshape(2, nv, nv).transpose(0, 2, 1) / STEP
        found[2] = generalized_forces(model, _at_rest(model, q[None]), np.eye(nv)[None],
                                      0.0 * base, bias=False)[0]
    return result


def loop_changes(model: Model, q: Array, v: Array) -> Array:
    """Return the derivatives of ``loop_rows`` (2 nv, m, 3 + nv) in one state, by q and by v."""
    places, rates = _stepped(model, q, v)
    changes: Array = loop_rows(model, {'q': places, 'v': rates}, np.zeros(0), None).imag / STEP
    return changes


def force_slopes(model: Model, q: Array, multipliers: Array) -> Array:
    """Return the derivative of ``A^T lambda`` along displacements (nv, nv), in one state."""
    rows = loop_changes(model, q, np.zeros(model.nv))[:model.nv, :, VALUES:]
    slopes: Array = (multipliers @ rows).T
    return slopes


def push_slopes(model: Model, link: str, q: Array, wrench: Array) -> Array:
    """Return the derivative of ``J^T F`` of a link along displacements (nv, nv), in one state."""
    found = tree_of_segments(model).links[link]
    places = _stepped(model, q, np.zeros(model.nv))[0][:model.nv]
    jacobians = _link_jacobian((found.body, found.rotation, found.translation), model,
                               {'q': places}, np.zeros(0), None)
    return np.asarray((wrench @ jacobians).imag.T / STEP)


def _largest(a: Array, columns: Array) -> Array:
    """Return the largest length (N,) of vectors (k, 3, n) times coordinates (N, n)."""
    if not columns.any():
        return np.zeros(len(a))
    largest: list[float] = []
    rows = max(1, 10**6 // columns.size)   # finite elements have thousands of points
    for begin in range(0, len(a), rows):
        moved: Array = np.einsum('kxj,nj->nkx', columns, a[begin:begin + rows])
        largest += np.linalg.norm(moved, axis=2).max(axis=1).tolist()
    return np.array(largest)


LARGE_DEFLECTION, LARGE_SLOPE = 0.1, 0.2
"""Of the length of a link, and [rad]: linear modes are off by some percent."""


def warn_of_deflection(model: Model, q: Array, v: Array, stacklevel: int = 4) -> None:
    """
    Warn once of links that bend, or turn, more than their linear modes allow.

    Parameters
    ----------
    model : Model
        The robot.
    q, v : (N, nq) and (N, nv) array
        States.
    stacklevel : int
        Of the line that called, see ``warnings.warn``; ``numpy.errstate`` has a frame of its own.

    Warns
    -----
    LargeDeflectionWarning
        With the link, the state's number and how far it bends or how fast it turns.

    """
    if model.elastic is None or not len(q):
        return
    first = model.nq - len(model.elastic_names)
    for segment in model.elastic.segments:
        body = segment.elastic
        if body is None or body.is_spring:
            continue
        a = q[:, first + body.first:first + body.first + body.count]
        seen = link_stations(model)[body.link]
        sizes = [(_largest(a, seen.shapes[:, :, :body.count]) / body.length, LARGE_DEFLECTION,
                  'bends by', 'of its length')]
        carried = [(_largest(a, other.attachment.rotation[None]), LARGE_SLOPE,
                    f"turns '{other.link}' by", 'rad') for other in model.elastic.segments
                   if other.attachment is not None
                   and model.elastic.segments[other.parent] is segment]
        # Its sections are told of where nothing says it that sits on one.
        sizes += carried if any(turns.max() > LARGE_SLOPE for turns, *_ in carried) else [
            (_largest(a, seen.turns), LARGE_SLOPE, 'turns a section by', 'rad')]
        if not body.pairs.size:
            n = body.count
            slowest = np.sqrt(max(np.linalg.eigvals(np.linalg.solve(
                body.mass[:n, :n], body.stiffness)).real.min(), 0.0))
            own = place(model, q, v)[model.elastic.segments.index(segment)]
            sizes.append((np.linalg.norm(own.twist[:, 3:], axis=1), slowest,
                          'has no geometric stiffening and turns at', 'rad/s'))
        for values, most, what, unit in sizes:
            if values.max() > most:
                warnings.warn(
                    f"link '{segment.link}' {what} {values.max():.3g} {unit} in state "
                    f'{int(values.argmax())}; its linear modes are valid up to {most:.3g}',
                    LargeDeflectionWarning, stacklevel=stacklevel)
