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

"""The files of an exported library that people read and compilers and CMake take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import textwrap

from mbd_ros.export.entry_ir import CODES
from mbd_ros.export.functions import Exported, QUANTITIES
from mbd_ros.export.identifiers import commented
from mbd_ros.export.real import Real
from mbd_ros.export.target import Target
from mbd_ros.model import Model

SEVERAL = 11
"""States of a batch in the example: not a multiple of lanes."""


@dataclass(frozen=True)
class Library:
    """
    What the texts are about.

    Attributes
    ----------
    name : str
        Begins all names.
    version, digest : str
        Of this package; of the model and the world.
    model : Model
        The robot.
    target : Target
        For which processor.
    numbers : Real
        Type of all numbers.
    functions : sequence of (str, Exported)
        Symbols and functions.
    gains : sequence of float
        Those of the controller's law, if there is one.
    work : int
        Numbers of the workspace.
    stack : mapping of str to int
        Bytes of stack that functions take, by symbol.
    gravity : sequence of float
        Gravity [m/s^2].
    world : sequence of str
        Names of the numbers of the world.
    parameters : bool
        Whether functions take the world as an argument.
    size : int
        Bytes of all objects.

    """

    name: str
    version: str
    digest: str
    model: Model
    target: Target
    numbers: Real
    functions: Sequence[tuple[str, Exported]]
    gains: Sequence[float]
    work: int
    stack: Mapping[str, int]
    gravity: Sequence[float]
    world: Sequence[str]
    parameters: bool
    size: int

    @property
    def real(self) -> str:
        """Return the type of the numbers in C."""
        return self.numbers.name

    @property
    def macro(self) -> str:
        """Return what begins all macros."""
        return self.name.upper()

    @property
    def library(self) -> str:
        """Return the name of the library."""
        return f'{self.name}_dynamics'

    def arguments(self, function: Exported) -> list[str]:
        """Return the parameters of a function in C."""
        real = self.real
        return [*(f'const {real} *{name}' for name, _ in function.inputs),
                f'{real} *{QUANTITIES[function.name].result}',
                *([f'const {real} *world'] if self.parameters else []), f'{real} *work']

    def extent(self, count: int) -> str:
        """Return a number of entries, by a macro where there is one."""
        model = self.model
        return {model.nv: f'{self.macro}_NV', model.nq: f'{self.macro}_NQ'}.get(count, str(count))


def header(library: Library) -> str:
    """Return the header, for C99 and C++."""
    macro, model, name = library.macro, library.model, library.name
    guard = f'{macro}_DYNAMICS_H'
    lines = [
        f'/* Dynamics of {commented(model.name)}, written by mbd_ros {library.version}; do not '
        'edit.',
        f' * Model and world: {library.digest}',
        f' * Processor: {library.target.name} ({commented(library.target.triple)}, '
        f'{commented(library.target.cpu)})',
        f' * Objects: {library.size} bytes. NAME_STACK: bytes of stack that a function takes at '
        'most, with',
        ' * all that it calls but sin, cos, sincos, tanh, memset and memcpy; no function calls '
        'itself.',
        ' *', f' * All arrays are C arrays of {library.real}, matrices row by row; SI units, rad.',
        ' * q, entry by entry:', *_coordinates(model, 'q'),
        ' * v, qdd and tau, entry by entry:', *_coordinates(model, 'v'),
        ' * World axes are those of the root link. Poses map from a link to the world.',
        f' * Gravity: {", ".join(f"{one!r}" for one in library.gravity)} m/s^2 in world axes.']
    if model.loops:
        lines.append(f' * {len(model.loops)} closed loop(s): forward dynamics keeps them as they '
                     'are; it neither closes open ones nor says that they are open.')
    lines += [
        ' *', ' * Functions neither allocate nor lock nor keep anything. Any number of threads',
        f' * may call them at once, each with a workspace of its own: {macro}_WORK numbers, '
        'not initialized.',
        ' * NAME_many takes count states, one after the other in each array.',
        ' */', f'#ifndef {guard}', f'#define {guard}', '', '#include <stdint.h>', '',
        f'#define {macro}_REAL {library.real}', f'#define {macro}_NQ {model.nq}',
        f'#define {macro}_NV {model.nv}',
        f'#define {macro}_JOINTS {len(model.joint_names)}',
        f'#define {macro}_BODIES {model.nb}', f'#define {macro}_WORK {library.work}',
        f'#define {macro}_WORLD {len(library.world)}', '', '/* What functions return. */']
    lines += [f'#define {macro}_{code} {number}  /* {meaning} */'
              for code, (number, meaning) in CODES.items()]
    lines += ['', '#ifdef __cplusplus', 'extern "C" {', '#endif', '',
              '/* Joints and bodies in the order of q and v; the configuration with all joints at '
              'zero. */',
              f'extern const char *const {name}_joint_names[{macro}_JOINTS];',
              f'extern const char *const {name}_body_names[{macro}_BODIES];',
              f'extern const {library.real} {name}_neutral[{macro}_NQ];',
              '/* Bodies have axes of their own, with z along the joint. Rotations R [3 x 3] from '
              'those of the',
              ' * link of that name: x of the body = R (x of the link), at the same origin. */',
              f'extern const {library.real} {name}_body_axes[9 * {macro}_BODIES];',
              f'extern const char {name}_version[];', f'extern const char {name}_hash[];', '']
    if library.parameters:
        lines += ['/* world, which may be null for the values of the description:',
                  *(f' *   {k}: {commented(one)}' for k, one in enumerate(library.world)), ' */',
                  f'extern const {library.real} {name}_world[{macro}_WORLD];', '']
    if library.gains:
        lines += ['/* Gains of the control law: bandwidth [rad/s], robust rate [1/s], then the '
                  'largest approach',
                  ' * speed of each entry of v [rad/s, m/s]. */',
                  f'extern const {library.real} {name}_gains[{macro}_NV + 2];', '']
    for symbol, function in library.functions:
        quantity = QUANTITIES[function.name]
        about = f'{quantity.result} [{" x ".join(map(library.extent, function.shape))}]: ' \
                f'{quantity.meaning}.'
        if function.link:
            about += f' Link: {commented(function.link)}.'
        if 'h' in dict(function.inputs):
            about += ' h is one number.'
        lines += ['/* ' + '\n * '.join(textwrap.wrap(about, 90)) + ' */',
                  f'#define {symbol.upper()}_SIZE {function.size}',
                  f'#define {symbol.upper()}_STACK {library.stack[symbol]}',
                  *(f'#define {symbol.upper()}_{part.upper()} {first}  /* first of {size} */'
                    for part, (first, size) in function.places.items() if size),
                  _declared(f'int {symbol}(', library.arguments(function)),
                  _declared(f'int {symbol}_many(', ['int64_t count',
                                                    *library.arguments(function)]), '']
    return '\n'.join([*lines, '#ifdef __cplusplus', '}', '#endif', '', f'#endif  /* {guard} */',
                      ''])


def _declared(head: str, parameters: Sequence[str]) -> str:
    lines, line = [], head
    for k, parameter in enumerate(parameters):
        word = parameter + (');' if k == len(parameters) - 1 else ',')
        if len(line) + len(word) > 97:
            lines.append(line.rstrip())
            line = ' ' * 4
        line += word + ' '
    return '\n'.join([*lines, line.rstrip()])


def _coordinates(model: Model, of: str) -> list[str]:
    firsts, total = (model.q_offsets, model.nq) if of == 'q' else (model.v_offsets, model.nv)
    lines = []
    for k, (name, kind) in enumerate(zip(model.joint_names, model.joint_types)):
        count = kind.nq if of == 'q' else kind.nv
        if not count:
            continue
        first = firsts[k]
        entries = f'{first}' if count == 1 else f'{first}-{first + count - 1}'
        lines.append(f' *   {entries}: {commented(name)} ({kind.name.lower()})')
    elastic = len(model.elastic_names)
    lines += [f' *   {total - elastic + k}: {commented(name)} (elastic)'
              for k, name in enumerate(model.elastic_names)]
    return lines


def example(library: Library) -> str:
    """Return a program that calls every function, with numbers from its standard input."""
    macro, name, real = library.macro, library.name, library.real
    sizes: dict[str, int] = {}
    for _, function in library.functions:
        sizes.update(function.inputs)
    read = [one for one in sizes if one != 'before']   # which ``control_start`` makes
    largest = max(function.size for _, function in library.functions)
    lines = [
        f'/* Calls every function of {library.library}; written by mbd_ros {library.version}.',
        ' *',
        f' *     cc example.c -Iinclude lib/lib{library.library}.a -lm -o example',
        ' *     ./example < /dev/null',
        ' *', ' * Numbers on the standard input replace the entries of '
        f'{", ".join(read)}, in this order.',
        ' */', '#include <stdio.h>', '', f'#include "{library.library}.h"', '',
        f'#define STATES {SEVERAL}', '',
        *(f'static {real} {one}[STATES * {max(1, size)}];' for one, size in sizes.items()),
        f'static {real} result[STATES * {largest}];', f'static {real} work[{macro}_WORK];', '',
        '/* Read one state and repeat it. */',
        f'static void fill({real} *array, int size, const {real} *otherwise, {real} value) {{',
        '  int k, state;', '  for (k = 0; k < size; ++k) {',
        f'    {real} x = otherwise ? otherwise[k] : value;',
        f'    if (scanf("{library.numbers.read}", &x) == 1) array[k] = x;',
        '    else array[k] = otherwise ? otherwise[k] : value;', '  }',
        '  for (state = 1; state < STATES; ++state)',
        '    for (k = 0; k < size; ++k) array[state * size + k] = array[k];', '}', '',
        'static int report(const char *name, int code, int size) {', '  int k;',
        '  printf("%s %d", name, code);',
        f'  if (code == {macro}_OK)',
        '    for (k = 0; k < size; ++k)',
        f'      printf(" %.{library.numbers.digits}g", (double)result[k]);',
        '  printf("\\n");', '  return code != 0;', '}', '', 'int main(void) {',
        '  int failed = 0;']
    end = 'f' if real == 'float' else ''
    for one in read:
        otherwise = {'q': f'{name}_neutral', 'gains': f'{name}_gains'}.get(one, '0')
        value = '0.001' if one == 'h' else '0.0'
        lines.append(f'  fill({one}, {sizes[one]}, {otherwise}, {value}{end});')
    if 'before' in sizes:
        lines += [f'  failed += {name}_control_start_many(STATES, now, q, v, before, work) != 0;']
    for symbol, function in library.functions:
        handed = ', '.join([*(one for one, _ in function.inputs), 'result',
                            *(['0'] if library.parameters else []), 'work'])
        lines += [f'  failed += report("{symbol}", {symbol}({handed}),',
                  f'                   {symbol.upper()}_SIZE);',
                  f'  failed += report("{symbol}_many", {symbol}_many(STATES, {handed}),',
                  f'                   STATES * {symbol.upper()}_SIZE);']
    return '\n'.join([*lines, '  return failed != 0;', '}', ''])


def cmake_config(library: Library) -> str:
    """Return what ``find_package`` reads, three folders below the root of the library."""
    name = library.library
    link = 'm' if library.target.elf else ''
    return f"""# Written by mbd_ros {library.version}.
