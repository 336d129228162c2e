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

"""Machine code on disk: found again, never trusted when damaged, never in the way."""

import ctypes
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from robots import chain

from mbd_ros.execution.ir import machine_code
from mbd_ros.execution.ir.machine_code import address_ir, MachineCode
from mbd_ros.execution.ir.object_cache import key_of, LARGEST, object_cache, ObjectCache

SEVEN = 'define i64 @seven() {\n  ret i64 7\n}'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv('MBD_ROS_CACHE', str(tmp_path / 'code'))
    return tmp_path / 'code'


@pytest.fixture
def compilations(monkeypatch):
    """Collect one entry for each module that LLVM really compiles."""
    counted = []
    parse = machine_code.llvm.parse_assembly

    def counting(ir):
        if ir:
            counted.append(ir)
        return parse(ir)
    monkeypatch.setattr(machine_code.llvm, 'parse_assembly', counting)
    return counted


def seven(code: MachineCode) -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int64)(code.address('seven'))()


def test_compiled_once_and_found_again(folder, compilations):
    assert [seven(MachineCode(SEVEN)) for _ in range(3)] == [7, 7, 7]
    assert len(compilations) == 1
    assert len(list(folder.iterdir())) == 1
    MachineCode(SEVEN, optimization=2)
    assert len(compilations) == 2  # other code


@pytest.mark.parametrize('value', ['', 'off', ' off '])
def test_off(value, monkeypatch, compilations):
    monkeypatch.setenv('MBD_ROS_CACHE', value)
    assert [seven(MachineCode(SEVEN)) for _ in range(2)] == [7, 7]
    assert len(compilations) == 2


def test_where_it_is(monkeypatch, tmp_path):
    monkeypatch.delenv('MBD_ROS_CACHE', raising=False)
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    assert object_cache().folder == tmp_path / 'mbd_ros'
    monkeypatch.delenv('XDG_CACHE_HOME')
    monkeypatch.setenv('HOME', str(tmp_path))
    assert object_cache().folder == tmp_path / '.cache' / 'mbd_ros'
    monkeypatch.setenv('XDG_CACHE_HOME', 'relative')  # the XDG specification: to be ignored
    assert object_cache() is None


@pytest.mark.parametrize('damage', [
    lambda data: b'', lambda data: data[:10], lambda data: data[:-1], lambda data: data + b'x',
    lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:], lambda data: bytes(len(data))],
    ids=['empty', 'no code', 'truncated', 'longer', 'one bit', 'zeros'])
def test_damaged_files_are_compiled_anew(damage, folder, compilations):
    MachineCode(SEVEN)
    file = next(folder.iterdir())
    good = file.read_bytes()
    file.write_bytes(damage(good))
    assert seven(MachineCode(SEVEN)) == 7
    assert len(compilations) == 2
    assert file.read_bytes() == good


@pytest.mark.parametrize('put', [
    pytest.param(lambda path: path.symlink_to('/dev/zero'), id='device'),
    pytest.param(os.mkfifo, id='pipe'),
    pytest.param(lambda path: path.symlink_to(path), id='link to itself'),
    pytest.param(lambda path: (path.touch(), os.truncate(path, 2 * LARGEST)), id='too large'),
])
def test_what_is_no_file_of_ours_is_replaced_and_not_read(put, folder, compilations):
    seven(MachineCode(SEVEN))
    (path,) = folder.iterdir()
    path.unlink()
    put(path)
    assert seven(MachineCode(SEVEN)) == 7
    assert len(compilations) == 2
    assert seven(MachineCode(SEVEN)) == 7
    assert len(compilations) == 2


def test_code_under_another_name_is_damaged(folder):
    cache = ObjectCache(folder)
    cache.store('a', b'code')
    (folder / 'a.object').rename(folder / 'b.object')
    assert cache.load('b') is None


@pytest.mark.parametrize('place', ['/proc/nowhere', '/dev/null', '/dev/null/below'])
def test_a_folder_that_cannot_be(place, monkeypatch):
    monkeypatch.setenv('MBD_ROS_CACHE', place)
    assert seven(MachineCode(SEVEN)) == 7
    assert object_cache().sizes() == []
    assert object_cache().clear() == 0


