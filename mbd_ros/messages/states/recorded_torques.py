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

"""Torques of joint states of a robot whose links bend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.analysis.bending_torques import bending_torques, BendingTorques
from mbd_ros.errors import MbdError
from mbd_ros.messages.fields.times import SECOND, to_nanoseconds
from mbd_ros.messages.states.joint_states import JointStateReader
from mbd_ros.model import Model

Array = NDArray[np.float64]
Lines = tuple[Array, Mapping[str, Array]]
"""What is across, (K,), and the values (K,) of each line, by name."""


class TorqueReader:
    """
    Compares the torques of joint states with those of rigid links.

    Parameters
    ----------
    model : Model
        The robot whose links bend.
    twin : PreparedDynamics
        The same with rigid links.

    """

    def __init__(self, model: Model, twin: PreparedDynamics) -> None:
        self._reader, self._twin = JointStateReader(model), twin

    def read(self, messages: Sequence[JointState]) -> tuple[Sequence[str], BendingTorques] | None:
        """
        Return names of joints and their torques.

        Parameters
        ----------
        messages : sequence of JointState
            In the order in which they came; those before time went back are passed over.

        Returns
        -------
        tuple or None
            None if there are too few, or one cannot be read or has no efforts.

        """
        stamps = [to_nanoseconds(one.header.stamp) for one in messages]
        begin = max((k for k, (before, after) in enumerate(pairwise(stamps), 1)
                     if after <= before), default=0)
        model, rows = self._twin.model, []
        for message in messages[begin:]:
            try:
                q, v, effort, *_ = self._reader.read(message)
            except MbdError:
                return None
            if effort is None:
                return None
            rows.append((q[:model.nq], v[:model.nv], effort[:model.nv]))
        found = bending_torques(self._twin, np.array(stamps[begin:]) / SECOND,
                                *map(np.array, zip(*rows))) if rows else None
        return None if found is None else (model.joint_names, found)


def torque_lines(names: Sequence[str], torques: BendingTorques) -> list[Lines]:
    """Return what plots show: over time, and over frequencies."""
    return [(across, {
        f'{name}{words}': values[:, place] for place, name in enumerate(names)
        for words, values in (('', bent), (', rigid links', rigid))})
        for across, bent, rigid in (
            (torques.time, torques.recorded, torques.rigid),
            (torques.frequencies, torques.spectrum, torques.rigid_spectrum))]