if(NOT TARGET {name}::{name})
  get_filename_component(_root "${{CMAKE_CURRENT_LIST_DIR}}/../../.." ABSOLUTE)
  add_library({name}::{name} STATIC IMPORTED)
  set_target_properties({name}::{name} PROPERTIES
    IMPORTED_LOCATION "${{_root}}/lib/lib{name}.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES C
    INTERFACE_INCLUDE_DIRECTORIES "${{_root}}/include"
    INTERFACE_LINK_LIBRARIES "{link}")
  unset(_root)
endif()
"""


def pkg_config(library: Library) -> str:
    """Return the file of pkg-config."""
    return f"""prefix=${{pcfiledir}}/../..

Name: {library.library}
Description: Dynamics of {commented(library.model.name)}, by mbd_ros
Version: {library.version}
Cflags: -I${{prefix}}/include
Libs: -L${{prefix}}/lib -l{library.library} -lm
"""


def package_xml(library: Library, package: str) -> str:
    """Return the manifest of a ROS package."""
    return f"""<?xml version="1.0"?>
<package format="3">
  <name>{package}</name>
  <version>{library.version}</version>
  <description>Dynamics of {commented(library.model.name)}, written by mbd_ros</description>
  <maintainer email="todo@example.org">TODO</maintainer>
  <license>TODO: that of the robot description</license>
  <buildtool_depend>ament_cmake</buildtool_depend>
  <export>
    <build_type>ament_cmake</build_type>
  </export>
