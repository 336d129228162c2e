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


"""The files of an export: names, folders, targets, and what builds with them."""

import ctypes
from pathlib import Path
import platform
import shlex
import shutil
import subprocess
from xml.sax.saxutils import quoteattr

from emulated import built_for, emulated
from exported import answers, build, COMPILERS, export, ours, state_of
from hypothesis import given, strategies as st
import numpy as np
import pytest

import mbd_ros
from mbd_ros.cli.command import main
from mbd_ros.errors import InvalidValueError, MbdError
from mbd_ros.export.archive import archive
from mbd_ros.export.identifiers import checked_name, commented, distinct, identifier
from mbd_ros.export.target import TARGETS

URDF = Path(__file__).resolve().parents[3] / 'urdf'
ARM = URDF / 'three_link_arm.urdf'
HOSTILE = ('*/ int main(void) {} /*', '"; #error', 'a\\', '??/', 'é漢字', '%n%s', "it's", 'int',
           '//', '0', '#include </etc/passwd>')


def arm(name, joint, link):
    """Return a pendulum with such names."""
    return f"""<robot name={quoteattr(name)}><link name="base"/><link name={quoteattr(link)}>
      <inertial><mass value="1"/><origin xyz="0 0 1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name={quoteattr(joint)} type="continuous"><parent link="base"/>
      <child link={quoteattr(link)}/><axis xyz="0 1 0"/></joint></robot>"""


@pytest.mark.parametrize('hostile', HOSTILE)
def test_names_of_a_description_reach_no_c_text(hostile, tmp_path):
    model = mbd_ros.load(arm(hostile, hostile, f'{hostile}L'))
    library = export(model, tmp_path, ('pose',))
    assert library.header.read_text().isascii()
    for compiler in COMPILERS:
        build(library, compiler, ('-trigraphs', '-Wno-trigraphs'))
    dll = ctypes.CDLL(str(library.shared))
    names = (ctypes.c_char_p * 1).in_dll(dll, f'{library.name}_joint_names')
    assert names[0].decode() == hostile
    bodies = (ctypes.c_char_p * 1).in_dll(dll, f'{library.name}_body_names')
    assert bodies[0].decode() == f'{hostile}L'


@given(st.text(max_size=60))
def test_every_name_has_an_identifier(name):
    assert checked_name(identifier(name)) == identifier(name)
    assert commented(name).isascii() and '*/' not in commented(name)
    assert '\n' not in commented(name) and '\\' not in commented(name)


@given(st.lists(st.text(max_size=8), unique=True, max_size=12))
def test_identifiers_of_links_are_distinct(names):
    found = distinct(names)
    assert len(set(found.values())) == len(names)
    for one in found.values():
        assert one.isascii() and one.replace('_', 'x').isalnum()


@pytest.mark.parametrize('name', ['', '1arm', 'a b', 'a-b', '_a', 'a__b', 'a_', 'é', 'a' * 41,
                                  'a;', None, 3])
def test_names_that_are_no_identifiers(name, tmp_path):
    if name is not None:
        with pytest.raises(InvalidValueError, match='letters, digits'):
            export(mbd_ros.load(ARM), tmp_path / 'new', ('pose',), name=name)
        assert not (tmp_path / 'new').exists()
    with pytest.raises(InvalidValueError):
        checked_name(name)


def test_folders_that_are_not_ours(tmp_path):
    model = mbd_ros.load(ARM)
    (tmp_path / 'theirs').mkdir()
    (tmp_path / 'theirs' / 'thesis.tex').write_text('years of work')
    (tmp_path / 'file').write_text('')
    for name in ('theirs', 'file'):
        with pytest.raises(InvalidValueError, match='folder'):
            export(model, tmp_path / name, ('pose',))
    assert [one.name for one in (tmp_path / 'theirs').iterdir()] == ['thesis.tex']
    (tmp_path / 'closed').mkdir()
    with pytest.raises(MbdError, match='cannot be written'):
        export(model, tmp_path / 'file' / 'deeper', ('pose',))
    first = export(model, tmp_path / 'ours', ('pose',))
    again = export(model, tmp_path / 'ours', ('bias_forces',))   # which was written by us
    assert 'bias_forces' in again.header.read_text() and first.folder == again.folder


