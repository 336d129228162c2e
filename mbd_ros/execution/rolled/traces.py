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
The steps of all sweeps of a program, traced for rolled code.

Code for all robots reads everything. Code for one robot, whose classes know the constants that
their bodies share (numbers in ``Kind.body``), follows these through the sweeps: a scalar that is
handed on as the same number by the ground and by all bodies is not handed on but known, as is most
of a pose where all axes are parallel; a scalar that all children hand inwards as zero stays zero;
what no later step reads is neither handed on nor kept.

"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mbd_ros.execution.ir.trace import Operand, Symbol, Trace
from mbd_ros.execution.program.records import constants_of, flatten, mapped
from mbd_ros.execution.program.sweeps import Inward, Outward, Program, Solve, Tie, Ties, Walk
from mbd_ros.execution.rolled.body_classes import (
    BodyClass, Code, HANDED, KEPT, shape_of, start_of, trace_sweep, trace_walk_start,
    trace_walk_step, varying)
from mbd_ros.execution.rolled.ties import reserve, TieCode, trace_tie


@dataclass(frozen=True)
class SweepCode:
    """
    A sweep outward or inward.

    Attributes
    ----------
    codes : list of Code
        One for each class.
    landed, shape : record
        Shapes of what the sweep before and this one hand on.
    start : list of tuple
        What the ground hands on, and which of the scalars that vary each is; of an inward sweep
        the zeros.
    trace : Trace
        That of the ground.
    out : list of Operand
        What the ground gives out.

    """

    codes: list[Code]
    landed: Any
    shape: Any
    start: list[tuple[int, Operand]]
    trace: Trace
    out: list[Operand]


@dataclass(frozen=True)
class TiesCode:
    """Code of each shape of ties; for each class where it keeps what they do, if it changes."""

    codes: list[TieCode]
    places: list[list[int | None]]


@dataclass(frozen=True)
class WalkCode:
    """Walks that begin at a body of each class, and their steps."""

    starts: list[list[Code]]
    steps: list[Code]


Traced = SweepCode | TiesCode | WalkCode | None


def traced(program: Program, classes: Sequence[BodyClass], shapes: Sequence[Tie]) -> list[Traced]:
    """
    Trace all sweeps of a program.

    Parameters
    ----------
    program : Program
        The sweeps.
    classes : sequence of BodyClass
        The joint types; what their bodies keep is added to them.
    shapes : sequence of Tie
        The shapes of ties.

    Returns
    -------
    list
        A ``SweepCode``, ``TiesCode`` or ``WalkCode`` for each sweep, None for ``Solve``.

    """
    found: list[Traced] = []
    shape: Any = None
    folds = any(constants_of(one.body) for one in classes)
    for sweep in program.sweeps:
        if isinstance(sweep, Solve):
            found.append(None)
        elif isinstance(sweep, Ties):
            found.append(_ties(sweep, classes, shapes, shape, folds))
        elif isinstance(sweep, Walk):
            starts = [trace_walk_start(sweep, one, program) for one in classes]
            carried = shape_of(starts[0][0].handed)
            found.append(WalkCode(starts, [
                trace_walk_step(sweep, one, program, carried) for one in classes]))
        else:
            code = sweep_code(sweep, classes, program, shape, folds)
            shape = code.shape
            found.append(code)
    if not folds or any(code is None or isinstance(code, WalkCode) for code in found):
        return found  # walks read what all sweeps have kept
    return trimmed(found)


def sweep_code(sweep: Outward | Inward, classes: Sequence[BodyClass], program: Program,
               landed: Any, folds: bool) -> SweepCode:
    """
    Trace one sweep.

    Parameters
    ----------
    sweep : Outward or Inward
        The sweep.
    classes : sequence of BodyClass
        The joint types; what their bodies keep is added to them.
    program : Program
        For its inputs.
    landed : record
        Shape of what the sweep before handed to the ground.
    folds : bool
        Whether scalars that are the same number everywhere are known instead of handed on.

    Returns
    -------
    SweepCode
        Its code.

    """
    trace, out = Trace(), list[Operand]()
    if isinstance(sweep, Inward):
        ground = sweep.zero
    else:
        step = start_of(trace, sweep, landed)
        ground, out = step.hand, list(step.out)
    shape = _fixed(sweep, classes, program, ground) if folds else shape_of(ground)
    codes = [trace_sweep(sweep, one, program, shape) for one in classes]
    return SweepCode(codes, landed, shape, list(enumerate(varying(ground, shape))), trace, out)


