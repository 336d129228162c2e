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
How all bodies of a robot move, as stacks: one array for each quantity, (nb, N, ...) for N states.

Scans along the tree take the place of sweeps. Accelerations are classical (``body_motion.py``).

"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.algorithms.aba_loops import no_loop_loads
from mbd_ros.dynamics.algorithms.body_motion import BodyState
from mbd_ros.dynamics.algorithms.loop_rows import apply_tie, phi_of
import mbd_ros.environment.law as law
from mbd_ros.execution.program.driver import tie_all
from mbd_ros.execution.program.records import filled
from mbd_ros.execution.program.sweeps import Ties
from mbd_ros.execution.program.tree import tree_of, world_of
from mbd_ros.execution.stacks.blocks import transposed
from mbd_ros.execution.stacks.scan import outward, Paths, paths, scan
from mbd_ros.execution.stacks.stacks import (
    apply, cross_matrices, local_links, rotations, vector_stack, vectors)
from mbd_ros.execution.stacks.steps import Stack
from mbd_ros.model import Model
from mbd_ros.model.accessibility import accessibility
from mbd_ros.model.caches import owned
from mbd_ros.spatial import IDENTITY, Link, Twist, ZERO3, ZERO_TWIST


class Axes(NamedTuple):
    """
    The axes along which joints move their bodies, one for each entry of v.

    Attributes
    ----------
    body : array of int
        (nv,) body that it moves.
    number : array of int
        (nv,) which of the body's: 0-2 turns about, 3-5 slides along x y z.
    places : array of int
        (nv,) where each axis is among the six of all bodies.

    """

    body: NDArray[np.int64]
    number: NDArray[np.int64]
    places: NDArray[np.int64]

    @property
    def turns(self) -> NDArray[np.bool_]:
        """(nv,) which axes turn."""
        return self.number < 3


@owned()
def axes_of(model: Model) -> Axes:
    """Return the axes of a robot."""
    body = np.repeat(np.arange(model.nb), [kind.nv for kind in model.joint_types])
    number = np.array([k for kind in model.joint_types for k in kind.pair.axes], dtype=np.int64)
    return Axes(body, number, 6 * body + number)


@owned()
def paths_of(model: Model) -> Paths:
    """Return who hangs on whom."""
    return paths(model.parents)


@owned()
def reaches(model: Model) -> Stack:
    """Return ``S`` (nb, nv): 1 where the joint of a speed lies on the path to a body."""
    adjacency = np.zeros((model.nb, model.nb), dtype=np.int64)
    for child, parent in enumerate(model.parents):
        if parent >= 0:
            adjacency[parent, child] = 1
    paths = accessibility(adjacency) + np.eye(model.nb, dtype=np.int64)
    found: Stack = paths[axes_of(model).body].T.astype(float)
    return found


class Motion(NamedTuple):
    """
    Poses and angular velocities of all bodies.

    Attributes
    ----------
    turns, places : array
        (nb, N, 3, 3), (nb, N, 3): poses in the parents' axes, see ``local_links``.
    rotations : array
        (nb, N, 3, 3) axes of each body as columns, in the world.
    offsets : array
        (nb, N, 3) from the parent's origin to the body's, in world axes [m].
    rates : array
        (nb, N, 6) velocity in the parent, in the body's axes, angular first.
    turning, turning_inboard : array
        (nb, N, 3) angular velocities of the body and of its parent, in world axes.
    q : array
        (N, nq) coordinates.

    """

    turns: Stack
    places: Stack
    rotations: Stack
    offsets: Stack
    rates: Stack
    turning: Stack
    turning_inboard: Stack
    q: Stack


def motion_of(model: Model, q: Stack, v: Stack, threads: int = 1) -> Motion:
    """Return poses and angular velocities at q (N, nq), v (N, nv)."""
    turns, places = local_links(model, q, threads)
    rates, many = along_axes(model, v), len(q)
    ground = np.broadcast_to(np.eye(3), (many, 3, 3)), np.zeros((many, 3))
    rotations, turning, offsets, inner = outward(
        moving, ground, (turns, places, rates), paths_of(model), threads)
    return Motion(turns, places, rotations, offsets, rates, turning, inner, q)


