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


"""The simulator as a stand-in for hardware that is not ideal, by parameters, while it runs."""

import math
from pathlib import Path
import time

import pytest
import rclpy
from rclpy.parameter import Parameter

from mbd_ros.nodes.simulator import Simulator

pytestmark = pytest.mark.nodes

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def simulator():
    """Return a simulator whose robot stands still, and the joint states that it publishes."""
    rclpy.init(args=['--ros-args', '--params-file', str(ROOT / 'config' / 'three_link_arm.yaml'),
                     '-p', f'robot_description:={ROOT / "urdf" / "three_link_arm.urdf"}'])
    node, said = Simulator(), []
    try:
        node.start()
        node._states.publish = said.append
        yield node, said
    finally:
        node.close()
        node.destroy_node()
        rclpy.try_shutdown()


def newest(said):
    """Return the second joint state from now on; the first one may be under way."""
    said.clear()
    end = time.monotonic() + 60.0
    while len(said) < 2:
        assert time.monotonic() < end, 'no joint states'
        time.sleep(0.002)
    return said[1]


def test_parameters_act_while_it_runs_and_are_off_by_default(simulator):
    node, said = simulator

    def change(name, value):
        return node.set_parameters([Parameter(f'hardware.{name}', value=value)])[0]
    true = newest(said)
    assert list(true.position) == pytest.approx([math.pi / 4, -math.pi / 4, math.pi / 2])
    assert change('encoder_resolution', 0.5).successful
    assert list(newest(said).position) == [1.0, -1.0, 1.5]   # to the even one: 0.785 is 1.57 steps
    assert change('position_noise', 0.2).successful
    assert change('velocity_from_differences', True).successful
    assert len({tuple(newest(said).velocity) for _ in range(10)}) > 1
    assert change('frozen_sensors', ['joint2']).successful
    assert len({newest(said).position[1] for _ in range(10)}) == 1
    refused = change('frozen_sensors', ['elbow'])
    assert not refused.successful and "no joint named 'elbow'" in refused.reason
    for name, value in (('encoder_resolution', 0.0), ('position_noise', 0.0),
                        ('velocity_from_differences', False)):
        assert change(name, value).successful
    node.set_parameters([Parameter('hardware.frozen_sensors', Parameter.Type.STRING_ARRAY, [])])
    assert list(newest(said).position) == list(true.position)
    assert not any(newest(said).velocity)
