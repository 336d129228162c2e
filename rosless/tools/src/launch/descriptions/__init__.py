"""Descriptions of what can be run."""

from launch.descriptions.executable import Executable

__all__ = ['Executable']
