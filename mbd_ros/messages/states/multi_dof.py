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

"""``sensor_msgs/MultiDOFJointState``: joints with several coordinates, such as ball joints."""

from __future__ import annotations

from geometry_msgs.msg import Transform, Twist
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import MultiDOFJointState

from mbd_ros.errors import NotFiniteError, ShapeError, UnknownNameError
from mbd_ros.messages.fields.times import SECOND, to_nanoseconds, to_stamp
from mbd_ros.model import Model
from mbd_ros.model.state import (
    CurvedJoint, floating_base, integrate, joints_outside_loops, normalize)

Vector = NDArray[np.float64]

AXES = (('angular', 'x'), ('angular', 'y'), ('angular', 'z'),
        ('linear', 'x'), ('linear', 'y'), ('linear', 'z'))
"""Where in a twist the axes of a kinematic pair are."""


class MultiDOFStates:
    """
    Reads and writes the joints of a model with several coordinates that joint states leave out.

    The transform is that of the joint itself, the identity where the joint is at zero; the twist
    is that of the child in its own axes.

    Parameters
    ----------
    model : Model
        The robot.

    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._joints = tuple(joint for joint in joints_outside_loops(model)
                             if joint != floating_base(model))
        self.names = tuple(model.joint_names[joint.number] for joint in self._joints)

    def write(self, nanoseconds: int, q: Vector, v: Vector) -> MultiDOFJointState:
        """Return the message for a state (nq,), (nv,)."""
        message = MultiDOFJointState(joint_names=list(self.names))
        message.header.stamp = to_stamp(nanoseconds)
        for joint in self._joints:
            transform, twist = Transform(), Twist()
            shift, turn = transform.translation, transform.rotation
            (shift.x, shift.y, shift.z), (turn.x, turn.y, turn.z, turn.w) = joint.manifold.pose(
                tuple(q[joint.q].tolist()))
            for (part, axis), rate in zip(self._axes(joint), v[joint.v].tolist()):
                setattr(getattr(twist, part), axis, rate)
            message.transforms.append(transform)
            message.twist.append(twist)
        return message

    def put(self, message: MultiDOFJointState, nanoseconds: int, q: Vector, v: Vector) -> Vector:
        """
        Return q with the joints where they are at a time, moved there by their twists; v changes.

        Parameters
        ----------
        message : MultiDOFJointState
            The newest; joints of other robots are passed over.
        nanoseconds : int
            The time.
        q, v : Vector
            (nq,), (nv,).

        Returns
        -------
        Vector
            (nq,).

        Raises
        ------
        UnknownNameError
            If a joint is missing.
        ShapeError
            If transforms or twists are fewer than the names.
        NotFiniteError, InvalidValueError
            If a number is NaN or infinite, or a quaternion zero.

        """
        places = {name: place for place, name in enumerate(message.joint_names)}
        for what in ('transforms', 'twist'):
            found = len(getattr(message, what))
            if found != len(message.joint_names):
                raise ShapeError(f'{what} in multi_dof_joint_states', (found,),
                                 f'({len(message.joint_names)},), one for each name')
        way, span = np.zeros(len(v)), (nanoseconds - to_nanoseconds(message.header.stamp)) / SECOND
        for name, joint in zip(self.names, self._joints):
            if name not in places:
                raise UnknownNameError('joint in multi_dof_joint_states', name, places)
            at = places[name]
            shift, turn = message.transforms[at].translation, message.transforms[at].rotation
            q[joint.q] = joint.manifold.at(
                ((shift.x, shift.y, shift.z), (turn.x, turn.y, turn.z, turn.w)))
            v[joint.v] = [getattr(getattr(message.twist[at], part), axis)
                          for part, axis in self._axes(joint)]
            numbers = np.concatenate((q[joint.q], v[joint.v]))
            if not np.isfinite(numbers).all():
                raise NotFiniteError('multi_dof_joint_states', f"joint '{name}'",
                                     float(numbers[~np.isfinite(numbers)][0]))
            way[joint.v] = span * v[joint.v]
        return integrate(self._model, normalize(self._model, q), way)

    def _axes(self, joint: CurvedJoint) -> list[tuple[str, str]]:
        """Return where in a twist each velocity of a joint is."""
        return [AXES[axis] for axis in self._model.joint_types[joint.number].pair.axes]
