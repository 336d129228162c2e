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

"""Wrenches of loop joints as messages."""

from __future__ import annotations

from collections.abc import Sequence

from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
import numpy as np
from numpy.typing import NDArray
from std_msgs.msg import Header

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.loops.efforts import loop_wrenches
from mbd_ros.messages.fields.times import to_stamp
from mbd_ros.model import Model

Array = NDArray[np.float64]


def loop_wrench_messages(dyn: PreparedDynamics, now: int, q: Array, multipliers: Array,
                         frame: str) -> list[WrenchStamped]:
    """
    Return what each loop joint exerts on its first link, at the origin of its first frame.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    now : int
        Time [ns].
    q : array
        (nq,).
    multipliers : array
        (rows of the loops,) as from ``mbd_ros.constrained_dynamics`` [N, N m].
    frame : str
        Name of the world's frame, whose axes the wrenches are in.

    Returns
    -------
    list of WrenchStamped
        In the order of the model's loops.

    """
    return [_stamped(wrench, now, frame)
            for wrench in loop_wrenches(dyn, q, multipliers).values()]


def joint_wrench_messages(model: Model, now: int, wrenches: Array, joints: Sequence[str]
                          ) -> list[WrenchStamped]:
    """
    Return what joints of the tree carry, each in the frame of its child link.

    Parameters
    ----------
    model : Model
        The robot.
    now : int
        Time [ns].
    wrenches : array
        (joints, 6) as from ``mbd_ros.joint_wrenches``.
    joints : sequence of str
        Whose wrenches are wanted.

    Returns
    -------
    list of WrenchStamped
        In the order of ``joints``.

    """
    places = [model.joint_index(name) for name in joints]
    return [_stamped(wrenches[i], now, model.body_names[i]) for i in places]


def _stamped(wrench: Array, now: int, frame: str) -> WrenchStamped:
    force, moment = wrench[:3].tolist(), wrench[3:].tolist()
    return WrenchStamped(
        header=Header(stamp=to_stamp(now), frame_id=frame),
        wrench=Wrench(force=Vector3(**dict(zip('xyz', force))),
                      torque=Vector3(**dict(zip('xyz', moment)))))
