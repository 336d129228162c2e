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

"""The menu that the controller's interactive markers have in RViz."""

from types import SimpleNamespace

from mbd_msgs.srv import SetPayload
import pytest
from rcl_interfaces.msg import SetParametersResult
from rclpy.task import Future
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import InteractiveMarkerFeedback as Feedback

from mbd_ros.errors import InvalidValueError
from mbd_ros.nodes.controlling.drag_targets import controller_menu


class Desk:
    """Stands for the controller; keeps what is asked of it."""

    def __init__(self, **answers):
        self.done, self.said = [], []
        self.refusal = answers.get('refusal', '')
        self.guard = SimpleNamespace(wrap=lambda name, done: done)
        self.menu = controller_menu(self, SimpleNamespace(bandwidth=15.0, approach_speed=1.5))

    def create_publisher(self, kind, topic, qos):
        assert (kind, topic) == (JointTrajectory, '~/joint_trajectory')
        return SimpleNamespace(publish=lambda message: self.done.append(len(message.points)))

    def create_client(self, kind, name):
        assert (kind, name) == (SetPayload, '~/set_payload')
        return SimpleNamespace(call_async=self._load)

    def _load(self, request):
        self.done.append((request.link, request.payload.m))
        future = Future()
        future.set_result(SetPayload.Response(success=not self.refusal, message=self.refusal))
        return future

    def set_parameters_atomically(self, parameters):
        self.done.append({one.name: one.value for one in parameters})
        return SetParametersResult(successful=not self.refusal, reason=self.refusal)

    def get_name(self):
        return 'controller'

    def get_logger(self):
        return SimpleNamespace(warning=self.said.append)

    def choose(self, title):
        first, slash, rest = title.partition('/')
        number = 1 + self.menu.titles.index(f'{first} (controller){slash}{rest}')
        self.menu.choose(Feedback(menu_entry_id=number), 'tool')


def test_each_entry_does_what_it_says():
    desk = Desk()
    for title in desk.menu.titles:
        desk.choose(title.replace(' (controller)', ''))
    assert desk.done == [
        0, {'bandwidth': 12.0}, {'bandwidth': 18.75}, {'approach_speed': 0.75},
        {'approach_speed': 3.0}, *({'robust_rate': rate} for rate in (0.0, 20.0, 60.0)),
        *({'adaptation_rate': rate} for rate in (0.0, 0.5, 2.0)),
        *(('tool', mass) for mass in (0.0, 0.5, 1.0, 2.0, 5.0)),
        *({'gravity': [0.0, 0.0, along]} for along in (-9.81, -3.71, -1.62, 0.0))]
    assert not desk.said


def test_what_is_refused_is_said():
    desk = Desk(refusal='more than the effort limit')
    desk.choose('Payload here/5 kg')
    desk.choose('Bandwidth/stiffer')
    assert desk.said == ['payload from RViz: more than the effort limit',
                         'not set from RViz: more than the effort limit']


@pytest.mark.parametrize('number', [0, 99, 2**32 - 1])
def test_an_entry_that_is_none_is_refused(number):
    with pytest.raises(InvalidValueError, match=r'menu_entry_id is .*; allowed: 1 to '):
        Desk().menu.choose(Feedback(menu_entry_id=number), 'tool')
