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

"""The text of the module of JavaScript beside a robot in WebAssembly."""

from __future__ import annotations

import json
from typing import Any

from mbd_ros.export.c_text import Library
from mbd_ros.export.entry_ir import CODES
from mbd_ros.export.real import DOUBLE
from mbd_ros.model import state

_LOADER = """
/* Return the functions, by their names: each takes arrays of numbers and, last, the world where
   there is one, and gives a typed array, or throws. source: the bytes of the .wasm file. */
export async function load(source) {
  const env = {
    sin: Math.sin, cos: Math.cos, tanh: Math.tanh,
    sinf: Math.sin, cosf: Math.cos, tanhf: Math.tanh,
    memset: (to, value, size) => { bytes().fill(value, to, to + size); return to; },
    memcpy: (to, from, size) => { bytes().copyWithin(to, from, from + size); return to; },
  };
  const BYTES = Numbers.BYTES_PER_ELEMENT;
  const { instance } = await WebAssembly.instantiate(source, { env });
  const { memory, __heap_base: base, ...code } = instance.exports;
  const bytes = () => new Uint8Array(memory.buffer);
  const most = Math.max(...Object.values(FUNCTIONS).map(
    (one) => one.takes.reduce((sum, [, size]) => sum + size, one.size)));
  const end = base.value + BYTES * (most + robot.world.length + robot.work);
  if (end > memory.buffer.byteLength)
    memory.grow(Math.ceil((end - memory.buffer.byteLength) / 65536));
  const called = ([name, { symbol, takes, size }]) => [name, (...values) => {
    let place = base.value;
    const put = (what, entries, many) => {
      if (entries.length !== many)
        throw new RangeError(`${what}: ${many} numbers, not ${entries.length}`);
      new Numbers(memory.buffer, place, many).set(entries);
      place += BYTES * many;
      return place - BYTES * many;
    };
    const given = takes.map(([what, many], k) => put(what, values[k] ?? [], many));
    const world = values[takes.length];
    const around = !robot.takesWorld ? [] : [world ? put('world', world, robot.world.length) : 0];
    const result = place;
    const answer = code[symbol](...given, result, ...around, result + BYTES * size);
    if (answer) throw new Error(`${name}: ${CODES[answer]}`);
    return new Numbers(memory.buffer, result, size).slice();
  }];
  return Object.fromEntries(Object.entries(FUNCTIONS).map(called));
}
"""


def javascript(library: Library) -> str:
    """Return the module that loads ``lib/NAME.wasm``, in a browser or in Node.js."""
    model = library.model
    functions = {symbol.removeprefix(f'{library.name}_'): {
        'symbol': symbol, 'takes': function.inputs, 'size': function.size}
        for symbol, function in library.functions}
    robot = {'name': model.name, 'hash': library.digest, 'nq': model.nq, 'nv': model.nv,
             'joints': model.joint_names, 'bodies': model.body_names,
             'neutral': state.neutral(model).tolist(), 'world': library.world,
             'takesWorld': library.parameters, 'work': library.work}
    codes = dict(CODES.values())
    return (f'/* Dynamics of a robot, written by mbd_ros {library.version}; do not edit.\n'
            f'   Numbers are those of include/{library.library}.h. */\n'
            f'export const robot = {as_javascript(robot)};\n'
            f'const Numbers = {"Float64Array" if library.real == DOUBLE else "Float32Array"};\n'
            f'const FUNCTIONS = {as_javascript(functions)};\n'
            f'const CODES = {as_javascript(codes)};\n{_LOADER}')


def as_javascript(value: Any) -> str:
    """Return a value for JavaScript, within a page, too."""
    return json.dumps(value, allow_nan=False).replace('<', '\\u003c')
