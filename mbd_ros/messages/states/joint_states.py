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

"""``sensor_msgs/JointState`` and the state of a model, matched by joint names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

from mbd_ros.control.constraints.joint_constraints import joint_places
from mbd_ros.control.gaits.gait import Targets
from mbd_ros.control.udwadia_kalaba.passive_joints import PassiveJoints
from mbd_ros.dynamics import compile_model
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError, UnknownNameError
from mbd_ros.messages.fields.times import to_stamp
from mbd_ros.model import Model
from mbd_ros.model.names import simple_joints
from mbd_ros.model.state import joints_outside_loops, neutral

Vector = NDArray[np.float64]

LARGEST = 1e6
"""
Largest position and velocity of a joint that is believed [rad, m, rad/s, m/s].

A float64 of that size resolves 1e-10, what a controller needs; the forces of a velocity grow with
its square and stay numbers.
"""


class Measured(NamedTuple):
    """
    A measured state.

    Attributes
    ----------
    q, v : Vector
        (nq,) and (nv,); joints with several coordinates, which joint states do not hold, are at
        zero and at rest, or where the loops put them.
    effort : Vector or None
        (nv,) [N m or N]; None where the message has no efforts.

    """

    q: Vector
    v: Vector
    effort: Vector | None


class JointStateReader:
    """
    Reads joint states of one model; the order of names may differ from message to message.

    Elastic coordinates of links that bend are read where they are named, else they are zero.

    Of a robot with closed loops some joints may be missing, such as those without an encoder: they
    are computed from the others.

    Parameters
    ----------
    model : Model
        The robot.
    elastic : sequence of str, optional
        Elastic coordinates to look for beside those of the model, whose links are taken as rigid.

    Attributes
    ----------
    elastic : Vector or None
        These, of the last message; None where one is missing.

    """

    def __init__(self, model: Model, elastic: Sequence[str] = ()) -> None:
        self._model, self._elastic = model, tuple(elastic)
        self._neutral = neutral(model)
        self._names: tuple[str, ...] | None = None
        self._measured: tuple[str, ...] = ()
        self._from = self._into_q = self._into_v = np.empty(0, dtype=np.intp)
        self._bent: NDArray[np.intp] | None = None
        self.elastic: Vector | None = None
        self._passive: PassiveJoints | None = None
        self._elsewhere = tuple(model.joint_names[joint.number]
                                for joint in joints_outside_loops(model))

    def read(self, message: JointState, *, velocities: bool = True,
             others: tuple[Vector, Vector] | None = None) -> Measured:
        """
        Read a message.

        Parameters
        ----------
        message : JointState
            Positions, velocities and perhaps efforts; joints of other robots are passed over.
        velocities : bool, optional
            Whether velocities are needed; if not, missing ones count as zero.
        others : (Vector, Vector), optional
            q (nq,) and v (nv,) with the joints that joint states do not hold; changed. At zero
            and at rest if not given.

        Returns
        -------
        Measured
            The state in the order of the model.

        Raises
        ------
        UnknownNameError
            If a joint of a model without loops is not in the message.
        InvalidValueError, LoopOpenError
            If the joints in the message do not determine the others, or contradict the loops.
        ShapeError
            If an array is shorter or longer than the names.
        NotFiniteError
            If a value of a joint of the model is NaN or infinite.
        InvalidValueError
            If a joint is named twice, or further off or faster than ``LARGEST``.

        """
        names = tuple(message.name)
        if names != self._names:
            self._take(names)
        q, v = others or (self._neutral.copy(), np.zeros(self._model.nv))
        q[self._into_q] = self._values('position', message.position)
        if velocities or len(message.velocity) > 0:
            v[self._into_v] = self._values('velocity', message.velocity)
        if self._passive is not None:
            q, v = self._passive.complete(q, v)
        self.elastic = None if self._bent is None else self._values(
            'position', message.position, self._elastic, self._bent)
        if len(message.effort) == 0:
            return Measured(q, v, None)
        effort = np.zeros(self._model.nv)
        effort[self._into_v] = self._values('effort', message.effort)
        return Measured(q, v, effort)

    def _take(self, names: tuple[str, ...]) -> None:
        """Note where in the message each joint of the model is, and which ones are passive."""
        model = self._model
        place = {name: index for index, name in enumerate(names)}
        wanted = simple_joints(model)
        measured = tuple(name for name in wanted if name in place)
        bent = {name: k for k, name in enumerate(model.elastic_names) if name in place}
        if not model.loops:
            for name in wanted:
                if name not in place:
                    raise UnknownNameError('joint in joint_states', name, names)
        if len(place) != len(names):
            counts = Counter(names)
            twice = next((name for name in (*measured, *bent, *self._elastic)
                          if counts[name] > 1), None)
            if twice is not None:
                raise InvalidValueError('joint in joint_states', twice, 'names that differ')
        joints = [model.joint_index(name) for name in measured]
        known = (*measured, *self._elsewhere)
        self._passive = (PassiveJoints(compile_model(model), known)
                         if model.loops and len(known) < model.nb else None)
        elastic = len(model.elastic_names)
        self._into_q, self._into_v = (
            np.array([*(offsets[joint] for joint in joints),
                      *(size - elastic + k for k in bent.values())], dtype=np.intp)
            for offsets, size in ((model.q_offsets, model.nq), (model.v_offsets, model.nv)))
        self._measured = (*measured, *bent)
        self._from = np.array([place[name] for name in self._measured], dtype=np.intp)
        self._bent = np.array([place[name] for name in self._elastic], dtype=np.intp) if (
            self._elastic and set(self._elastic) <= set(place)) else None
        self._names = names

    def _values(self, field: str, values: Sequence[float], names: tuple[str, ...] = (),
                places: NDArray[np.intp] | None = None) -> Vector:
        """Return the values of the model's joints, or of some names, checked."""
        assert self._names is not None
        if places is None:
            names, places = self._measured, self._from
        if len(values) != len(self._names):
            raise ShapeError(f'{field} in joint_states', (len(values),),
                             f'({len(self._names)},), one for each name')
        chosen: Vector = np.asarray(values, dtype=np.float64)[places]
        if not np.isfinite(chosen).all():
            bad = int(np.argmin(np.isfinite(chosen)))
            raise NotFiniteError(f'{field} in joint_states', f"joint '{names[bad]}'",
                                 float(chosen[bad]))
        if field != 'effort' and np.abs(chosen).max(initial=0.0) > LARGEST:
            bad = int(np.argmax(np.abs(chosen)))
            raise InvalidValueError(f"{field} in joint_states of joint '{names[bad]}'",
                                    float(chosen[bad]), f'from {-LARGEST:g} to {LARGEST:g}')
        return chosen


