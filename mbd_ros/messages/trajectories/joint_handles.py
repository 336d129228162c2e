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

"""Interactive markers by which joints are turned and moved, and the goals of a drag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math

from control_msgs.action import FollowJointTrajectory
import numpy as np
from numpy.typing import NDArray
from visualization_msgs.msg import InteractiveMarker, InteractiveMarkerControl as Control

from mbd_ros.errors import UnknownNameError
from mbd_ros.messages.states.drag_targets import AXES, LARGEST
from mbd_ros.messages.states.interactive import to_pose
from mbd_ros.messages.states.push_markers import entries
from mbd_ros.messages.trajectories.simple_goals import joint_goal, SHORTEST
from mbd_ros.model import JointType, Model

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

WIDER = 1.7
"""Ring or arrows of a joint in terms of a target: those of a target stay inside."""


def joint_pose(model: Model, joint: str, links: Mapping[str, Matrix]) -> Matrix:
    """
    Return the pose (4, 4) of the body that a joint moves: origin on the joint, z along its axis.

    Parameters
    ----------
    model : Model
        The robot.
    joint : str
        One with one coordinate.
    links : mapping of str to Matrix
        Pose (4, 4) of each link [m]; the answer is in the same frame.

    """
    link = model.body_names[model.joint_index(joint)]
    return model.links[link].body_pose(links[link])


def joint_handle(model: Model, frame: str, joint: str, pose: Matrix, menu: Sequence[str] = (),
                 size: float = LARGEST) -> InteractiveMarker:
    """
    Return the handle of a joint: a ring around its axis, or arrows along it, that RViz draws.

    Parameters
    ----------
    model : Model
        The robot.
    frame : str
        Frame of the pose; without a stamp, so that RViz gives poses in this frame, too.
    joint : str
        Name of the joint, and of the marker.
    pose : Matrix
        (4, 4) by ``joint_pose`` [m].
    menu : sequence of str, optional
        Titles as of ``hands.entries``.
    size : float, optional
        That of the robot's targets, ``target_size`` [m].

    """
    along = Control(
        name='move', orientation=AXES['z'],
        interaction_mode=Control.MOVE_AXIS if _slides(model, joint) else Control.ROTATE_AXIS)
    handle = InteractiveMarker(name=joint, description=joint, scale=WIDER * size,
                               controls=[along], menu_entries=entries(menu))
    handle.header.frame_id = frame
    handle.pose = to_pose(pose)
    return handle


def travel(slides: bool, here: Matrix, dragged: Matrix) -> float:
    """
    Return how far a joint is dragged: along its axis [m], or about it, at most half a turn [rad].

    Parameters
    ----------
    slides : bool
        Whether the joint is prismatic.
    here, dragged : Matrix
        (4, 4): its ``joint_pose``, and the pose to which its marker was dragged [m].

    """
    if slides:
        return float(here[:3, 2] @ (dragged[:3, 3] - here[:3, 3]))
    between = here[:3, :3].T @ dragged[:3, :3]
    return math.atan2(between[1, 0] - between[0, 1], between[0, 0] + between[1, 1])


def move_goal(model: Model, q: Vector, joints: Sequence[str], joint: str, here: Matrix,
              dragged: Matrix, speed: float) -> FollowJointTrajectory.Goal:
    """
    Return the goal that a joint goes where it was dragged, or to its limit if that is before.

    Parameters
    ----------
    model : Model
        The robot.
    q : Vector
        (nq,), where it is.
    joints : sequence of str
        All that are driven; the others stay where they are.
    joint : str
        The one that was dragged.
    here, dragged : Matrix
        (4, 4): as for ``travel``.
    speed : float
        Mean speed [rad/s or m/s]; the motion takes ``SHORTEST`` at least.

    Raises
    ------
    UnknownNameError
        If the joint is not driven: the robot may have been replaced meanwhile.

    """
    if joint not in joints:
        raise UnknownNameError('joint', joint, joints)
    places = {name: float(q[model.q_offsets[model.joint_index(name)]]) for name in joints}
    coordinate = model.v_offsets[model.joint_index(joint)]
    wanted = places[joint] + travel(_slides(model, joint), here, dragged)
    wanted = float(np.clip(wanted, model.lower[coordinate], model.upper[coordinate]))
    duration = max(abs(wanted - places[joint]) / speed, SHORTEST)
    return joint_goal({**places, joint: wanted}, duration)


def _slides(model: Model, joint: str) -> bool:
    return model.joint_types[model.joint_index(joint)] is JointType.PRISMATIC
