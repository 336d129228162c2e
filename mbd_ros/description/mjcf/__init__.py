"""MuJoCo's format: kinematics, inertia and equality constraints."""

from mbd_ros.description.mjcf.robot import read_mjcf

__all__ = ['read_mjcf']
