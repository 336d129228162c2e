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
Steps traced once for each type of joint, for code whose size does not grow with the robot.

A *class* of bodies is a joint type, and where loops are, what ties do at a body. In a rolled
kernel a step reads the constants of its body, the coordinates of its joint, what it was handed
and what it kept from arrays; every such read is an ``input`` of the trace, named by where it comes
from:

===========  ==========================================================
``BODY``     constants of the body, in the order of its record
``q v qdd tau``  coordinates of the joint
``HANDED``   what the parent or the children handed over
``KEPT``     what earlier sweeps kept for this body
``WORLD``    the world: gravity, and what force laws read
===========  ==========================================================

Kept scalars that are constants or inputs themselves are read again instead of stored. Sines and
cosines of angles are kept from the beginning (``rolled/angles.py``). What is a number instead of
an input, because it is the same at all bodies of one robot: ``rolled/traces.py``.

"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
import itertools
from typing import Any, NamedTuple

from mbd_ros.execution.ir.trace import Operand, Symbol, Trace
from mbd_ros.execution.program.records import flatten, mapped, with_constants
from mbd_ros.execution.program.sweeps import Body, Inward, Outward, Program, Step, Walk, World
from mbd_ros.spatial import Joint, Vector3
from mbd_ros.spatial.joints import Coordinates

BODY, HANDED, KEPT, WORLD = 'body', 'handed', 'kept', 'world'


@dataclass(frozen=True)
class Code:
    """
    Straight-line code of one step of one class.

    Attributes
    ----------
    trace : Trace
        The operations.
    handed : record
        What is handed on.
    hand : list of tuple
        Its scalars that vary, those needed later, and which of them each is.
    keep : list of tuple
        Slot and scalar of what is kept.
    out : list of Operand
        Scalars to give out.

    """

    trace: Trace
    handed: Any
    hand: list[tuple[int, Operand]]
    keep: list[tuple[int, Operand]]
    out: list[Operand]


SINE, COSINE = 0, 1
"""Where a body keeps them of its angle."""


class Kind(NamedTuple):
    """What bodies of a class have in common: joint, structure, and whether they have ties."""

    joint: type[Joint]
    body: Body
    tied: bool = False


@dataclass
class BodyClass:
    """
    A joint type and what its bodies have kept so far.

    Attributes
    ----------
    joint : type of Joint
        The joint type.
    body : Body
        Structure of its bodies, with numbers for constants that are the same for all of them.
    tied : bool
        Whether its bodies have ties.
    kept : list
        Records whose leaves are ``Reload`` or floats, one for each sweep that kept something.
    slots : int
        Number of scalars stored for each body of this class.
    angles : bool
        Whether sine and cosine are the first of them.

    """

    joint: type[Joint]
    body: Body
    tied: bool = False
    kept: list[Any] = field(default_factory=list)
    slots: int = 0
    angles: bool = False

    def copy(self) -> BodyClass:
        """Return this with kept records of its own."""
        return replace(self, kept=list(self.kept))


@dataclass(frozen=True)
class Reload:
    """A leaf of a kept record: where to read it from."""

    source: str
    entry: int


class StepTrace(Trace):
    """A trace that finds sine and cosine of a joint's angle with what its body keeps."""

    def record(self, name: str, first: Operand | int | str | tuple[Operand, ...],
               second: Operand | int | None = None) -> Symbol:
        """Return the symbol of an operation, recorded now or found."""
        if name in ('sin', 'cos') and is_angle(first):
            return self.input(KEPT, SINE if name == 'sin' else COSINE)
        return super().record(name, first, second)


def is_angle(operand: object) -> bool:
    """Return whether this is the first coordinate of a joint."""
    return isinstance(operand, Symbol) and (operand.name, operand.first, operand.second) == (
        'input', 'q', 0)


def shape_of(record: Any) -> Any:
    """Return the shape of a record all of whose scalars vary: None in their place."""
    return mapped(record, lambda leaf: None)


def varying(record: Any, shape: Any) -> list[Operand]:
    """Return the scalars of a record that vary."""
    return [leaf for leaf, fixed in zip(flatten(record), flatten(shape)) if fixed is None]


def body_inputs(trace: Trace, body_class: BodyClass) -> Body:
    """Return a body whose constants are inputs of a trace, or numbers."""
    body: Body = with_constants(body_class.body, partial(trace.input, BODY))
    return body.in_world(partial(trace.input, WORLD))


