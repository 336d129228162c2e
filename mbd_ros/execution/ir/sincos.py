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
Sine and cosine in IR, for one double or for lanes.

Up to 1e5 rad the angle is reduced by the nearest multiple of pi/2, subtracted in three parts
(Cody and Waite), and both functions come from the minimax polynomials of fdlibm on [-pi/4, pi/4];
the error is below 1.5 units in the last place. Larger angles, infinities and NaN go to the C
library. In single precision, for exported libraries, the polynomials are shorter, and the error is
below 2 units in the last place up to 8192 rad.

"""

from __future__ import annotations

from typing import NamedTuple

from mbd_ros.execution.ir.straight_line import Width

_TWO_BY_PI = 6.36619772367581382433e-01


class Precision(NamedTuple):
    """
    The numbers of sine and cosine in one precision.

    Attributes
    ----------
    bits : int
        Of a number.
    largest : float
        Largest angle that is reduced here [rad].
    rounding : float
        Adding it rounds to an integer, held in the low bits.
    parts : tuple of float
        pi/2 in parts so short that their products with the integers that occur are exact.
    sine, cosine : tuple of float
        Coefficients of the polynomials.

    """

    bits: int
    largest: float
    rounding: float
    parts: tuple[float, ...]
    sine: tuple[float, ...]
    cosine: tuple[float, ...]


DOUBLE = Precision(
    64, 1e5, 6755399441055744.0,   # 1.5 * 2**52; parts of 33 bits
    (1.57079632673412561417e+00, 6.07710050630396597660e-11, 2.02226624879595063154e-21),
    (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
     2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10),
    (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
     -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11))
SINGLE = Precision(
    32, 8192.0, 12582912.0,   # 1.5 * 2**23; parts of 8, 11 and 24 bits
    (1.5703125, 4.837512969970703125e-04, 7.54978995489188216e-08),
    (-1.6666654611e-01, 8.3321608736e-03, -1.9515295891e-04),
    (4.166664568298827e-02, -1.388731625493765e-03, 2.443315711809948e-05))


def sincos_ir(*widths: Width) -> str:
    """
    Return the IR of ``{T, T} @sincosW(T)`` for some widths W, and what else is of the C library.

    Parameters
    ----------
    *widths : Width
        T is a double or a vector of W doubles.

    Returns
    -------
    str
        The functions with what they declare.

    """
    lines = ['declare double @llvm.sin.f64(double)', 'declare double @llvm.cos.f64(double)',
             'declare double @tanh(double)']
    for width in sorted(set(widths), key=lambda width: width.lanes):
        lines += [*_declared(width), function_ir(width)]
    return '\n'.join(lines)


def _declared(width: Width) -> list[str]:
    kind, lanes = width.type, width.lanes
    return [f'declare {kind} @llvm.fabs.{width.suffix}({kind})', *(
        [f'declare i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1>)'] if lanes > 1 else [])]


def function_ir(width: Width, precision: Precision = DOUBLE) -> str:
    """Return the IR of ``sincosW``; in single precision, too, the type is called double."""
    kind, lanes = width.type, width.lanes
    mask = 'i1' if lanes == 1 else f'<{lanes} x i1>'
    lines = [
        f'define private {{{kind}, {kind}}} @sincos{lanes}({kind} %x) nounwind {{',
        f'  %size = call {kind} @llvm.fabs.{width.suffix}({kind} %x)',
        f'  %far = fcmp uge {kind} %size, {width.constant(precision.largest)}']
    if lanes > 1:
        lines.append(f'  %any = call i1 @llvm.vector.reduce.or.v{lanes}i1({mask} %far)')
    lines += [f'  br i1 %{"far" if lanes == 1 else "any"}, label %library, label %near', 'near:',
              *_near(width, precision), 'library:', *_library(width), '}']
    return '\n'.join(lines).replace('i64', f'i{precision.bits}')


def _near(width: Width, precision: Precision) -> list[str]:
    kind, whole, constant = width.type, width.integer, width.constant
    mask = 'i1' if width.lanes == 1 else f'<{width.lanes} x i1>'
    lines = [f'  %turns = fmul {kind} %x, {constant(_TWO_BY_PI)}',
             f'  %shifted = fadd {kind} %turns, {constant(precision.rounding)}',
             f'  %n = fsub {kind} %shifted, {constant(precision.rounding)}',
             f'  %quadrant = bitcast {kind} %shifted to {whole}']
    rest = '%x'
    for k, part in enumerate(precision.parts):
        lines += [f'  %part{k} = fmul contract {kind} %n, {constant(part)}',
                  f'  %rest{k} = fsub contract {kind} {rest}, %part{k}']
        rest = f'%rest{k}'
    lines.append(f'  %z = fmul {kind} {rest}, {rest}')
    for name, coefficients in (('s', precision.sine), ('c', precision.cosine)):
        value = constant(coefficients[-1])
        for k, coefficient in reversed(list(enumerate(coefficients[:-1]))):
            lines += [f'  %{name}m{k} = fmul contract {kind} {value}, %z',
                      f'  %{name}{k} = fadd contract {kind} %{name}m{k}, {constant(coefficient)}']
            value = f'%{name}{k}'
    return [
        *lines,
        f'  %zr = fmul {kind} %z, {rest}', f'  %sz = fmul contract {kind} %zr, %s0',
        f'  %sine = fadd contract {kind} {rest}, %sz',
        f'  %half = fmul {kind} %z, {constant(0.5)}',
        f'  %head = fsub {kind} {constant(1.0)}, %half',
        f'  %lost = fsub {kind} {constant(1.0)}, %head', f'  %low = fsub {kind} %lost, %half',
        f'  %zz = fmul {kind} %z, %z', f'  %cz = fmul contract {kind} %zz, %c0',
        f'  %tail = fadd contract {kind} %low, %cz', f'  %cosine = fadd {kind} %head, %tail',
        f'  %bit = and {whole} %quadrant, {width.whole(1)}',
        f'  %odd = icmp ne {whole} %bit, {width.whole(0)}',
        f'  %s.size = select {mask} %odd, {kind} %cosine, {kind} %sine',
        f'  %c.size = select {mask} %odd, {kind} %sine, {kind} %cosine',
        f'  %next = add {whole} %quadrant, {width.whole(1)}',
        *_signed('s', '%quadrant', width, precision),
        *_signed('c', '%next', width, precision), *_pair('s', 'c', width)]


def _signed(name: str, quadrant: str, width: Width, precision: Precision) -> list[str]:
    """Return the instructions that turn the sign of a value in every other half turn."""
    kind, whole = width.type, width.integer
    return [f'  %{name}.two = and {whole} {quadrant}, {width.whole(2)}',
            f'  %{name}.sign = shl {whole} %{name}.two, {width.whole(precision.bits - 2)}',
            f'  %{name}.bits = bitcast {kind} %{name}.size to {whole}',
            f'  %{name}.turned = xor {whole} %{name}.bits, %{name}.sign',
            f'  %{name}.value = bitcast {whole} %{name}.turned to {kind}']


def _library(width: Width) -> list[str]:
    """Return the instructions that call the C library for each lane."""
    lines = []
    for name, function in (('ls', 'sin'), ('lc', 'cos')):
        if width.lanes == 1:
            lines.append(f'  %{name}.value = call double @llvm.{function}.f64(double %x)')
            continue
        value = 'poison'
        for k in range(width.lanes):
            new = f'%{name}.value' if k == width.lanes - 1 else f'%{name}{k}v'
            lines += [f'  %{name}{k}x = extractelement {width.type} %x, i64 {k}',
                      f'  %{name}{k}y = call double @llvm.{function}.f64(double %{name}{k}x)',
                      f'  {new} = insertelement {width.type} {value}, double %{name}{k}y, '
                      f'i64 {k}']
            value = new
    return [*lines, *_pair('ls', 'lc', width)]


def _pair(first: str, second: str, width: Width) -> list[str]:
    both = f'{{{width.type}, {width.type}}}'
    return [f'  %{first}.pair = insertvalue {both} poison, {width.type} %{first}.value, 0',
            f'  %{second}.pair = insertvalue {both} %{first}.pair, {width.type} '
            f'%{second}.value, 1',
            f'  ret {both} %{second}.pair']
