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

"""Two controllers on one robot, two launches in one domain, and wild efforts."""

from __future__ import annotations

from collections.abc import Callable
import math
import random
import sys
import time

from demo import ARM, Demo, end, NODES, patient_config, ROOT, stage
from graphs import Graph
from processes import launcher, Running
from score import Score
from sound import assert_quiet
from std_msgs.msg import Float64MultiArray, MultiArrayDimension, MultiArrayLayout

TIMES = 200       # wild commands of one kind
WAY_BACK = 60.0   # s of simulated time: they turn joints by up to 90 rad; 1.5 rad/s leads back


def run(score: Score) -> None:
    """Give a tracking robot rivals."""
    with stage(score) as (start, graph):
        demo = Demo(start, graph, score)
        with score.trial('the demo tracks', first=True):
            demo.tracks_again()
            demo.sound()
        wild(score, demo)
        for turn in range(score.cases(1, 2)):
            with score.trial(f'a second controller comes and goes, turn {turn}'):
                second_controller(demo, start, score)
            if not score.short:
                with score.trial(f'a second launch comes and goes, turn {turn}'):
                    second_launch(demo, start, graph, score)


def second_controller(demo: Demo, start: Callable[..., Running], score: Score) -> None:
    """Let a second controller send efforts to the same robot for a while."""
    count = demo.efforts.count
    rival = start(
        sys.executable, '-m', 'mbd_ros.nodes.controller', '--ros-args', '--params-file',
        patient_config(score.folder), '-p', f'robot_description:={ROOT / "urdf" / ARM}.urdf')
    rival.wait_for('generation 1')
    demo.graph.wait_until(lambda: demo.efforts.count > count + score.cases(500, 3000),
                          'efforts go on')
    demo.sound()
    end(rival, demo.graph)
    demo.tracks_again()
    demo.sound()


def second_launch(demo: Demo, start: Callable[..., Running], graph: Graph, score: Score) -> None:
    """Let a second demo run in the same domain for a while."""
    other = launcher(start)('track.launch.py', 'rviz:=false', 'viewer:=false',
                            f'config:={patient_config(score.folder)}')
    other.wait_for(r'\[controller\]: robot')
    other.wait_for(r'\[simulator\]: robot')
    time.sleep(3.0)   # as long as somebody would look
    demo.check()
    for name in NODES:
        assert any(f'__node:={name} ' in one for one in other.processes().values())
    assert_quiet(other)
    end(other, graph)
    demo.tracks_again()
    demo.sound()


def wild(score: Score, demo: Demo) -> None:
    """Send the simulator efforts that no controller would send."""
    publisher = demo.graph.node.create_publisher(
        Float64MultiArray, 'effort_controller/commands', 10)
    demo.graph.wait_until(publisher.get_subscription_count, 'somebody takes the commands')
    for name, make in KINDS.items():
        with score.trial(f'wild efforts: {name}'):
            for _ in range(score.cases(20, TIMES)):
                publisher.publish(demo.efforts.ours(make(score.rng)))
                time.sleep(0.002)
            demo.tracks_again(WAY_BACK)
            demo.sound()
    demo.graph.node.destroy_publisher(publisher)


def command(*efforts: float, labels: tuple[str, ...] = ()) -> Float64MultiArray:
    """Return a command."""
    return Float64MultiArray(data=list(efforts), layout=MultiArrayLayout(
        dim=[MultiArrayDimension(label=one) for one in labels]))


def any_effort(rng: random.Random) -> float:
    """Return an effort of any size and sign, or no number."""
    return rng.choice([
        rng.uniform(-1e3, 1e3), rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(3.0, 308.0),
        math.nan, math.inf, -math.inf, 0.0, 5e-324])


KINDS: dict[str, Callable[[random.Random], Float64MultiArray]] = {
    'no numbers': lambda rng: command(math.nan, math.inf, -math.inf),
    'none, one, many': lambda rng: command(*[1.0] * rng.choice([0, 1, 2, 4, 1000])),
    'labels that are no stamps': lambda rng: command(0.0, 0.0, 0.0, labels=(rng.choice(
        ['', 'x', '-1', '1e30', '9' * 400, '9' * 6000, '٣', '1_0', '<b>']),)),
    'many labels': lambda rng: command(0.0, 0.0, 0.0, labels=('1',) * rng.randrange(2, 50)),
    'large': lambda rng: command(*[rng.uniform(-1e5, 1e5) for _ in range(3)]),
    'huge': lambda rng: command(*[rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(5.0, 308.0)
                                  for _ in range(3)]),
    'any': lambda rng: command(*[any_effort(rng) for _ in range(rng.choice([3, 3, 3, 2]))]),
}