def joint_inputs(trace: Trace, body_class: BodyClass, inputs: Sequence[str]) -> Joint:
    """Return a joint whose coordinates are inputs of a trace; zeros where there is no input."""
    def part(name: str, count: int) -> tuple[Operand, ...]:
        if name not in inputs:
            return (0.0,) * count
        return tuple(trace.input(name, k) for k in range(count))
    joint = body_class.joint
    return joint(Coordinates(part('q', joint.nq), part('v', joint.nv), part('qdd', joint.nv),
                             part('tau', joint.nv)))


def world_inputs(trace: Trace) -> World:
    """Return a world whose gravity is an input of a trace."""
    return World(Vector3(*(trace.input(WORLD, k) for k in range(3))))


def handed_inputs(trace: Trace, shape: Any, source: str = HANDED) -> Any:
    """Return a record of a shape whose scalars that vary are what was handed over."""
    counter = itertools.count()
    return mapped(shape, lambda fixed: (
        trace.input(source, next(counter)) if fixed is None else fixed))


def start_of(trace: Trace, sweep: Outward, landed: Any) -> Step:
    """Trace the step of the ground, where it settles with what has been handed to it."""
    world = world_inputs(trace)
    if sweep.settles:
        step: Step = sweep.start(world, handed_inputs(trace, landed))
        return step
    return Step(sweep.start(world))


def kept_inputs(trace: Trace, body_class: BodyClass) -> list[Any]:
    """Return the kept records of a class, read into a trace."""
    def read(leaf: Reload | float) -> Operand:
        return trace.input(leaf.source, leaf.entry) if isinstance(leaf, Reload) else leaf
    return [mapped(record, read) for record in body_class.kept]


def remember(body_class: BodyClass, record: Any) -> list[tuple[int, Operand]]:
    """Give slots to the scalars of a kept record; return slot and scalar of those to store."""
    stored: dict[Symbol, int] = {}

    def leaf(scalar: Operand) -> Reload | float:
        if not isinstance(scalar, Symbol):
            return scalar
        if scalar.name == 'input' and scalar.first != HANDED:
            return Reload(scalar.first, scalar.second)
        if scalar not in stored:
            stored[scalar] = body_class.slots
            body_class.slots += 1
        return Reload(KEPT, stored[scalar])

    body_class.kept.append(mapped(record, leaf))
    return [(slot, scalar) for scalar, slot in stored.items()]


def trace_sweep(sweep: Outward | Inward, body_class: BodyClass, program: Program, shape: Any
                ) -> Code:
    """
    Trace the step of a sweep for one class.

    Parameters
    ----------
    sweep : Outward or Inward
        The sweep.
    body_class : BodyClass
        The joint type; what the step keeps is added to it.
    program : Program
        For its inputs.
    shape : record
        Of what is handed over.

    Returns
    -------
    Code
        The step as straight-line code.

    """
    trace = StepTrace() if body_class.angles else Trace()
    step = sweep.step(body_inputs(trace, body_class),
                      joint_inputs(trace, body_class, program.inputs),
                      handed_inputs(trace, shape), *kept_inputs(trace, body_class))
    return _code(trace, step, body_class, shape)


def trace_walk_start(walk: Walk, body_class: BodyClass, program: Program) -> list[Code]:
    """Trace the start of a walk for one class: one ``Code`` for each walk that begins."""
    trace = Trace()
    steps = walk.start(body_inputs(trace, body_class),
                       joint_inputs(trace, body_class, program.inputs),
                       *kept_inputs(trace, body_class))
    return [_code(trace, step, None, None if step.hand is None else shape_of(step.hand))
            for step in steps]


def trace_walk_step(walk: Walk, body_class: BodyClass, program: Program, shape: Any) -> Code:
    """Trace the step of a walk for one class."""
    trace = Trace()
    step = walk.step(body_inputs(trace, body_class),
                     joint_inputs(trace, body_class, program.inputs),
                     handed_inputs(trace, shape), *kept_inputs(trace, body_class))
    return _code(trace, step, None, shape)


def _code(trace: Trace, step: Step, body_class: BodyClass | None, shape: Any) -> Code:
    keep = ([] if step.keep is None or body_class is None else remember(body_class, step.keep))
    hand = [] if step.hand is None else list(enumerate(varying(step.hand, shape)))
    return Code(trace, step.hand, hand, keep, list(step.out))
