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

"""Where the robot is shown: while it is compiled, when time is slow, and in a pause."""

from builtin_interfaces.msg import Time
import pytest
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool
from tf2_msgs.msg import TFMessage

pytestmark = pytest.mark.nodes

LATE = 5.0   # s: time in which a busy machine delivers a message; slow states are later than that


def test_transforms_keep_up_with_the_clock(launch, graph, tmp_path):
    """Without use_sim_time, at an eighth of real time, from an empty cache on."""
    transforms = graph.hear(TFMessage, '/tf', 1000)
    states = graph.hear(JointState, 'joint_states', 1000)
    launch('track.launch.py', 'robot:=space_robot', 'viewer:=false', 'rviz:=false',
           'real_time_factor:=0.125', environment={'MBD_ROS_CACHE': str(tmp_path / 'cache')})

    def children():
        return {one.child_frame_id for message in list(transforms) for one in message.transforms}

    graph.wait_until(lambda: 'tool' in children() or len(children()) > 2, 'links are placed')
    graph.wait_until(lambda: any(one.header.frame_id == 'world' for message in list(transforms)
                                 for one in message.transforms), 'the base is placed')
    graph.wait_until(lambda: bool(states), 'the robot moves')
    first = min(nanoseconds(one.header.stamp) for message in list(transforms)
                for one in message.transforms if one.header.frame_id == 'world')
    assert first < nanoseconds(states[0].header.stamp)   # it was placed while it was compiled

    def age(message):
        stamp = (message.transforms[0] if isinstance(message, TFMessage) else message).header.stamp
        return 1e-9 * (graph.node.get_clock().now().nanoseconds - nanoseconds(stamp))

    # It falls behind by seven eighths of a second each second.
    graph.wait_until(lambda: states and age(states[-1]) > 1.5 * LATE, 'states are late')
    assert age(transforms[-1]) < LATE
    assert graph.call(SetBool, 'simulator/pause', SetBool.Request(data=True)).success
    graph.wait_until(lambda: nanoseconds(states[-1].header.stamp) == nanoseconds(
        states[-2].header.stamp), 'it is paused')
    count = len(transforms)
    graph.wait_until(lambda: len(transforms) > count + 10, 'transforms go on')
    assert age(transforms[-1]) < LATE


def nanoseconds(stamp: Time) -> int:
    return stamp.sec * 10**9 + stamp.nanosec
