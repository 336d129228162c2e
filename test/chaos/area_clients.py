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

"""Many clients at once on the services, clients killed during a call."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import signal
import sys

from demo import ARM, ROOT, stage
from graphs import Graph
from processes import node_runner, Running
from score import Score
from sound import answers, Sound

HERE = Path(__file__).resolve().parent
SUPPORT = {'PYTHONPATH': str(HERE.parent / 'support')}
CLIENTS = 20        # in one process
BUSY = 600.0        # s: fifty requests of 5000 points on a machine that is busy with other things
LARGEST = 600e6     # bytes of memory of the server; 130e6 at rest, requests of 5000 points beside


def run(score: Score) -> None:
    """Let clients ask, kill some during their calls, and see that the others are served."""
    with stage(score) as (start, graph):
        sound = Sound(graph)
        server = node_runner(start)('dynamics_server', {
            'robot_description': f'{ROOT / "urdf" / ARM}.urdf'})
        sound.all.append(server)
        with score.trial('the server answers', first=True):
            answers(graph)
        for turn in range(score.cases(1, 3)):
            many(score, start, graph, sound, f'turn {turn}')
            with score.trial(f'the memory of the server is bounded, turn {turn}'):
                used = memory(server.process.pid)
                assert used < LARGEST, f'{used / 1e6:.0f} MB, allowed {LARGEST / 1e6:.0f} MB'


def many(score: Score, start: Callable[..., Running], graph: Graph, sound: Sound,
         turn: str) -> None:
    """Start clients, kill a part of them, and wait for the answers of the others."""
    processes = [start(sys.executable, HERE / 'client_load.py', CLIENTS, score.cases(5, 10),
                       environment=SUPPORT) for _ in range(score.cases(2, 10))]
    doomed = processes[:len(processes) // 2]
    with score.trial(f'{len(processes) * CLIENTS} clients come, {len(doomed) * CLIENTS} are '
                     f'killed during their calls, {turn}'):
        for one in processes:
            one.wait_for('ready')
        for one in doomed:
            graph.wait_until(lambda: score.rng.random() < 0.3, 'a moment of chance')
            os.kill(one.process.pid, signal.SIGKILL)
        answers(graph)
        sound.check()
    for one in processes[len(doomed):]:
        with score.trial(f'clients of {one.log.name} get every answer, {turn}'):
            graph.wait_until(lambda one=one: 'answered' in one.output or not one.up,
                             'clients get their answers', BUSY)
            found = one.wait_for(r'answered (\d+) of (\d+), refused (\d+)')
            graph.wait_until(lambda one=one: not one.up, 'the clients end')
            assert found[1] == found[2] and found[3] == '0', found[0]
    with score.trial(f'the server answers as before, {turn}'):
        answers(graph)
        sound.check()


def memory(process: int) -> float:
    """Return the resident memory of a process [bytes]."""
    return int(Path(f'/proc/{process}/statm').read_text().split()[1]) * os.sysconf('SC_PAGE_SIZE')
