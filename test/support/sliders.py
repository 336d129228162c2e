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

"""Robots whose motion is that of separate numbers."""

import mbd_ros


def sliders(*masses, effort=40.0, velocity=3.0, axis='1 0 0'):
    """Return sliders side by side: no joint moves another."""
    return mbd_ros.compile(mbd_ros.load('<robot name="sliders"><link name="root"/>' + ''.join(
        f'<joint name="j{k}" type="prismatic"><parent link="root"/><child link="l{k}"/>'
        f'<axis xyz="{axis}"/><limit effort="{effort}" velocity="{velocity}" lower="-5" '
        f'upper="5"/></joint><link name="l{k}"><inertial><mass value="{mass}"/><inertia ixx="1" '
        'iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for k, mass in enumerate(masses)) + '</robot>'))
