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

"""Apply transforms to messages of geometry_msgs; to be imported for ``Buffer.transform``."""

from tf2_geometry_msgs.tf2_geometry_msgs import do_transform_point
from tf2_geometry_msgs.tf2_geometry_msgs import do_transform_pose
from tf2_geometry_msgs.tf2_geometry_msgs import do_transform_pose_stamped
from tf2_geometry_msgs.tf2_geometry_msgs import do_transform_pose_with_covariance_stamped
from tf2_geometry_msgs.tf2_geometry_msgs import do_transform_vector3
from tf2_geometry_msgs.tf2_geometry_msgs import from_msg_msg
from tf2_geometry_msgs.tf2_geometry_msgs import to_msg_msg
from tf2_geometry_msgs.tf2_geometry_msgs import transform_covariance

__all__ = [
    'do_transform_point',
    'do_transform_pose',
    'do_transform_pose_stamped',
    'do_transform_pose_with_covariance_stamped',
    'do_transform_vector3',
    'from_msg_msg',
    'to_msg_msg',
    'transform_covariance',
]


def __getattr__(name: str) -> object:
    if name == 'transform_to_kdl':
        raise ImportError('tf2_geometry_msgs.transform_to_kdl is not available in rosless: it '
                          'needs PyKDL; use do_transform_pose')
    raise AttributeError(f"module 'tf2_geometry_msgs' has no attribute '{name}'")
