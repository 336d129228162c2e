"""Poses, Jacobians, energies and derivatives of robots with flexible links, for N states."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
import warnings

import numpy as np

from mbd_ros.dynamics.formulations.flexible.bodies import Array
from mbd_ros.dynamics.formulations.flexible.motion import place, Placed, tree_of_segments
from mbd_ros.dynamics.formulations.flexible.recursion import (
    accelerations, base_of, generalized_forces)
from mbd_ros.errors import LargeDeflectionWarning
from mbd_ros.execution.program.array_program import ArrayProgram, Evaluate
from mbd_ros.execution.program.sweeps import Layout
from mbd_ros.model import LinkFrame, Model
from mbd_ros.model.flexible.shape_integrals import cross_matrices
from mbd_ros.model.state import configuration_rate

STEP = 1e-30
"""Of complex steps: its square is nothing beside 1, so that derivatives are exact."""


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
        'forward_dynamics_derivatives': (
            ('q', 'v', 'tau'), _forward_derivatives, Layout.SQUARES, (3,)),
        'inverse_dynamics_derivatives': (
            ('q', 'v', 'qdd'), _inverse_derivatives, Layout.SQUARES, (3,))}
    if function not in known:
        model.require_rigid(function)
    inputs, evaluate, layout, extent = known[function]
    return ArrayProgram(f'flexible_{function}', inputs, layout=layout, extent=extent,
                        evaluate=evaluate)


def link_program(model: Model, what: str, link: str) -> ArrayProgram:
    """Return the program of the pose, the Jacobian or the motion of a link."""
    frame = tree_of_segments(model).links[link]
    name = f'{what} of flexible {link}'
    if what == 'pose':
        return ArrayProgram(name, ('q',), layout=Layout.ONE_BODY, extent=(4, 4),
                            evaluate=partial(_link_pose, frame))
    if what == 'jacobian':
        return ArrayProgram(name, ('q',), layout=Layout.COLUMNS, extent=(6,),
                            evaluate=partial(_link_jacobian, frame))
    return ArrayProgram(name, ('q', 'v', 'qdd'), layout=Layout.ONE_BODY, extent=(28,),
                        evaluate=partial(_link_motion, frame))


Inputs = Mapping[str, Array]


def _at_rest(model: Model, q: Array) -> list[Placed]:
    return place(model, q, np.zeros((len(q), model.nv)))


def _seen(frame: LinkFrame, chain: list[Placed], states: int) -> Array:
    """Return the poses (N, 4, 4) of a frame on a segment, -1 for the ground."""
    local = np.eye(4)
    local[:3, :3], local[:3, 3] = frame.rotation, frame.translation
    if frame.body < 0:
        return np.broadcast_to(local, (states, 4, 4))
    result: Array = chain[frame.body].pose @ local
    return result


def _link_pose(frame: LinkFrame, model: Model, inputs: Inputs, world: Array, executor: Any
               ) -> Array:
    q = inputs['q']
    return _seen(frame, _at_rest(model, q), len(q))


def twists(model: Model, chain: list[Placed]) -> list[Array]:
    """Return what unit velocities move each segment by (N, 6, nv), in its own axes."""
    unit = np.eye(model.nv)
    found: list[Array] = []
    for segment, own in zip(tree_of_segments(model).segments, chain):
        states = len(own.twist)
        columns = np.broadcast_to(own.axes @ unit[own.joint], (states, 6, model.nv))
        if segment.parent >= 0:
            rates = np.broadcast_to(unit[chain[segment.parent].elastic],
                                    (states, own.transfer.shape[2] - 6, model.nv))
            columns = columns + own.transfer @ np.concatenate(
                [found[segment.parent], rates], axis=1)
        found.append(columns)
    return found


def _link_jacobian(frame: LinkFrame, model: Model, inputs: Inputs, world: Array, executor: Any
                   ) -> Array:
    q = inputs['q']
    if frame.body < 0:
        return np.zeros((len(q), 6, model.nv))
    chain = _at_rest(model, q)
    columns = twists(model, chain)[frame.body]
    turn = chain[frame.body].pose[:, :3, :3]
    linear = columns[:, :3] - cross_matrices(frame.translation) @ columns[:, 3:]
    return np.concatenate([turn @ linear, turn @ columns[:, 3:]], axis=1)


def _link_motion(frame: LinkFrame, model: Model, inputs: Inputs, world: Array, executor: Any
                 ) -> Array:
    q, v, vdot = inputs['q'], inputs['v'], inputs['qdd']
    chain = place(model, q, v)
    pose = _seen(frame, chain, len(q))
    moving = np.zeros((len(q), 12))
    if frame.body >= 0:
        found: list[Array] = []
        for segment, own in zip(tree_of_segments(model).segments, chain):
            above = (np.zeros((len(q), 6)) if segment.parent < 0 else np.hstack(
                [found[segment.parent], vdot[:, chain[segment.parent].elastic]]))
            found.append(np.einsum('nij,nj->ni', own.transfer, above)
                         + vdot[:, own.joint] @ own.axes.T + own.bias)
        turn, p = chain[frame.body].pose[:, :3, :3], frame.translation
        twist, acceleration = chain[frame.body].twist, found[frame.body]
        w = twist[:, 3:]
        for k, vector in enumerate((
                twist[:, :3] + np.cross(w, p), w,
                acceleration[:, :3] + np.cross(acceleration[:, 3:], p)
                + np.cross(w, np.cross(w, p)), acceleration[:, 3:])):
            moving[:, 3 * k:3 * k + 3] = np.einsum('nxy,ny->nx', turn, vector)
    return np.hstack([pose.reshape(len(q), 16), moving])


def _moving(model: Model, chain: list[Placed]) -> list[Placed]:
    """Return the segments of the bodies, those that joints move, in the order of the joints."""
    pairs = zip(tree_of_segments(model).segments, chain)
    return [own for _, own in sorted(((segment.joint, own) for segment, own in pairs
                                      if segment.joint >= 0), key=lambda pair: pair[0])]


def _body_poses(model: Model, inputs: Inputs, world: Array, executor: Any) -> Array:
    chain = _moving(model, _at_rest(model, inputs['q']))
    return np.stack([own.pose for own in chain], axis=1) if chain else np.zeros(
        (len(inputs['q']), 0, 4, 4))


def _body_velocities(model: Model, inputs: Inputs, world: Array, executor: Any) -> Array:
    chain = _moving(model, place(model, inputs['q'], inputs['v']))
    result = np.zeros((len(inputs['q']), len(chain), 6))
    for i, own in enumerate(chain):
        for part in (slice(0, 3), slice(3, 6)):
            result[:, i, part] = np.einsum('nxy,ny->nx', own.pose[:, :3, :3], own.twist[:, part])
    return result


def _energies(model: Model, inputs: Inputs, world: Array, executor: Any) -> Array:
    """Return kinetic, and potential with strain energy of each segment (N, segments, 2) [J]."""
    q, v = inputs['q'], inputs['v']
    chain, segments = place(model, q, v), tree_of_segments(model).segments
    result = np.zeros((len(q), len(segments), 2))
    shift = model.nq - model.nv
    for k, (segment, own) in enumerate(zip(segments, chain)):
        rates = np.hstack([own.twist, v[:, own.elastic]])
        result[:, k, 0] = 0.5 * (np.einsum('ni,nij,nj->n', rates, own.terms.mass, rates)
                                 + v[:, own.joint] ** 2 @ model.armature[own.joint])
        cross = own.terms.mass[:, 3:6, :3]  # of the first moment about the origin
        moment = np.stack([cross[:, 2, 1], cross[:, 0, 2], cross[:, 1, 0]], axis=1)
        fallen = segment.mass * own.pose[:, :3, 3] + np.einsum(
            'nxy,ny->nx', own.pose[:, :3, :3], moment)
        result[:, k, 1] = -fallen @ world[:3]
        if segment.elastic is not None:
            a = q[:, own.elastic.start + shift:own.elastic.stop + shift]
            body = segment.elastic
            products = a[:, body.pairs[0]] * a[:, body.pairs[1]]
            result[:, k, 1] += 0.5 * (
                np.einsum('ni,ij,nj->n', a, body.stiffness, a)
                + np.einsum('ni,ij,nj->n', products, body.second_stiffness, products))
    return result


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


LARGE_DEFLECTION, LARGE_SLOPE = 0.1, 0.2
"""Of the length of a link, and [rad]: linear modes are off by some percent."""


def warn_of_deflection(model: Model, q: Array, v: Array) -> None:
    """
    Warn once of links that bend, or turn, more than their linear modes allow.

    Parameters
    ----------
    model : Model
        The robot.
    q, v : (N, nq) and (N, nv) array
        States.

    Warns
    -----
    LargeDeflectionWarning
        With the link, the state's number and how far it bends or how fast it turns.

    """
    if model.elastic is None or not len(q):
        return
    chain = place(model, q, v)
    for segment, own in zip(model.elastic.segments, chain):
        body = segment.elastic
        if body is None:
            continue
        shift = model.nq - model.nv
        a = q[:, own.elastic.start + shift:own.elastic.stop + shift]
        sizes = [(np.linalg.norm(a @ body.tip.T, axis=1) / body.length, LARGE_DEFLECTION,
                  'bends by', 'of its length')]
        sizes += [(np.linalg.norm(a @ other.attachment.rotation.T, axis=1), LARGE_SLOPE,
                   f"turns '{other.link}' by", 'rad') for other in model.elastic.segments
                  if other.attachment is not None
                  and model.elastic.segments[other.parent] is segment]
        if not body.pairs.size:
            n = body.count
            first = np.sqrt(max(np.linalg.eigvals(np.linalg.solve(
                body.mass[:n, :n], body.stiffness)).real.min(), 0.0))
            sizes.append((np.linalg.norm(own.twist[:, 3:], axis=1), first,
                          'has no geometric stiffening and turns at', 'rad/s'))
        for values, most, what, unit in sizes:
            if values.max() > most:
                warnings.warn(
                    f"link '{segment.link}' {what} {values.max():.3g} {unit} in state "
                    f'{int(values.argmax())}; its linear modes are valid up to {most:.3g}',
                    LargeDeflectionWarning, stacklevel=3)
