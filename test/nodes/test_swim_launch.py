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

"""Robots under water, started by swim.launch.py: each does what its page says."""

from control_msgs.msg import JointTrajectoryControllerState
from geometry_msgs.msg import Vector3, Vector3Stamped, WrenchStamped
from mbd_msgs.msg import ControllerState
from nav_msgs.msg import Odometry
import numpy as np
import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import JointState

pytestmark = pytest.mark.nodes


def place(message):
    """Return where a base is."""
    point = message.pose.pose.position
    return np.array([point.x, point.y, point.z])


def upright(message):
    """Return the z axis of a base against that of the world."""
    turn = message.pose.pose.orientation
    return 1.0 - 2.0 * (turn.x ** 2 + turn.y ** 2)


def simulated(messages):
    """Return the simulated time that messages span [s]."""
    first, last = (one.header.stamp.sec + 1e-9 * one.header.stamp.nanosec
                   for one in (messages[0], messages[-1]))
    return last - first


def launched(launch, graph, *arguments):
    """Start it; return it and what the base does."""
    running = launch('swim.launch.py', 'viewer:=false', *arguments)
    bases = graph.hear(Odometry, 'odom', 5000)
    return running, bases


def test_the_quadruped_walks_under_water(launch, graph):
    running, bases = launched(launch, graph, 'robot:=quadruped')
    targets = graph.hear(JointState, 'gait/targets', 5000)
    feet = [graph.hear(WrenchStamped, f'simulator/contact/s{k}_hull', 5000) for k in (3, 5, 7, 9)]
    graph.wait_until(lambda: bases and simulated(bases) > 5.0, 'five seconds have passed', 240.0)
    moved = place(bases[-1]) - place(bases[0])
    assert 0.3 < moved[0] < 1.3   # 0.22 m/s, and more as it begins
    assert abs(moved[2]) < 0.1 and upright(bases[-1]) < -0.97   # its own z points down
    carried = sum(np.mean([np.hypot(np.hypot(
        one.wrench.force.x, one.wrench.force.y), one.wrench.force.z) for one in foot])
        for foot in feet)
    assert 200.0 < carried < 350.0   # it weighs 258 N under water; friction comes on top
    assert set(targets[-1].name) == {f's{k}/top' for k in range(2, 10)}
    still = graph.call(SetParameters, 'gait/set_parameters', SetParameters.Request(parameters=[
        Parameter(name='amplitude', value=ParameterValue(
            type=ParameterType.PARAMETER_DOUBLE, double_value=0.0)),
        Parameter(name='gait', value=ParameterValue(
            type=ParameterType.PARAMETER_STRING, string_value='gallop'))]))
    assert all(result.successful for result in still.results)
    running.wait_for('the gait stays as it is: .*gait', 60.0)
    graph.call(SetParameters, 'gait/set_parameters', SetParameters.Request(parameters=[
        Parameter(name='gait', value=ParameterValue(
            type=ParameterType.PARAMETER_STRING, string_value='crawl'))]))
    graph.wait_until(lambda: max(map(abs, targets[-1].velocity)) < 1e-9, 'it stands', 120.0)


def test_it_falls_on_land(launch, graph):
    _, bases = launched(launch, graph, 'robot:=quadruped', 'water:=false')
    graph.wait_until(lambda: bases and (place(bases[-1])[2] < 0.9 or upright(bases[-1]) > -0.7),
                     'it has fallen', 240.0)


def test_nine_modules_drift_and_dock_anew(launch, graph):
    running, bases = launched(launch, graph, 'robot:=nine_modules', 'reconfigure_after:=8.0',
                              'current:=0.3 0 0', 'axes:=ned')   # to the north, which is y
    running.wait_for(r"\[module_manager\]: robot 'nine_modules', generation 2", 240.0)
    running.wait_for(r'success=True', 60.0)
    before = len(bases)
    graph.wait_until(lambda: simulated(bases[before:]) > 3.0 if len(bases) > before else False,
                     'it goes on', 240.0)
    # The water carries it on; how its own strokes move it beside that depends on when it docked.
    drift = place(bases[-1]) - place(bases[0])
    assert drift[1] > 0.1, [place(one).round(3).tolist() for one in bases[::100]]


def test_the_vehicle_holds_its_station(launch, graph):
    _, bases = launched(launch, graph, 'robot:=rov')
    states = graph.hear(ControllerState, 'controller/state', 2000)
    followed = graph.hear(JointTrajectoryControllerState, 'controller/controller_state', 10)
    graph.wait_until(lambda: states and states[-1].mode == ControllerState.MODE_TRACKING
                     and states[-1].path_time > 5.0, 'it follows its path', 240.0)
    # The current pushes with 8 N; shafts lag by 50 ms.
    assert np.abs(place(bases[-1])).max() < 0.01
    assert states[-1].tools[0].error < 2e-3
    assert followed
    flows = [graph.node.create_publisher(Vector3Stamped, f'{name}/current', 1)
             for name in ('controller', 'simulator')]
    for flow in flows:
        graph.publish_until(flow, Vector3Stamped(vector=Vector3(x=-0.3, y=0.2)),
                            lambda flow=flow: flow.get_subscription_count(), 'somebody listens')
    later = states[-1].path_time + 4.0
    graph.wait_until(lambda: states[-1].path_time > later, 'it goes on', 240.0)
    # Both take the current on at different times: a second of it pushes the vehicle some mm.
    assert np.abs(place(bases[-1])).max() < 0.01
