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
What springs and force laws do to the segments of a robot with flexible links.

Both act on a segment as on a rigid body, at the pose and with the twist of its frame. What is
fixed to a flexible link is a segment of its own, and so is the seat of what is attached to it, so
that a spring or a float at the tip of a beam bends it, and strips of water along it do. A fluid
around a link of mass points acts on its undeformed shape, and does no work on its elastic
coordinates.

Segments have their linear part first, the records of ``mbd_ros.spatial`` the angular one.

"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mbd_ros.dynamics.algorithms.body_motion import BodyState
from mbd_ros.dynamics.algorithms.constraint_rows import in_body, Side, side
from mbd_ros.dynamics.algorithms.flexible.link_inertia import Array, BodyTerms
from mbd_ros.dynamics.algorithms.flexible.motion import place, Placed, tree_of_segments
from mbd_ros.dynamics.algorithms.joint_springs import energy_of, spring_efforts
from mbd_ros.dynamics.algorithms.springs import energy_in, pull
from mbd_ros.environment.law import energy_around, Motion, surroundings
from mbd_ros.execution.program.sweeps import Body, Tie
from mbd_ros.execution.program.ties import spring_ties
from mbd_ros.execution.program.tree import acting_laws, coordinate_springs
from mbd_ros.model import Model
from mbd_ros.model.caches import owned
from mbd_ros.model.flexible.on_segments import on_segments
from mbd_ros.model.flexible.shape_integrals import cross_matrices
from mbd_ros.spatial import (
    ArticulatedInertia, IDENTITY, Link, Rotation, Twist, Vector3, Wrench, ZERO3, ZERO_TWIST)
from mbd_ros.spatial.inertia import NO_INERTIA
from mbd_ros.spatial.joints import Coordinates

GROUND = BodyState(Link(IDENTITY, ZERO3), ZERO_TWIST)


class Loads(NamedTuple):
    """
    The springs between segments, and each segment with the laws that act on it.

    ``sprung``: whether there are springs along joints.
    """

    springs: tuple[Tie, ...]
    bodies: tuple[Body, ...]
    sprung: bool

    @property
    def none(self) -> bool:
        """Whether nothing acts."""
        return not (self.springs or self.sprung or any(body.around for body in self.bodies))


@owned()
def loads_of(model: Model) -> Loads:
    """Return what acts on the segments of a robot; poses and inertias are not those of bodies."""
    there = on_segments(model)
    count = len(tree_of_segments(model).segments)
    return Loads(spring_ties(there), tuple(
        Body(Link(IDENTITY, ZERO3), NO_INERTIA, (), around=acting_laws(there, i))
        for i in range(count)), bool(model.joint_springs))


def place_loaded(model: Model, q: Array, v: Array, world: Array) -> list[Placed]:
    """Return all segments in N states, as ``place`` does, under springs and force laws."""
    chain = place(model, q, v)
    loads = loads_of(model)
    if loads.none:
        return chain
    if loads.sprung:
        taken: Array = np.asarray(spring_efforts(model, q))
        chain = [own._replace(sprung=taken[:, own.joint]) for own in chain]
    kind = np.result_type(world, *(own.terms.mass for own in chain))
    terms = [BodyTerms(*(array.astype(kind) for array in own.terms)) for own in chain]
    for k in range(len(q)):
        seen = [seen_in(own, k) for own in chain]
        for tie in loads.springs:
            for i, wrench in _pulls(tie, seen):
                terms[i].bias[k, :6] = terms[i].bias[k, :6] - linear_first(wrench)
        for one, (body, motion) in zip(terms, _acted(loads, seen, world)):
            found = surroundings(body, motion)
            one.mass[k, :6, :6] = one.mass[k, :6, :6] + _matrix(found.inertia)
            one.bias[k, :6] = one.bias[k, :6] + linear_first(found.bias)
    return [own._replace(terms=one) for own, one in zip(chain, terms)]


def energies_around(model: Model, chain: Sequence[Placed], world: Array) -> Array:
    """
    Return the energies that force laws and springs add to segments (N, segments, 2) [J].

    Kinetic and potential; that of a spring is with the later of its two segments.
    """
    loads = loads_of(model)
    count = len(chain[0].pose) if chain else 0
    result = np.zeros((count, len(chain), 2), world.dtype)
    for k in range(0 if loads.none else count):
        seen = [seen_in(own, k) for own in chain]
        for i, (body, motion) in enumerate(_acted(loads, seen, world)):
            result[k, i] = energy_around(body, motion)
        for tie in loads.springs:
            later = max(tie.first, tie.second)
            result[k, later, 1] = result[k, later, 1] + energy_in(tie, *_ends(tie, seen))
    return result


