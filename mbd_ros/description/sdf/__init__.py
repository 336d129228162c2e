"""SDFormat: links, joints, frames, and loops of joints."""

from mbd_ros.description.sdf.robot import read_sdf

__all__ = ['read_sdf']
