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
IR that computes the sines and cosines of all joints before the sweeps, a register at a time.

One angle after the other takes as long as four or eight. Each body keeps those of the first
coordinate of its joint, an angle or not, in the first two slots of what it keeps.

"""

from __future__ import annotations

from collections.abc import Sequence

from mbd_ros.execution.ir.machine_code import vector_lanes
from mbd_ros.execution.ir.straight_line import Width
from mbd_ros.execution.program.sweeps import Outward, Program
from mbd_ros.execution.rolled.body_classes import BodyClass, COSINE, SINE

ANGLES = 2
"""Slots that each body keeps for them."""
LEAST = 'declare i64 @llvm.umin.i64(i64, i64)'


def together(width: Width) -> Width:
    """Return how many doubles are computed at a time."""
    return Width(max(width.lanes, vector_lanes()))


def angles_first(program: Program, classes: Sequence[BodyClass], width: Width) -> int:
    """Let bodies keep their sines and cosines, where that fills registers; return the slots."""
    if width.lanes >= vector_lanes() or not isinstance(program.sweeps[0], Outward):
        return 0
    for one in classes:
        one.slots, one.angles = ANGLES, True
    return ANGLES


def angles_ir(width: Width, place: tuple[int, int, int], label: str) -> list[str]:
    """
    Return the loop over all bodies.

    Parameters
    ----------
    width : Width
        How many states or subtrees a value holds.
    place : tuple of int
        What body i keeps begins at entry ``place[0] (i + place[1]) + place[2]`` of work.
    label : str
        The block that the code is appended to; it goes on in ``angles.done``.

    Returns
    -------
    list of str
        IR; it reads ``%n``, ``%q`` and ``%qfirst.all`` and writes to ``%work``.

    """
    kind, vector = width.type, together(width)
    count = vector.lanes // width.lanes
    stride, ahead, first = place
    lines = [
        '  %angles.last = sub i64 %n, 1', '  br label %angles.loop', 'angles.loop:',
        f'  %angles.i = phi i64 [0, %{label}], [%angles.j, %angles.body]',
        '  %angles.more = icmp slt i64 %angles.i, %n',
        '  br i1 %angles.more, label %angles.body, label %angles.done', 'angles.body:']
    whole = 'poison'
    for k in range(count):  # the last body again where there are no more
        a = f'%angles.{k}'
        lines += [
            f'  {a}.next = add i64 %angles.i, {k}',
            f'  {a} = call i64 @llvm.umin.i64(i64 {a}.next, i64 %angles.last)',
            f'  {a}.fp = getelementptr i64, ptr %qfirst.all, i64 {a}',
            f'  {a}.f = load i64, ptr {a}.fp',
            f'  {a}.qp = getelementptr {kind}, ptr %q, i64 {a}.f',
            f'  {a}.q = load {kind}, ptr {a}.qp, align 8']
        for lane in range(width.lanes):
            one = f'{a}.q'
            if width.lanes > 1:
                one = f'{a}.q{lane}'
                lines.append(f'  {one} = extractelement {kind} {a}.q, i64 {lane}')
            new = f'{a}.v{lane}'
            lines.append(f'  {new} = insertelement {vector.type} {whole}, double {one}, '
                         f'i64 {k * width.lanes + lane}')
            whole = new
    both = f'{{{vector.type}, {vector.type}}}'
    lines.append(f'  %angles.both = call {both} @sincos{vector.lanes}({vector.type} {whole})')
    for slot in (SINE, COSINE):
        lines.append(f'  %angles.all{slot} = extractvalue {both} %angles.both, {slot}')
    for k in range(count):
        a = f'%angles.{k}'
        lines += [f'  {a}.row = add i64 {a}, {ahead}', f'  {a}.o = mul i64 {a}.row, {stride}']
        for slot in (SINE, COSINE):
            mask = ', '.join(f'i32 {k * width.lanes + lane}' for lane in range(width.lanes))
            taken = (f'extractelement {vector.type} %angles.all{slot}, i64 {k}'
                     if width.lanes == 1 else
                     f'shufflevector {vector.type} %angles.all{slot}, {vector.type} poison, '
                     f'<{width.lanes} x i32> <{mask}>')
            lines += [
                f'  {a}.t{slot} = {taken}', f'  {a}.e{slot} = add i64 {a}.o, {first + slot}',
                f'  {a}.p{slot} = getelementptr {kind}, ptr %work, i64 {a}.e{slot}',
                f'  store {kind} {a}.t{slot}, ptr {a}.p{slot}, align 8']
    return [*lines, f'  %angles.j = add i64 %angles.i, {count}', '  br label %angles.loop',
            'angles.done:']
