"""Goals as people give them: joints to be somewhere, a tool to come to a point."""

from __future__ import annotations

from collections.abc import Mapping

from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from mbd_msgs.action import FollowPath
import numpy as np
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
import yaml

from mbd_ros.messages.basics.times import SECOND

Array = NDArray[np.float64]

SHORTEST = 0.5
"""Least time of a motion [s]."""


def joint_goal(positions: Mapping[str, float], duration: float) -> FollowJointTrajectory.Goal:
    """Return the goal that joints are at positions [rad or m] after a time [s], at rest."""
    seconds, nanoseconds = divmod(round(duration * SECOND), SECOND)
    point = JointTrajectoryPoint(
        positions=list(positions.values()),
        time_from_start=Duration(sec=seconds, nanosec=nanoseconds))
    return FollowJointTrajectory.Goal(
        trajectory=JointTrajectory(joint_names=list(positions), points=[point]))


def point_goal(link: str, start: Array, end: Array, speed: float) -> FollowPath.Goal:
    """
    Return the goal that a link goes straight to a point and stays there.

    Parameters
    ----------
    link : str
        The link whose origin goes.
    start, end : array
        (3,) in the frame of paths [m].
    speed : float
        Mean speed [m/s].

    Returns
    -------
    FollowPath.Goal
        A line; it takes ``SHORTEST`` at least.

    """
    duration = max(float(np.linalg.norm(end - start)) / speed, SHORTEST)
    line = {'kind': 'line', 'start': _rounded(start), 'end': _rounded(end),
            'duration': round(duration, 3)}
    return FollowPath.Goal(task=yaml.safe_dump(
        {'link': link, 'path': line}, default_flow_style=True, width=10**9,
        sort_keys=False).strip())


def in_frame(pose: Array, point: Array) -> Array:
    """Return a point (3,) of the world in a frame that is at a pose (4, 4) there [m]."""
    inside: Array = pose[:3, :3].T @ (point - pose[:3, 3])
    return inside


def _rounded(point: Array) -> list[float]:
    """Return a point to a micrometre, for people to read."""
    return [round(float(value), 6) for value in point]
