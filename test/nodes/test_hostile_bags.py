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
Bags that do harm are read or refused, in bounded time and memory, by all that reads bags.

``HOSTILE_BAGS=1000`` tries more bags with octets changed at random than the suite does.
"""

import contextlib
import io
import os
from pathlib import Path
import resource
import shutil
import subprocess
import sys
import time

from hostile_bags import CASES, mutated
import pytest

from mbd_ros.cli import command
from mbd_ros.errors import MbdError
from mbd_ros.simulation import bag_process
from mbd_ros.simulation.trajectory import load_trajectory

SEEDS = int(os.environ.get('HOSTILE_BAGS', '16'))
MEMORY = 700 << 10
"""KiB more than before; a bag keeps the message that may be largest, and what was made of it."""
SECONDS = 3.0
"""Of computing in the process that asks; the one that reads has a third of that."""
PROGRAM = """
import contextlib, io, os, pathlib, sys, time
import rclpy
from ros2cli import bag_process, bags
from ros2cli.command.bag import info, play
from hostile_bags import PLAY

bag_process.SECONDS, bag_process.MEMORY = 1.0, 512 << 20
rclpy.init()
for name in sys.argv[1:]:
    node = rclpy.create_node('player')
    begin, before = time.monotonic(), time.thread_time()
    try:
        with bags.opened(name) as reader:
            text = info.description(reader, reader.connections)
            assert '\\x1b' not in text
            player = play.Player(node, reader, list(reader.connections), PLAY,
                                 lambda: time.monotonic() > begin + 2.0)
            player.play()
        said = 'played'
    except RuntimeError as error:
        said = f'refused: {error}'
        assert len(said.splitlines()) == 1, said
    node.destroy_node()
    assert 'antigravity' not in sys.modules
    took = time.thread_time() - before
    print(f'{name}: {said[:300]!r} {took:.1f} s', flush=True)
"""


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Let the process that reads end after a second of computing, or with half a gigabyte."""
    monkeypatch.setattr(bag_process, 'SECONDS', 1.0)
    monkeypatch.setattr(bag_process, 'MEMORY', 512 << 20)


def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def read(path):
    """Read a bag by all ways; return what was said of it."""
    before, begin = used(), time.thread_time()
    try:
        load_trajectory(path)
        said = 'read'
    except MbdError as error:
        said = str(error)
        assert len(said) < 4000 and len(said.splitlines()) < 4, said
    else:   # what can be read is written as a page, or refused
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = command.main(['view', str(path), '-o', str(path.parent / 'page.html')])
        assert code in (0, 1)
    assert time.thread_time() - begin < SECONDS
    assert used() - before < MEMORY
    return said


@pytest.mark.parametrize('name', CASES)
def test_each_case_is_read_or_refused(name, tmp_path):
    read(CASES[name](tmp_path))


@pytest.mark.parametrize('seed', range(SEEDS))
def test_octets_changed_at_random(seed, tmp_path):
    read(mutated(tmp_path, seed))


@pytest.mark.parametrize('name', [
    'zstd_chunk_0', 'zstd_chunk_1', 'lz4_chunk_0', 'packed_messages'])
def test_what_unpacks_without_bound_says_so(name, tmp_path, monkeypatch):
    monkeypatch.setattr(bag_process, 'SECONDS', 60.0)   # a page of memory costs on a busy machine
    assert 'takes more than 512 MiB of memory' in read(CASES[name](tmp_path))


def test_what_has_no_end_says_so(tmp_path):
    for name, said in (('a_column_without_end', 'takes more than 1 s of computing'),
                       ('a_column_of_a_gigabyte', 'takes more than 512 MiB')):
        (tmp_path / name).mkdir()
        assert said in read(CASES[name](tmp_path / name))


def test_what_was_unpacked_to_a_file_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr('tempfile.tempdir', str(tmp_path / 'temporary'))
    (tmp_path / 'temporary').mkdir()
    assert 'File too large' in read(CASES['packed_file'](tmp_path))
    assert not list((tmp_path / 'temporary').iterdir())


def test_all_of_them_are_played(tmp_path):
    """One node after the other plays each for two seconds, and lives; three beside each other."""
    paths = []
    for name, write in (*CASES.items(), *(
            (f'seed_{k}', lambda folder, k=k: mutated(folder, k)) for k in range(SEEDS))):
        (tmp_path / name).mkdir()
        paths.append(write(tmp_path / name))
    playing = [subprocess.Popen(
        [sys.executable, '-c', PROGRAM, *map(str, paths[k::3])], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env={
            **os.environ, 'ROS_LOG_DIR': str(tmp_path / 'log'), 'PYTHONPATH': str(
                Path(__file__).parents[1] / 'support')}) for k in range(3)]
    try:
        said = [one.communicate(timeout=500) for one in playing]
    finally:
        for one in playing:
            one.kill()
        shutil.rmtree(tmp_path, ignore_errors=True)
    lines = [line for output, _ in said for line in output.splitlines()]
    for one, (output, errors) in zip(playing, said):
        assert one.returncode == 0, output[-2000:] + errors[-3000:]
        assert 'Traceback' not in errors, errors[-3000:]
    assert len(lines) == len(paths)
    assert all(float(line.split()[-2]) < SECONDS for line in lines), lines
