"""
Steps traced once for each type of joint, for code whose size does not grow with the robot.

A *species* is a joint type, and where loops are, what ties do at a body. In a rolled kernel a step
reads the constants of its body, the coordinates of its joint, what it was handed and what it kept
from arrays; every such read is an ``input`` of the trace, named by where it comes from:

===========  ==========================================================
``BODY``     constants of the body: placement, inertia, armature
``q v qdd tau``  coordinates of the joint
``HANDED``   what the parent or the children handed over
``KEPT``     what earlier sweeps kept for this body
``WORLD``    gravity
===========  ==========================================================

Kept scalars that are constants or inputs themselves are read again instead of stored.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mbd_ros.execution.sweeps import Body, Inward, Outward, Program, Step, Walk, World
from mbd_ros.execution.trace import Operand, Symbol, Trace
from mbd_ros.spatial import Joint, Link, RigidInertia, Rotation, Symmetric3, Vector3
from mbd_ros.spatial.joints import Coordinates

BODY, HANDED, KEPT, WORLD = 'body', 'handed', 'kept', 'world'
BODY_SIZE = 28
"""Rotation 9, translation 3, mass 1, first moment 3, rotational inertia 6, armature up to 6."""


@dataclass(frozen=True)
class Code:
    """
    Straight-line code of one step of one species.

    Attributes
    ----------
    trace : Trace
        The operations.
    handed : record
        What is handed on; ``hand`` are its scalars.
    keep : list of tuple
        Slot and scalar of what is kept.
    out : list of Operand
        Scalars to give out.

    """

    trace: Trace
    handed: Any
    hand: list[Operand]
    keep: list[tuple[int, Operand]]
    out: list[Operand]


class Kind(NamedTuple):
    """What bodies of a species have in common: joint, rows of loops closed there, ties."""

    joint: type[Joint]
    closes: tuple[int, ...] = ()
    tied: bool = False


@dataclass
class Species:
    """
    A joint type and what its bodies have kept so far.

    Attributes
    ----------
    joint : type of Joint
        The joint type.
    closes : tuple of int
        As in ``Body``.
    tied : bool
        Whether its bodies have ties.
    kept : list
        Records whose leaves are ``Reload`` or floats, one for each sweep that kept something.
    slots : int
        Number of scalars stored for each body of this species.

    """

    joint: type[Joint]
    closes: tuple[int, ...] = ()
    tied: bool = False
    kept: list[Any] = field(default_factory=list)
    slots: int = 0


@dataclass(frozen=True)
class Reload:
    """A leaf of a kept record: where to read it from."""

    source: str
    entry: int


def flatten(record: Any) -> list[Operand]:
    """Return the scalars of a record of records, depth first."""
    if isinstance(record, tuple):
        return [leaf for part in record for leaf in flatten(part)]
    return [record]


def mapped(record: Any, function: Callable[[Any], Any]) -> Any:
    """Return a record with a function applied to every scalar."""
    if not isinstance(record, tuple):
        return function(record)
    parts = [mapped(part, function) for part in record]
    return type(record)(*parts) if hasattr(record, '_fields') else tuple(parts)


def body_inputs(trace: Trace, species: Species) -> Body:
    """Return a body whose constants are inputs of a trace."""
    def read(first: int, count: int) -> list[Symbol]:
        return [trace.input(BODY, first + k) for k in range(count)]
    axes = [Vector3(*read(3 * k, 3)) for k in range(3)]
    inertia = RigidInertia(read(12, 1)[0], Vector3(*read(13, 3)), Symmetric3(*read(16, 6)))
    return Body(Link(Rotation(*axes), Vector3(*read(9, 3))), inertia,
                tuple(read(22, species.joint.nv)), species.closes)


def joint_inputs(trace: Trace, species: Species, inputs: Sequence[str]) -> Joint:
    """Return a joint whose coordinates are inputs of a trace; zeros where there is no input."""
    def part(name: str, count: int) -> tuple[Operand, ...]:
        if name not in inputs:
            return (0.0,) * count
        return tuple(trace.input(name, k) for k in range(count))
    joint = species.joint
    return joint(Coordinates(part('q', joint.nq), part('v', joint.nv), part('qdd', joint.nv),
                             part('tau', joint.nv)))


def world_inputs(trace: Trace) -> World:
    """Return a world whose gravity is an input of a trace."""
    return World(Vector3(*(trace.input(WORLD, k) for k in range(3))))


def handed_inputs(trace: Trace, template: Any, source: str = HANDED) -> Any:
    """Return a record shaped like a template whose scalars are what was handed over."""
    counter = iter(range(len(flatten(template))))
    return mapped(template, lambda leaf: trace.input(source, next(counter)))


def start_of(trace: Trace, sweep: Outward, landed: Any) -> Step:
    """Trace the step of the ground, where it settles with what has been handed to it."""
    world = world_inputs(trace)
    if sweep.settles:
        step: Step = sweep.start(world, handed_inputs(trace, landed))
        return step
    return Step(sweep.start(world))


def kept_inputs(trace: Trace, species: Species) -> list[Any]:
    """Return the kept records of a species, read into a trace."""
    def read(leaf: Reload | float) -> Operand:
        return trace.input(leaf.source, leaf.entry) if isinstance(leaf, Reload) else leaf
    return [mapped(record, read) for record in species.kept]


def remember(species: Species, record: Any) -> list[tuple[int, Operand]]:
    """Give slots to the scalars of a kept record; return slot and scalar of those to store."""
    stored: dict[Symbol, int] = {}

    def leaf(scalar: Operand) -> Reload | float:
        if not isinstance(scalar, Symbol):
            return scalar
        if scalar.name == 'input' and scalar.first != HANDED:
            return Reload(scalar.first, scalar.second)
        if scalar not in stored:
            stored[scalar] = species.slots
            species.slots += 1
        return Reload(KEPT, stored[scalar])

    species.kept.append(mapped(record, leaf))
    return [(slot, scalar) for scalar, slot in stored.items()]


def trace_sweep(sweep: Outward | Inward, species: Species, program: Program, template: Any
                ) -> Code:
    """
    Trace the step of a sweep for one species.

    Parameters
    ----------
    sweep : Outward or Inward
        The sweep.
    species : Species
        The joint type; what the step keeps is added to it.
    program : Program
        For its inputs.
    template : record
        Shape of what is handed over.

    Returns
    -------
    Code
        The step as straight-line code.

    """
    trace = Trace()
    step = sweep.step(body_inputs(trace, species), joint_inputs(trace, species, program.inputs),
                      handed_inputs(trace, template), *kept_inputs(trace, species))
    return _code(trace, step, species)


def trace_walk_start(walk: Walk, species: Species, program: Program) -> list[Code]:
    """Trace the start of a walk for one species: one ``Code`` for each walk that begins."""
    trace = Trace()
    steps = walk.start(body_inputs(trace, species),
                       joint_inputs(trace, species, program.inputs), *kept_inputs(trace, species))
    return [_code(trace, step, None) for step in steps]


def trace_walk_step(walk: Walk, species: Species, program: Program, template: Any) -> Code:
    """Trace the step of a walk for one species."""
    trace = Trace()
    step = walk.step(body_inputs(trace, species), joint_inputs(trace, species, program.inputs),
                     handed_inputs(trace, template), *kept_inputs(trace, species))
    return _code(trace, step, None)


def _code(trace: Trace, step: Step, species: Species | None) -> Code:
    keep = ([] if step.keep is None or species is None else remember(species, step.keep))
    hand = [] if step.hand is None else flatten(step.hand)
    return Code(trace, step.hand, hand, keep, list(step.out))
