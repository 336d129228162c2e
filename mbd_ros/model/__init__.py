"""Mechanism to Model: the frozen arrays, the order of joints, and what a state is."""

from mbd_ros.model.build import build_model
from mbd_ros.model.joint_type import JointType
from mbd_ros.model.load import load
from mbd_ros.model.model import LinkFrame, Model

__all__ = ['JointType', 'LinkFrame', 'Model', 'build_model', 'load']
