"""Robots with flexible links: floating frames of reference with shape integrals."""

from mbd_ros.dynamics.formulations.flexible.recursion import PROGRAMS

__all__ = ['PROGRAMS']
