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

"""The ground that parameters describe: what contradicts, and files that change."""

from types import SimpleNamespace

import pytest

from mbd_ros.errors import InvalidValueError
from mbd_ros.nodes.every_node import fluid_and_ground


def settings(**more):
    return SimpleNamespace(**{'present': True, 'height': 0.0, 'normal': [0.0, 0.0, 1.0],
                              'heights': '', **more})


def test_heights_without_a_ground_are_refused():
    assert fluid_and_ground.ground_of(settings(present=False)) is None
    with pytest.raises(InvalidValueError, match=r'ground\.heights.*unless ground\.present'):
        fluid_and_ground.ground_of(settings(present=False, heights='hills.yaml'))


def test_a_file_is_read_again_when_a_node_is_configured_again(tmp_path):
    file = tmp_path / 'hills.yaml'
    node = SimpleNamespace(create_publisher=lambda *_: SimpleNamespace(publish=lambda _: None))
    own = SimpleNamespace(ground=settings(heights=str(file)), world_frame='world',
                          publish_rate=100.0)
    for top in (1.0, 2.0):
        file.write_text(f'heights: [[0, 0], [0, {top}]]\nspacing: 1.0\n')
        fluid_and_ground.SurroundingsPublisher(node, own)
        ground = fluid_and_ground.ground_of(own.ground)
        assert ground.heights[1][1] == top
        assert fluid_and_ground.ground_of(own.ground) is ground   # in between it is read once
