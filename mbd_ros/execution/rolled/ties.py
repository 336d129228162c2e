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
IR of the ties of a rolled kernel: loop joints and springs, read from tables like the bodies.

``constants`` goes on after the bodies with those of the ties, ``topology`` with the
number of ties, their first and second bodies, shapes and first rows, the number of rows, and for
the ground and each body the rows that its slots carry. A *shape* is the structure of a tie: its
bodies are classes, -1 the ground, and its row is 0.

"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from mbd_ros.execution.ir.straight_line import StraightLine, Width
from mbd_ros.execution.ir.trace import Operand, Symbol, Trace
from mbd_ros.execution.program.records import flatten, mapped, size_of, with_constants
from mbd_ros.execution.program.sweeps import Layout, Program, Tie, Ties
from mbd_ros.execution.rolled.body_classes import (
    BodyClass, handed_inputs, KEPT, Reload, WORLD, world_inputs)

TIE, FIRST, SECOND = 'tie', 'first', 'second'


@dataclass(frozen=True)
class TieCode:
    """Straight-line code of a tie: what it adds to its bodies, and what it gives out."""

    trace: Trace
    first: list[Operand]
    second: list[Operand]
    out: list[Operand]


def trace_tie(sweep: Ties, shape: Tie, hand: Any) -> TieCode:
    """Trace the step of a tie of one shape between bodies that hand out a record."""
    trace = Trace()
    tie = with_constants(shape, partial(trace.input, TIE))._replace(
        first=min(shape.first, 0), second=min(shape.second, 0))
    one, other, out = sweep.step(tie, world_inputs(trace), handed_inputs(trace, hand, FIRST),
                                 handed_inputs(trace, hand, SECOND))
    return TieCode(trace, flatten(one), flatten(other), list(out))


def reserve(body_class: BodyClass, zero: Any, changes: Sequence[bool]) -> list[int | None]:
    """Let bodies with ties keep what these add up to; return the slots of scalars that change."""
    if not body_class.tied:
        body_class.kept.append(zero)
        return []
    places: list[int | None] = []
    for change in changes:
        places.append(body_class.slots if change else None)
        body_class.slots += change
    slots = iter(places)
    body_class.kept.append(mapped(zero, lambda leaf: (
        leaf if (slot := next(slots)) is None else Reload(KEPT, slot))))
    return places


