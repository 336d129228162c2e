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

"""Joint states lost, late, doubled, out of order and wrong, between simulator and controller."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import copy
import math
import random
import time

from demo import ARM, patient_config, ROOT, stage
from graphs import Graph
from processes import node_runner
from score import Score
from sensor_msgs.msg import JointState
from sound import Sound

Messages = list[JointState]
Disturbance = Callable[['Relay', JointState], Messages]
SHARE = 0.1        # of the states that are disturbed, where not all are
DELAY = 0.03       # s; a control period is 0.002 s
YEARS = 100_000_000   # s


class Relay:
    """Passes joint states on from the simulator to the controller, disturbed or not."""

    def __init__(self, graph: Graph, rng: random.Random) -> None:
        self.rng = rng
        self.count = 0
        self.before: deque[JointState] = deque(maxlen=3000)   # 6 s
        self.disturb: Disturbance | None = None
        self._publisher = graph.node.create_publisher(JointState, 'joint_states', 10)
        graph.node.create_subscription(JointState, 'true_states', self._hear, 10)

    def _hear(self, message: JointState) -> None:
        self.count += 1
        disturb = self.disturb
        for one in [message] if disturb is None else disturb(self, message):
            self._publisher.publish(one)
        self.before.append(message)

    def chance(self) -> bool:
        """Tell whether to disturb one of many."""
        return self.rng.random() < SHARE


def lost(relay: Relay, message: JointState) -> Messages:
    """Lose some."""
    return [] if relay.chance() else [message]


def late(relay: Relay, message: JointState) -> Messages:
    """Deliver some late."""
    if relay.chance():
        time.sleep(DELAY)
    return [message]


def doubled(relay: Relay, message: JointState) -> Messages:
    """Deliver all twice."""
    return [message, message]


def overtaken(relay: Relay, message: JointState) -> Messages:
    """Deliver some again after newer ones."""
    recent = list(relay.before)[-50:]
    return [message, relay.rng.choice(recent)] if recent else [message]


def stale(relay: Relay, message: JointState) -> Messages:
    """Deliver some again after seconds."""
    return [relay.before[0], message] if relay.before and relay.chance() else [message]


def shuffled(relay: Relay, message: JointState) -> Messages:
    """Name the joints in another order each time."""
    order = list(range(len(message.name)))
    relay.rng.shuffle(order)
    other = copy.deepcopy(message)
    for field in ('name', 'position', 'velocity', 'effort'):
        values = getattr(message, field)
        setattr(other, field, [values[k] for k in order] if values else [])
    return [other]


def changed(change: Callable[[JointState, int], None]) -> Disturbance:
    """Return a disturbance that changes a copy of each message at a random joint."""
    def disturb(relay: Relay, message: JointState) -> Messages:
        other = copy.deepcopy(message)
        change(other, relay.rng.randrange(len(message.name)))
        return [other, message]
    return disturb


def entry(field: str, value: float) -> Disturbance:
    """Return a disturbance that sets an entry of a field."""
    def change(message: JointState, k: int) -> None:
        values = list(getattr(message, field))
        values[k] = value
        setattr(message, field, values)
    return changed(change)


def fields(**values: object) -> Disturbance:
    """Return a disturbance that sets whole fields."""
    def change(message: JointState, k: int) -> None:
        for name, value in values.items():
            setattr(message, name, value)
    return changed(change)


def later(seconds: int) -> Disturbance:
    """Return a disturbance that adds messages from another time now and then."""
    def disturb(relay: Relay, message: JointState) -> Messages:
        if not relay.chance():
            return [message]
        other = copy.deepcopy(message)
        other.header.stamp.sec = max(-2**31, min(message.header.stamp.sec + seconds, 2**31 - 1))
        return [other, message]
    return disturb


SHORT: dict[str, Disturbance] = {
    'lost': lost, 'late': late, 'doubled': doubled, 'overtaken': overtaken, 'stale': stale,
    'shuffled names': shuffled, 'positions NaN': entry('position', math.nan),
    'wrong names': fields(name=['a', 'b', 'c']), 'empty': fields(
        name=[], position=[], velocity=[], effort=[]),
    'from the future': later(YEARS),
}
LONG: dict[str, Disturbance] = {
    **SHORT, 'from a second ahead': later(1), 'from the past': later(-YEARS),
    'positions infinite': entry('position', math.inf), 'velocities NaN': entry(
        'velocity', math.nan), 'velocities infinite': entry('velocity', -math.inf),
    'efforts NaN': entry('effort', math.nan), 'positions of 1e308': entry('position', 1e308),
    'positions of 1e12': entry('position', 1e12), 'velocities of 1e308': entry('velocity', 1e308),
    'velocities of 1e6': entry('velocity', 1e6), 'one position': fields(position=[0.0]),
    'no velocities': fields(velocity=[]), 'names alone': fields(position=[], velocity=[]),
    'a name twice': fields(name=['joint1', 'joint1', 'joint2']), 'long arrays': fields(
        position=[0.0] * 10_000), 'long names': fields(name=['x' * 100_000] * 3),
    'names with markup': fields(name=['<script>', '\n[ERROR]', '\u202e']),
}


def run(score: Score) -> None:
    """Disturb what the controller hears, one way after the other."""
    config = patient_config(score.folder)
    with stage(score) as (start, graph):
        sound = Sound(graph)
        relay = Relay(graph, score.rng)
        begin = node_runner(start)
        robot = {'robot_description': str(ROOT / 'urdf' / f'{ARM}.urdf')}
        settings = ('--params-file', str(config))
        for name, more, remapped in (('simulator', {'lockstep': 'true'}, 'true_states'),
                                     ('controller', {}, 'joint_states')):
            sound.all.append(begin(name, robot | more, *settings, '-r',
                                   f'joint_states:={remapped}'))
        with score.trial('the robot tracks', first=True):
            sound.tracks_again()
        disturbances = SHORT if score.short else LONG
        for turn in range(score.cases(1, 2)):
            for name, disturb in disturbances.items():
                with score.trial(f'joint states: {name}, turn {turn}'):
                    try:
                        relay.disturb = disturb
                        enough = relay.count + score.cases(150, 400)
                        graph.wait_until(lambda enough=enough: relay.count > enough,
                                         'the simulator goes on')
                    finally:
                        relay.disturb = None
                    sound.tracks_again()
                    sound.check()
                    assert all(one.up for one in sound.all), 'a node has ended'
