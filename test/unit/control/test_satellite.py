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

"""A satellite that nothing holds: its path is one that it can follow for ever."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import yaml

import mbd_ros
from mbd_ros.control import Task
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.model.state import difference
from mbd_ros.simulation import Stepper

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
PERIOD = 0.002


def test_what_the_arm_draws_backwards_turns_the_satellite_back():
    """After each period all is where it was; on an ellipse the base turns by 0.05 rad each."""
    nodes = yaml.safe_load((ROOT / 'config' / 'space_robot.yaml').read_text())
    simulator, controller = (nodes[f'/**/{node}']['ros__parameters'] for node in (
        'simulator', 'controller'))
    model = mbd_ros.load(ROOT / 'urdf' / 'space_robot.urdf.xacro', floating_base=True)
    q = mbd_ros.neutral(model)
    q[7:] = simulator['initial_positions']
    task = Task.from_data({
        **{name: controller[name] for name in ('link', 'path', 'start', 'metric', 'bandwidth',
                                               'approach_speed')},
        'constraints': yaml.safe_load(controller['constraints'])})
    robot = Stepper(model, q, gravity=(0.0, 0.0, 0.0), step=PERIOD)
    tracker = Tracker(mbd_ros.compile(model, gravity=(0.0, 0.0, 0.0)), task, robot.q, robot.v)
    period, seen, fastest = controller['path']['period'], [], 0.0
    for count in range(round((2.3 * period + 3.0) / PERIOD)):
        step = tracker.step(count * PERIOD, robot.q, robot.v)
        assert not tracker.problem
        if step.nominal.time > 0.2 * period * (1.0 + 5.0 * len(seen)):   # 0.2, 1.2, 2.2 periods
            seen.append(robot.q)
        if step.nominal.time > 0.0:
            fastest = max(fastest, np.abs(robot.v[6:]).max())
        robot.advance(step.effort, PERIOD)
    assert len(seen) == 3
    for before, after in pairwise(seen):
        # A step of 2 ms at 0.8 rad/s, by which the states may be apart.
        assert np.abs(difference(model, before, after)).max() < 2e-3
    assert fastest < 1.0   # half the limit of the joints