def _fixed(sweep: Outward | Inward, classes: Sequence[BodyClass], program: Program, ground: Any
           ) -> Any:
    """Return the shape of what a sweep hands on, with the numbers that are the same everywhere."""
    inward = isinstance(sweep, Inward)
    known = [None if isinstance(leaf, Symbol) or (inward and leaf != 0.0) else leaf
             for leaf in flatten(ground)]
    while True:  # fewer numbers each time
        shape = _filled(ground, known)
        hands = [flatten(trace_sweep(sweep, one.copy(), program, shape).handed)
                 for one in classes]
        before, known = known, [
            None if number is None or not all(_is(value, number) for value in values) else number
            for number, *values in zip(known, *hands)]
        if known == before:
            return shape


def _filled(record: Any, leaves: Iterable[float | None]) -> Any:
    """Return a record with other leaves."""
    others = iter(leaves)
    return mapped(record, lambda _: next(others))


def _is(value: Operand, number: float) -> bool:
    return not isinstance(value, Symbol) and value == number


def _ties(sweep: Ties, classes: Sequence[BodyClass], shapes: Sequence[Tie], handed: Any,
          folds: bool) -> TiesCode:
    codes = [trace_tie(sweep, shape, handed) for shape in shapes]
    places = []
    for number, one in enumerate(classes):
        records = [record for shape, code in zip(shapes, codes) for end, record in (
            (shape.first, code.first), (shape.second, code.second)) if end == number]
        changes = [not folds or any(not _is(record[k], 0.0) for record in records)
                   for k in range(len(flatten(sweep.zero)))]
        places.append(reserve(one, sweep.zero, changes))
    return TiesCode(codes, places)


def trimmed(sweeps: Sequence[Traced],
            reads: Callable[[int, Sequence[Traced]], set[int]] | None = None) -> list[Traced]:
    """
    Return the sweeps without values that no later step reads.

    Parameters
    ----------
    sweeps : sequence
        As from ``traced``.
    reads : callable, optional
        ``(k, the sweeps after sweep k)`` -> which entries are read of what its last body (inward:
        its first) hands on; what the ground of the next sweep reads if left out.

    Returns
    -------
    list
        The same with less.

    """
    kept: dict[int, set[int]] = {}  # slots that are read later, by class
    later: set[int] = set()  # what of its hand is read by the next sweep
    found: list[Traced] = []
    for number, code in reversed(list(enumerate(sweeps))):
        if isinstance(code, TiesCode):
            later = later.union(*(_read(one.trace, [*one.first, *one.second, *one.out])
                                  for one in code.codes))
        elif isinstance(code, SweepCode):
            handed = set(later) if reads is None else reads(number, found)
            while True:
                codes = [_needed(one, handed, kept.get(k, set()))
                         for k, one in enumerate(code.codes)]
                read = set().union(*(_read(one.trace, _results(one), HANDED) for one in codes))
                if read <= handed:
                    break
                handed |= read
            for k, one in enumerate(codes):
                kept[k] = kept.get(k, set()) | _read(one.trace, _results(one), KEPT)
            start = [(entry, value) for entry, value in code.start if entry in handed]
            code = replace(code, codes=codes, start=start)
            later = _read(code.trace, [*(value for _, value in start), *code.out])
        found.insert(0, code)
    return found


def _needed(code: Code, handed: set[int], kept: set[int]) -> Code:
    return replace(code, hand=[one for one in code.hand if one[0] in handed],
                   keep=[one for one in code.keep if one[0] in kept])


def _results(code: Code) -> list[Operand]:
    return [*(value for _, value in (*code.hand, *code.keep)), *code.out]


def _read(trace: Trace, results: list[Operand], *sources: str) -> set[int]:
    """Return which entries are read for results: of some sources, else of what was handed on."""
    wanted = sources or (HANDED, 'first', 'second')
    return {symbol.second for symbol in trace.needed(results)
            if symbol.name == 'input' and symbol.first in wanted}
