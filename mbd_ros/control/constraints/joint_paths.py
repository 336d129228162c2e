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
Joints on paths: of one coordinate, and ball, planar and floating joints.

One function on scalars says how far a joint is from its path; ``phi_dot``, ``A`` and ``b`` follow
by differentiating along the joint's own motion, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np

from mbd_ros.control.constraints.constraint_stack import Stack
from mbd_ros.control.constraints.recorded import CompiledRows, Known, Rows
from mbd_ros.control.constraints.servo_constraints import Constraint
from mbd_ros.control.references.arguments import require, require_model
from mbd_ros.control.references.joint_coordinates import JointCoordinates
from mbd_ros.control.references.paths import end_of, Path, PathPoint
from mbd_ros.control.references.scalars import Row
from mbd_ros.control.references.splines import PiecewisePolynomial
from mbd_ros.control.references.time_code import time_code_of, TimeCode
from mbd_ros.errors import ShapeError
from mbd_ros.model import JointType, Model
from mbd_ros.model.rigid_motion import inverse, product
from mbd_ros.model.state import neutral
from mbd_ros.simulation.manifold import Vector
from mbd_ros.spatial import cosine, root, Rotation, sine, Vector3
from mbd_ros.spatial.logarithm import rotation_vector, turn_of


class JointPath(CompiledRows):
    """
    Keep joints, of any number of coordinates, on a path of their own.

    ``phi`` is, with the entries of ``joint_coordinates``,

    * ``q - q_d`` of a revolute or prismatic joint;
    * ``x - x_d``, ``y - y_d`` and the angle from the desired direction, at most pi, of a planar
      one;
    * the rotation vector of ``R_d^T R`` of a spherical one, in the joint's own axes: its length is
      the geodesic distance, and on the path ``A`` singles out the joint's velocities;
    * ``p - p_d`` and that rotation vector of a floating one.

    Off the path, too, a correction by ``A`` leads a spherical joint there in one step, since the
    derivative of the rotation vector leaves its own direction as it is.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Names of the joints, in the order of the path's entries.
    path : Path
        ``at(t)`` with the entries, their rates and second rates (k,).

    Raises
    ------
    UnknownNameError, InvalidValueError, ShapeError
        If a joint is not known or is named twice, or the path has another number of entries.

    """

    def __init__(self, model: Model, joints: Sequence[str], path: Path) -> None:
        require_model(model)
        require('path', path, ('at',), 'a path of joints, such as trajectory(times, positions)')
        self.coordinates = JointCoordinates(model, joints)
        size, found = self.coordinates.size, path.at(0.0).position.shape
        if found != (size,):
            raise ShapeError('path of joints', found, f'({size},), {entries_of(self.coordinates)}')
        self.joints, self.path = tuple(joints), path
        self.reference_size = 3 * size
        places = tuple(self.coordinates.v.tolist())
        super().__init__(model, len(places), model.joint_types, places)

    def _made(self) -> TimeCode | None:
        return time_code_of(self.path)

    def _followed(self, t: float) -> Vector:
        return np.concatenate(self.path.at(t))

    def rows(self, known: Known) -> Rows:
        """Return the rows at a state."""
        reference, size = known.reference[0], self.coordinates.size
        phi = [entry for part in self.coordinates.parts for entry in distance(
            part.kind, known.q[part.q], reference[part.entries])]
        return self.differentiated(known, phi, dict(zip(reference, reference[size:])))


class JointPaths:
    """
    Paths of several groups of joints as one path.

    Parameters
    ----------
    parts : sequence of (tuple of str, Path)
        Joints and their path, group by group.

    Attributes
    ----------
    names : tuple of str
        All joints, group by group.
    duration : float
        The time from which on all rest [s].
    arrives : float
        The time at which all are where they are meant to lead [s].

    """

    begin = 0.0

    def __init__(self, parts: Sequence[tuple[tuple[str, ...], Path]]) -> None:
        self.parts = tuple(parts)
        self.names = tuple(name for names, _ in parts for name in names)
        self.duration = max((end_of(path) for _, path in parts), default=math.inf)
        self.arrives = max((getattr(path, 'arrives', self.duration) for _, path in parts),
                           default=math.inf)

    def at(self, time: float) -> PathPoint:
        """Return the entries of all groups, with their rates, at a time [s]."""
        return PathPoint(*map(np.concatenate, zip(*(path.at(time) for _, path in self.parts))))

    def extremes(self) -> list[float]:
        """Return the times [s] of ``PiecewisePolynomial.extremes`` of all groups."""
        return sorted({time for _, path in self.parts if isinstance(path, PiecewisePolynomial)
                       for time in path.extremes()})


def joint_path(model: Model, joints: Sequence[str], path: Path) -> Constraint:
    """
    Return the constraint that keeps joints on a path, whatever number of coordinates they have.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Names of the joints.
    path : Path
        The entries of ``joint_coordinates`` in the order of the joints.

    Returns
    -------
    Constraint
        A ``JointPath``; of ``JointPaths`` a stack of them.

    Raises
    ------
    UnknownNameError, InvalidValueError, ShapeError
        If the joints are not known or named twice, or the path does not fit them.

    """
    if isinstance(path, JointPaths):
        parts = [joint_path(model, *part) for part in path.parts]
        return parts[0] if len(parts) == 1 else Stack(parts, neutral(model), np.zeros(model.nv))
    return JointPath(model, joints, path)


def distance(kind: JointType, q: Row, entries: Row) -> Row:
    """Return how far a joint is from entries of a path (nv,), on scalars."""
    if kind is JointType.SPHERICAL:
        x, y, z, w = product(inverse(tuple(entries)), tuple(q))
        return list(turn_of(w, x, y, z))
    if kind is JointType.FLOATING:
        return [*(x - d for x, d in zip(q[:3], entries[:3])),
                *distance(JointType.SPHERICAL, q[3:], entries[3:])]
    if kind is JointType.PLANAR:
        x, y, c, s = q
        size, angle = root(c * c + s * s), entries[2]
        near = (c * cosine(angle) + s * sine(angle)) / size
        off = (s * cosine(angle) - c * sine(angle)) / size
        turned = Rotation(Vector3(near, off, 0.0), Vector3(-off, near, 0.0),
                          Vector3(0.0, 0.0, 1.0))
        return [x - entries[0], y - entries[1], rotation_vector(turned).z]
    return [q[0] - entries[0]]


def entries_of(coordinates: JointCoordinates) -> str:
    """Say which entries a path of joints has, for messages."""
    return ', '.join(f"{part.entries.stop - part.entries.start} of '{part.name}'"
                     for part in coordinates.parts)