</package>
"""


def cmake_lists(library: Library, package: str, more: str) -> str:
    """Return the CMakeLists.txt of a ROS package, for plain CMake, too."""
    name = library.library
    return f"""# Written by mbd_ros {library.version}: installs a library that is built already.
cmake_minimum_required(VERSION 3.10)
project({package} C)

find_package(ament_cmake QUIET)
install(FILES include/{name}.h include/{name}.hpp DESTINATION include)
install(FILES lib/lib{name}.a DESTINATION lib)
install(FILES lib/pkgconfig/{name}.pc DESTINATION lib/pkgconfig)
install(FILES lib/cmake/{name}/{name}Config.cmake DESTINATION lib/cmake/{name})
add_executable({name}_example example.c)
target_include_directories({name}_example PRIVATE include)
target_link_libraries({name}_example ${{CMAKE_CURRENT_SOURCE_DIR}}/lib/lib{name}.a m)
{more}if(ament_cmake_FOUND)
  # find_package({package}) brings the target {name}::{name}
  ament_package(CONFIG_EXTRAS lib/cmake/{name}/{name}Config.cmake)
elseif(NOT "{package}" STREQUAL "{name}")
  install(FILES lib/cmake/{name}/{name}Config.cmake DESTINATION lib/cmake/{package}
          RENAME {package}Config.cmake)
