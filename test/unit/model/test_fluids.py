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

"""What a fluid does to links, on the bodies of a model."""

import pickle

import numpy as np

import mbd_ros

SWIMMER = """
<robot name="swimmer" xmlns:mbd="urn:mbd_ros">
  <link name="base">
    <inertial><mass value="9"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <mbd:fluid><volume value="0.01"/></mbd:fluid>
  </link>
  <link name="arm">
    <inertial><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <mbd:fluid>
      <origin xyz="0.1 0 0"/><volume value="0.002"/>
      <fluid_added_mass xx="1" yr="0.1" yy="3" rr="0.4"/>
      <linear_drag force="1 2 3" moment="4 5 6"/>
    </mbd:fluid>
  </link>
  <link name="lamp">
    <mbd:fluid>
      <origin xyz="0 0 0.5"/><volume value="0.001"/><quadratic_drag force="7 8 9"/>
    </mbd:fluid>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/>
  </joint>
  <joint name="bracket" type="fixed">
    <parent link="arm"/><child link="lamp"/><origin xyz="0 0.3 0"/>
  </joint>
</robot>
"""


def test_links_merged_by_fixed_joints_keep_a_record_each():
    model = mbd_ros.load(SWIMMER)
    # The base is part of the ground: nothing moves it.
    assert [(link.name, link.body) for link in model.fluids] == [('arm', 0), ('lamp', 0)]
    arm, lamp = model.fluids
    axes = model.links['arm'].rotation   # the joint's axis x is the body's z
    np.testing.assert_allclose(arm.frame.translation, axes @ [0.1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(arm.frame.rotation, axes, atol=1e-15)
    np.testing.assert_allclose(lamp.frame.translation, axes @ [0, 0.3, 0.5], atol=1e-15)
    assert (arm.volume, lamp.volume) == (0.002, 0.001)
    assert arm.added_mass[1, 5] == arm.added_mass[5, 1] == 0.1
    np.testing.assert_array_equal(arm.linear_drag, [1, 2, 3, 4, 5, 6])
    np.testing.assert_array_equal(lamp.quadratic_drag, [7, 8, 9, 0, 0, 0])


def test_a_floating_root_is_a_body():
    model = mbd_ros.load(SWIMMER, floating_base=True)
    assert [(link.name, link.body) for link in model.fluids] == [
        ('base', 0), ('arm', 1), ('lamp', 1)]


def test_they_travel_with_the_model():
    model = pickle.loads(pickle.dumps(mbd_ros.load(SWIMMER)))
    assert [link.name for link in model.fluids] == ['arm', 'lamp']
