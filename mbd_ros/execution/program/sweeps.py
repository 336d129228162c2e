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
How a formulation is written down.

A *program* is a short list of sweeps over the spanning tree. A step of a sweep is a pure function
of a body's constants, its joint and what it was handed; it holds no loop over bodies::

    outward   step(body, joint, handed by the parent, *kept) -> Step(hand, keep, out)
    inward    step(body, joint, sum handed by the children, *kept) -> Step(hand, keep, out)
    walk      start(body, joint, *kept) -> a Step for each walk that begins here, then
              step(body, joint, handed by the child, *kept) -> Step(hand, out) up to the ground
    solve     with the matrices that walks have filled
    ties      step(tie, world, hand of the first body, hand of the second)
              -> a record for each, and out

``kept`` are the records that earlier sweeps of the program kept for this body; after ``ties`` it
is the sum of what the ties at the body gave it. A step may branch on types, never on values: the
same text runs on floats and on traced symbols.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NamedTuple

from mbd_ros.execution.program.records import flatten, mapped
from mbd_ros.spatial import Link, RigidInertia, Scalar, Vector3


LARGEST_UNROLLED = 40
"""Bodies up to which O(n) programs are unrolled."""
LARGEST_FOLDED = 300
"""Bodies up to which it is worth trying what is left when constants are folded."""


class World(NamedTuple):
    """
    What is the same for all bodies: gravity [m/s^2] in world axes, and what force laws read.

    ``own`` are the records of all laws; for one law, its own. The scalars of the whole, depth
    first, are one array of doubles that machine code reads.
    """

    gravity: Vector3
    own: Any = ()


class ActingLaw(NamedTuple):
    """
    A force law at a body.

    Attributes
    ----------
    law : Law
        See ``environment/law.py``.
    constants : tuple of record
        What it reads of the body.
    world : World
        What it reads of the world. In the tree of a model its scalars are integers: their places
        in the array of the world; ``in_world`` puts values there.

    """

    law: Any
    constants: tuple[Any, ...]
    world: World


class CoordinateSpring(NamedTuple):
    """
    A spring along the coordinates of a joint.

    Attributes
    ----------
    stiffness : tuple of float
        c1, c2, c3, as many as there are.
    reference : tuple of float
        (nq,) coordinates without force.
    slack : tuple of float
        How far beyond there is none either; empty where there is no such range.

    """

    stiffness: tuple[Scalar, ...]
    reference: tuple[Scalar, ...]
    slack: tuple[Scalar, ...] = ()


class Body(NamedTuple):
    """The constants of a body and its joint, and the force laws that act on it."""

    placement: Link
    inertia: RigidInertia
    armature: tuple[Scalar, ...]
    closes: tuple[int, ...] = ()
    """Which of the rows that are handed inwards belong to loops whose branches meet here."""
    around: tuple[ActingLaw, ...] = ()
    springs: tuple[CoordinateSpring, ...] = ()

    def in_world(self, value: Callable[[int], Any]) -> Body:
        """Return the body with ``value(k)`` for what its laws read at place k of the world."""
        return self._replace(around=tuple(
            one._replace(world=mapped(one.world, value)) for one in self.around))


POINT = 3
"""Rows of two points that coincide, the first of a loop joint that has them."""


class Tie(NamedTuple):
    """
    What acts between two bodies: a joint that closes a loop, or a spring with a damper.

    Attributes
    ----------
    kind : str
        That of the loop joint, or ``'spring'``; ``'mimic'`` couples the joints of the bodies.
    first, second : int
        The bodies, -1 for the ground.
    frame1, frame2 : Link
        The frames it connects, each in its body.
    constants : tuple of float
        Of a joint its distance, of a spring stiffness, damping, length and, if it has some, slack,
        of a coupling multiplier and offset.
    slots : tuple of int
        Where the rows of a joint are carried on their way inwards.
    row : int
        Number of its first row among those of all loops.
    axes : int
        In whose axes its rows are eliminated: 0 for the first body, 1 the second, -1 the world.
    idle : tuple of int
        Rows that are zero in these axes, because all that moves does so in a plane; of them,
        those of coinciding points say something in others.

    """

    kind: str
    first: int
    second: int
    frame1: Link
    frame2: Link
    constants: tuple[Scalar, ...]
    slots: tuple[int, ...] = ()
    row: int = 0
    axes: int = -1
    idle: tuple[int, ...] = ()


class Step(NamedTuple):
    """What a step hands on, keeps for later sweeps, and gives out as a result."""

    hand: Any = None
    keep: Any = None
    out: tuple[Scalar, ...] = ()


@dataclass(frozen=True)
class Outward:
    """
    From the ground to the tips; ``start(world)`` is what the ground hands on.

    Where the ground ``settles`` what the sweep before has handed to it, ``start(world, sum)`` is
    the Step of the ground.
    """

    step: Callable[..., Step]
    start: Callable[..., Any]
    settles: bool = False