class TieWriter:
    """Writes what a rolled kernel does with ties, line by line."""

    _program: Program
    _width: Width
    _kind: str
    _lines: list[str]
    _hand: int
    _shapes: Sequence[Tie]
    _slots: int

    def _name_ties(self, body_size: int) -> None:
        """Name the tables of the ties."""
        tables = (('tiefirst', 'tiesecond'), ('tiesecond', 'tieshape'), ('tieshape', 'tierow'),
                  ('tierow', 'rowcount'))
        self._lines += [
            '  %tiecount.p = getelementptr i64, ptr %axisends, i64 %nv',
            '  %ties = load i64, ptr %tiecount.p',
            '  %tiefirst.all = getelementptr i64, ptr %tiecount.p, i64 1',
            *(f'  %{name}.all = getelementptr i64, ptr %{before}.all, i64 %ties'
              for before, name in tables),
            '  %rowcount = load i64, ptr %rowcount.all',
            '  %slotrows.all = getelementptr i64, ptr %rowcount.all, i64 1',
            f'  %tieconstants.o = mul i64 %n, {body_size}',
            '  %tieconstants = getelementptr double, ptr %constants, i64 %tieconstants.o']

    def _write_ties(self, k: int, codes: Sequence[TieCode],
                    places: Sequence[Sequence[int | None]], row: int, label: str) -> str:
        """Write a loop that clears what bodies with ties keep, and one that adds to it."""
        for adds in (False, True):
            s = f's{k}{"b" if adds else "a"}'
            self._lines += [
                f'  br label %{s}.loop', f'{s}.loop:',
                f'  %{s}.i = phi i64 [0, %{label}], [%{s}.j, %{s}.next]',
                f'  %{s}.more = icmp slt i64 %{s}.i, %ties',
                f'  br i1 %{s}.more, label %{s}.body, label %{s}.done', f'{s}.body:']
            for name in ('tiefirst', 'tiesecond', 'tieshape', 'tierow'):
                self._lines += [
                    f'  %{s}.{name}.p = getelementptr i64, ptr %{name}.all, i64 %{s}.i',
                    f'  %{s}.{name} = load i64, ptr %{s}.{name}.p']
            for name in ('tiefirst', 'tiesecond'):
                self._lines += [
                    f'  %{s}.{name}.1 = add i64 %{s}.{name}, 1',
                    f'  %{s}.{name}.o = mul i64 %{s}.{name}.1, {row}',
                    f'  %{s}.{name}.row = getelementptr {self._kind}, ptr %work, '
                    f'i64 %{s}.{name}.o',
                    f'  %{s}.{name}.kept = getelementptr {self._kind}, ptr %{s}.{name}.row, '
                    f'i64 {self._hand}']
            size = max(map(size_of, self._shapes), default=0)
            cases = ' '.join(f'i64 {number}, label %{s}.shape{number}'
                             for number in range(len(codes)))
            self._lines += [
                f'  %{s}.c.o = mul i64 %{s}.i, {size}',
                f'  %{s}.c = getelementptr double, ptr %tieconstants, i64 %{s}.c.o',
                f'  switch i64 %{s}.tieshape, label %{s}.never [{cases}]', f'{s}.never:',
                '  unreachable']
            for number, (shape, code) in enumerate(zip(self._shapes, codes)):
                self._lines.append(f'{s}.shape{number}:')
                block = StraightLine(
                    f'{s}t{number}.', {TIE: f'%{s}.c', FIRST: f'%{s}.tiefirst.row',
                                       SECOND: f'%{s}.tiesecond.row', WORLD: '%world'},
                    self._width, (TIE, WORLD))
                if adds:
                    self._lines += block.compute(code.trace,
                                                 [*code.first, *code.second, *code.out])
                for name, index, values in (('tiefirst', shape.first, code.first),
                                            ('tiesecond', shape.second, code.second)):
                    if index < 0:
                        continue
                    for entry, value in zip(places[index], values):
                        kept = f'%{s}.{name}.kept'
                        if entry is None:
                            continue
                        if not adds:
                            self._lines += block.store(0.0, kept, entry)
                        elif isinstance(value, Symbol) or value:
                            self._lines += block.add(value, kept, entry)
                if adds and self._program.layout is Layout.ROWS:
                    self._give_out_rows(block, f'{s}t{number}', s, code)
                self._lines.append(f'  br label %{s}.next')
            self._lines += [f'{s}.next:', f'  %{s}.j = add i64 %{s}.i, 1',
                            f'  br label %{s}.loop', f'{s}.done:']
            label = f'{s}.done'
        return label

    def _give_out_rows(self, block: StraightLine, name: str, s: str, code: TieCode) -> None:
        """Store what a tie gives out at the head of each of its rows."""
        (each,) = self._program.extent
        self._lines += [
            f'  %{name}.length = add i64 %nv, {each}',
            f'  %{name}.o = mul i64 %{s}.tierow, %{name}.length',
            f'  %{name}.p0 = getelementptr {self._kind}, ptr %result, i64 %{name}.o']
        for k, value in enumerate(code.out):
            row, entry = divmod(k, each)
            if entry == 0 and row:
                self._lines.append(f'  %{name}.p{row} = getelementptr {self._kind}, '
                                   f'ptr %{name}.p{row - 1}, i64 %{name}.length')
            self._lines += block.store(value, f'%{name}.p{row}', entry)

    def _place_of_slot(self, s: str, body: str, slot: int, length: str, offset: str) -> str:
        """Name where to store the value of the row that a slot carries, if it carries one."""
        name = f'%{s}slot{len(self._lines)}'
        self._lines += [
            f'  {name}.1 = add i64 {body}, 1', f'  {name}.o = mul i64 {name}.1, {self._slots}',
            f'  {name}.s = add i64 {name}.o, {slot}',
            f'  {name}.rp = getelementptr i64, ptr %slotrows.all, i64 {name}.s',
            f'  {name}.r = load i64, ptr {name}.rp',
            f'  {name}.there = icmp sge i64 {name}.r, 0',
            f'  {name}.l = mul i64 {name}.r, {length}',
            f'  {name}.e = add i64 {name}.l, {offset}',
            f'  {name}.in = getelementptr {self._kind}, ptr %result, i64 {name}.e',
            f'  {name} = select i1 {name}.there, ptr {name}.in, ptr %dummy']
        return name

    def _give_out_slots(self, block: StraightLine, s: str, body: str, axes: int,
                        out: Sequence[Operand], closes: Sequence[int]) -> None:
        """Store what a step at a body gives out for the rows in its slots."""
        if self._program.layout is Layout.ROWS:
            (each,) = self._program.extent
            length, first = f'%{s}length{len(self._lines)}', f'%{s}first{len(self._lines)}'
            self._lines += [f'  {length} = add i64 %nv, {each}',
                            f'  {first} = add i64 %{s}.vfirst, {each}']
            for slot in range(self._slots):
                place = self._place_of_slot(s, body, slot, length, first)
                for axis in range(axes):
                    self._lines += block.store(out[slot * axes + axis], place, axis)
            return
        for slot in closes:
            place = self._place_of_slot(s, body, slot, '2', '%nv')
            for entry in range(2):
                self._lines += block.store(out[axes + 2 * slot + entry], place, entry)
