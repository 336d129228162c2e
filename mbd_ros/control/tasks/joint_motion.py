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

"""Joint trajectories and stops; loops or the dynamics determine the other joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mbd_ros.control.constraints.joint_paths import joint_path, JointPaths
from mbd_ros.control.control_step.constrained_motion import ConstrainedMotion
from mbd_ros.control.control_step.joint_reference import JointReference
from mbd_ros.control.control_step.nominal_model import NominalModel
from mbd_ros.control.references.joint_coordinates import JointCoordinates
from mbd_ros.control.references.joint_trajectories import stopping
from mbd_ros.control.references.paths import Path
from mbd_ros.control.tasks.task import actuation_of, driven_joints, Task
from mbd_ros.control.udwadia_kalaba.elimination import DirectElimination
from mbd_ros.control.udwadia_kalaba.passive_joints import independent_joints
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.model.names import simple_joints
from mbd_ros.simulation.manifold import is_flat, Vector


class JointMotion(NamedTuple):
    """
    Joints and the path that they follow.

    Attributes
    ----------
    names : tuple of str
        The joints, in the order of the path's entries.
    path : Path
        ``at(t)`` with their positions, velocities and accelerations.

    """

    names: tuple[str, ...]
    path: Path

    def nominal(self, dyn: PreparedDynamics, task: Task, q: Vector, v: Vector, begin: float
                ) -> NominalModel | JointReference:
        """
        Return the nominal model of a robot that moves so from a state at time ``begin`` [s].

        The task says which joints are actuated, and the settings. A ``JointReference`` where the
        path prescribes every joint, so that nothing is left to integrate. Raises MbdError if the
        path does not fit the robot.
        """
        model = dyn.model
        if is_flat(model) and not model.loops and self.names == model.joint_names:
            return JointReference(dyn, self.path, time=begin)
        motion = ConstrainedMotion(dyn, joint_path(model, self.names, self.path),
                                   actuation=actuation_of(dyn, task),
                                   elimination=DirectElimination(task.metric))
        return NominalModel(motion, q, v, time=begin, step=task.step)


def following(dyn: PreparedDynamics, path: Path, joints: Sequence[str]) -> JointMotion:
    """Return the motion of some joints along a path; of all with one coordinate, if none."""
    return JointMotion(tuple(joints) or simple_joints(dyn.model), path)


def coming_to_rest(dyn: PreparedDynamics, task: Task, q: Vector, v: Vector) -> JointMotion:
    """
    Return the motion of the driven joints that stops the robot, and holds it from then on.

    As many driven joints as closed loops leave independent come to rest from a state (nq,), (nv,)
    at time 0. ``approach_speed`` of the task is the top speed of joints without a limit.
    """
    model = dyn.model
    joints = independent_joints(dyn, q, driven_joints(model, task))
    simple = tuple(name for name in joints if name in simple_joints(model))
    others = tuple(name for name in joints if name not in simple)

    def stop(names: tuple[str, ...]) -> tuple[tuple[str, ...], Path]:
        places = JointCoordinates(model, names).v
        limits = model.velocity_limits[places]
        top = np.where(np.isfinite(limits), limits, task.approach_speed)
        return names, stopping(model, names, q, v, np.zeros_like(v), top)
    if not (simple and others):
        return JointMotion(*stop(joints))
    path = JointPaths([stop(simple), stop(others)])   # in groups, as trajectories have them
    return JointMotion(path.names, path)
