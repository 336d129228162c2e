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
Programs for other processors, run where a cross compiler and an emulator are installed.

``make compilers`` installs them. Linux programs run by qemu-user; what is for a microcontroller
runs on an emulated board without a system (Cortex-M7, or Cortex-M4 in single precision), which
reads and prints by semihosting.

"""

from pathlib import Path
import shlex
import shutil
from typing import NamedTuple

from exported import build, STRICT

from mbd_ros.export.write import ExportedLibrary

START = r"""
extern void _start(void);
void reset(void);
void reset(void) {
  *(volatile unsigned *)0xE000ED88 |= 0xFu << 20;   /* the floating-point unit is on (CPACR) */
  __asm volatile("dsb; isb");
  _start();
}
typedef struct {void *stack; void (*first)(void);} Vectors;
extern const Vectors vectors;
__attribute__((section(".vectors"), used)) const Vectors vectors = {(void *)0x20400000, reset};
"""
_BARE = ('-Os', '-mthumb', '-mfloat-abi=hard', '--specs=rdimon.specs',
         '-Wl,--section-start=.vectors=0x0,-Ttext=0x9000,-Tdata=0x20000000,--no-warnings')
_BOARD = ('qemu-system-arm', '-nographic', '-monitor', 'none', '-serial', 'none',
          '-semihosting-config', 'enable=on,target=native', '-M')


class Emulated(NamedTuple):
    """A compiler with its flags, and what runs the program."""

    compiler: tuple[str, ...]
    emulator: tuple[str, ...]


def _linux(compiler: str, emulator: str) -> Emulated:
    return Emulated((f'{compiler}-gcc',), (emulator, '-L', f'/usr/{compiler}'))


_KNOWN = {
    ('aarch64', ''): _linux('aarch64-linux-gnu', 'qemu-aarch64'),
    ('armv7', ''): _linux('arm-linux-gnueabihf', 'qemu-arm'),
    ('riscv64', ''): _linux('riscv64-linux-gnu', 'qemu-riscv64'),
    ('thumbv7em', 'double'): Emulated(
        ('arm-none-eabi-gcc', '-mcpu=cortex-m7', '-mfpu=fpv5-d16', *_BARE),
        (*_BOARD, 'mps2-an500', '-kernel')),
    ('thumbv7em', 'float'): Emulated(
        ('arm-none-eabi-gcc', '-mcpu=cortex-m4', '-mfpu=fpv4-sp-d16', *_BARE),
        (*_BOARD, 'mps2-an386', '-kernel'))}


def emulated(target: str, real: str = 'double') -> Emulated | None:
    """Return what builds and runs programs for a target here, if it is here."""
    found = _KNOWN.get((target, ''), _KNOWN.get((target, real)))
    return found if found is not None and all(
        shutil.which(one) for one in (found.compiler[0], found.emulator[0])) else None


def built_for(library: ExportedLibrary, target: str) -> Path:
    """Build the example of a library for a target; return a script that runs it."""
    found = emulated(target, library.real.name)
    assert found is not None
    more: tuple[str, ...] = ()
    if target == 'thumbv7em':
        start = library.folder / 'start.c'
        start.write_text(START, encoding='utf-8')
        more = (str(start),)
    program = build(library, (*found.compiler, '-std=gnu99', *STRICT, '-x', 'c'), more)
    script = library.folder / f'run-{target}'
    script.write_text(f'#!/bin/sh\nexec {shlex.join([*found.emulator, str(program)])}\n')
    script.chmod(0o755)
    return script
