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

"""The three-link arm, fixed to the ground and flying."""

from pathlib import Path

import pytest

import mbd_ros

ARM = Path(__file__).parents[3] / 'urdf' / 'three_link_arm.urdf'
INERTIAL = ('<inertial><mass value="5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
            '</inertial>')


@pytest.fixture(scope='session')
def model():
    """Return the arm."""
    return mbd_ros.load(ARM)


@pytest.fixture(scope='session')
def floating():
    """Return the arm with a base that floats, and so has a mass."""
    link = '<link name="base_link">'
    return mbd_ros.load(ARM.read_text().replace(link, link + INERTIAL), floating_base=True)
