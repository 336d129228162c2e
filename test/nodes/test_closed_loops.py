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

"""A robot with closed loops in the graph: closed states, all joints, and reactions."""

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from mbd_msgs.srv import SetModel
import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

import mbd_ros

pytestmark = pytest.mark.nodes


def test_a_four_bar_moves_with_its_loop_closed(run_node, graph, urdf):
    file = urdf('four_bar')
    run_node('simulator', {'robot_description': str(file), 'effort_timeout_action': 'keep',
                           'initial_positions': '[0.3, 0.0, 0.0]',
                           'wrench_joints': '[crank_joint]'})
    states = graph.hear(JointState, 'joint_states')
    healths = graph.hear(DiagnosticArray, '/diagnostics')
    wrenches = graph.hear(WrenchStamped, 'simulator/wrench/coupler_rocker')
    carried = graph.hear(WrenchStamped, 'simulator/joint_wrench/crank_joint')
    model = mbd_ros.load(file)
    dyn = mbd_ros.compile(model)
    first = graph.wait_until(lambda: states and states[0], 'joint states come')
    assert list(first.name) == ['crank_joint', 'coupler_joint', 'rocker_joint']
    publisher = graph.node.create_publisher(
        Float64MultiArray, 'effort_controller/commands', 10)
    graph.wait_until(publisher.get_subscription_count, 'somebody takes the commands')

    def turns():   # the first command of a new pair may be lost
        publisher.publish(Float64MultiArray(data=[1.0, 0.0, 0.0]))
        return abs(states[-1].velocity[0]) > 0.1

    graph.wait_until(turns, 'the crank turns')
    graph.wait_until(lambda: wrenches, 'reactions come')
    for state in (first, states[-1]):
        rows = dyn.loop_rows(np.array(state.position), np.array(state.velocity))
        assert np.abs(rows[:, :2]).max() < 1e-10
    force = wrenches[-1].wrench.force
    assert wrenches[-1].header.frame_id
    assert np.hypot(force.x, force.z) > 1.0
    assert abs(force.y) < 1e-9
    found = graph.wait_until(lambda: healths and [
        float(entry.value) for entry in healths[-1].status[0].values
        if entry.key.startswith('loops open by')], 'diagnostics come')
    assert 0.0 <= found[0] < 1e-10   # closed to rounding, as the states
    graph.wait_until(lambda: carried, 'what the crank carries comes')
    assert carried[-1].header.frame_id == model.body_names[0]
    force = carried[-1].wrench.force
    assert np.linalg.norm([force.x, force.y, force.z]) > 1.0


def test_wrenches_of_odd_names_and_of_robots_exchanged(run_node, graph, urdf):
    """A loop whose name no topic can have is simulated; its publisher ends with the robot."""
    text = urdf('four_bar').read_text()
    node = run_node('simulator', {'robot_description': str(urdf('four_bar')),
                                  'wrench_joints': '[crank_joint, elbow]'})

    def exchange(loop):
        request = SetModel.Request(robot_description=text.replace('coupler_rocker', loop))
        answer = graph.call(SetModel, 'simulator/set_model', request)
        assert answer.success, answer.message

    def published(loop):
        return graph.node.count_publishers(f'/simulator/wrench/{loop}')

    graph.wait_until(lambda: published('coupler_rocker'), 'the reactions have a topic')
    for loop, topic in [('coupler/rocker 1', 'coupler_rocker_1'), ('2nd', 'link_2nd'),
                        ('coupler_rocker', 'coupler_rocker')]:
        wrenches = graph.hear(WrenchStamped, f'simulator/wrench/{topic}')
        exchange(loop)
        graph.wait_until(lambda: wrenches, 'reactions come')   # noqa: B023 - at once
    graph.wait_until(lambda: [published(loop) for loop in (
        'coupler_rocker_1', 'link_2nd', 'coupler_rocker')] == [0, 0, 1], 'one has a publisher')
    assert graph.node.count_publishers('/simulator/joint_wrench/crank_joint') == 1
    assert node.output.count("no joints 'elbow'") == 1
    assert node.output.count('which is not a valid topic name') == 1
