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

"""What the ground does to a robot where it touches it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics.prepared.call import Array, checked_array
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.dynamics.quantities.flexible import segments_moving
from mbd_ros.environment.contact import Ground, touch, touching
from mbd_ros.environment.law import Motion
from mbd_ros.execution.program.records import rotation_record, vector_record
from mbd_ros.model import Model
from mbd_ros.model.flexible.on_segments import on_segments
from mbd_ros.spatial import Link, Twist


class ContactForces(NamedTuple):
    """
    Where the points of ``model.contacts`` are and what pushes them, in world axes.

    Attributes
    ----------
    points : (k, 3) array
        Lowest points of the spheres [m].
    forces : (k, 3) array
        Of the ground on the robot, zero in the air [N].

    """

    points: Array
    forces: Array


def contact_forces(model: Model, q: ArrayLike, v: ArrayLike, ground: Ground) -> ContactForces:
    """
    Return the forces of the ground on a robot.

    Parameters
    ----------
    model : Model
        The robot.
    q, v : array_like
        Its state (nq,), (nv,).
    ground : Ground
        What it touches.

    Returns
    -------
    ContactForces
        In the order of ``model.contacts``.

    Raises
    ------
    ShapeError, NotFiniteError
        If q or v is not as it should be.

    """
    q, v = checked_array(model, 'q', q, model.nq), checked_array(model, 'v', v, model.nv)
    if model.elastic is None:
        dyn = compile_model(model)
        poses, velocities = dyn.body_poses(q), dyn.body_velocities(q, v)
    else:
        poses, velocities = segments_moving(model, q, v)
    found = np.zeros((2, len(model.contacts), 3))
    for k, point in enumerate(on_segments(model).contacts):
        pose, velocity = poses[point.body], velocities[point.body]
        R_WB = pose[:3, :3]
        one = touch(touching(point), Motion(
            Link(rotation_record(R_WB), vector_record(pose[:3, 3])),
            Twist(vector_record(R_WB.T @ velocity[3:]), vector_record(R_WB.T @ velocity[:3]))),
            ground.surface)
        found[0, k] = pose[:3, 3] + R_WB @ one.point
        found[1, k] = R_WB @ one.force
    return ContactForces(*found)
