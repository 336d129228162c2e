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


"""The stack that headers of exported libraries tell, beside what calls touch of a painted one."""

from pathlib import Path
import platform
import re
import subprocess

from exported import C99, export, state_of
import pytest
from robots import chain

import mbd_ros
from mbd_ros.control.tasks.task import TASKS
from mbd_ros.errors import MachineError
from mbd_ros.export.stack import calls_of, deepest

URDF = Path(__file__).resolve().parents[3] / 'urdf'
LIBRARY_OF_C = 1024
"""Bytes for what is not ours: the begin of a context, and memset, memcpy, sin of the C library."""
PROGRAM = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include "@LIBRARY@.h"
#define ROOM (1 << 20)
static unsigned char stack[ROOM];
static ucontext_t outside, inside;
static int code;
@STATE@
static @REAL@ result[4 * @LARGEST@], work[@WORK@];
@CALLS@
static void touched(const char *name, void (*call)(void)) {
  long k = 0;
  memset(stack, 0xA5, ROOM);
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = ROOM;
  inside.uc_link = &outside;
  makecontext(&inside, call, 0);
  swapcontext(&outside, &inside);
  while (k < ROOM && stack[k] == 0xA5) ++k;
  printf("%s %d %ld\n", name, code, (long)ROOM - k);
}
int main(void) {
@MAIN@
  return 0;
}
"""


def touched(library, given, folder):
    """Return code and bytes of a painted stack that each function touches, alone and with many."""
    name, arrays, calls, main = library.static.stem[3:], {}, [], []
    for symbol, function in library.functions:
        arrays.update(function.inputs)
        handed = ', '.join([*(one for one, _ in function.inputs), 'result', 'work'])
        for end, count in (('', ''), ('_many', '4, ')):
            calls.append(f'static void c_{symbol}{end}(void) '
                         f'{{code = {symbol}{end}({count}{handed});}}')
            main.append(f'  touched("{symbol}{end}", c_{symbol}{end});')
    state = [f'static @REAL@ {one}[4 * {size}] = {{'
             + ', '.join([repr(float(x)) for x in given[one]] * 4) + '};'
             for one, size in arrays.items()]
    text = PROGRAM
    for mark, value in (('LIBRARY', name), ('STATE', '\n'.join(state)), ('LARGEST', str(max(
            one.size for _, one in library.functions))), ('WORK', str(library.work)),
            ('CALLS', '\n'.join(calls)), ('MAIN', '\n'.join(main)),
            ('REAL', library.real.name)):
        text = text.replace(f'@{mark}@', value)
    source, program = folder / 'touched.c', folder / 'touched'
    source.write_text(text)
    subprocess.run([*C99[:1], '-O1', str(source), f'-I{library.folder / "include"}',
                    str(library.static), '-lm', '-o', str(program)], check=True)
    said = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    return {symbol: (int(code), int(size)) for symbol, code, size in map(
        str.split, said.splitlines())}


@pytest.mark.skipif(platform.system() != 'Linux', reason='contexts of glibc')
@pytest.mark.parametrize(('robot', 'functions', 'more'), [
    (URDF / 'panda.urdf', ('forward_dynamics', 'inverse_dynamics_derivatives', 'rk4_step'), {}),
    (URDF / 'panda.urdf', ('forward_dynamics', 'rk4_step'), {'target': 'x86-64-all'}),
    (URDF / 'panda.urdf', ('forward_dynamics',), {'real': 'float'}),
    (URDF / 'four_bar.urdf', ('forward_dynamics', 'mass_matrix'), {}),
    (URDF / 'three_link_arm.urdf', ('bias_forces',), {'task': TASKS['three_link_arm']}),
    (chain(100, 1), ('forward_dynamics', 'forward_dynamics_derivatives'), {}),
], ids=['arm', 'levels', 'float', 'loop', 'controller', 'chain'])
def test_what_is_told_is_enough(robot, functions, more, tmp_path):
    if more.get('target') and platform.machine() != 'x86_64':
        return
    model = mbd_ros.load(robot)
    library = export(model, tmp_path, functions, name='robot', **more)
    told = {name.lower(): int(size) for name, size in re.findall(
        r'#define (\w+)_STACK (\d+)', library.header.read_text())}
    given = {**state_of(model, 1), 'now': [0.0]}
    for _, function in library.functions:
        for name, size in function.inputs:
            if name in ('before', 'gains'):
                given[name] = [1.0] * size
    for symbol, (code, size) in touched(library, given, tmp_path).items():
        alone = symbol.removesuffix('_many')
        assert code in (0, 7, 8), symbol
        assert size <= told[alone] + LIBRARY_OF_C, (symbol, size, told[alone])
        # Not several times of what it is, either; frames of other levels may be larger.
        assert symbol == alone or told[alone] < 4 * size + 2048, (symbol, size, told[alone])


def test_long_chains_are_rolled(tmp_path):
    # Straight lines for 40 bodies take 50 kB of stack and half a megabyte for each function;
    # derivatives and longer chains are loops over bodies.
    model = mbd_ros.load(chain(100, 1))
    library = export(model, tmp_path, ('forward_dynamics', 'forward_dynamics_derivatives'))
    text = library.header.read_text()
    assert int(re.findall(r'Objects: (\d+) bytes', text)[0]) < 500_000
    assert max(map(int, re.findall(r'_STACK (\d+)', text))) < 8192


def test_calls_are_read_from_the_text():
    text = """
define private double @finite(ptr %a) nounwind {
  %x = call reassoc double @llvm.fabs.f64(double 0.0)
  ret double %x
}
define void @kernel(ptr %a) nounwind {
  %s = call {double, double} @sincos1(double 0.0)
  %p0 = load ptr, ptr @addresses
  call void %p0(ptr %a)
  %y = tail call double @finite(ptr %a)
  ret void
}"""
    assert calls_of(text) == {'finite': (), 'kernel': ('sincos1', '', 'finite')}
    assert deepest('a', {'a': 10, 'b': 20, 'c': 5}, {'a': ('b', 'c', 'sin'), 'b': ('c',),
                                                     'c': ()}) == 35
    with pytest.raises(MachineError, match='calls itself'):
        deepest('a', {}, {'a': ('b',), 'b': ('a',)})
