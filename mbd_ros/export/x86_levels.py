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
One library for several levels of x86-64: the highest that the processor has is chosen at run time.

Levels are those of the psABI, told by ``cpuid`` and, as the system has to save the registers, by
``xgetbv``. Both can take microseconds on a virtual machine, so that the first call keeps the
answer: the only thing that such a library keeps. Calls at once find and keep the same one.

"""

from __future__ import annotations

from collections.abc import Sequence

LEVELS = ('x86-64', 'x86-64-v2', 'x86-64-v3', 'x86-64-v4')
"""Names of targets, the lowest one first."""
_BASIC = (0, 9, 13, 19, 20, 23)
"""Leaf 1, ECX: SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT."""
_AVX = (12, 22, 27, 28, 29)
"""Leaf 1, ECX: FMA, MOVBE, OSXSAVE, AVX, F16C."""
_AVX2 = (3, 5, 8)
"""Leaf 7, EBX: BMI1, AVX2, BMI2."""
_AVX512 = (16, 17, 28, 30, 31)
"""Leaf 7, EBX: AVX512F, DQ, CD, BW, VL."""
_LAHF, _LZCNT = 0, 5
"""Leaf 0x80000001, ECX."""
_XMM_YMM, _ZMM = 0x6, 0xe6
"""Of XCR0, what the system saves."""
_CPUID = ('{ i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},'
          '~{dirflag},~{fpsr},~{flags}"')
_XGETBV = '{ i32, i32 } asm sideeffect "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"'


def dispatch_ir(level: str, symbols: Sequence[tuple[str, str, Sequence[str]]]) -> str:
    """
    Return the module of functions that call the one of the best level.

    Parameters
    ----------
    level : str
        Name of the function that tells the level, as index of ``LEVELS``; not seen outside.
    symbols : sequence of (str, str, sequence of str)
        Names of functions that return i32, the types of their arguments, and their names at each
        level.

    """
    lines = [
        '@kept = internal global i32 0',
        f'define hidden i32 @{level}() nounwind {{', 'entry:',
        '  %old = load atomic i32, ptr @kept monotonic, align 4',
        '  %new = icmp eq i32 %old, 0', '  br i1 %new, label %ask, label %known', 'known:',
        '  %found = sub i32 %old, 1', '  ret i32 %found', 'ask:',
        f'  %l0 = call {_CPUID}(i32 0, i32 0)',
        '  %last = extractvalue {i32, i32, i32, i32} %l0, 0',
        f'  %e0 = call {_CPUID}(i32 -2147483648, i32 0)',
        '  %elast = extractvalue {i32, i32, i32, i32} %e0, 0',
        '  %basic = icmp uge i32 %last, 1', '  %more = icmp ugt i32 %elast, -2147483648',
        '  %leaves = and i1 %basic, %more', '  br i1 %leaves, label %first, label %keep', 'first:',
        f'  %l1 = call {_CPUID}(i32 1, i32 0)', '  %c1 = extractvalue {i32, i32, i32, i32} %l1, 2',
        f'  %e1 = call {_CPUID}(i32 -2147483647, i32 0)',
        '  %x1 = extractvalue {i32, i32, i32, i32} %e1, 2',
        *_has('second.a', '%c1', _BASIC), *_has('second.b', '%x1', (_LAHF,)),
        '  %second = and i1 %second.a, %second.b',
        '  br i1 %second, label %avx, label %keep', 'avx:',
        *_has('third.a', '%c1', _AVX), *_has('third.b', '%x1', (_LZCNT,)),
        '  %seven = icmp uge i32 %last, 7', '  %third.c = and i1 %third.a, %third.b',
        '  %third.d = and i1 %third.c, %seven', '  br i1 %third.d, label %saved, label %keep',
        'saved:', f'  %xcr = call {_XGETBV}(i32 0)', '  %xcr0 = extractvalue {i32, i32} %xcr, 0',
        f'  %l7 = call {_CPUID}(i32 7, i32 0)', '  %b7 = extractvalue {i32, i32, i32, i32} %l7, 1',
        *_has('third.e', '%b7', _AVX2), *_masked('third.f', '%xcr0', _XMM_YMM),
        '  %third = and i1 %third.e, %third.f', '  br i1 %third, label %wide, label %keep',
        'wide:', *_has('fourth.a', '%b7', _AVX512), *_masked('fourth.b', '%xcr0', _ZMM),
        '  %fourth = and i1 %fourth.a, %fourth.b', '  %best = select i1 %fourth, i32 4, i32 3',
        '  br label %keep', 'keep:',
        '  %level = phi i32 [1, %ask], [1, %first], [2, %avx], [2, %saved], [%best, %wide]',
        '  store atomic i32 %level, ptr @kept monotonic, align 4',
        '  %index = sub i32 %level, 1', '  ret i32 %index', '}']
    for symbol, types, names in symbols:
        kinds = types.split(', ')
        given = ', '.join(f'{kind} %a{k}' for k, kind in enumerate(kinds))
        cases = ' '.join(f'i32 {k}, label %l{k}' for k in range(1, len(names)))
        lines += [*(f'declare hidden i32 @{name}({types})' for name in names),
                  f'define i32 @{symbol}({given}) nounwind {{', 'entry:',
                  f'  %level = call i32 @{level}()', f'  switch i32 %level, label %l0 [{cases}]']
        for k, name in enumerate(names):
            lines += [f'l{k}:', f'  %r{k} = tail call i32 @{name}({given})', f'  ret i32 %r{k}']
        lines.append('}')
    return '\n'.join(lines)


def _has(name: str, register: str, bits: Sequence[int]) -> list[str]:
    return _masked(name, register, sum(1 << bit for bit in bits))


def _masked(name: str, register: str, mask: int) -> list[str]:
    signed = mask - (1 << 32) if mask >> 31 else mask
    return [f'  %{name}.bits = and i32 {register}, {signed}',
            f'  %{name} = icmp eq i32 %{name}.bits, {signed}']