def moving(inner: Stack, turning: Stack, turn: Stack, place: Stack, rate: Stack
           ) -> tuple[Stack, ...]:
    """
    Return how a body moves, from the axes of its parent and the parent's angular velocity.

    These are its axes and angular velocity, its offset from the parent, and what was given.
    """
    rotation = inner @ turn
    return rotation, turning + apply(rotation, rate[..., :3]), apply(inner, place), turning


def along_axes(model: Model, rates: Stack) -> Stack:
    """Return the twists (nb, N, 6) in the bodies' axes of rates (N, nv) of all joints."""
    twists = np.zeros((6 * model.nb, len(rates)), dtype=rates.dtype)
    twists[axes_of(model).places] = rates.T
    return twists.reshape(model.nb, 6, -1).swapaxes(1, 2)


def drift_of(model: Model, v: Stack) -> Stack:
    """Return ``Joint.drift`` (N, nv) of velocities (N, nv)."""
    found = np.zeros_like(v)
    for part, turning in turning_axes(model, v):
        found[:, part] = apply(turning, v[:, part])
    return found


def turning_axes(model: Model, v: Stack) -> Iterator[tuple[slice, Stack]]:
    """Yield where joints slide along axes that turn with w, and [w]x (N, nj, nj) along them."""
    for kind, first in zip(model.joint_types, model.v_offsets):
        turns, slides = np.split(np.eye(6)[:, list(kind.pair.axes)], 2)
        if turns.any() and slides.any():
            part = slice(first, first + kind.nv)
            yield part, slides.T @ cross_matrices(v[:, part] @ turns.T) @ slides


def of_axes(model: Model, twists: Stack) -> Stack:
    """Return the rates (N, nv) of all joints in twists (nb, N, 6) in the bodies' axes."""
    entries = twists.swapaxes(1, 2).reshape(6 * model.nb, -1)
    rates: Stack = entries[axes_of(model).places].T
    return rates


def coriolis(rotation: Stack, turning: Stack, turn: Stack, place: Stack, rate: Stack) -> Stack:
    """Return c (6,), see ``body_motion.py``, angular first; turning: that of the parent."""
    carried = apply(transposed(rotation), turning)
    turned = apply(turn, carried)   # in the parent's axes
    spin, slide = rate[..., :3], rate[..., 3:]
    centripetal = apply(transposed(turn), np.cross(turned, np.cross(turned, place)))
    return np.concatenate([np.cross(carried, spin), centripetal + np.cross(
        2.0 * carried + spin, slide)], axis=-1)


def coriolis_of(motion: Motion) -> Stack:
    """Return c (nb, N, 6) of all bodies."""
    return coriolis(motion.rotations, motion.turning_inboard, motion.turns, motion.places,
                    motion.rates)


class Columns(NamedTuple):
    """
    What a unit rate of each axis does to the bodies it carries, (nv, N, 3) each, in world axes.

    An axis that turns about a direction e through o, or slides along e, gives angular velocity and
    velocity of what is at the world's origin ``w, u = e, o x e``, or ``w, u = 0, e``.
    """

    w: Stack
    u: Stack


def columns_of(model: Model, motion: Motion, origins: Stack) -> Columns:
    """Return the columns of all axes, from the origins (nb, N, 3) of the bodies."""
    axes = axes_of(model)
    e = motion.rotations[axes.body, :, :, axes.number % 3]
    turning = axes.turns[:, None, None]
    return Columns(np.where(turning, e, 0.0),
                   np.where(turning, np.cross(origins[axes.body], e), e))


def origins_and_speeds(model: Model, motion: Motion) -> tuple[Stack, Stack]:
    """Return places and velocities (nb, N, 3) of the bodies' origins, in world axes."""
    return (scan(np.add, motion.offsets, paths_of(model)),
            scan(np.add, np.cross(motion.turning_inboard, motion.offsets)
                 + apply(motion.rotations, motion.rates[..., 3:]), paths_of(model)))


