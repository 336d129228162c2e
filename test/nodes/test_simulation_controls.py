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

"""A running simulator is paused, stepped, reset and pushed; its parameters change meanwhile."""

from geometry_msgs.msg import Point, Vector3, Wrench, WrenchStamped
from mbd_msgs.msg import LinkWrench
import numpy as np
import pytest
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger

import mbd_ros
from mbd_ros.simulation.plant import plant

pytestmark = pytest.mark.nodes

START = [0.5, -0.5, 1.5]


@pytest.fixture
def states(run_node, graph, urdf):
    """Start a simulator whose joints move freely; return the list of its states."""
    run_node('simulator', {
        'robot_description': str(urdf('three_link_arm')), 'initial_positions': str(START),
        'effort_timeout_action': 'zero', 'publish_rate': '100.0', 'gravity': '[0.0, 0.0, 0.0]'})
    found = graph.hear(JointState, 'joint_states', 1000)
    graph.wait_until(lambda: found, 'joint states come')
    assert list(found[0].position) == START
    return found


@pytest.fixture
def change(graph):
    """Return a function that sets a parameter of the simulator and returns the result."""
    def set_to(name, value):
        request = SetParameters.Request(parameters=[ParameterMessage(
            name=name, value=Parameter(name, value=value).get_parameter_value())])
        return graph.call(SetParameters, 'simulator/set_parameters', request).results[0]
    return set_to


def push(graph, link, force, seconds=3600):
    publisher = graph.node.create_publisher(LinkWrench, 'simulator/push', 10)
    message = LinkWrench(link=link, point=Point(x=0.1), wrench=Wrench(force=Vector3(**dict(
        zip('xyz', force)))))
    message.duration.sec = seconds
    return publisher, message


def test_time_stands_still_goes_on_by_steps_and_begins_anew(states, graph, change):
    publisher, message = push(graph, 'tool', (0.0, 0.0, 5.0))
    # The brakes hold it until the first command: a push alone moves nothing.
    efforts = graph.node.create_publisher(Float64MultiArray, 'effort_controller/commands', 10)
    graph.publish_until(efforts, Float64MultiArray(data=[0.0, 0.0, 0.0]),
                        lambda: states[-1].header.stamp.sec > 0, 'it is driven')
    graph.publish_until(publisher, message,
                        lambda: np.abs(states[-1].velocity).max() > 0.01, 'the push moves it')

    assert graph.call(SetBool, 'simulator/pause', SetBool.Request(data=True)).success
    graph.wait_until(lambda: states[-1].header.stamp == states[-3].header.stamp,
                     'the same state comes again')
    place, stamp = list(states[-1].position), states[-1].header.stamp
    assert change('step_time', 0.1).successful
    answer = graph.call(Trigger, 'simulator/step', Trigger.Request())
    assert answer.success and answer.message == '0.1 s, then paused'
    graph.wait_until(lambda: states[-1].header.stamp != stamp
                     and states[-1].header.stamp == states[-3].header.stamp, 'it paused again')
    later = states[-1].header.stamp
    # Ten states of 0.01 s each: the grid of stamps is exact.
    assert (later.sec - stamp.sec) * 10**9 + later.nanosec - stamp.nanosec == 10**8
    assert list(states[-1].position) != place

    assert graph.call(Trigger, 'simulator/reset', Trigger.Request()).success
    graph.wait_until(lambda: list(states[-1].position) == START, 'it is where it began')
    assert states[-1].header.stamp == later


def test_joint_wrenches_and_parameters_on_request(states, graph, change, urdf):
    felt = graph.hear(WrenchStamped, 'simulator/joint_wrench/joint3')
    assert change('wrench_joints', ['joint3']).successful
    model = mbd_ros.load(urdf('three_link_arm'))

    def force(mass, gravity):
        """Return what joint3 carries at the start, as the library says."""
        robot = plant(model, payload=mass, link='tool')
        rest = np.zeros(model.nv)
        return mbd_ros.joint_wrenches(robot, START, rest, rest, gravity=gravity)[
            model.joint_index('joint3'), :3]

    def feels(mass, gravity):
        vector = felt[-1].wrench.force
        # The same code on the same numbers, sent as doubles.
        return np.allclose((vector.x, vector.y, vector.z), force(mass, gravity), rtol=1e-12,
                           atol=1e-12)
    graph.wait_until(lambda: felt and feels(0.0, (0.0, 0.0, 0.0)), 'nothing weighs anything')
    weight = (0.0, 0.0, -10.0)
    assert change('gravity', list(weight)).successful
    graph.wait_until(lambda: feels(0.0, weight), 'weight acts')
    assert change('payload.mass', 2.0).successful
    graph.wait_until(lambda: feels(2.0, weight), 'it carries 2 kg')

    refused = change('payload.link', 'nothing')
    assert not refused.successful and "'nothing'" in refused.reason
    assert not change('mass_scale', 1e9).successful
    assert change('payload.mass', 0.0).successful   # the link is as it was
    graph.wait_until(lambda: feels(0.0, weight), 'it carries nothing')
