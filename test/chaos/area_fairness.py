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

"""One hostile client of each kind: what another one's small requests wait for their answers."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import signal
import statistics
import sys
import threading
import time
from typing import Any

from area_clients import SUPPORT
from control_msgs.srv import QueryTrajectoryState
from demo import Demo, stage
from graphs import Graph
from hostile_client import KINDS
from mbd_msgs.srv import MassMatrix
from processes import Running
from rcl_interfaces.srv import GetParameters
from score import Score
from sound import question

HERE = Path(__file__).resolve().parent
SHORT = ('four checks of 240 kB at a time', '1,000 small requests at a time')
ROUNDS = 3       # quiet and hostile by turns: what else the machine does is in both
COUNT = 100      # requests of each kind in each half of a round
PAUSE = 0.01     # s between two
TIMES = 5.0      # the 99th percentile may be so many times that of the same run without the other
LEAST = 2e-3     # s: a quiet percentile below it is taken as this, the time slice of a scheduler
SETTLING = 2.0   # s after the other one began or ended


class Asker:
    """Asks small things of the server and of the controller, by turns."""

    def __init__(self, graph: Graph) -> None:
        self.kinds: list[tuple[Any, Any]] = [
            (graph.node.create_client(MassMatrix, 'dynamics_server/mass_matrix'), question()),
            (graph.node.create_client(QueryTrajectoryState, 'controller/query_state'),
             QueryTrajectoryState.Request()),
            (graph.node.create_client(GetParameters, 'controller/get_parameters'),
             GetParameters.Request(names=['rate']))]
        for client, _ in self.kinds:
            assert client.wait_for_service(60.0)

    def waits(self, count: int) -> list[list[float]]:
        """Return how long each answer took [s], by kind."""
        found: list[list[float]] = [[] for _ in self.kinds]
        for _ in range(count):
            for (client, request), times in zip(self.kinds, found):
                done = threading.Event()
                begin = time.perf_counter()
                client.call_async(request).add_done_callback(lambda _, done=done: done.set())
                assert done.wait(60.0), f'{client.srv_name} does not answer within 60 s'
                times.append(time.perf_counter() - begin)
                time.sleep(PAUSE)
        return found


def percentile(times: list[float]) -> float:
    """Return the 99th percentile."""
    return statistics.quantiles(times, n=100)[98]


def run(score: Score) -> None:
    """Measure without and with each of the hostile clients, by turns."""
    rows = []
    with stage(score) as (start, graph):
        demo = Demo(start, graph, score)
        with score.trial('the demo tracks', first=True):
            demo.tracks_again()
            demo.sound()
        asker = Asker(graph)
        asker.waits(10)
        for name in SHORT if score.short else KINDS:
            if score.only not in name:
                continue
            with score.trial(f'others are answered beside {name}'):
                row = measure(score, demo, asker, start, name)
                rows.append((name, row))
                print('    ' + table_row(name, row), flush=True)
                for (before, after), (client, _) in zip(row, asker.kinds):
                    assert after <= TIMES * max(before, LEAST), (
                        f'{client.srv_name}: {1e3 * after:.1f} ms, {1e3 * before:.1f} ms before')
    print('\n| one hostile client | mass_matrix: quiet, beside it [ms] | query_state '
          '| get_parameters |\n|---|---|---|---|')
    for name, row in rows:
        print(table_row(name, row))


def measure(score: Score, demo: Demo, asker: Asker, start: Callable[..., Running], name: str
            ) -> list[tuple[float, float]]:
    """Return the percentiles of each kind of small request without and beside a client."""
    quiet: list[list[float]] = [[] for _ in asker.kinds]
    beside: list[list[float]] = [[] for _ in asker.kinds]
    for _ in range(score.cases(1, ROUNDS)):
        for times, found in zip(quiet, asker.waits(COUNT)):
            times += found
        other = start(sys.executable, HERE / 'hostile_client.py', name, environment=SUPPORT)
        other.wait_for('ready')
        time.sleep(SETTLING)
        for times, found in zip(beside, asker.waits(COUNT)):
            times += found
        assert other.up, 'the hostile client has ended'
        for process in other.processes():
            os.kill(process, signal.SIGKILL)
        time.sleep(SETTLING)
        demo.sound()
    return [(percentile(before), percentile(after)) for before, after in zip(quiet, beside)]


def table_row(name: str, row: list[tuple[float, float]]) -> str:
    """Return a line of the table in docs/safety.md."""
    figures = ' | '.join(f'{1e3 * before:.1f}, {1e3 * after:.1f}' for before, after in row)
    return f'| {name} | {figures} |'
