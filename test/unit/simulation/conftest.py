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

"""Small robots, each with one difficulty more."""

import pytest

import mbd_ros

LINK = """
  <link name="{name}">
    <inertial>
      <origin xyz="0 0 -0.5"/>
      <mass value="2"/>
      <inertia ixx="0.2" iyy="0.2" izz="0.05" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="{joint}" type="continuous">
    <parent link="{parent}"/>
    <child link="{name}"/>
    <origin xyz="0 0 {z}"/>
    <axis xyz="0 1 0"/>
    {dynamics}
  </joint>"""


def chain(count, dynamics=''):
    """Return the URDF of a chain of equal pendulums that hangs down at zero."""
    links = ''.join(LINK.format(
        name=f'link{k}', joint=f'joint{k}', parent=f'link{k - 1}' if k > 1 else 'ground',
        z=-1 if k > 1 else 0, dynamics=dynamics) for k in range(1, count + 1))
    return f'<robot name="chain"><link name="ground"/>{links}\n</robot>'


@pytest.fixture(scope='session')
def pendulum():
    """Return one pendulum."""
    return mbd_ros.load(chain(1))


@pytest.fixture(scope='session')
def double_pendulum():
    """Return two pendulums."""
    return mbd_ros.load(chain(2))


@pytest.fixture(scope='session')
def rough_pendulum():
    """Return one pendulum with a viscous and a dry friction."""
    return mbd_ros.load(chain(1, '<dynamics damping="0.3" friction="0.4"/>'))


@pytest.fixture(scope='session')
def box():
    """Return a free box with three different moments of inertia."""
    return mbd_ros.load("""
      <robot name="box"><link name="box"><inertial><mass value="3"/>
        <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/>
      </inertial></link></robot>""", floating_base=True)
