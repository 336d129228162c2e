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

"""A home that cannot be written, a disk that is full, and cache files that are corrupted."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import shutil
import subprocess
import sys

from demo import ARM, patient_config, ROOT, stage
from graphs import Graph
from processes import Running
from score import Score
from sound import answers, Sound

NODES = ('dynamics_server', 'simulator', 'controller')
SMALL = 8192   # bytes: less than the machine code of any robot


def run(score: Score) -> None:
    """Run the nodes on disks that fail, then with cache files that are wrong."""
    kinds = ['small files', *(('read-only', 'full') if mounts() else ('forbidden',))]
    for kind in score.rng.sample(kinds, score.cases(1, len(kinds))):
        with stage(score) as (start, graph):
            with score.trial(f'the robot tracks, home and cache: {kind}'):
                tracks(score, start, graph, kind)
    kept = score.folder / 'kept'
    for turn in range(score.cases(1, 5)):
        with stage(score) as (start, graph):
            with score.trial(f'the robot tracks with corrupted cache files, turn {turn}'):
                if not kept.exists():
                    fill(kept, start, graph)
                folder = score.folder / f'corrupted{turn}'
                shutil.copytree(kept, folder)
                corrupt(score, folder)
                tracks(score, start, graph, 'as it is', folder)


def mounts() -> bool:
    """Tell whether file systems can be mounted for one process alone."""
    return subprocess.run(['unshare', '--mount', 'mount', '-t', 'tmpfs', 'x', '/mnt'],
                          capture_output=True, check=False).returncode == 0


def on_disk(kind: str, folder: Path, command: list[str]) -> list[str]:
    """Return a command that sees a folder as a disk of some kind."""
    disk = {'read-only': f'mount -t tmpfs -o ro none {folder}',
            'full': f'mount -t tmpfs -o size=64k none {folder} && '
                    f'{{ head -c 100000 /dev/zero > {folder}/ballast 2> /dev/null; true; }}',
            'small files': f'ulimit -f {SMALL // 512}', 'forbidden': f'chmod a-w {folder}',
            'as it is': 'true'}[kind]
    shell = ['sh', '-c', f'{disk} && exec "$@"', 'sh', *command]
    return ['unshare', '--mount', *shell] if kind in ('read-only', 'full') else shell


def tracks(score: Score, start: Callable[..., Running], graph: Graph, kind: str,
           folder: Path | None = None) -> None:
    """Run server, simulator and controller with home, cache and logs in a folder."""
    if folder is None:
        folder = score.folder / kind.replace(' ', '_')
        folder.mkdir()
    sound = Sound(graph)
    for name in NODES:
        command = [sys.executable, '-m', f'mbd_ros.nodes.{name}', '--ros-args', '--params-file',
                   str(patient_config(score.folder)), '-p',
                   f'robot_description:={ROOT / "urdf" / ARM}.urdf']
        more = ['-p', 'lockstep:=true'] if name == 'simulator' else []
        sound.all.append(start(*on_disk(kind, folder, command + more),
                               environment=everything_in(folder)))
    answer = answers(graph)
    for row in range(3):   # a mass matrix is symmetric and positive, whatever the cache says
        assert answer.data[4 * row] > 0.0
    sound.tracks_again()
    answers(graph)
    sound.check()
    assert all(one.up for one in sound.all), 'a node has ended'


def everything_in(folder: Path) -> dict[str, str]:
    """Return variables with which a process keeps its files in a folder."""
    return {'HOME': str(folder), 'XDG_CACHE_HOME': str(folder), 'ROS_LOG_DIR': str(folder / 'log'),
            'MBD_ROS_CACHE': str(folder / 'cache')}


def fill(folder: Path, start: Callable[..., Running], graph: Graph) -> None:
    """Let a server keep the machine code of the robot in a folder."""
    folder.mkdir()
    server = start(sys.executable, '-m', 'mbd_ros.nodes.dynamics_server', '--ros-args', '-p',
                   f'robot_description:={ROOT / "urdf" / ARM}.urdf',
                   environment=everything_in(folder))
    answers(graph)
    graph.wait_until(lambda: files(folder / 'cache'), 'machine code is kept')
    server.interrupt()


def files(folder: Path) -> list[Path]:
    """Return the files below a folder."""
    return sorted(one for one in folder.rglob('*') if one.is_file())


def corrupt(score: Score, folder: Path) -> None:
    """Change every file that is kept in another way, as a broken disk or a bad hand would."""
    ways: list[Callable[[Path, bytes], object]] = [
        lambda file, data: file.write_bytes(b''),
        lambda file, data: file.write_bytes(data[:len(data) // 2]),
        lambda file, data: file.write_bytes(os.urandom(0) + score.rng.randbytes(len(data))),
        lambda file, data: file.write_bytes(flipped(score, data)),
        lambda file, data: file.write_bytes(data * 3),
        lambda file, data: (file.unlink(), file.mkdir()),
        lambda file, data: (file.unlink(), file.symlink_to('/dev/zero')),
        lambda file, data: (file.unlink(), file.symlink_to(file)),
        lambda file, data: file.chmod(0),
    ]
    for file in files(folder / 'cache'):
        score.rng.choice(ways)(file, file.read_bytes())


def flipped(score: Score, data: bytes) -> bytes:
    """Return data with one bit changed."""
    changed = bytearray(data)
    if changed:
        changed[score.rng.randrange(len(changed))] ^= 1 << score.rng.randrange(8)
    return bytes(changed)