@pytest.mark.skipif(os.name != 'posix', reason='access rights are those of POSIX')
def test_a_read_only_folder_is_read(folder, compilations, monkeypatch):
    MachineCode(SEVEN)
    folder.chmod(0o500)

    def refuse(*_, **__):  # root may write everywhere
        raise PermissionError('read-only')
    for name in ('utime', 'replace', 'unlink'):
        monkeypatch.setattr(os, name, refuse)
    monkeypatch.setattr('tempfile.mkstemp', refuse)
    assert seven(MachineCode(SEVEN)) == 7
    assert len(compilations) == 1
    assert seven(MachineCode(SEVEN + '\n')) == 7  # cannot be kept
    assert len(compilations) == 2
    folder.chmod(0o700)


@pytest.mark.skipif(os.name != 'posix', reason='access rights are those of POSIX')
def test_code_that_others_could_have_put_there_is_not_run(folder, compilations):
    MachineCode(SEVEN)
    folder.chmod(0o770)
    assert seven(MachineCode(SEVEN)) == 7
    assert len(compilations) == 2


@pytest.mark.skipif(os.name != 'posix', reason='access rights are those of POSIX')
@pytest.mark.parametrize('rights', [0o620, 0o602, 0o666])
def test_a_file_that_others_could_have_written_is_not_run(rights, folder, compilations):
    """As one that was left from when the folder was open to all."""
    MachineCode(SEVEN)
    (file,) = folder.glob('*.object')
    file.chmod(rights)
    assert seven(MachineCode(SEVEN)) == 7
    assert len(compilations) == 2


@pytest.mark.skipif(os.name != 'posix' or os.geteuid() != 0, reason='only root gives files away')
@pytest.mark.parametrize('part', ['folder', 'file'])
def test_what_belongs_to_another_user_is_not_run(part, folder, compilations):
    MachineCode(SEVEN)
    (file,) = folder.glob('*.object')
    os.chown(folder if part == 'folder' else file, 65534, 65534)
    assert seven(MachineCode(SEVEN)) == 7
    assert len(compilations) == 2


def test_a_full_disk_leaves_nothing_behind(folder, monkeypatch):
    cache = ObjectCache(folder)
    cache.store('a', b'code')

    def full(*_):
        raise OSError(28, 'No space left on device')
    monkeypatch.setattr(os, 'replace', full)
    cache.store('b', b'code')
    assert [path.name for path in folder.iterdir()] == ['a.object']


def test_bounded_in_size_the_longest_unused_go(folder):
    cache = ObjectCache(folder, largest=350)
    now = time.time()
    for age, key in enumerate('abc'):
        cache.store(key, bytes(84))  # with its checksum 100 bytes
        os.utime(folder / f'{key}.object', (now - 100 + age,) * 2)
    assert cache.load('a') == bytes(84)  # used: now the youngest
    cache.store('d', bytes(84))
    cache.trim()
    assert sorted(path.stem for path in folder.iterdir()) == ['a', 'c', 'd']


def test_files_abandoned_by_a_dying_writer_go(folder):
    cache = ObjectCache(folder)
    cache.store('a', b'code')
    for name, age in (('old', 7200.0), ('new', 5.0)):
        file = folder / f'{name}.object-unfinished'
        file.write_bytes(b'half')
        os.utime(file, (time.time() - age,) * 2)
    cache.trim()
    assert sorted(path.name for path in folder.iterdir()) == ['a.object', 'new.object-unfinished']


@pytest.mark.parametrize('work', [ObjectCache.clear, ObjectCache.trim])
def test_files_of_others_in_the_folder_stay(work, folder):
    """A folder that was there before, such as a home, has files of other programs."""
    cache = ObjectCache(folder, largest=0)
    cache.store('a', b'code')
    others = {'tmp', 'tmpabc', 'tmp1234.txt', 'tmp-notes', '.object~', 'a.object.txt', 'core'}
    for name in others:
        (folder / name).write_bytes(b'precious')
        os.utime(folder / name, (0.0, 0.0))
    work(cache)
    assert {path.name for path in folder.iterdir()} == others


