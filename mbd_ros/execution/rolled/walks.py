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

"""IR of the walks of a rolled kernel, and of where in the result goes what they give out."""

from __future__ import annotations

from collections.abc import Mapping

from mbd_ros.execution.ir.straight_line import StraightLine
from mbd_ros.execution.program.sweeps import Layout, Program
from mbd_ros.execution.rolled.body_classes import BodyClass, Code
from mbd_ros.execution.rolled.traces import WalkCode


class WalkWriter:
    """Writes walks line by line."""

    _program: Program
    _classes: list[BodyClass]
    _kind: str
    _lines: list[str]
    _walk_hand: int

    def _body_pointers(self, s: str, body: str, row: int) -> None:
        raise NotImplementedError

    def _switch(self, s: str) -> None:
        raise NotImplementedError

    def _block(self, prefix: str, s: str, handed: str | Mapping[int, str]) -> StraightLine:
        raise NotImplementedError

    def _walk(self, k: int, codes: WalkCode, row: int, label: str) -> str:
        starts, steps = codes.starts, codes.steps
        s, w, size = f's{k}', f'w{k}', max(1, self._walk_hand)
        only = self._program.body
        first, last = ('0', '%n') if only is None else (str(only), str(only + 1))
        self._lines += [
            f'  br label %{s}.loop', f'{s}.loop:',
            f'  %{s}.i = phi i64 [{first}, %{label}], [%{s}.j, %{s}.next]',
            f'  %{s}.more = icmp slt i64 %{s}.i, {last}',
            f'  br i1 %{s}.more, label %{s}.body, label %{s}.done', f'{s}.body:']
        self._body_pointers(s, f'%{s}.i', row)
        self._switch(s)
        for number, begun in enumerate(starts):
            self._lines.append(f'{s}.species{number}:')
            for axis, code in enumerate(begun):
                block = self._block(f'{s}t{number}a{axis}.', s, '%walked')
                self._lines += block.compute(code.trace, [*(x for _, x in code.hand), *code.out])
                for entry, value in code.hand:
                    self._lines += block.store(value, '%walked', axis * size + entry)
                self._lines.append(f'  %{s}t{number}a{axis}.line = add i64 %{s}.vfirst, {axis}')
                self._enter(block, f'{s}t{number}a{axis}.line', s, code,
                            self._classes[number].joint.nv)
            self._lines.append(f'  br label %{s}.begun')
        counts = ', '.join(f'[{len(begun)}, %{s}.species{number}]'
                           for number, begun in enumerate(starts))
        self._lines += [
            f'{s}.begun:', f'  %{s}.count = phi i64 {counts}',
            f'  br label %{s}.axis', f'{s}.axis:',
            f'  %{s}.a = phi i64 [0, %{s}.begun], [%{s}.a1, %{w}.done]',
            f'  %{s}.amore = icmp slt i64 %{s}.a, %{s}.count',
            f'  br i1 %{s}.amore, label %{w}.start, label %{s}.next', f'{w}.start:',
            f'  %{w}.line = add i64 %{s}.vfirst, %{s}.a', f'  %{w}.o = mul i64 %{s}.a, {size}',
            f'  %{w}.carried = getelementptr {self._kind}, ptr %walked, i64 %{w}.o',
            f'  br label %{w}.loop', f'{w}.loop:',
            f'  %{w}.b = phi i64 [%{s}.parent, %{w}.start], [%{w}.parent, %{w}.next]',
            f'  %{w}.more = icmp sge i64 %{w}.b, 0',
            f'  br i1 %{w}.more, label %{w}.body, label %{w}.done', f'{w}.body:']
        self._body_pointers(w, f'%{w}.b', row)
        self._switch(w)
        for number, code in enumerate(steps):
            self._lines.append(f'{w}.species{number}:')
            block = self._block(f'{w}t{number}.', w, f'%{w}.carried')
            self._lines += block.compute(code.trace, [*(x for _, x in code.hand), *code.out])
            for entry, value in code.hand:
                self._lines += block.store(value, f'%{w}.carried', entry)
            self._enter(block, f'{w}.line', w, code, self._classes[number].joint.nv)
            self._lines.append(f'  br label %{w}.next')
        self._lines += [
            f'{w}.next:', f'  br label %{w}.loop', f'{w}.done:',
            f'  %{s}.a1 = add i64 %{s}.a, 1', f'  br label %{s}.axis', f'{s}.next:',
            f'  %{s}.j = add i64 %{s}.i, 1', f'  br label %{s}.loop', f'{s}.done:']
        return f'{s}.done'

    def _enter(self, block: StraightLine, line: str, s: str, code: Code, axes: int) -> None:
        """Store what a walk's step gives out; the walk began at an axis, the line."""
        if self._program.layout is Layout.SQUARES:
            self._enter_squares(block, line, s, code, axes)
            return
        extent = self._program.extent[0] if self._program.extent else 1
        for k, value in enumerate(code.out):
            place = f'{s}e{len(self._lines)}'
            if self._program.layout is Layout.SYMMETRIC:
                self._lines += [
                    f'  %{place}c = add i64 %{s}.vfirst, {k}',
                    f'  %{place}r1 = mul i64 %{line}, %nv',
                    f'  %{place}1 = add i64 %{place}r1, %{place}c',
                    f'  %{place}r2 = mul i64 %{place}c, %nv',
                    f'  %{place}2 = add i64 %{place}r2, %{line}',
                    *block.store(value, '%result', f'%{place}1'),
                    *block.store(value, '%result', f'%{place}2')]
            else:
                axis, entry = divmod(k, extent)
                self._lines += [
                    f'  %{place}r = mul i64 %nv, {entry}',
                    f'  %{place}c = add i64 %{s}.vfirst, {axis}',
                    f'  %{place}1 = add i64 %{place}r, %{place}c',
                    *block.store(value, '%result', f'%{place}1')]

    def _enter_squares(self, block: StraightLine, line: str, s: str, code: Code, axes: int
                       ) -> None:
        (count,) = self._program.extent
        for k, value in enumerate(code.out):
            place, (part, axis) = f'%{s}e{len(self._lines)}', divmod(k, axes)
            row, column = f'{place}a', f'%{line}'
            if part >= count:
                row, column = column, row
            self._lines += [
                f'  {place}a = add i64 %{s}.vfirst, {axis}',
                f'  {place}o = mul i64 {row}, %stride',
                f'  {place}c = add i64 {place}o, {column}',
                *block.store(value, f'%matrix{part % count}', f'{place}c')]
