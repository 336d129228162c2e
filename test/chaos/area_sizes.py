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

"""Messages, goals and requests of up to 48 MB, while commands have to keep their rate."""

from __future__ import annotations

import itertools
from pathlib import Path
import sys
import time

from area_clients import memory, SUPPORT
from demo import Demo, NODES, stage
from graphs import Graph
from large_sender import SERVICES, TOPICS
from score import Score
from std_msgs.msg import Float64MultiArray

HERE = Path(__file__).resolve().parent
SHORT = ('trajectory of 2,000,000 empty points', 'trajectory of 15,000 points',
         'goal of 200,000 empty points', 'goal of 15,000 points', 'description of 30,000 links')
RATE = 100.0     # Hz: a busy machine keeps it
WATCHED = 5.0    # s before, and again after a message was sent
TIMES = 2.0      # the largest gap may be so many times that of as long a time before
TURNS = 3        # what a message does it does each time; other programs on the machine do not
BLINK = 0.1      # s: what two gaps on a machine with other programs differ by anyway
GROWTH = 250e6   # bytes: what is read of 16 MB, of a goal before it is refused 200 MB


class Gaps:
    """When commands came, as they came: every wait shows."""

    def __init__(self, graph: Graph) -> None:
        self.times: list[float] = []
        graph.node.create_subscription(
            Float64MultiArray, 'effort_controller/commands',
            lambda octets: self.times.append(time.monotonic()), 100, raw=True)

    def largest(self, begin: float) -> float:
        """Return the longest time without a command since one [s]."""
        now = time.monotonic()
        times = [begin, *(one for one in self.times if one > begin), now]
        return max(later - one for one, later in itertools.pairwise(times))


def run(score: Score) -> None:
    """Send one large message after the other to a robot that tracks in real time."""
    with stage(score) as (start, graph):
        demo = Demo(start, graph, score, 'lockstep:=false', f'rate:={RATE}')
        gaps = Gaps(graph)
        with score.trial('the demo tracks', first=True):
            demo.tracks_again()
            demo.sound()
        worst: list[tuple[float, str]] = []
        for number, name in enumerate(SHORT if score.short else (*TOPICS, *SERVICES)):
            if score.only not in name:
                continue
            with score.trial(f'commands keep their rate: {name}'):
                go = score.folder / f'go{number}'
                sender = start(sys.executable, HERE / 'large_sender.py', name, go,
                               environment=SUPPORT)
                sender.wait_for('ready')
                before = {node: memory(demo.process_of(node)) for node in NODES}
                for turn in range(1, TURNS + 1):
                    begin = time.monotonic()
                    time.sleep(WATCHED)
                    usual = gaps.largest(begin)
                    begin = time.monotonic()
                    go.write_text('s' * turn)
                    sender.wait_for(f'sent {turn}')
                    time.sleep(max(0.0, begin + WATCHED - time.monotonic()))
                    gap = gaps.largest(begin)
                    print(f'    largest gap {1e3 * gap:.0f} ms, usual {1e3 * usual:.0f} ms')
                    if gap < TIMES * usual + BLINK:
                        break
                worst.append((gap / usual, name))
                go.write_text('e')
                graph.wait_until(lambda sender=sender: not sender.up, 'the sender ends')
                demo.efforts.wrong.clear()   # some were the sender's
                for node in NODES:
                    grown = memory(demo.process_of(node)) - before[node]
                    assert grown < GROWTH, f'{node} has grown by {grown / 1e6:.0f} MB'
                assert gap < TIMES * usual + BLINK, (
                    f'no command for {gap:.2f} s, {usual:.2f} s before')
                demo.sound()
        print(f'    worst: {max(worst)}')
