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

"""Other DDS programs in the same domain: their types, profiles and numbers; nodes of our names."""

from __future__ import annotations

from pathlib import Path
import sys
import time

from area_clients import memory, SUPPORT
from area_rivals import WAY_BACK
from demo import ARM, Demo, NODES, patient_config, ROOT, stage
from score import Score
from stranger import KINDS

HERE = Path(__file__).resolve().parent
PARTICIPANTS = 300     # of which most are in other processes; beyond 100 in ours is no port
GROWTH = 60e6          # bytes of a node: some 100 kB for each participant that is known


def run(score: Score) -> None:
    """Let strangers in and see that the robot goes on."""
    with stage(score) as (start, graph):
        demo = Demo(start, graph, score)
        with score.trial('the demo tracks', first=True):
            demo.tracks_again()
            demo.sound()
        for kind in KINDS:
            if kind == 'participants':
                continue
            with score.trial(f'a stranger: {kind}'):
                stranger = start(sys.executable, HERE / 'stranger.py', kind, environment=SUPPORT)
                stranger.wait_for('begun')
                graph.wait_until(lambda stranger=stranger: not stranger.up, 'it ends')
                assert stranger.process.returncode == 0, stranger.output
                demo.efforts.wrong.clear()   # these were the stranger's
                demo.tracks_again(WAY_BACK)
                demo.sound()
        with score.trial(f'{PARTICIPANTS} participants come and go'):
            before = {node: memory(demo.process_of(node)) for node in NODES}
            crowd = [start(sys.executable, HERE / 'stranger.py', 'participants',
                           str(PARTICIPANTS // score.cases(12, 6)), environment=SUPPORT)
                     for _ in range(score.cases(2, 6))]
            for one in crowd:
                one.wait_for(r'begun (\d+)')
            demo.tracks_again()
            demo.sound()
            for one in crowd:
                graph.wait_until(lambda one=one: not one.up, 'they end')
            time.sleep(11.0)   # the lease of those that said no goodbye
            demo.sound()
            for node in NODES:
                grown = memory(demo.process_of(node)) - before[node]
                assert grown < GROWTH, f'{node} has grown by {grown / 1e6:.0f} MB'
        with score.trial('every node a second time, for a while'):
            doubles = [start(sys.executable, '-m', f'mbd_ros.nodes.{name}', '--ros-args',
                             '--params-file', patient_config(score.folder), '-p',
                             f'robot_description:={ROOT / "urdf" / ARM}.urdf')
                       for name in ('dynamics_server', 'controller', 'simulator')]
            for one in doubles:
                one.wait_for('generation 1')
            time.sleep(score.cases(3, 10))
            for one in reversed(doubles):
                one.interrupt()
            demo.efforts.wrong.clear()
            demo.tracks_again(WAY_BACK)
            demo.sound()
