"""``sensor_msgs/JointState`` and the state of a model, matched by joint names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

from mbd_ros.errors import NotFiniteError, ShapeError, UnknownNameError
from mbd_ros.messages.times import to_stamp
from mbd_ros.model import Model
from mbd_ros.model.state import neutral

Vector = NDArray[np.float64]


class Measured(NamedTuple):
    """
    A measured state.

    Attributes
    ----------
    q, v : Vector
        (nq,) and (nv,); joints with several coordinates, which joint states do not hold, are at
        zero and at rest.
    effort : Vector or None
        (nv,) [N m or N]; None where the message has no efforts.

    """

    q: Vector
    v: Vector
    effort: Vector | None


class JointStateReader:
    """
    Reads joint states of one model; the order of names may differ from message to message.

    Parameters
    ----------
    model : Model
        The robot.

    """

    def __init__(self, model: Model) -> None:
        self._model = model
        joints = [joint for joint, kind in enumerate(model.joint_types)
                  if kind.is_simple]
        self._wanted = tuple(model.joint_names[joint] for joint in joints)
        self._into_q = np.array([model.q_offsets[joint] for joint in joints], dtype=np.intp)
        self._into_v = np.array([model.v_offsets[joint] for joint in joints], dtype=np.intp)
        self._neutral = neutral(model)
        self._names: tuple[str, ...] | None = None
        self._from = np.empty(0, dtype=np.intp)

    def read(self, message: JointState, *, velocities: bool = True) -> Measured:
        """
        Read a message.

        Parameters
        ----------
        message : JointState
            Positions, velocities and perhaps efforts; joints of other robots are passed over.
        velocities : bool, optional
            Whether velocities are needed; if not, missing ones count as zero.

        Returns
        -------
        Measured
            The state in the order of the model.

        Raises
        ------
        UnknownNameError
            If a joint of the model is not in the message.
        ShapeError
            If an array is shorter or longer than the names.
        NotFiniteError
            If a value of a joint of the model is NaN or infinite.

        """
        names = tuple(message.name)
        if names != self._names:
            self._from = self._order(names)
            self._names = names
        q = self._neutral.copy()
        v = np.zeros(self._model.nv)
        q[self._into_q] = self._values('position', message.position)
        if velocities or len(message.velocity) > 0:
            v[self._into_v] = self._values('velocity', message.velocity)
        if len(message.effort) == 0:
            return Measured(q, v, None)
        effort = np.zeros(self._model.nv)
        effort[self._into_v] = self._values('effort', message.effort)
        return Measured(q, v, effort)

    def _order(self, names: tuple[str, ...]) -> NDArray[np.intp]:
        """Return where in the message each joint of the model is."""
        place = {name: index for index, name in enumerate(names)}
        for name in self._wanted:
            if name not in place:
                raise UnknownNameError('joint in joint_states', name, names)
        return np.array([place[name] for name in self._wanted], dtype=np.intp)

    def _values(self, field: str, values: Sequence[float]) -> Vector:
        """Return the values of the model's joints, checked."""
        assert self._names is not None
        if len(values) != len(self._names):
            raise ShapeError(f'{field} in joint_states', (len(values),),
                             f'({len(self._names)},), one for each name')
        chosen: Vector = np.asarray(values, dtype=np.float64)[self._from]
        if not np.isfinite(chosen).all():
            bad = int(np.argmin(np.isfinite(chosen)))
            raise NotFiniteError(f'{field} in joint_states', f"joint '{self._wanted[bad]}'",
                                 float(chosen[bad]))
        return chosen


class JointStateWriter:
    """
    Writes joint states of one model.

    Parameters
    ----------
    model : Model
        The robot; joints with several coordinates are left out, they are transforms.

    """

    def __init__(self, model: Model) -> None:
        joints = [joint for joint, kind in enumerate(model.joint_types)
                  if kind.is_simple]
        self._names = [model.joint_names[joint] for joint in joints]
        self._q = np.array([model.q_offsets[joint] for joint in joints], dtype=np.intp)
        self._v = np.array([model.v_offsets[joint] for joint in joints], dtype=np.intp)

    def write(self, nanoseconds: int, q: Vector, v: Vector, effort: Vector) -> JointState:
        """
        Return a message.

        Parameters
        ----------
        nanoseconds : int
            Time of the state.
        q, v, effort : Vector
            (nq,), (nv,) and (nv,).

        Returns
        -------
        JointState
            Stamped; one entry for each revolute and prismatic joint.

        """
        message = JointState()
        message.header.stamp = to_stamp(nanoseconds)
        message.name = self._names
        message.position = q[self._q].tolist()
        message.velocity = v[self._v].tolist()
        message.effort = effort[self._v].tolist()
        return message
