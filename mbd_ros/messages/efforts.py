"""Effort commands, ``std_msgs/Float64MultiArray`` as forward_command_controller takes them."""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np
from numpy.typing import NDArray
from std_msgs.msg import Float64MultiArray, MultiArrayDimension, MultiArrayLayout

from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError
from mbd_ros.model import Model
from mbd_ros.model.names import simple_joints
from mbd_ros.model.state import neutral

Vector = NDArray[np.float64]


class EffortCommands:
    """
    Efforts of a model in the order that the parameter ``joints`` gives.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Names of the joints in the order of the commands; empty: the model's own order, joints
        with several coordinates left out. Joints that are not named get no effort.

    Raises
    ------
    UnknownNameError
        If a joint is not the model's.
    InvalidValueError
        If a joint is named twice or has several coordinates.

    """

    def __init__(self, model: Model, joints: Sequence[str]) -> None:
        self.joints = tuple(joints) or simple_joints(model)
        self._model = model
        indices = [model.joint_index(name) for name in self.joints]
        if len(set(indices)) < len(indices):
            raise InvalidValueError('joints', list(self.joints), 'each joint at most once')
        for name, index in zip(self.joints, indices):
            if not model.joint_types[index].is_simple:
                raise InvalidValueError('joints', name, 'joints with an actuator')
        self._places = np.array([model.v_offsets[index] for index in indices], dtype=np.intp)

    def read(self, message: Float64MultiArray) -> Vector:
        """
        Return the efforts (nv,) of a command.

        Raises
        ------
        ShapeError
            If there is not one effort for each joint.
        NotFiniteError
            If an effort is NaN or infinite.

        """
        values = self._checked('effort command', message.data)
        efforts = np.zeros(self._model.nv)
        efforts[self._places] = values
        return efforts

    def write(self, efforts: Vector, answers: int) -> Float64MultiArray:
        """
        Return the command for efforts.

        Parameters
        ----------
        efforts : Vector
            (nv,).
        answers : int
            Time of the state that the efforts were computed from [ns]; it is sent as the label
            of the array's only dimension, for a simulator in lockstep.

        Returns
        -------
        Float64MultiArray
            One effort for each of ``joints``.

        Raises
        ------
        NotFiniteError
            If an effort is NaN or infinite: no such command is ever sent.

        """
        data = efforts[self._places].tolist()
        if not math.isfinite(sum(data)):
            self._checked('effort', data)
        dimension = MultiArrayDimension(label=str(answers), size=len(data), stride=len(data))
        return Float64MultiArray(layout=MultiArrayLayout(dim=[dimension]), data=data)

    @staticmethod
    def answered(message: Float64MultiArray) -> int | None:
        """Return the time of the state that a command answers [ns], None if it does not say."""
        label = message.layout.dim[0].label if message.layout.dim else ''
        return int(label) if label.isdecimal() else None

    def configuration(self, name: str, values: Sequence[float]) -> Vector:
        """
        Return the configuration that values in the order of ``joints`` give.

        Parameters
        ----------
        name : str
            Name of the parameter, for messages.
        values : sequence of float
            One for each joint [rad or m]; empty: zeros, as of joints with several
            coordinates.

        Raises
        ------
        ShapeError, NotFiniteError
            If there is not one finite value for each joint.

        Returns
        -------
        Vector
            (nq,).

        """
        q = neutral(self._model)
        if values:
            places = [self._model.q_offsets[self._model.joint_index(joint)]
                      for joint in self.joints]
            q[places] = self._checked(name, values)
        return q

    def velocities(self, name: str, values: Sequence[float]) -> Vector:
        """Return the velocities that values in the order of ``joints`` give."""
        v = np.zeros(self._model.nv)
        if values:
            v[self._places] = self._checked(name, values)
        return v

    def _checked(self, name: str, given: Sequence[float]) -> Vector:
        """Return one finite value for each joint."""
        values = np.asarray(given, dtype=np.float64)
        if values.shape != (len(self.joints),):
            raise ShapeError(name, values.shape,
                             f'({len(self.joints)},): {", ".join(self.joints)}')
        finite = np.isfinite(values)
        if not finite.all():
            bad = int(np.argmin(finite))
            raise NotFiniteError(name, f"joint '{self.joints[bad]}'", float(values[bad]))
        return values
