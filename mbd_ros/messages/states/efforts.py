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

"""
Effort commands, ``std_msgs/Float64MultiArray`` as forward_command_controller takes them.

A joint of several coordinates is named once and has an entry for each of its velocities, one after
the other: a forward_command_controller lists as many interfaces in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np
from numpy.typing import NDArray
from std_msgs.msg import Float64MultiArray, MultiArrayDimension, MultiArrayLayout

from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError
from mbd_ros.messages.states.multi_dof import AXES
from mbd_ros.model import JointType, Model
from mbd_ros.model.names import simple_joints
from mbd_ros.model.state import floating_base, neutral, normalize, simple_entries

Vector = NDArray[np.float64]

QUATERNION = tuple(f'orientation.{axis}' for axis in 'xyzw')
COORDINATES = {
    JointType.SPHERICAL: QUATERNION,
    JointType.PLANAR: ('position.x', 'position.y', 'cosine', 'sine'),
    JointType.FLOATING: (*(f'position.{axis}' for axis in 'xyz'), *QUATERNION)}
"""What the entries of joints of several coordinates are in a configuration."""

LONGEST_STAMP = 19
"""Digits of the largest stamp: seconds in 32 bits, in nanoseconds."""


class EffortCommands:
    """
    Efforts of a model in the order that the parameter ``joints`` gives.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Names of the joints in the order of the commands, and of thrusters, which follow them;
        empty: the model's own order, joints with several coordinates left out. What is not named
        gets no effort.

    Attributes
    ----------
    joints : tuple of str
        Names of the joints.
    thrusters : tuple of str
        Names of the thrusters.
    entries : tuple of str
        What each entry of a command is: the joint, of a joint with several coordinates with the
        axis of its effort behind it, as in ``ball.angular.x``; or the thruster.

    Raises
    ------
    UnknownNameError
        If a joint or thruster is not the model's.
    InvalidValueError
        If one is named twice.

    """

    def __init__(self, model: Model, joints: Sequence[str]) -> None:
        known = [one.name for one in model.thrusters]
        named = tuple(joints) or (*simple_joints(model), *known)
        self.joints = tuple(name for name in named if name not in known)
        self.thrusters = tuple(name for name in named if name in known)
        self._model = model
        indices = [model.joint_index(name) for name in self.joints]
        if len(set(named)) < len(named):
            raise InvalidValueError('joints', list(named), 'each joint at most once')
        kinds = [model.joint_types[index] for index in indices]
        self._rates = _places(model.v_offsets, indices, [kind.nv for kind in kinds])
        self._places = np.append(self._rates, [
            model.nv + known.index(name) for name in self.thrusters]).astype(np.intp)
        self._coordinates = _places(model.q_offsets, indices, [kind.nq for kind in kinds])
        self._of_joints = tuple(
            name if kind.is_simple else '.'.join((name, *AXES[axis]))
            for name, kind in zip(self.joints, kinds) for axis in kind.pair.axes)
        self.entries = (*self._of_joints, *self.thrusters)
        self._in_q = tuple(
            part for name, kind in zip(self.joints, kinds) for part in (
                (name,) if kind.is_simple else (f'{name}.{what}' for what in COORDINATES[kind])))

    def driven(self, actuated: Sequence[str]) -> tuple[str, ...]:
        """
        Return the joints with an actuator.

        Parameters
        ----------
        actuated : sequence of str
            As the parameter of that name says; empty: all with one coordinate, those with
            several that are named in ``joints``, and a floating base where thrusters are.

        Raises
        ------
        UnknownNameError
            If a joint is not the model's.
        InvalidValueError
            If a joint has several coordinates and no effort is sent for it.

        """
        model = self._model
        if not actuated:
            simple = simple_joints(model)
            base = floating_base(model) if self.thrusters else None
            pushed = () if base is None else (model.joint_names[base.number],)
            return (*dict.fromkeys((*simple, *self.joints, *pushed)),)
        for name in actuated:
            kind = model.joint_types[model.joint_index(name)]
            if not kind.is_simple and name not in self.joints:
                raise InvalidValueError('actuated', name, (
                    'joints with one coordinate, and those with several that the parameter joints '
                    'names, too'))
        return tuple(actuated)

    def read(self, message: Float64MultiArray) -> Vector:
        """
        Return the efforts (nv,) of a command, then the wanted thrusts of all thrusters.

        Raises
        ------
        ShapeError
            If there is not one effort for each joint and thruster.
        NotFiniteError
            If an effort is NaN or infinite.

        """
        values = _checked('effort command', message.data, self.entries)
        efforts = np.zeros(self._model.nv + len(self._model.thrusters))
        efforts[self._places] = values
        return efforts

    def write(self, efforts: Vector, answers: int) -> Float64MultiArray:
        """
        Return the command for efforts.

        Parameters
        ----------
        efforts : Vector
            (nv,), then the thrusts of all thrusters; zero if left out.
        answers : int
            Time of the state that the efforts were computed from [ns]; it is sent as the label
            of the array's only dimension, for a simulator in lockstep.

        Returns
        -------
        Float64MultiArray
            One effort for each of ``entries``.

        Raises
        ------
        NotFiniteError
            If an effort is NaN or infinite: no such command is ever sent.

        """
        missing = self._model.nv + len(self._model.thrusters) - len(efforts)
        return _command('effort', np.append(efforts, np.zeros(missing))[self._places],
                        self.entries, answers)

    def write_positions(self, q: Vector, answers: int) -> Float64MultiArray:
        """Return the command for positions, one for each entry of a posture, as ``write``."""
        return _command('position', q[self._coordinates], self._in_q, answers)

    @staticmethod
    def answered(message: Float64MultiArray) -> int | None:
        """Return the time of the state that a command answers [ns], None if it does not say."""
        label = message.layout.dim[0].label if message.layout.dim else ''
        return int(label) if label.isdecimal() and len(label) <= LONGEST_STAMP else None

    def configuration(self, name: str, values: Sequence[float]) -> Vector:
        """
        Return the configuration that values in the order of ``joints`` give.

        Parameters
        ----------
        name : str
            Name of the parameter, for messages.
        values : sequence of float
            One for each joint [rad or m], of joints with several coordinates theirs one after the
            other, as in q; empty, and for joints that are not named: zeros, or the nearest
            position within the limits.

        Raises
        ------
        ShapeError, NotFiniteError, InvalidValueError
            If there is not one finite value for each joint or coordinate.

        Returns
        -------
        Vector
            (nq,).

        """
        q, (entries, rates) = neutral(self._model), simple_entries(self._model)
        q[entries] = np.clip(q[entries], self._model.lower[rates], self._model.upper[rates])
        if values:
            q[self._coordinates] = _checked(name, values, self._in_q)
        return normalize(self._model, q)

    def velocities(self, name: str, values: Sequence[float]) -> Vector:
        """Return the velocities that values in the order of ``joints`` give."""
        v = np.zeros(self._model.nv)
        if values:
            v[self._rates] = _checked(name, values, self._of_joints)
        return v


def _places(offsets: Sequence[int], joints: Sequence[int], counts: Sequence[int]
            ) -> NDArray[np.intp]:
    """Return the entries of joints, one joint after the other."""
    return np.array([offsets[joint] + k for joint, count in zip(joints, counts)
                     for k in range(count)], dtype=np.intp)


def _command(name: str, values: Vector, entries: Sequence[str], answers: int
             ) -> Float64MultiArray:
    """Return values as a command, labelled with the time of the state that it answers [ns]."""
    data = values.tolist()
    if not math.isfinite(sum(data)):
        _checked(name, data, entries)
    dimension = MultiArrayDimension(label=str(answers), size=len(data), stride=len(data))
    return Float64MultiArray(layout=MultiArrayLayout(dim=[dimension]), data=data)


def _checked(name: str, given: Sequence[float], entries: Sequence[str]) -> Vector:
    """Return one finite value for each entry."""
    values = np.asarray(given, dtype=np.float64)
    if values.shape != (len(entries),):
        raise ShapeError(name, values.shape, f'({len(entries)},): {", ".join(entries)}')
    finite = np.isfinite(values)
    if not finite.all():
        bad = int(np.argmin(finite))
        raise NotFiniteError(name, f"joint '{entries[bad]}'", float(values[bad]))
    return values
