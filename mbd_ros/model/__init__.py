"""Mechanism to Model: the frozen arrays, the order of joints, and what a state is."""

from mbd_ros.model.build import build_model
from mbd_ros.model.contacts import ContactPoint
from mbd_ros.model.fluids import SubmergedLink
from mbd_ros.model.joint_type import JointType
from mbd_ros.model.link_frame import LinkFrame
from mbd_ros.model.load import load, load_text
from mbd_ros.model.loops import Loop, Spring
from mbd_ros.model.model import Model
from mbd_ros.model.thrusters import Thruster

__all__ = [
    'ContactPoint', 'JointType', 'LinkFrame', 'Loop', 'Model', 'Spring', 'SubmergedLink',
    'Thruster', 'build_model', 'load', 'load_text']
