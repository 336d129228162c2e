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

"""Robots under water: terms of the services, the fluid as parameters, the current as a topic."""

from dataclasses import replace
import re

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Vector3, Vector3Stamped
from mbd_msgs.msg import EnergyAudit
from mbd_msgs.srv import InverseDynamics, MassMatrix
import numpy as np
import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectoryPoint
from visualization_msgs.msg import MarkerArray

import mbd_ros
from mbd_ros import Fluid, Ground
from mbd_ros.messages.states.ground import ground_lines, lines_of_ground

pytestmark = pytest.mark.nodes

FIN = """
<robot name="fin" xmlns:mbd="urn:mbd_ros"><link name="hull"/><link name="blade">
<inertial><origin xyz="0.1 0 0"/><mass value="2"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<mbd:fluid><origin xyz="0.15 0 0"/><volume value="0.001"/>
<fluid_added_mass xx="0.5" yy="3" zz="1"/>
<quadratic_drag force="5 40 10"/></mbd:fluid></link>
<joint name="flap" type="continuous"><parent link="hull"/><child link="blade"/>
<axis xyz="0 1 0"/></joint></robot>
"""
VOLATILE = QoSProfile(depth=1, durability=DurabilityPolicy.VOLATILE)
WATER = Fluid(1025.0, (0.3, 0.0, 0.1), 5.0)
PARAMETERS = {'fluid.density': '1025.0', 'fluid.current': '[0.3, 0.0, 0.1]',
              'fluid.has_surface': 'true', 'fluid.surface': '5.0'}


@pytest.fixture
def fin(tmp_path):
    path = tmp_path / 'fin.urdf'
    path.write_text(FIN)
    return path


def test_services_name_what_the_fluid_does(run_node, graph, fin):
    run_node('dynamics_server', {'robot_description': str(fin), **PARAMETERS})
    model = mbd_ros.load(FIN)
    request = InverseDynamics.Request(
        joint_names=['flap'], separate_terms=True, points=[JointTrajectoryPoint(
            positions=[0.4], velocities=[1.5], accelerations=[2.0])])
    answer = graph.call(InverseDynamics, 'dynamics_server/inverse_dynamics', request)
    assert answer.success, answer.message
    assert list(answer.terms_included) == [
        'inertial', 'velocity', 'gravity', 'buoyancy', 'drag', 'added_mass']
    assert [term.name for term in answer.terms] == list(answer.terms_included)
    expected = mbd_ros.inverse_dynamics(model, [0.4], [1.5], [2.0], fluid=WATER)
    # The same code on the same numbers, sent as doubles; the sum is one of other roundings.
    np.testing.assert_allclose(answer.points[0].effort, expected, rtol=1e-12)
    np.testing.assert_allclose(sum(term.efforts[0] for term in answer.terms), expected[0],
                               rtol=1e-9)
    matrix = graph.call(MassMatrix, 'dynamics_server/mass_matrix', MassMatrix.Request(
        joint_names=['flap'], points=[JointTrajectoryPoint(positions=[0.4])]))
    np.testing.assert_allclose(matrix.data, mbd_ros.mass_matrix(
        model, [0.4], fluid=WATER).ravel(), rtol=1e-12)
    current = graph.node.create_publisher(Vector3Stamped, 'dynamics_server/current', VOLATILE)
    other = mbd_ros.inverse_dynamics(model, [0.4], [1.5], [2.0], fluid=replace(
        WATER, current=(-0.4, 0.0, 0.2)))
    graph.publish_until(
        current, Vector3Stamped(vector=Vector3(x=-0.4, z=0.2)),
        lambda: graph.call(InverseDynamics, 'dynamics_server/inverse_dynamics', request
                           ).points[0].effort == pytest.approx(other, rel=1e-12),
        'it answers for the other current')


def test_the_simulator_drifts_with_a_current_that_comes_by_a_topic(run_node, graph, fin):
    run_node('simulator', {'robot_description': str(fin), 'gravity': '[0.0, 0.0, 0.0]',
                           'effort_timeout': '60.0', 'fluid.density': '1025.0'})
    states = graph.hear(JointState, 'joint_states', 1000)
    efforts = graph.node.create_publisher(Float64MultiArray, 'effort_controller/commands', 10)
    graph.publish_until(efforts, Float64MultiArray(data=[0.0]), lambda: len(states) > 20,
                        'states come')
    assert abs(states[-1].position[0]) < 1e-9   # still water
    current = graph.node.create_publisher(
        Vector3Stamped, 'simulator/current', VOLATILE)
    # From above: it turns the blade about y, which points along x at first.
    graph.publish_until(current, Vector3Stamped(vector=Vector3(z=-1.0)),
                        lambda: states[-1].position[0] > 0.1, 'the blade gives way')


def test_the_simulator_says_where_energy_goes(run_node, graph, fin):
    run_node('simulator', {'robot_description': str(fin), 'effort_timeout': '60.0',
                           'initial_velocities': '[3.0]', 'fluid.current': '[0.2, 0.0, 0.0]'})
    audits = graph.hear(EnergyAudit, 'simulator/energy', 1000)
    efforts = graph.node.create_publisher(Float64MultiArray, 'effort_controller/commands', 10)
    graph.publish_until(efforts, Float64MultiArray(data=[0.5]), lambda: len(audits) > 20,
                        'audits come')
    last = audits[-1]
    assert list(last.names) == ['kinetic', 'potential', 'efforts', 'drag', 'current']
    put_in = sum(map(abs, last.energies[2:]))
    assert put_in > 0.0 and abs(last.balance) < 1e-6 * put_in   # as is asked of runs


def test_the_simulator_takes_heights_of_the_ground_from_a_file(run_node, graph, fin, tmp_path):
    heights = tmp_path / 'hills.yaml'
    heights.write_text('heights: [[0, 1], [2, 3]]\nspacing: 0.5\n')
    run_node('simulator', {'robot_description': str(fin), 'ground.present': 'true',
                           'ground.height': '0.25', 'ground.heights': str(heights)})
    found = graph.hear(MarkerArray, 'simulator/ground', QoSProfile(
        depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))
    graph.wait_until(lambda: bool(found), 'the ground is told')
    np.testing.assert_array_equal(lines_of_ground(found[-1]), ground_lines(
        Ground(0.25, heights=[[0, 1], [2, 3]], spacing=0.5)))


def test_the_simulator_says_once_that_steps_are_long_for_feet(run_node, graph, tmp_path):
    """A foot of 1 GN/m on 2 kg, from 0.3 m above the ground; nothing is compiled for it."""
    path = tmp_path / 'foot.urdf'
    path.write_text(FIN.replace('<mbd:fluid>', '<mbd:contact><point xyz="0.2 0 0"/><stiffness '
                                'value="1e9"/><damping value="10"/><friction value="0.5"/>'
                                '</mbd:contact><mbd:fluid>'))
    running = run_node('simulator', {'robot_description': str(path), 'ground.present': 'true',
                                     'ground.height': '-0.3', 'effort_timeout': '60.0'})
    health = graph.hear(DiagnosticArray, '/diagnostics')
    efforts = graph.node.create_publisher(Float64MultiArray, 'effort_controller/commands', 10)
    said = r"are long for friction at landings of the contact of link 'blade'; allowed: up to"
    graph.publish_until(efforts, Float64MultiArray(data=[0.0]), lambda: any(
        re.search(said, one.status[0].message) for one in health[1:]), 'diagnostics say it')
    last = next(one for one in reversed(health) if re.search(said, one.status[0].message))
    assert last.status[0].level == DiagnosticStatus.WARN
    assert len(re.findall(said, running.output)) == 1
