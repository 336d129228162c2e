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

"""Mass centres and inertia boxes of links."""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.messages.states.link_details import link_line, mass_boxes

URDF = Path(__file__).parents[3] / 'urdf'
BOX = """<robot name="box">
  <link name="a"><inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="12"/>
    <inertia ixx="13" iyy="10" izz="5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"/>
  <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>"""


def test_a_box_has_the_inertia_of_its_link():
    """12 kg of 1, 2 and 3 m: 12 (4 + 9) / 12 = 13, 10 and 5 kg m^2 about x, y and z."""
    boxes = mass_boxes(mbd_ros.load(BOX))
    assert list(boxes) == ['a']
    pose, edges, _ = boxes['a']
    assert sorted(edges) == pytest.approx([1.0, 2.0, 3.0], rel=1e-9)   # square roots of sums
    assert pose[:3, 3] == pytest.approx([1.0, 2.0, 3.0])
    longest = pose[:3, :3] @ np.eye(3)[np.argmax(edges)]
    assert abs(longest) == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
    assert link_line(boxes, 'a') == 'a, 12 kg'
    assert link_line(boxes, 'b') == 'b, massless'


@pytest.mark.parametrize('name', ['panda', 'puma560', 'five_bar', 'flexible_arm'])
def test_boxes_of_robots_have_their_masses(name):
    model = mbd_ros.load(URDF / f'{name}.urdf')
    boxes = mass_boxes(model)
    for link in model.mechanism.links:
        if link.name in boxes:
            pose, edges, mass = boxes[link.name]
            squares = np.square(edges)
            moments = mass / 12.0 * (squares.sum() - squares)
            tensor = pose[:3, :3] @ np.diag(moments) @ pose[:3, :3].T
            wanted = np.array(link.inertia.tensor)
            if (np.linalg.eigvalsh(wanted)[:2].sum() >= np.linalg.eigvalsh(wanted)[2]):
                # of bodies that exist; eigenvalues are right to rounding of the largest
                assert tensor == pytest.approx(wanted, abs=1e-12 + 1e-9 * abs(wanted).max())
            assert mass == link.inertia.mass