@pytest.mark.skipif(os.name != 'posix' or os.geteuid() != 0, reason='only root gives files away')
@pytest.mark.parametrize('put', ['file', 'link', 'pipe'])
def test_a_file_exchanged_after_the_look_at_it_is_not_read(put, folder, tmp_path, monkeypatch):
    """Who may write into a folder above exchanges what was found between two looks."""
    cache = ObjectCache(folder)
    cache.store('a', b'code')
    path, forged, trusted = folder / 'a.object', tmp_path / 'forged', cache.trusted
    ObjectCache(tmp_path / 'theirs').store('a', b'forged')
    (tmp_path / 'theirs' / 'a.object').rename(forged)
    os.chown(forged, 65534, 65534)

    def exchange():
        found = trusted()
        path.unlink()
        if put == 'pipe':
            os.mkfifo(path)
        elif put == 'link':
            path.symlink_to(forged)
        else:
            forged.rename(path)
        return found
    monkeypatch.setattr(cache, 'trusted', exchange)
    assert cache.load('a') == b'code'   # what was looked at is what is read
    monkeypatch.undo()
    assert cache.load('a') is None


def test_the_size_stays_bounded_without_asking(folder):
    cache = ObjectCache(folder, largest=1000)
    largest = 0
    for number in range(1000):
        cache.store(str(number), bytes(84))
        largest = max(largest, len(cache.sizes()))
    # Of 1000 keys every 32nd is one that trims; the longest run without is three times as long.
    assert 10 < largest <= 10 + 4 * 32


def test_keys_tell_texts_apart():
    assert len({key_of('ab', 'c'), key_of('a', 'bc'), key_of('abc'), key_of('ab', 'c', '')}) == 4


def test_addresses_are_no_part_of_the_code(folder, compilations):
    """The same text serves other addresses, as in the next process."""
    text = '\n'.join(['define i64 @seven() {', address_ir('%p', 1), '  %x = load i64, ptr %p',
                      '  ret i64 %x', '}'])
    numbers = [ctypes.c_int64(7), ctypes.c_int64(8)]
    found = [seven(MachineCode(text, addresses=[0, ctypes.addressof(number)]))
             for number in numbers]
    assert found == [7, 8]
    assert len(compilations) == 1


WRITER = """
import sys
from pathlib import Path
import numpy as np
from mbd_ros.execution.ir.object_cache import ObjectCache
cache = ObjectCache(Path(sys.argv[1]), largest=50_000)
rng = np.random.default_rng(int(sys.argv[2]))
for _ in range(150):
    key = str(rng.integers(8))
    code = cache.load(key)
    assert code is None or code == key.encode() * 3000
    cache.store(key, key.encode() * 3000)
    if rng.random() < 0.02:
        cache.clear()
"""


def test_concurrent_writers(folder):
    workers = [subprocess.Popen([sys.executable, '-c', WRITER, str(folder), str(seed)])
               for seed in range(3)]
    assert [worker.wait(300) for worker in workers] == [0, 0, 0]
    assert {path.suffix for path in folder.iterdir()} == {'.object'}  # nothing half written


