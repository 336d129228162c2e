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

"""Shapes of modules as URDF has them."""

from lxml import etree
import pytest

from mbd_ros.description.modules.records import Visual
from mbd_ros.description.modules.shapes import _element


@pytest.mark.parametrize(('visual', 'inside'), [
    (Visual('box', (1.0, 2.0, 3.0)), '<geometry><box size="1.0 2.0 3.0"/></geometry>'),
    (Visual('sphere', (0.5,)), '<geometry><sphere radius="0.5"/></geometry>'),
    (Visual('capsule', (0.5, 2.0)), '<geometry><capsule radius="0.5" length="2.0"/></geometry>'),
    (Visual('mesh', (1.0, 1.0, 2.0), file='package://a/b.stl'),
     '<geometry><mesh filename="package://a/b.stl" scale="1.0 1.0 2.0"/></geometry>'),
    (Visual('sphere', (0.5,), color=(1.0, 0.0, 0.5, 1.0)),
     '<geometry><sphere radius="0.5"/></geometry>'
     '<material name=""><color rgba="1.0 0.0 0.5 1.0"/></material>')])
def test_shapes_and_their_colours(visual, inside):
    text = etree.tostring(_element(visual), encoding='unicode')
    assert text == f'<visual>{inside}</visual>'
