"""
How a formulation is written down, and the driver that runs it body by body.

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
import math
from typing import Any, NamedTuple

from mbd_ros.execution.program.elimination import axis_parents, eliminate
from mbd_ros.execution.program.records import flatten, mapped
from mbd_ros.spatial import Joint, Link, RigidInertia, Scalar, Vector3


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


class Body(NamedTuple):
    """The constants of a body and its joint, and the force laws that act on it."""

    placement: Link
    inertia: RigidInertia
    armature: tuple[Scalar, ...]
    closes: tuple[int, ...] = ()
    """Which of the rows that are handed inwards belong to loops whose branches meet here."""
    around: tuple[ActingLaw, ...] = ()

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
        Of a joint its distance, of a spring stiffness, damping and length, of a coupling
        multiplier and offset.
    slots : tuple of int
        Where the rows of a joint are carried on their way inwards.
    row : int
        Number of its first row among those of all loops.
    axes : int
        In whose axes its rows are eliminated: 0 for the first body, 1 the second, -1 the world.
    idle : tuple of int
        Rows that say nothing in these axes, because all that moves does so in a plane; of them,
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


def run(program: Program, tree: Tree, joints: Sequence[Joint], world: World) -> list[Scalar]:
    """
    Run a program and return its result, flat in row-major order.

    Parameters
    ----------
    program : Program
        The sweeps.
    tree : Tree
        Bodies and their parents.
    joints : sequence of Joint
        The joints with their coordinates, in the order of the bodies.
    world : World
        Gravity.

    Returns
    -------
    list of Scalar
        The entries of an array of shape ``program.shape(nb, nv)``.

    """
    size = math.prod(program.shape(len(tree.bodies), tree.nv, tree.count))
    results: list[Scalar] = [0.0] * size
    if program.body == -1:
        return [*program.at_ground] or results
    kept: list[tuple[Any, ...]] = [()] * len(tree.bodies)
    hands: list[Any] = []
    for sweep in program.sweeps:
        if isinstance(sweep, Walk):
            _walk(sweep, program, tree, joints, kept, results)
            continue
        if isinstance(sweep, Solve):
            eliminate(results, axis_parents(tree.parents, tree.v_offsets, tree.nv))
            continue
        if isinstance(sweep, Ties):
            _ties(sweep, program, tree, world, hands, kept, results)
            continue
        steps = (_outward(sweep, tree, joints, world, kept, hands) if isinstance(sweep, Outward)
                 else _inward(sweep, tree, joints, kept))
        hands = [step.hand for step in steps]
        for i, step in enumerate(steps, -1):
            if step.keep is not None and i >= 0:
                kept[i] = (*kept[i], step.keep)
            if step.out:
                place_out(program, tree, i, step.out, results)
    return results


def _outward(sweep: Outward, tree: Tree, joints: Sequence[Joint], world: World,
             kept: Sequence[tuple[Any, ...]], hands: Sequence[Any]) -> list[Step]:
    """Return the steps of the ground and of all bodies."""
    steps = [sweep.start(world, hands[0]) if sweep.settles else Step(sweep.start(world))]
    for i, parent in enumerate(tree.parents):
        steps.append(sweep.step(tree.bodies[i], joints[i], steps[parent + 1].hand, *kept[i]))
    return steps


def _inward(sweep: Inward, tree: Tree, joints: Sequence[Joint],
            kept: Sequence[tuple[Any, ...]]) -> list[Step]:
    """Return the steps of the ground, which hands on what it was handed, and of all bodies."""
    sums: list[Any] = [None] * (len(tree.bodies) + 1)
    steps: list[Step] = [Step()] * (len(tree.bodies) + 1)
    for i in reversed(range(len(tree.bodies))):
        handed = sweep.zero if sums[i + 1] is None else sums[i + 1]
        steps[i + 1] = sweep.step(tree.bodies[i], joints[i], handed, *kept[i])
        hand, place = steps[i + 1].hand, tree.parents[i] + 1
        sums[place] = hand if sums[place] is None else sums[place] + hand
    steps[0] = Step(sweep.zero if sums[0] is None else sums[0])
    return steps


def _ties(sweep: Ties, program: Program, tree: Tree, world: World, hands: Sequence[Any],
          kept: list[tuple[Any, ...]], results: list[Scalar]) -> None:
    sums, outs = tie_all(sweep, tree.ties, world, lambda body: hands[body + 1])
    for tie, out in zip(tree.ties, outs):
        if program.layout is Layout.ROWS:
            width, (each,) = tree.nv + sum(program.extent), program.extent
            for k, value in enumerate(out):
                row, entry = divmod(k, each)
                results[(tie.row + row) * width + entry] = value
    kept[:] = [(*records, sums.get(i, sweep.zero)) for i, records in enumerate(kept)]


def tie_all(sweep: Ties, ties: Sequence[Tie], world: Any, handed: Callable[[int], Any]
            ) -> tuple[dict[int, Any], list[tuple[Scalar, ...]]]:
    """
    Run the steps of all ties.

    Parameters
    ----------
    sweep : Ties
        The step, and what a body without ties keeps.
    ties : sequence of Tie
        What acts between two bodies each.
    world : World
        Gravity.
    handed : callable
        What a body has handed on in the sweep before; the ground is -1.

    Returns
    -------
    sums : dict
        What each body that has ties keeps.
    outs : list of tuple
        What each tie gives out.

    """
    sums: dict[int, Any] = {}
    outs = []
    for tie in ties:
        first, second, out = sweep.step(tie, world, handed(tie.first), handed(tie.second))
        for body, record in ((tie.first, first), (tie.second, second)):
            sums[body] = sums.get(body, sweep.zero) + record
        outs.append(out)
    return sums, outs


def _walk(walk: Walk, program: Program, tree: Tree, joints: Sequence[Joint],
          kept: Sequence[tuple[Any, ...]], results: list[Scalar]) -> None:
    for i in range(len(tree.bodies)) if program.body is None else (program.body,):
        for axis, step in enumerate(walk.start(tree.bodies[i], joints[i], *kept[i])):
            row = tree.v_offsets[i] + axis
            _enter(program, tree, row, i, joints[i], step.out, results)
            parent = tree.parents[i]
            while parent >= 0 and step.hand is not None:
                step = walk.step(tree.bodies[parent], joints[parent], step.hand, *kept[parent])
                _enter(program, tree, row, parent, joints[parent], step.out,
                       results)
                parent = tree.parents[parent]


def place_out(program: Program, tree: Tree, i: int, out: tuple[Scalar, ...],
              results: list[Scalar]) -> None:
    """Put the results of a sweep's step at body i into place."""
    if program.layout is Layout.JOINTS:
        results[tree.v_offsets[i]:tree.v_offsets[i] + len(out)] = out
    elif program.layout is Layout.BODIES:
        results[i * len(out):(i + 1) * len(out)] = out
    elif program.layout is Layout.ONE_BODY and i == program.body:
        results[:] = out
    elif program.layout is Layout.ROWS:
        (each,) = program.extent
        axes = len(out) // tree.slots
        for k, value in enumerate(out):
            slot, axis = divmod(k, axes)
            row = tree.rows[i + 1][slot]
            if row >= 0:
                results[row * (each + tree.nv) + each + tree.v_offsets[i] + axis] = value
    elif program.layout is Layout.MOTION:
        axes = len(out) - 2 * tree.slots
        results[tree.v_offsets[i]:tree.v_offsets[i] + axes] = out[:axes]
        closes = range(tree.slots) if i < 0 else tree.bodies[i].closes
        for slot in closes:
            row = tree.rows[i + 1][slot]
            if row >= 0:
                first = tree.nv + 2 * row
                results[first:first + 2] = out[axes + 2 * slot:axes + 2 * slot + 2]


def _enter(program: Program, tree: Tree, row: int, i: int, joint: Joint, out: tuple[Scalar, ...],
           results: list[Scalar]) -> None:
    """Put the results of a walk's step at body i into place."""
    nv, first = tree.nv, tree.v_offsets[i]
    if program.layout is Layout.SYMMETRIC:
        for k, value in enumerate(out):
            results[row * nv + first + k] = value
            results[(first + k) * nv + row] = value
        return
    if program.layout is Layout.SQUARES:
        (count,) = program.extent
        for k, value in enumerate(out):
            place, axis = divmod(k, joint.nv)
            matrix = place % count * nv * nv
            results[matrix + (row * nv + first + axis if place >= count
                              else (first + axis) * nv + row)] = value
        return
    for k, value in enumerate(out):
        axis, entry = divmod(k, math.prod(program.extent))
        results[entry * nv + first + axis] = value
