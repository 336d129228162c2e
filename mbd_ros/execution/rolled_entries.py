"""IR that puts what the walks of a rolled kernel give out into the matrices of the result."""

from __future__ import annotations

from mbd_ros.execution.species import Code
from mbd_ros.execution.straight_line import StraightLine
from mbd_ros.execution.sweeps import Layout, Program


class EntryWriter:
    """Writes where the results of walks go, line by line."""

    _program: Program
    _lines: list[str]

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
