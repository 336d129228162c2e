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


"""Efforts of the dynamics server as streams."""

from pathlib import Path
import time

from control_msgs.msg import JointTrajectoryControllerState
import pytest
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectoryPoint

import mbd_ros

pytestmark = pytest.mark.nodes

URDF = Path(__file__).resolve().parents[2] / 'urdf' / 'three_link_arm.urdf'
NAMES = ['joint1', 'joint2', 'joint3']


def test_efforts_come_while_somebody_subscribes(run_node, graph):
    run_node('dynamics_server', {'robot_description': str(URDF)}).wait_for('generation 1')
    place = [0.3, -0.5, 1.1]
    states = graph.node.create_publisher(JointState, 'joint_states', 10)
    references = graph.node.create_publisher(
        JointTrajectoryControllerState, 'controller_state', 10)
    time.sleep(1.0)   # it does not listen yet
    assert not states.get_subscription_count()
    expected = mbd_ros.gravity_forces(mbd_ros.load(URDF), place)
    for topic, publisher, message in (
            ('gravity_efforts', states, JointState(name=NAMES, position=place)),
            ('inverse_dynamics', references, JointTrajectoryControllerState(
                joint_names=NAMES, reference=JointTrajectoryPoint(positions=place)))):
        heard = []
        subscription = graph.node.create_subscription(
            JointState, f'dynamics_server/{topic}', heard.append, 10)
        answer = graph.publish_until(publisher, message, lambda heard=heard: heard, topic)[0]
        assert list(answer.name) == NAMES
        assert list(answer.effort) == pytest.approx(expected, rel=1e-10)
        graph.node.destroy_subscription(subscription)
        graph.wait_until(lambda publisher=publisher: not publisher.get_subscription_count(),
                         'it listens no more')
