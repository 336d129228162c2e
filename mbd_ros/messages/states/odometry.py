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

"""The floating base of a robot as ``nav_msgs/Odometry``."""

from __future__ import annotations

import math

from nav_msgs.msg import Odometry
import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import InvalidValueError, NotFiniteError, UnsupportedError
from mbd_ros.messages.fields.times import SECOND, to_nanoseconds, to_stamp
from mbd_ros.model import Model
from mbd_ros.model.joints.joint_poses import posed_joints
from mbd_ros.model.state import floating_base, integrate

Vector = NDArray[np.float64]

UNIT = 1e-3
"""Quaternions whose length is further from 1 are refused."""


class BaseOdometry:
    """
    Reads and writes where the floating base of a model is and how it moves.

    The pose is that of the base link in the frame of the header, the twist that of the base link
    in its own axes, as the message's definition says.

    Parameters
    ----------
    model : Model
        The robot.
    world : str
        Frame in which the base is given, for what is written.

    Raises
    ------
    UnsupportedError
        If the model has no floating base.

    """

    def __init__(self, model: Model, world: str) -> None:
        joint, posed = floating_base(model), posed_joints(model)
        if joint is None:
            raise UnsupportedError(f"odometry of the robot '{model.name}'",
                                   'give one with a floating base that no loop ties to the ground')
        self._model, self._posed, self._world = model, posed[0], world
        self.joint = joint

    def write(self, nanoseconds: int, q: Vector, v: Vector) -> Odometry:
        """Return the message for a state (nq,), (nv,)."""
        message = Odometry(child_frame_id=self._posed.child)
        message.header.stamp = to_stamp(nanoseconds)
        message.header.frame_id = self._posed.parent or self._world
        place, turn = message.pose.pose.position, message.pose.pose.orientation
        (place.x, place.y, place.z), (turn.x, turn.y, turn.z, turn.w) = self._posed.pose(q)
        linear, angular = message.twist.twist.linear, message.twist.twist.angular
        (linear.x, linear.y, linear.z, angular.x, angular.y, angular.z) = v[self.joint.v].tolist()
        return message

    def read(self, message: Odometry) -> tuple[Vector, Vector]:
        """
        Return the base's coordinates (7,) and velocities (6,).

        Raises
        ------
        InvalidValueError
            If the message is about another frame, or its quaternion has not length one.
        NotFiniteError
            If a number is NaN or infinite.

        """
        if message.child_frame_id != self._posed.child:
            raise InvalidValueError('child_frame_id in odometry', message.child_frame_id,
                                    f"'{self._posed.child}', the base link")
        place, turn = message.pose.pose.position, message.pose.pose.orientation
        linear, angular = message.twist.twist.linear, message.twist.twist.angular
        position, quaternion = (place.x, place.y, place.z), (turn.x, turn.y, turn.z, turn.w)
        rates = (linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
        for what, values in (('position', position), ('orientation', quaternion),
                             ('twist', rates)):
            for value in values:
                if not math.isfinite(value):
                    raise NotFiniteError(f'{what} in odometry', f"link '{self._posed.child}'",
                                         value)
        length = math.hypot(*quaternion)
        if abs(length - 1.0) > UNIT:
            raise InvalidValueError('orientation in odometry', quaternion,
                                    'a quaternion of length 1')
        x, y, z, w = (value / length for value in quaternion)
        return (np.array(self._posed.coordinates((position, (x, y, z, w)))), np.array(rates))

    def put(self, message: Odometry, nanoseconds: int, q: Vector, v: Vector) -> Vector:
        """
        Return q with the base where it is at a time, moved there by its twist; v is changed.

        Parameters
        ----------
        message : Odometry
            The newest.
        nanoseconds : int
            The time, that of the joint state in q and v.
        q, v : Vector
            (nq,), (nv,) of the joints.

        Returns
        -------
        Vector
            (nq,).

        Raises
        ------
        InvalidValueError, NotFiniteError
            As ``read``.

        """
        q[self.joint.q], v[self.joint.v] = self.read(message)
        span = (nanoseconds - to_nanoseconds(message.header.stamp)) / SECOND
        way = np.zeros(self._model.nv)
        way[self.joint.v] = span * v[self.joint.v]
        return integrate(self._model, q, way)