endif()
"""


def readme(library: Library, shared: bool) -> str:
    """Return half a page for people."""
    name, target = library.library, library.target
    shape = {symbol: ' x '.join(map(str, function.shape))
             for symbol, function in library.functions}
    rows = '\n'.join(f'| `{symbol}` | {", ".join(one for one, _ in function.inputs)} | '
                     f'{shape[symbol]} |' for symbol, function in library.functions)
    also = f', `lib/lib{name}.so`' if shared else ''
    engine = '' if target.elf else f"""
In a browser or Node.js, without a compiler:

```js
import {{ load, robot }} from './lib/{name}.mjs';
const bytes = await (await fetch('lib/{name}.wasm')).arrayBuffer();
const dynamics = await load(bytes);
const result = dynamics.{library.functions[0][0].removeprefix(f'{library.name}_')}({', '.join(
    one for one, _ in library.functions[0][1].inputs)});   // arrays of numbers; errors are thrown
```
"""
    return f"""# {name}

Dynamics of the robot {commented(library.model.name)} ({library.model.nq} coordinates,
{library.model.nv} velocities) as a C library for {target.name}, written by mbd_ros
{library.version}. `include/{name}.h` says what the numbers are; `lib/lib{name}.a`{also} hold the
code, which needs nothing but `sin`, `cos`, `tanh`, `memset` and `memcpy` of a C library.

```
cc example.c -Iinclude lib/lib{name}.a -lm -o example
./example < /dev/null
```
{engine}
With CMake: `find_package({name} REQUIRED)` with this folder in `CMAKE_PREFIX_PATH`, then
`target_link_libraries(... {name}::{name})`. With pkg-config: `PKG_CONFIG_PATH=lib/pkgconfig`.

| function | takes | gives |
|---|---|---|
{rows}

Each has a form for many states that ends in `_many`. All return 0, or a code that the header
explains; arguments may not overlap results.
"""
