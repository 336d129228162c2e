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
IR of the ties of one model, as straight-line code between sweeps that run in parts.

Where the bodies of a tree are swept in lanes or on threads, their rows lie in several places. A
tie reads what its two bodies have handed outward from there, and puts what it does to them there.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import itertools
from typing import Any, NamedTuple

from mbd_ros.execution.ir.sincos import sincos_ir
from mbd_ros.execution.ir.straight_line import declarations_ir, SCALAR, StraightLine
from mbd_ros.execution.ir.trace import Operand, Trace
from mbd_ros.execution.program.driver import tie_all
from mbd_ros.execution.program.records import flatten, mapped
from mbd_ros.execution.program.sweeps import Outward, Program, Ties
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.execution.rolled.body_classes import WORLD, world_inputs
from mbd_ros.model import Model


class Place(NamedTuple):
    """
    Where the records of a body are.

    Attributes
    ----------
    work : str
        Pointer to doubles.
    handed : int
        First value of what it hands on.
    kept : tuple
        Each value of what it keeps of ties, None of those that nothing changes.
    step : int
        From one value handed on to the next: the number of lanes.

    """

    work: str
    handed: int
    kept: tuple[int | None, ...]
    step: int


def declared(program: Program) -> list[str]:
    """Return what a module with the code of ties must begin with."""
    return [sincos_ir(SCALAR), declarations_ir(SCALAR)] if program.ties else []


def ties_in_place(program: Program, model: Model, k: int, places: Mapping[int, Sequence[Place]],
                  shape: Any) -> list[str]:
    """
    Return the code of sweep k of a program, which is one of ties.

    Parameters
    ----------
    program : Program
        It hands its records outward in the sweep before.
    model : Model
        The model, whose constants are folded.
    k : int
        Number of the sweep.
    places : mapping
        Where the row of each body is; more than one where lanes repeat it.
    shape : record
        Of what bodies have handed on.

    Returns
    -------
    list of str
        IR; it reads ``%world``.

    """
    sweep, before = program.sweeps[k], program.sweeps[k - 1]
    assert isinstance(sweep, Ties)
    assert isinstance(before, Outward)
    trace, tree = Trace(), tree_of(model)
    world = world_inputs(trace)
    ground = before.start(world)

    def handed(body: int) -> Any:
        if body < 0:
            return ground
        place = places[body][0]
        entries = itertools.count(place.handed, place.step)
        return mapped(shape, lambda fixed: (
            trace.input(place.work, next(entries)) if fixed is None else fixed))

    sums, _ = tie_all(sweep, tree.ties, world, handed)
    values: dict[int, list[Operand]] = {
        body: flatten(record) for body, record in sums.items() if body >= 0}
    works = {place.work: place.work for body in values for place in places[body]}
    block = StraightLine(f'tie{k}.', {**works, WORLD: '%world'})
    lines = block.compute(trace, [value for record in values.values() for value in record])
    for body, record in values.items():
        for place in places[body]:
            for entry, value in zip(place.kept, record):
                if entry is not None:
                    lines += block.store(value, place.work, entry)
    return lines