def energies_along_joints(model: Model, q: Array) -> Array:
    """Return the energies in springs of joints (N, nb) [J]."""
    found = np.zeros((len(q), model.nb), q.dtype)
    for i in sorted({one.body for one in model.joint_springs}):
        kind, first = model.joint_types[i], model.q_offsets[i]
        body = Body(Link(IDENTITY, ZERO3), NO_INERTIA, (), springs=coordinate_springs(model, i))
        for k, own in enumerate(q[:, first:first + kind.nq].tolist()):
            found[k, i] = energy_of(body, kind.pair(Coordinates(
                tuple(own), *(((0.0,) * kind.nv,) * 3))))
    return found


DISPLACED = 1e-3
"""Displacement by which inertias are compared [m or rad]; cubics in it, as a fluid's are where a
link floats, are differentiated exactly."""


def inertias_around(model: Model, chain: Sequence[Placed], world: Array
                    ) -> dict[int, tuple[Array, Array]]:
    """
    Return what force laws add to the inertias of segments, and how that changes as these move.

    Parameters
    ----------
    model : Model
        The robot.
    chain : sequence of Placed
        Its segments at rest in N states.
    world : (k,) array
        What laws read of the world.

    Returns
    -------
    dict of int to tuple of array
        For each segment that has some A (N, 6, 6), linear part first, and its derivatives
        (N, 6, 6, 6), the first of the sixes along displacements of the segment in its own axes.

    """
    found: dict[int, tuple[Array, Array]] = {}
    for i, (body, own) in enumerate(zip(loads_of(model).bodies, chain)):
        if not body.around:
            continue
        here = body.in_world(world.tolist().__getitem__)

        def at(displacement: Array, here: Body = here, own: Placed = own) -> Array:
            moved = np.eye(4)
            moved[:3, 3] = displacement[:3]
            moved[:3, :3] += cross_matrices(displacement[3:])
            placed = own._replace(pose=own.pose @ moved, twist=0.0 * own.twist)
            return np.array([_matrix(surroundings(here, Motion(
                seen.pose, seen.velocity)).inertia) for seen in (
                    seen_in(placed, k) for k in range(len(own.pose)))])

        slopes = [(8.0 * (at(h) - at(-h)) - at(2.0 * h) + at(-2.0 * h)) / (12.0 * DISPLACED)
                  for h in DISPLACED * np.eye(6)]
        found[i] = at(np.zeros(6)), np.stack(slopes, axis=1)
    return found


def seen_in(own: Placed, k: int) -> BodyState:
    """Return how a segment moves in state k, as records of scalars."""
    pose, twist = ((array[k] + 0.0).tolist() for array in (own.pose, own.twist))
    columns = (Vector3(*(pose[i][j] for i in range(3))) for j in range(4))
    x, y, z, place = columns
    return BodyState(Link(Rotation(x, y, z), place),
                     Twist(Vector3(*twist[3:]), Vector3(*twist[:3])))


def _acted(loads: Loads, seen: Sequence[BodyState], world: Array) -> Iterator[tuple[Body, Motion]]:
    values = world.tolist()
    for body, one in zip(loads.bodies, seen):
        yield body.in_world(values.__getitem__), Motion(one.pose, one.velocity)


def _pulls(tie: Tie, seen: Sequence[BodyState]) -> Iterator[tuple[int, Wrench]]:
    """Yield the segments that a spring pulls at, and the wrenches on them."""
    ends = _ends(tie, seen)
    force = pull(tie, *ends)
    for i, end, sign in zip((tie.first, tie.second), ends, (1.0, -1.0)):
        if i >= 0:
            yield i, in_body(seen[i], end.push(force * sign))


def _ends(tie: Tie, seen: Sequence[BodyState]) -> tuple[Side, Side]:
    one, other = (GROUND if i < 0 else seen[i] for i in (tie.first, tie.second))
    return side(one, tie.frame1), side(other, tie.frame2)


def linear_first(wrench: Wrench) -> Array:
    """Return a wrench as an array (6,), the force first."""
    return np.array([*wrench.force, *wrench.moment])


def _matrix(inertia: ArticulatedInertia) -> Array:
    """Return a 6 x 6 inertia, linear part first."""
    unit = [Twist(ZERO3, Vector3(*row)) for row in np.eye(3).tolist()]
    unit += [Twist(Vector3(*row), ZERO3) for row in np.eye(3).tolist()]
    return np.array([linear_first(inertia.apply(one)) for one in unit])
