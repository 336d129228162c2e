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

"""How long compiling takes is told within a factor of two, from a model of how much it is."""

from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
import numpy as np
import pytest

import mbd_ros
from mbd_ros.execution.ir.compile_time import USUAL
from mbd_ros.execution.ir.machine_code import compilations, Compiled
from mbd_ros.messages.diagnostics.diagnostics import diagnostics, READY_IN, ready_in
from mbd_ros.nodes.every_node.robot_source import COMPILE_COSTS, OTHER_COST

URDF = Path(__file__).resolve().parents[3] / 'urdf'
FLOATING, FLEXIBLE = ('space_robot',), ('flexible_arm',)

COMPILED = (
    ('simulator', 'three_link_arm', 41),
    ('simulator', 'puma560', 82),
    ('simulator', 'panda', 117),
    ('simulator', 'five_bar', 195),
    ('simulator', 'delta', 896),
    ('simulator', 'dual_arm', 69),
    ('simulator', 'space_robot', 107),
    ('simulator', 'flexible_arm', 2313),
    ('simulator', 'stewart', 850),
    ('simulator', 'four_bar', 163),
    ('simulator', 'bricard', 261),
    ('simulator', 'slider_crank', 155),
    ('controller', 'three_link_arm', 914),
    ('controller', 'puma560', 1492),
    ('controller', 'panda', 1687),
    ('controller', 'five_bar', 1839),
    ('controller', 'delta', 3051),
    ('controller', 'dual_arm', 1935),
    ('controller', 'space_robot', 3295),
    ('controller', 'flexible_arm', 2104),
    ('controller', 'stewart', 3836),
    ('controller', 'four_bar', 1706),
    ('controller', 'bricard', 2204),
    ('controller', 'slider_crank', 1703),
    ('dynamics_server', 'three_link_arm', 86),
    ('dynamics_server', 'puma560', 165),
    ('dynamics_server', 'panda', 226),
    ('dynamics_server', 'five_bar', 117),
    ('dynamics_server', 'delta', 671),
    ('dynamics_server', 'dual_arm', 149),
    ('dynamics_server', 'space_robot', 143),
    ('dynamics_server', 'flexible_arm', 1065),
    ('dynamics_server', 'stewart', 634),
    ('dynamics_server', 'four_bar', 88),
    ('dynamics_server', 'bricard', 181),
    ('dynamics_server', 'slider_crank', 83),
    ('viewer', 'three_link_arm', 38),
    ('viewer', 'puma560', 56),
    ('viewer', 'panda', 57),
    ('viewer', 'five_bar', 41),
    ('viewer', 'delta', 86),
    ('viewer', 'dual_arm', 57),
    ('viewer', 'space_robot', 53),
    ('viewer', 'flexible_arm', 133),
    ('viewer', 'stewart', 90),
    ('viewer', 'four_bar', 35),
    ('viewer', 'bricard', 45),
    ('viewer', 'slider_crank', 35),
)
"""
Node, robot and thousands of characters that it compiled, 28 November 2026, from an empty cache.

With the configuration of the robot, which says that space_robot floats for simulator and
controller, and that flexible_arm bends but for the controller, which foresees it.
"""


def cost(node):
    return COMPILE_COSTS.get(node, OTHER_COST)


def loaded(node, robot):
    file = next(file for file in (URDF / f'{robot}.urdf', URDF / f'{robot}.urdf.xacro')
                if file.is_file())
    return mbd_ros.load(
        file, floating_base=robot in FLOATING and node in ('simulator', 'controller'),
        flexible=robot in FLEXIBLE and node != 'controller')


@pytest.mark.parametrize(('node', 'robot', 'thousands'), COMPILED)
def test_how_much_is_compiled_is_known_within_a_factor_of_two(node, robot, thousands):
    expected = cost(node).characters(loaded(node, robot))
    assert 0.5 < expected / (1e3 * thousands) < 2.0


def test_what_the_simulator_compiles_is_still_as_much(tmp_path, monkeypatch):
    """The largest part of it, without a node: forward dynamics of a robot that no other has."""
    monkeypatch.setenv('MBD_ROS_CACHE', str(tmp_path))
    text = (URDF / 'puma560.urdf').read_text().replace('mass value="0.82"', 'mass value="0.8251"')
    model, before = mbd_ros.load(text), compilations()
    mbd_ros.forward_dynamics(model, *np.zeros((3, model.nv)))
    done = compilations().since(before)
    assert done.begun
    assert done.seconds > 0.0
    assert 0.3 < done.characters / cost('simulator').characters(model) < 2.0


def test_seconds_follow_from_how_fast_the_first_piece_was():
    model, controller = loaded('controller', 'puma560'), cost('controller')
    usual = controller.seconds(model, Compiled(1, 100_000, USUAL * 100_000))
    assert usual == pytest.approx(   # all of it at the usual speed, and what is not LLVM's
        USUAL * controller.characters(model) * controller.overhead)
    slow = controller.seconds(model, Compiled(1, 100_000, 10.0 * USUAL * 100_000))
    assert 3.0 < slow / usual < 10.0   # the first piece alone is not believed
    later = controller.seconds(model, Compiled(9, 1_200_000, 10.0 * USUAL * 1_200_000))
    assert 8.0 < later / usual < 10.0
    more = Compiled(9, 10_000_000, 20.0)   # than was expected: no time is left, none is negative
    assert controller.seconds(model, more) >= more.seconds


def test_what_was_compiled_before_is_not_counted():
    assert Compiled(5, 300, 2.5).since(Compiled(2, 100, 1.0)) == Compiled(3, 200, 1.5)


@pytest.mark.parametrize('value', ['', '-3', 'nan', '1e9', '1234567', '٣', '3.5'])
def test_what_is_no_time_is_passed_over(value):
    message = DiagnosticArray(status=[DiagnosticStatus(
        name='/controller', values=[KeyValue(key=READY_IN, value=value)])])
    assert ready_in(message) == {}


def test_the_time_goes_through_a_message():
    assert ready_in(diagnostics(0, '/left/controller', 0, 'compiling', {READY_IN: 12})) == {
        '/left/controller': 12}
    assert ready_in(diagnostics(0, '/left/controller', 0, 'tracking', {'steps': 12})) == {}
