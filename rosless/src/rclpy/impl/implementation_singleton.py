"""Where `rclpy` has its part in C: here what programs take from it, above all exceptions."""

from __future__ import annotations

from .. import _rclpy_pybind11 as rclpy_implementation

__all__ = ['rclpy_implementation']
