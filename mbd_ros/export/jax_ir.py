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
IR of handlers for ``jax.ffi``: XLA's typed interface of custom calls, without its headers.

The offsets are those of the public C structs of ``xla/ffi/api/c_api.h`` where pointers have 64
bits: call frame, its arguments and results, buffers, and the extension by which XLA asks for the
version. That is answered with the version of who asks: what is used here has been the same in
all of version 0.

"""

from __future__ import annotations

from collections.abc import Sequence

_EXTENSION, _API, _STAGE, _ARGUMENTS, _RESULTS = 8, 16, 32, 72, 112
"""Of a call frame."""
_KIND, _METADATA = 8, 24
"""Of an extension."""
_API_VERSION, _VERSION, _TRAITS = 32, 24, 32
"""Where the API and the metadata hold major and minor version, two int side by side; traits."""
_DATA = 24
"""Of a buffer."""
_ASKS_FOR_METADATA, _EXECUTES = 1, 3


def name_of(symbol: str) -> str:
    """Return the name of an exported function for JAX."""
    return f'{symbol}_jax'


def jax_ir(symbol: str, inputs: Sequence[tuple[str, int]], size: int, parameters: bool) -> str:
    """
    Return the module of a handler.

    Operands are the number of states (int64, one), then the arguments; results are the result
    and the workspace. States for which the function returns a code have NaN as result, as JAX
    has it.

    Parameters
    ----------
    symbol : str
        The exported function.
    inputs : sequence of (str, int)
        Its arguments.
    size : int
        Of its result for one state.
    parameters : bool
        Whether it takes the world as an argument; it is null.

    """
    count = len(inputs)
    pointers = ', '.join(['ptr'] * (count + 2 + parameters))
    lines = [
        f'declare i32 @{symbol}({pointers})', f'declare i32 @{symbol}_many(i64, {pointers})',
        f'define ptr @{name_of(symbol)}(ptr %frame) nounwind {{', 'entry:',
        *_field('extension', 'ptr', '%frame', _EXTENSION),
        '  %plain = icmp eq ptr %extension, null', '  br i1 %plain, label %staged, label %asked',
        'asked:', *_field('kind', 'i32', '%extension', _KIND),
        f'  %metadata.asked = icmp eq i32 %kind, {_ASKS_FOR_METADATA}',
        '  br i1 %metadata.asked, label %tell, label %staged', 'tell:',
        *_field('metadata', 'ptr', '%extension', _METADATA),
        *_field('api', 'ptr', '%frame', _API), *_field('version', 'i64', '%api', _API_VERSION),
        f'  %version.to = getelementptr i8, ptr %metadata, i64 {_VERSION}',
        '  store i64 %version, ptr %version.to',
        f'  %traits = getelementptr i8, ptr %metadata, i64 {_TRAITS}',
        '  store i32 0, ptr %traits', '  ret ptr null',
        'staged:', *_field('stage', 'i32', '%frame', _STAGE),
        f'  %now = icmp eq i32 %stage, {_EXECUTES}', '  br i1 %now, label %run, label %done',
        'run:', *_field('operands', 'ptr', '%frame', _ARGUMENTS),
        *_field('results', 'ptr', '%frame', _RESULTS)]
    names = ['counted', *(f'x{k}' for k in range(count))]
    for owner, buffers in (('operands', names), ('results', ['result', 'work'])):
        for k, name in enumerate(buffers):
            lines += [*_field(f'{name}.buffer', 'ptr', f'%{owner}', 8 * k),
                      *_field(name, 'ptr', f'%{name}.buffer', _DATA)]
    more = [*(['ptr null'] if parameters else []), 'ptr %work']
    given = ', '.join([*(f'ptr %x{k}' for k in range(count)), 'ptr %result', *more])
    lines += ['  %count = load i64, ptr %counted',
              f'  %code = call i32 @{symbol}_many(i64 %count, {given})',
              '  %right = icmp eq i32 %code, 0', '  br i1 %right, label %done, label %state',
              'state:', '  %i = phi i64 [0, %run], [%i1, %after]']
    handed = []
    for name, extent in [*zip(names[1:], (one for _, one in inputs)), ('result', size)]:
        lines += [f'  %{name}.e = mul i64 %i, {extent}',
                  f'  %{name}.row = getelementptr double, ptr %{name}, i64 %{name}.e']
        handed.append(f'ptr %{name}.row')
    return '\n'.join([
        *lines, f'  %own = call i32 @{symbol}({", ".join([*handed, *more])})',
        '  %fine = icmp eq i32 %own, 0', '  br i1 %fine, label %after, label %fill', 'fill:',
        '  %k = phi i64 [0, %state], [%k1, %fill]',
        '  %place = getelementptr double, ptr %result.row, i64 %k',
        '  store double 0x7FF8000000000000, ptr %place', '  %k1 = add i64 %k, 1',
        f'  %unfilled = icmp slt i64 %k1, {size}',
        '  br i1 %unfilled, label %fill, label %after', 'after:', '  %i1 = add i64 %i, 1',
        '  %left = icmp slt i64 %i1, %count', '  br i1 %left, label %state, label %done', 'done:',
        '  ret ptr null', '}'])


def _field(name: str, kind: str, owner: str, offset: int) -> list[str]:
    return [f'  %{name}.at = getelementptr i8, ptr {owner}, i64 {offset}',
            f'  %{name} = load {kind}, ptr %{name}.at']