@pytest.mark.parametrize(('words', 'said'), [
    (['--functions', 'dance'], "--functions is 'dance'"),
    (['--functions', 'loop_rows'], 'loop_rows'),
    (['--target', 'z80'], "target is 'z80'"),
    (['--link', 'nose'], "no link named 'nose'"),
    (['--name', 'a b'], "--name is 'a b'"),
    (['--as-package', 'Upper'], "--as-package is 'Upper'"),
])
def test_wrong_words_are_one_line(words, said, tmp_path, capsys):
    assert main(['export', str(ARM), '--to', str(tmp_path / 'new'), *words]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and said in lines[0], lines
    assert not (tmp_path / 'new').exists()


def test_the_command_says_what_to_do_next(tmp_path, capsys):
    folder = tmp_path / 'library'
    assert main(['export', str(ARM), '--to', str(folder), '--functions', 'bias_forces',
                 '--as-package', 'arm_package']) == 0
    said = capsys.readouterr().out
    command = said.splitlines()[-1].strip()
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stdout.startswith('three_link_arm_bias_forces 0 ')
    assert {'package.xml', 'CMakeLists.txt', 'README.md'} <= {
        one.name for one in folder.iterdir()}


def cmake(*words):
    done = subprocess.run(['cmake', *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize('installed', [False, True])
def test_cmake_finds_it(installed, tmp_path):
    model = mbd_ros.load(ARM)
    library = export(model, tmp_path / 'library', ('bias_forces',), name='arm',
                     package='arm_package')
    prefix, wanted = library.folder, 'arm_dynamics'
    if installed:   # the package, where there is no ament
        cmake('-S', library.folder, '-B', tmp_path / 'built',
              f'-DCMAKE_INSTALL_PREFIX={tmp_path / "prefix"}')
        cmake('--build', tmp_path / 'built', '--target', 'install')
        prefix, wanted = tmp_path / 'prefix', 'arm_package'
    user = tmp_path / 'user'
    user.mkdir()
    (user / 'CMakeLists.txt').write_text(f"""cmake_minimum_required(VERSION 3.10)
        project(user C)
        find_package({wanted} REQUIRED)
        add_executable(user {library.folder}/example.c)
        target_link_libraries(user arm_dynamics::arm_dynamics)""")
    cmake('-S', user, '-B', user / 'build', f'-DCMAKE_PREFIX_PATH={prefix}')
    cmake('--build', user / 'build')
    state = state_of(model, 1)
    (_, function), = library.functions
    code, numbers = answers(user / 'build' / 'user', library, state)['arm_bias_forces']
    assert code == 0 and np.array_equal(numbers, ours(model, function, state))


def test_pkg_config_finds_it(tmp_path):
    library = export(mbd_ros.load(ARM), tmp_path / 'library', ('bias_forces',), name='arm')
    flags = subprocess.run(
        ['pkg-config', '--cflags', '--libs', 'arm_dynamics'], capture_output=True, text=True,
        check=True, env={'PATH': '/usr/bin:/bin',
                         'PKG_CONFIG_PATH': str(library.folder / 'lib' / 'pkgconfig')})
    assert f'-I{library.folder}' in flags.stdout.replace('lib/pkgconfig/../../', '')
    assert '-larm_dynamics' in flags.stdout


@given(st.lists(st.tuples(st.binary(max_size=9), st.lists(
    st.text('abc_', min_size=1, max_size=40), max_size=3)), max_size=5))
def test_archives_hold_their_members(members):
    named = [(f'm{k}.o', code, defined) for k, (code, defined) in enumerate(members)]
    data = archive(named)
    assert data.startswith(b'!<arch>\n')
    place, found = 8, []
    while place < len(data):
        head = data[place:place + 60]
        assert head[58:] == b'`\n'
        size = int(head[48:58])
        found.append((head[:16].rstrip().decode(), place, data[place + 60:place + 60 + size]))
        place += 60 + size + size % 2
    assert [(f'{name}/', code) for name, code, _ in named] == [
        (name, body) for name, _, body in found[1:]]
    index, places = found[0][2], {name: at for name, at, _ in found}
    symbols = [(f'{name}/', one) for name, _, defined in named for one in defined]
    assert int.from_bytes(index[:4], 'big') == len(symbols)
    for k, (member, _) in enumerate(symbols):
        assert int.from_bytes(index[4 + 4 * k:8 + 4 * k], 'big') == places[member]
    assert index[4 + 4 * len(symbols):] == b''.join(one.encode() + b'\0' for _, one in symbols)


MACHINES = {'x86-64': 62, 'aarch64': 183, 'armv7': 40, 'riscv64': 243, 'thumbv7em': 40}
"""Of ELF, by how the names of targets begin."""


@pytest.mark.parametrize('target', [one for one in TARGETS[1:] if one != 'x86-64-all'
                                    or platform.machine() == 'x86_64'])
def test_every_target_gets_objects(target, tmp_path):
    library = export(mbd_ros.load(ARM), tmp_path, ('forward_dynamics', 'rk4_step'), target=target)
    data = library.static.read_bytes()
    if target == 'wasm32':
        assert b'\0asm' in data
        return
    begin = data.index(b'\x7fELF')
    wanted = next(number for name, number in MACHINES.items() if target.startswith(name))
    assert int.from_bytes(data[begin + 18:begin + 20], 'little') == wanted
    assert (data[begin + 4] == 2) == (target not in ('armv7', 'thumbv7em'))


@pytest.mark.parametrize('target', ['x86-64', 'x86-64-v2', 'x86-64-v3'])
def test_other_processors_of_this_kind(target, tmp_path):
    model = mbd_ros.load(URDF / 'panda.urdf')
    library = export(model, tmp_path, ('forward_dynamics', 'inverse_dynamics'), target=target)
    state = state_of(model, 3)
    for symbol, (code, numbers) in answers(build(library), library, state).items():
        function = dict(library.functions)[symbol.removesuffix('_many')]
        right = np.ravel(ours(model, function, state))
        # 1e-12: without fused multiply-add each product is rounded; the mass matrix of the arm
        # has a condition of a few thousand.
        error = np.abs(numbers.reshape(-1, right.size) - right).max() / np.abs(right).max()
        assert code == 0 and error < 1e-12


@pytest.mark.parametrize('target', [
    one for one in ('aarch64', 'armv7', 'riscv64', 'thumbv7em') if emulated(one)])
def test_other_processors_where_an_emulator_is_installed(target, tmp_path):
    model = mbd_ros.load(URDF / 'panda.urdf')
    library = export(model, tmp_path, ('forward_dynamics', 'rk4_step'), target=target)
    state = state_of(model, 3)
    state['q'][3] = 2e5   # beyond where our own sine reaches: the C library's, by its ABI
    for symbol, (code, numbers) in answers(built_for(library, target), library, state).items():
        function = dict(library.functions)[symbol.removesuffix('_many')]
        right = np.ravel(ours(model, function, state))
        error = np.abs(numbers.reshape(-1, right.size) - right).max() / np.abs(right).max()
        assert code == 0 and error < 1e-12, (symbol, error)   # as above


FLAGS = ({'cx16', 'lahf_lm', 'popcnt', 'sse4_1', 'sse4_2', 'ssse3', 'pni'},
         {'avx', 'avx2', 'bmi1', 'bmi2', 'f16c', 'fma', 'abm', 'movbe'},
         {'avx512f', 'avx512bw', 'avx512cd', 'avx512dq', 'avx512vl'})
"""What Linux says of processors, by level."""
EMULATED_X86 = {'qemu64,-sse4.1': 0, 'Nehalem': 1, 'Haswell': 2}


def level_of_this():
    """Return the level of this processor, as Linux tells it."""
    line = next(one for one in Path('/proc/cpuinfo').read_text().splitlines()
                if one.startswith('flags'))
    level = 0
    while level < 3 and FLAGS[level] <= set(line.split()):
        level += 1
    return level


@pytest.mark.skipif(platform.machine() != 'x86_64', reason='x86-64 alone can write it')
def test_one_library_for_all_levels(tmp_path):
    model = mbd_ros.load(URDF / 'panda.urdf')
    library = export(model, tmp_path, ('forward_dynamics',), target='x86-64-all')
    main = tmp_path / 'level.c'
    main.write_text('#include <stdio.h>\nint panda__level(void);\n'
                    'int main(void) {printf("%d %d", panda__level(), panda__level());}\n')
    subprocess.run(['gcc', str(main), str(library.static), '-lm', '-o',
                    str(tmp_path / 'level')],
                   check=True)
    program, state = build(library), state_of(model, 3)
    runs = [([], level_of_this())]
    if shutil.which('qemu-x86_64'):
        runs += [(['qemu-x86_64', '-cpu', cpu], level) for cpu, level in EMULATED_X86.items()]
    for emulator, level in runs:
        said = subprocess.run([*emulator, str(tmp_path / 'level')], capture_output=True,
                              text=True, check=True)
        assert said.stdout == f'{level} {level}', emulator
        script = tmp_path / 'run'
        script.write_text(f'#!/bin/sh\nexec {shlex.join([*emulator, str(program)])}\n')
        script.chmod(0o755)
        for symbol, (code, numbers) in answers(script, library, state).items():
            right = np.ravel(ours(model, library.functions[0][1], state))
            error = np.abs(numbers.reshape(-1, right.size) - right).max() / np.abs(right).max()
            assert code == 0 and error < 1e-12, (symbol, emulator)   # as above
    alone = export(model, tmp_path / 'alone', ('forward_dynamics',),
                   target=('x86-64', 'x86-64-v2', 'x86-64-v3', 'x86-64-v4')[level_of_this()])
    assert all(np.array_equal(one[1], other[1]) for one, other in zip(
        answers(program, library, state).values(), answers(build(alone), alone, state).values()))
