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


"""Efforts that a state or a reference takes, as messages."""

from __future__ import annotations

from control_msgs.msg import JointTrajectoryControllerState
import numpy as np
from sensor_msgs.msg import JointState

from mbd_ros.dynamics import compile_model, PreparedDynamics
from mbd_ros.errors import NotFiniteError
from mbd_ros.messages.fields.times import to_nanoseconds
from mbd_ros.messages.states.joint_states import JointStateReader, JointStateWriter
from mbd_ros.model import Model


class FeedForward:
    """
    Efforts of one robot without closed loops, by joint name.

    Parameters
    ----------
    model : Model
        The robot.

    Attributes
    ----------
    dynamics : PreparedDynamics
        Its dynamics; another gravity or fluid may be put here.

    """

    def __init__(self, model: Model) -> None:
        self.dynamics: PreparedDynamics = compile_model(model)
        self._nv = model.nv
        self._states, self._references = JointStateReader(model), JointStateReader(model)
        self._writer = JointStateWriter(model)

    def carry(self, message: JointState) -> JointState:
        """
        Return the efforts that carry the robot at rest where a joint state says it is.

        Returns
        -------
        JointState
            Of the same stamp: where it is, velocities of zero, efforts [N m or N].

        Raises
        ------
        MbdError
            If the message is wrong; says what.

        """
        q = self._states.read(message, velocities=False).q
        rest = np.zeros(self._nv)
        return self._writer.write(to_nanoseconds(message.header.stamp), q, rest,
                                  self.dynamics.inverse_dynamics(q, rest, rest))

    def lead(self, message: JointTrajectoryControllerState) -> JointState:
        """
        Return the efforts that the reference of a controller takes.

        Parameters
        ----------
        message : JointTrajectoryControllerState
            Its ``reference`` counts, ``desired`` where that is empty; velocities and
            accelerations that are not given are zero.

        Returns
        -------
        JointState
            Of the same stamp: the reference's positions and velocities, efforts [N m or N].

        Raises
        ------
        MbdError
            If the message is wrong; says what.

        """
        point = message.reference if len(message.reference.positions) else message.desired
        wanted = np.asarray(point.accelerations, dtype=np.float64)
        if not np.isfinite(wanted).all():
            bad = int(np.argmin(np.isfinite(wanted)))
            raise NotFiniteError('acceleration of the reference', f'entry {bad}',
                                 float(wanted[bad]))
        q, v, acceleration = self._references.read(JointState(
            header=message.header, name=message.joint_names, position=point.positions,
            velocity=point.velocities, effort=wanted.tolist()), velocities=False)
        if acceleration is None:
            acceleration = np.zeros(self._nv)
        return self._writer.write(to_nanoseconds(message.header.stamp), q, v,
                                  self.dynamics.inverse_dynamics(q, v, acceleration))
