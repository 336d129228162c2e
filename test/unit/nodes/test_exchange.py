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

"""Another robot in the loop of the simulator: between two steps, as a whole, or not at all."""

import itertools
from pathlib import Path
import re
import threading
import time

import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import DockingError
from mbd_ros.nodes.simulating.simulation_loop import SimulationLoop, Successor, Timing
from mbd_ros.simulation import Stepper

ROOT = Path(__file__).resolve().parents[3]
STEP = 1_000_000


@pytest.fixture
def running():
    """Return a loop that moves a pendulum freely, what it published, and another robot."""
    heard, enough = [], threading.Event()

    def publisher(name):
        def publish(now, q, v, efforts):
            heard.append((name, now, q.copy(), v.copy(), efforts.copy()))
            loop.command(np.full(len(v), 0.1), None)
            enough.set()
        return publish

    small = mbd_ros.load(ROOT / 'test/data/ladder/01_pendulum.urdf')
    large = mbd_ros.load(ROOT / 'urdf/three_link_arm.urdf')
    loop = SimulationLoop(
        Stepper(small, np.array([0.5]), step=1e-3), Timing(STEP, 2, 1.0, False, 60.0, 'keep'),
        publish=publisher('small'), warn=print)
    loop.start(0)
    assert enough.wait(60.0)
    yield loop, heard, Stepper(large, np.zeros(3), step=1e-3), publisher('large')
    loop.stop()


def wait_for(condition):
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_time_goes_on_with_the_other_robot(running):
    loop, heard, stepper, publish = running
    wait_for(lambda: len(heard) > 5)
    seen = []

    def make(q, v, efforts):
        seen.append((q, v, efforts))
        return Successor(stepper, publish, np.zeros(3))

    loop.exchange(make)
    wait_for(lambda: sum(one[0] == 'large' for one in heard) > 5)
    names = [name for name, *_ in heard]
    assert names == sorted(names, reverse=True)   # all of the small robot, then all of the large
    stamps = [now for _, now, *_ in heard]
    assert {b - a for a, b in itertools.pairwise(stamps)} == {2 * STEP}
    for name, _, q, v, efforts in heard:
        assert len(q) == len(v) == len(efforts) == {'small': 1, 'large': 3}[name]
    (_, _, q, v, _) = next(one for one in heard if one[0] == 'large')
    assert len(seen) == 1


def test_what_is_refused_leaves_the_old_robot(running):
    loop, heard, *_ = running

    def make(q, v, efforts):
        raise DockingError('pose jump', 's1', 'too far')

    with pytest.raises(DockingError, match='pose jump: too far'):
        loop.exchange(make)
    count = len(heard)
    wait_for(lambda: len(heard) > count + 5)
    assert {name for name, *_ in heard} == {'small'}
    assert loop.stops == 0


def test_reset_after_an_exchange_puts_it_where_the_new_joints_began(running):
    """Links of the same names may hang on joints with other coordinates."""
    loop, heard, _, publish = running
    text = (ROOT / 'test/data/ladder/01_pendulum.urdf').read_text()
    floating = mbd_ros.model.load_text(
        re.sub('type="(revolute|continuous)"', 'type="floating"', text))
    assert floating.nq == 7
    stepper = Stepper(floating, mbd_ros.neutral(floating), step=1e-3)
    loop.exchange(lambda q, v, efforts: Successor(stepper, publish, np.zeros(6)))
    wait_for(lambda: sum(one[0] == 'large' for one in heard) > 5)
    count = len(heard)
    loop.reset()
    wait_for(lambda: len(heard) > count + 5)
    assert {len(q) for name, _, q, *_ in heard if name == 'large'} == {7}