@dataclass(frozen=True)
class Inward:
    """From the tips to the ground; ``zero`` is what a body without children is handed."""

    step: Callable[..., Step]
    zero: Any


@dataclass(frozen=True)
class Walk:
    """
    From a body to the ground, for each body or for the one that the program names.

    In a symmetric layout a walk begins for each axis of the body's joint and gives out a row.
    """

    start: Callable[..., Sequence[Step]]
    step: Callable[..., Step]


@dataclass(frozen=True)
class Ties:
    """Between bodies, after an outward sweep; ``zero`` is what a body without ties keeps."""

    step: Callable[..., tuple[Any, Any, tuple[Scalar, ...]]]
    zero: Any


@dataclass(frozen=True)
class Solve:
    """Replaces the matrices A..., M that walks have filled by -M^-1 A..., M^-1."""


class Layout(Enum):
    """How the results of the steps are put together."""

    JOINTS = 'one value for each entry of v: (nv,)'
    BODIES = 'the results of each body: (nb, *extent)'
    ONE_BODY = 'the results of one body: extent'
    SYMMETRIC = 'the rows that walks give out: (nv, nv), symmetric'
    COLUMNS = 'the columns that one walk gives out: (*extent, nv)'
    SQUARES = 'the columns, then the rows that walks give out, of each matrix: (*extent, nv, nv)'
    ROWS = 'for each row of the loops what its tie gives out, then its columns: (m, extent + nv)'
    MOTION = 'one value for each entry of v, then two for each row of the loops: (nv + 2 m,)'


@dataclass(frozen=True)
class Program:
    """
    A formulation as a list of sweeps.

    Attributes
    ----------
    name : str
        Identifies the program; equal names mean equal programs.
    inputs : tuple of str
        The coordinates it reads, of ``'q', 'v', 'qdd', 'tau'``, in the order of its arguments.
    sweeps : tuple
        The sweeps in the order in which they run.
    layout : Layout
        How the results are put together.
    extent : tuple of int
        Shape of the result of one body, or of one column; the number of matrices.
    body : int or None
        The body whose result it gives, or whose columns; -1 is the ground.
    at_ground : tuple of float
        The result if that body is the ground; zeros if left out.
    largest_unrolled : int
        Bodies up to which straight-line code is made if left to the executor: compile time and
        cache misses grow beyond.
    largest_folded : int
        Operations up to which it is made for more bodies, up to ``LARGEST_FOLDED``: the joints
        of a plane leave few.
    segments : callable, optional
        Makes what runs it with long chains cut into segments (``rolled/segments.py``).

    """

    name: str
    inputs: tuple[str, ...]
    sweeps: tuple[Outward | Inward | Walk | Solve | Ties, ...]
    layout: Layout = Layout.JOINTS
    extent: tuple[int, ...] = ()
    body: int | None = None
    at_ground: tuple[Scalar, ...] = ()
    largest_unrolled: int = LARGEST_UNROLLED
    largest_folded: int = 0
    segments: Callable[..., Any] | None = field(default=None, compare=False)

    @property
    def swept(self) -> list[int]:
        """Numbers of the sweeps over bodies: all but ties."""
        return [k for k, sweep in enumerate(self.sweeps) if not isinstance(sweep, Ties)]

    @property
    def ties(self) -> bool:
        """Whether what acts between two bodies takes part."""
        return len(self.swept) < len(self.sweeps)

    def shape(self, nb: int, nv: int, rows: int = 0) -> tuple[int, ...]:
        """Return the shape of the result for nb bodies, nv velocities and rows of loops."""
        return {Layout.JOINTS: (nv,), Layout.BODIES: (nb, *self.extent),
                Layout.ONE_BODY: self.extent, Layout.SYMMETRIC: (nv, nv),
                Layout.COLUMNS: (*self.extent, nv),
                Layout.SQUARES: (*self.extent, nv, nv),
                Layout.ROWS: (rows, sum(self.extent) + nv),
                Layout.MOTION: (nv + 2 * rows,)}[self.layout]


@dataclass(frozen=True)
class Tree:
    """
    The bodies as the driver walks them: ``parents[i] < i``, -1 for the ground.

    ``slots`` rows of loops are carried inwards at a time; ``rows[i + 1]`` says for each slot
    which row that is at body i, -1 for none; ``rows[0]`` is the ground's. There are ``count``.
    """

    parents: tuple[int, ...]
    bodies: tuple[Body, ...]
    v_offsets: tuple[int, ...]
    nv: int
    ties: tuple[Tie, ...] = ()
    slots: int = 0
    rows: tuple[tuple[int, ...], ...] = ()
    count: int = 0

    def within(self, world: World) -> Tree:
        """Return the tree with a world's values for what laws at its bodies read of it."""
        values = flatten(world)
        return replace(self, bodies=tuple(
            body.in_world(values.__getitem__) for body in self.bodies))
