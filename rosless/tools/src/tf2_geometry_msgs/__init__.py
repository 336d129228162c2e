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