def test_threads_compile_the_same_at_once(folder):
    results = []
    threads = [threading.Thread(target=lambda: results.append(seven(MachineCode(SEVEN))))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert results == [7] * 4


@pytest.mark.parametrize('joints', [3, 45], ids=['unrolled', 'rolled'])
def test_the_next_process_compiles_nothing_and_answers_the_same(joints, folder):
    script = textwrap.dedent(f"""
        import sys
        import numpy as np
        import llvmlite.binding as llvm
        import mbd_ros
        if sys.argv[2] == 'warm':
            llvm.TargetMachine.emit_object = None  # cannot be called
        model = mbd_ros.load(sys.stdin.read())
        rows = np.random.default_rng(0).normal(size=(3, 20, {joints}))
        dyn = mbd_ros.compile(model)
        np.save(sys.argv[1], [dyn.forward_dynamics(*rows), dyn.inverse_dynamics(*rows),
                              [dyn.forward_dynamics(*row) for row in zip(*rows)]])
        """)
    results = []
    for state in ('cold', 'warm'):
        file = folder.parent / f'{state}.npy'
        subprocess.run([sys.executable, '-c', script, str(file), state], input=chain(joints, 1),
                       text=True, check=True, timeout=300)
        results.append(np.load(file))
    np.testing.assert_array_equal(*results)  # the same machine code


def test_whatever_becomes_of_a_file_nothing_but_what_was_stored_is_loaded(tmp_path):
    """Bits turned, cut, lengthened, exchanged, overwritten: none of it is run."""
    cache, rng = ObjectCache(tmp_path), np.random.default_rng(15)
    cache.store('key', rng.bytes(300))
    cache.store('other', rng.bytes(300))
    path = tmp_path / 'key.object'
    whole = path.read_bytes()
    damaged = [b'', (tmp_path / 'other.object').read_bytes(), bytes(len(whole)), whole * 2]
    for _ in range(300):
        bits = bytearray(whole)
        bits[rng.integers(len(whole))] ^= 1 << int(rng.integers(8))
        damaged += [bytes(bits), whole[:rng.integers(len(whole))], whole[rng.integers(1, 300):],
                    whole + rng.bytes(int(rng.integers(1, 9)))]
    for content in damaged:
        path.write_bytes(content)
        assert cache.load('key') is None, content
    path.write_bytes(whole)
    assert cache.load('key') == whole[16:]
    path.unlink()
    path.mkdir()
    cache.store('key', b'code')  # cannot take the place of a folder
    assert cache.load('key') is None


@pytest.mark.parametrize('named', ['~nobody-of-this-name/cache', '/dev/null', '/dev/null/cache',
                                   '/proc/none', 'x' * 5000])
def test_a_folder_that_cannot_be_keeps_nothing(named, monkeypatch):
    monkeypatch.setenv('MBD_ROS_CACHE', named)
    cache = object_cache()
    if cache is not None:
        cache.store('key', b'code')
        assert cache.load('key') is None


SHARER = """
import ctypes, os, pathlib, random, sys
from mbd_ros.execution.ir.machine_code import MachineCode
from mbd_ros.execution.ir.object_cache import object_cache

version, seed = sys.argv[1:]
factor, rng, folder = float(len(version)), random.Random(seed), object_cache().folder

def text(k):
    return (f'define double @f(double %x) {{\\n  %y = fmul double %x, {factor}\\n'
            f'  %z = fadd double %y, {float(k)}\\n  ret double %z\\n}}')

for turn in range(60):
    k = rng.randrange(6)
    code = MachineCode(lambda: text(k), origin=f'origin\\n{version}\\nprogram {k}')
    value = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(code.address('f'))(3.0)
    assert value == 3.0 * factor + k, (version, k, value)
    files = sorted(folder.glob('*')) if folder.is_dir() else []
    if files and turn % 3 == 0:
        victim, harm = rng.choice(files), rng.randrange(4)
        try:
            if harm == 0:
                victim.unlink()
            elif harm == 1:
                os.truncate(victim, rng.randrange(1 + victim.stat().st_size))
            elif harm == 2:   # what belongs to another program
                victim.write_bytes(rng.choice(files).read_bytes())
            else:
                object_cache().trim()
        except OSError:   # another has removed it
            pass
print('right')
"""


def test_processes_of_two_versions_share_a_damaged_folder(tmp_path):
    """Whatever four of them write, remove and damage at once, each runs its own code."""
    script = tmp_path / 'sharer.py'
    script.write_text(SHARER)
    environment = {**os.environ, 'MBD_ROS_CACHE': str(tmp_path / 'cache')}
    running = [subprocess.Popen([sys.executable, str(script), version, str(seed)],
                                env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True)
               for seed, version in enumerate(('old', 'old', 'newer', 'newer'))]
    for one in running:
        output, _ = one.communicate(timeout=300.0)
        assert one.returncode == 0 and output.startswith('right'), output
