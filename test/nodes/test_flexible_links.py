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

"""Flexible links through services, the simulator and the launch file."""

import flexible_robots
from mbd_msgs.msg import ControllerState, EnergyAudit
from mbd_msgs.srv import ForwardDynamics, JointWrenches, MassMatrix
import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectoryPoint
from visualization_msgs.msg import MarkerArray

import mbd_ros

pytestmark = pytest.mark.nodes

ROBOT = 'urdf/flexible_arm.urdf'
PLACE = [0.1, -0.9, 1.2, 0.3]


def test_services_name_elastic_coordinates(run_node, graph):
    model = mbd_ros.load(ROBOT)
    run_node('dynamics_server', {'robot_description': ROBOT})
    every = [*model.joint_names, *model.elastic_names]
    q = np.concatenate([PLACE, np.zeros(10)])
    point = JointTrajectoryPoint(positions=PLACE, effort=[1.0, 2.0, 3.0, 4.0])
    answer = graph.call(ForwardDynamics, 'dynamics_server/forward_dynamics',
                        ForwardDynamics.Request(joint_names=model.joint_names, points=[point]))
    assert answer.success, answer.message
    assert list(answer.joint_names) == every and answer.formulation == 'flexible'
    tau = np.concatenate([[1.0, 2.0, 3.0, 4.0], np.zeros(10)])
    expected = mbd_ros.forward_dynamics(model, q, 0 * tau, tau)
    # The same code on the same numbers.
    np.testing.assert_allclose(answer.points[0].accelerations, expected, rtol=1e-9)
    assert list(answer.points[0].positions) == q.tolist()
    q[4:] = 1e-3
    names = [*reversed(every)]
    matrix = graph.call(MassMatrix, 'dynamics_server/mass_matrix', MassMatrix.Request(
        joint_names=names, points=[JointTrajectoryPoint(positions=q[::-1].tolist())]))
    assert list(matrix.row_names) == names
    np.testing.assert_allclose(matrix.data, mbd_ros.mass_matrix(model, q)[::-1, ::-1].ravel(),
                               rtol=1e-12)
    wrenches = graph.call(JointWrenches, 'dynamics_server/joint_wrenches', JointWrenches.Request(
        joint_names=every, points=[JointTrajectoryPoint(positions=q.tolist())]))
    assert list(wrenches.wrench_joints) == list(model.joint_names)
    refused = graph.call(MassMatrix, 'dynamics_server/mass_matrix', MassMatrix.Request(
        joint_names=every[:6], points=[JointTrajectoryPoint(positions=q[:6].tolist())]))
    assert 'every joint of the model once; missing: upper_arm/bend_z_1' in refused.message


def test_the_simulator_begins_bent_and_swings(run_node, graph):
    run_node('simulator', {'robot_description': ROBOT, 'effort_timeout': '60.0',
                           'initial_positions': '[0.0, -0.9, 1.2, 0.3]'})
    model = mbd_ros.load(ROBOT)
    q = np.concatenate([[0.0, *PLACE[1:]], np.zeros(10)])
    sag = mbd_ros.static_deflection(model, q)
    states = graph.hear(JointState, 'joint_states', 1000)
    graph.wait_until(lambda: states, 'states come')
    assert list(states[0].name) == [*model.joint_names, *model.elastic_names]
    np.testing.assert_allclose(states[0].position[4:], sag, rtol=1e-9, atol=1e-12)
    efforts = graph.node.create_publisher(Float64MultiArray, 'effort_controller/commands', 10)
    graph.publish_until(efforts, Float64MultiArray(data=[0.0] * 4), lambda: abs(
        states[-1].position[6] - sag[2]) > 1e-3, 'links let go of their weight')
    assert np.isfinite(states[-1].position).all()


def test_the_simulator_closes_loops_of_links_that_bend(run_node, graph, tmp_path):
    file = tmp_path / 'four_bar.urdf'
    file.write_text(flexible_robots.four_bar())
    run_node('simulator', {'robot_description': str(file), 'effort_timeout': '60.0',
                           'gravity': '[0.0, -9.81, 0.0]',
                           'initial_positions': '[0.9, -0.6, -1.8]'})
    model = mbd_ros.load(file)
    states = graph.hear(JointState, 'joint_states', 1000)
    audits = graph.hear(EnergyAudit, 'simulator/energy', 100)
    efforts = graph.node.create_publisher(Float64MultiArray, 'effort_controller/commands', 10)
    graph.publish_until(efforts, Float64MultiArray(data=[0.0] * 3), lambda: any(
        one.energies[0] > 0.01 for one in audits), 'it falls')
    for state in (states[0], states[-1]):
        rows = mbd_ros.compile(model).loop_rows(np.array(state.position), np.zeros(model.nv))
        np.testing.assert_allclose(rows[:, 0], 0.0, atol=1e-9)   # as loops are closed at first
    assert np.abs(states[0].position[3:]).max() > 1e-4   # bent by their weight
    assert all(abs(one.balance) < 1e-3 for one in audits)   # of joules; the rule is of order 2


def test_the_simulator_shows_how_links_bend(run_node, graph):
    run_node('simulator', {'robot_description': ROBOT, 'effort_timeout': '60.0',
                           'initial_positions': '[0.0, -0.9, 1.2, 0.3]',
                           'bending_frames': 'true'})
    drawn = graph.hear(MarkerArray, 'simulator/bending', 10)
    frames = graph.hear(TFMessage, '/tf', 100)
    graph.wait_until(lambda: drawn and frames, 'shapes come')
    model = mbd_ros.load(ROBOT)
    q = np.concatenate([[0.0, *PLACE[1:]], np.zeros(10)])
    q[4:] = mbd_ros.static_deflection(model, q)
    links = mbd_ros.bent_links(model, q)
    assert {one.header.frame_id for one in drawn[0].markers if one.points} == {'base'}
    names = {one.child_frame_id for one in frames[0].transforms}
    assert names == {f'{name}/bent_{k}' for name in links for k in range(25)}


@pytest.mark.slow
def test_the_launch_file_moves_an_arm_that_bends(launch, graph):
    """The bent tool is on its path; the links bend and stay bounded."""
    joint_states = graph.hear(JointState, 'joint_states', 100)
    states = graph.hear(ControllerState, 'controller/state', 100)
    launch('flexible.launch.py', 'viewer:=false')
    graph.wait_until(lambda: states and states[-1].mode == ControllerState.MODE_TRACKING
                     and states[-1].path_time > 2.0, 'the controller tracks', 300.0)
    model = mbd_ros.load(ROBOT)
    assert len(joint_states[-1].name) == model.nv
    bent = np.array([one.position[4:] for one in joint_states])
    # Bent by the weight: the path needs 0.6 m/s^2, less than a tenth of it; a swing doubles a sag.
    sag = np.abs(mbd_ros.static_deflection(model, joint_states[-1].position, np.zeros(model.nv)))
    assert 0.5 * sag.max() < np.abs(bent).max() < 2.0 * sag.max()
    # Of the bent tool, by measured elastic coordinates: 0.01 mm; not foreseen they make 1.5 mm.
    assert states[-1].tool_error < 2e-4 and not states[-1].message
