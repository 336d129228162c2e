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

"""/clock jumps forward and backward, is told by two, and stops."""

from __future__ import annotations

from collections.abc import Callable
import signal
import time

from demo import ARM, Demo, ROOT, stage
from diagnostic_msgs.msg import DiagnosticArray
from graphs import Graph
from mbd_msgs.msg import ControllerState
from processes import node_runner, PATIENCE, Running
from rosgraph_msgs.msg import Clock
from score import Score
from sound import answers, Sound

JUMPS = (1, 3600, 100_000_000, 2_147_483_000, 5, 0)   # s: where /clock goes, one after the other
TICK = 200_000_000   # ns of simulated time between two messages
MODULES = ROOT / 'config' / 'modules' / 'nine_modules.yaml'


def run(score: Score) -> None:
    """Disturb the clock of nodes that follow one, then that of a whole demo."""
    with stage(score) as (start, graph):
        followers(score, start, graph)
    with stage(score) as (start, graph):
        demo = Demo(start, graph, score, 'use_sim_time:=true')
        with score.trial('the demo tracks', first=True):
            demo.tracks_again()
            demo.sound()
        publisher = graph.node.create_publisher(Clock, '/clock', 10)
        for turn in range(score.cases(1, 2)):
            for seconds in score.rng.sample(JUMPS, score.cases(2, len(JUMPS))):
                with score.trial(f'somebody else says {seconds} s on /clock, turn {turn}'):
                    for _ in range(50):
                        publisher.publish(clock(seconds * 10**9))
                        time.sleep(0.002)
                    demo.tracks_again()
                    demo.sound()
            with score.trial(f'the clock stops with its simulator, turn {turn}'):
                demo.tell('simulator', signal.SIGSTOP)
                try:
                    demo.wait_for_mode(ControllerState.MODE_LOST)
                    answers(graph)
                finally:
                    demo.tell('simulator', signal.SIGCONT)
                demo.tracks_again()
                demo.sound()
        with score.trial('the clock begins again at zero with a new simulator'):
            demo.restart(demo.kill('simulator'))
            demo.tracks_again()
            demo.sound()


def followers(score: Score, start: Callable[..., Running], graph: Graph) -> None:
    """Let nodes follow a clock that jumps; their timers and services have to go on."""
    begin, sound = node_runner(start), Sound(graph)
    for name, more in (('dynamics_server', {'robot_description': f'{ROOT / "urdf" / ARM}.urdf'}),
                       ('module_manager', {'graph': str(MODULES), 'simulator': ''})):
        sound.all.append(begin(name, {'use_sim_time': 'true'} | more, '-r',
                               f'robot_description:={name}/robot_description'))
    heard = graph.hear(DiagnosticArray, '/diagnostics', 100)
    publisher = graph.node.create_publisher(Clock, '/clock', 10)
    with score.trial('services answer before there is a clock', first=True):
        answers(graph)
    for turn in range(score.cases(1, 2)):
        for seconds in JUMPS:
            with score.trial(f'/clock jumps to {seconds} s, turn {turn}'):
                del heard[:]
                now, end = seconds * 10**9, time.monotonic() + PATIENCE
                wanted = {'/dynamics_server', '/module_manager'}
                while not wanted <= {one.status[0].name for one in heard}:
                    assert time.monotonic() < end, f'no /diagnostics after a jump to {seconds} s'
                    assert now < (seconds + 60) * 10**9, (
                        f'no /diagnostics within 60 s of simulated time after a jump to {seconds}')
                    now += TICK
                    publisher.publish(clock(now))
                    time.sleep(0.02)
                answers(graph)
                sound.check()


def clock(nanoseconds: int) -> Clock:
    """Return a message of a simulated time."""
    message = Clock()
    message.clock.sec, message.clock.nanosec = divmod(nanoseconds, 10**9)
    return message
