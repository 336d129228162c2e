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

"""Mechanism to Model: the frozen arrays, the order of joints, and what a state is."""

from mbd_ros.model.attachments.contacts import ContactPoint
from mbd_ros.model.attachments.fluids import SubmergedLink
from mbd_ros.model.attachments.thrusters import Thruster
from mbd_ros.model.build import build_model
from mbd_ros.model.joints.joint_type import JointType
from mbd_ros.model.link_frame import LinkFrame
from mbd_ros.model.load import load, load_text
from mbd_ros.model.loops import Loop, Spring
from mbd_ros.model.model import Model

__all__ = [
    'ContactPoint', 'JointType', 'LinkFrame', 'Loop', 'Model', 'Spring', 'SubmergedLink',
    'Thruster', 'build_model', 'load', 'load_text']
