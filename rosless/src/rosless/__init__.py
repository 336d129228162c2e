"""ROS 2 client API for Python on machines without ROS 2: what stands behind `rclpy` here."""

from .hook import install

__version__ = '0.1.0'

install()
