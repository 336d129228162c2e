# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

"""Tracking errors of joints with several coordinates, by component."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from mbd_ros.model import Model
from mbd_ros.model.rigid_motion import inverse, product, rotate, rotation_vector
from mbd_ros.model.state import CurvedJoint
from mbd_ros.simulation.manifold import Vector


class Component(IntEnum):
    """A component of the motion of a joint, with the numbers of JointComponentTolerance."""

    X = 1
    Y = 2
    Z = 3
    TRANSLATION = 4
    ROTATION = 5


class ComponentTolerance(NamedTuple):
    """
    Largest errors of one component of a joint; infinite: any.

    Attributes
    ----------
    name : str
        Name of the joint.
    joint : CurvedJoint
        The joint.
    component : Component
        What of it.
    path_position, path_velocity, goal_position, goal_velocity : float
        On the way and at its end [rad or m; rad/s or m/s].

    """

    name: str
    joint: CurvedJoint
    component: Component
    path_position: float
    path_velocity: float
    goal_position: float
    goal_velocity: float


class JointError(NamedTuple):
    """
    The way from a joint's state to the one it should have.

    Attributes
    ----------
    shift, shift_rate : Vector
        (3,) each: from position to desired position, in the axes of the joint at zero [m, m/s].
    turn, turn_rate : Vector
        (3,) each: rotation vector from orientation to desired orientation, and the difference of
        the angular velocities, in the body's own axes [rad, rad/s].

    """

    shift: Vector
    shift_rate: Vector
    turn: Vector
    turn_rate: Vector

    def size(self, component: Component) -> tuple[float, float]:
        """Return how large a component of the error and of its rate is."""
        if component is Component.ROTATION:
            return float(np.linalg.norm(self.turn)), float(np.linalg.norm(self.turn_rate))
        if component is Component.TRANSLATION:
            return float(np.linalg.norm(self.shift)), float(np.linalg.norm(self.shift_rate))
        axis = component - Component.X
        return abs(float(self.shift[axis])), abs(float(self.shift_rate[axis]))


def joint_error(model: Model, joint: CurvedJoint, desired: tuple[Vector, Vector],
                actual: tuple[Vector, Vector]) -> JointError:
    """
    Return how far a joint is from where it should be.

    Parameters
    ----------
    model : Model
        The robot.
    joint : CurvedJoint
        One of its joints.
    desired, actual : (Vector, Vector)
        q (nq,) and v (nv,) of the robot.

    Returns
    -------
    JointError
        By the shorter turn.

    """
    (to, quaternion_to, linear_to, angular_to), (at, quaternion, linear, angular) = (
        _moving(model, joint, *state) for state in (desired, actual))
    between = product(inverse(quaternion), quaternion_to)
    return JointError(
        np.subtract(to, at),
        np.subtract(rotate(quaternion_to, linear_to), rotate(quaternion, linear)),
        np.array(rotation_vector(between)), np.subtract(rotate(between, angular_to), angular))


def _moving(model: Model, joint: CurvedJoint, q: Vector, v: Vector) -> tuple[
        tuple[float, ...], tuple[float, float, float, float], tuple[float, float, float],
        tuple[float, float, float]]:
    """Return position, quaternion, and the linear and angular velocity in the body's axes."""
    position, quaternion = joint.manifold.pose(tuple(q[joint.q].tolist()))
    twist = [0.0] * 6
    for axis, rate in zip(model.joint_types[joint.number].pair.axes, v[joint.v].tolist()):
        twist[axis] = rate
    return position, quaternion, (twist[3], twist[4], twist[5]), (twist[0], twist[1], twist[2])
