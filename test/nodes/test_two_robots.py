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

"""Two robots in one graph, each in a namespace: neither takes the other's for its own."""

from mbd_msgs.msg import ControllerState
import pytest
from tf2_msgs.msg import TFMessage

pytestmark = [pytest.mark.nodes, pytest.mark.slow]

SILENT = ('viewer:=false', 'rviz:=false', 'use_sim_time:=false', 'rate:=100')
ROBOTS = {'left': 'three_link_arm', 'right': 'puma560'}


@pytest.mark.parametrize(('composed', 'shared'), [('false', False), ('true', True)])
def test_two_robots_follow_their_paths(launch, graph, patient, composed, shared):
    """With transforms in the namespaces, or all on /tf, where frames have a prefix then."""
    states = {one: graph.hear(ControllerState, f'{one}/controller/state', 100) for one in ROBOTS}
    moved = {one: graph.hear(TFMessage, f'{one}/tf', 100) for one in ROBOTS}
    everybody = graph.hear(TFMessage, '/tf', 100)
    for namespace, robot in ROBOTS.items():
        launch('track.launch.py', f'robot:={robot}', f'namespace:={namespace}',
               *([f'frame_prefix:={namespace}/'] if shared else []),
               f'composed:={composed}', patient(robot), *SILENT)
    for namespace, heard in states.items():
        graph.wait_until(lambda heard=heard: any(
            one.mode == ControllerState.MODE_TRACKING and one.path_time > 0.5
            for one in list(heard)), f'{namespace} follows', 180.0)
    # The arm begins off its path and is pulled onto it; both have 3 or 6 joints of their own.
    assert {len(one.joint_names) for one in states['left']} <= {0, 3}
    assert {len(one.joint_names) for one in states['right']} <= {0, 6}
    assert {one.header.frame_id.partition('base')[0] for one in states['left']
            if one.mode == ControllerState.MODE_TRACKING} == {'left/' if shared else ''}
    if not shared:
        for namespace, heard in moved.items():
            graph.wait_until(lambda heard=heard: heard, f'transforms of {namespace}')
        assert not everybody
        return

    def frames():
        return {one.child_frame_id for message in list(everybody) for one in message.transforms}

    def parents():
        return {one.header.frame_id for message in list(everybody) for one in message.transforms}
    for namespace in ROBOTS:
        graph.wait_until(lambda namespace=namespace: any(
            one.startswith(f'{namespace}/') for one in frames()), f'transforms of {namespace}')
    assert all(one.startswith(('left/', 'right/')) for one in frames() | parents())
    assert not any(moved.values())