class JointStateWriter:
    """
    Writes joint states of one model.

    Parameters
    ----------
    model : Model
        The robot; joints with several coordinates are left out, they are transforms.
    joints : sequence of str, optional
        Which joints to write; all if empty, and after them the elastic coordinates.

    Raises
    ------
    UnknownNameError, UnsupportedError, InvalidValueError
        If a joint is not known, has several coordinates or is named twice.

    """

    def __init__(self, model: Model, joints: Sequence[str] = ()) -> None:
        self._names = list(joints) or list(simple_joints(model))
        self._q = self._v = np.empty(0, np.intp)   # of a robot of ball joints, or of a body alone
        if self._names:
            self._q, self._v = joint_places(model, self._names)
        if not joints:
            elastic = np.arange(-len(model.elastic_names), 0)
            self._names += model.elastic_names
            self._q, self._v = (np.append(places, size + elastic) for places, size in (
                (self._q, model.nq), (self._v, model.nv)))

    def write(self, nanoseconds: int, q: Vector, v: Vector, effort: Vector | None) -> JointState:
        """
        Return a message.

        Parameters
        ----------
        nanoseconds : int
            Time of the state.
        q, v : Vector
            (nq,), (nv,).
        effort : Vector or None
            (nv,); None where it is not known.

        Returns
        -------
        JointState
            Stamped; one entry for each revolute and prismatic joint and elastic coordinate.

        """
        message = JointState()
        message.header.stamp = to_stamp(nanoseconds)
        message.name = self._names
        message.position = q[self._q].tolist()
        message.velocity = v[self._v].tolist()
        message.effort = [] if effort is None else effort[self._v].tolist()
        return message


def target_state(nanoseconds: int, targets: Targets) -> JointState:
    """Return where joints should be as a message of a time [ns]: positions and velocities."""
    message = JointState(name=list(targets.joints), position=targets.positions.tolist(),
                         velocity=targets.rates.tolist())
    message.header.stamp = to_stamp(nanoseconds)
    return message