def ends_of(model: Model, motion: Motion) -> Callable[[int], BodyState]:
    """
    Return how ties see a body, for all states at once.

    Parameters
    ----------
    model : Model
        The robot.
    motion : Motion
        Of its bodies.

    Returns
    -------
    callable
        From the number of a body, -1 for the ground.

    """
    places, speeds = origins_and_speeds(model, motion)

    def seen(body: int) -> BodyState:
        if body < 0:
            return BodyState(Link(IDENTITY, ZERO3), ZERO_TWIST)
        axes = motion.rotations[body]
        turning, speed = (vectors(apply(np.swapaxes(axes, -1, -2), one[body]))
                          for one in (motion.turning, speeds))
        return BodyState(Link(rotations(axes), vectors(places[body])), Twist(turning, speed))

    return seen


def spring_loads(model: Model, motion: Motion) -> Stack:
    """
    Return what springs do to the bodies.

    Parameters
    ----------
    model : Model
        The robot.
    motion : Motion
        Of its bodies.

    Returns
    -------
    array
        (nb, N, 6) moment [N m] about the body's origin, then force [N], in the body's axes.

    """
    loads = np.zeros_like(motion.rates)
    if not model.springs:
        return loads
    pulls = Ties(partial(apply_tie, 0, phi_of, True, False), no_loop_loads(0))
    ties = tuple(tie for tie in tree_of(model).ties if tie.kind == 'spring')
    for body, held in tie_all(pulls, ties, None, ends_of(model, motion))[0].items():
        if body >= 0:
            loads[body] = np.hstack([vector_stack(part, loads.shape[1:2])
                                     for part in held.load])
    return loads


class Around(NamedTuple):
    """
    What force laws do to the bodies: ``load - inertia a``, with the accelerations a.

    Attributes
    ----------
    load : array
        (nb, N, 6) moment [N m] about the body's origin, then force [N], in the body's axes.
    inertia : array
        (nb, N, 6, 6) angular first.

    """

    load: Stack
    inertia: Stack


def around(model: Model, poses: tuple[Stack, Stack], velocities: tuple[Stack, Stack],
           world: Stack) -> Around:
    """
    Return what force laws do to the bodies.

    Parameters
    ----------
    model : Model
        The robot.
    poses : tuple of array
        (nb, N, 3, 3) and (nb, N, 3): axes and origins of the bodies, in the world.
    velocities : tuple of array
        (nb, N, 3): angular, and of the origins, in world axes.
    world : array
        (n,) numbers of the world.

    Returns
    -------
    Around
        In the bodies' axes.

    """
    nb, count = poses[1].shape[:2]
    load, inertia = np.zeros((nb, count, 6)), np.zeros((nb, count, 6, 6))
    tree = tree_of(model).within(filled(world_of(model), world.tolist().__getitem__))
    for k, body in enumerate(tree.bodies):
        axes, origin = poses[0][k], vectors(poses[1][k])
        turning, speed = (vectors(apply(np.swapaxes(axes, -1, -2), one[k])) for one in velocities)
        motion = law.Motion(Link(rotations(axes), origin), Twist(turning, speed))
        for acting in body.around:
            wrench = acting.law.load(acting.constants, motion, acting.world)
            load[k] += np.concatenate([vector_stack(part, (count,)) for part in wrench], axis=-1)
            added = acting.law.inertia(acting.constants, motion, acting.world)
            if added is not None:   # the laws say load - inertia (a - g)
                weight = added.apply(Twist(ZERO3, motion.pose.rotation.apply_inverse(
                    acting.world.gravity)))
                load[k] += np.concatenate(
                    [vector_stack(part, (count,)) for part in weight], axis=-1)
                inertia[k] += np.stack([np.concatenate([
                    vector_stack(part, (count,)) for part in added.column(axis)], axis=-1)
                    for axis in range(6)], axis=-1)
    return Around(load, inertia)


def around_bodies(model: Model, motion: Motion, world: Stack) -> Around:
    """Return the same for bodies that move as given."""
    origins, speeds = origins_and_speeds(model, motion)
    return around(model, (motion.rotations, origins), (motion.turning, speeds), world)
