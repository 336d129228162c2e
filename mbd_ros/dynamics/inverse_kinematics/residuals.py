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
The residuals of targets and their derivatives, for all ways to find configurations.

Each target has rows ``error = wanted - what is`` with derivatives ``J`` of what is by a
displacement ``dq`` (nv,): ``error - J dq`` is what is left after a small one. Positions [m],
rotation vectors [rad], differences of unit vectors, in the axes of the world. Closed loops and
mimic joints have rows of the same form, ``-phi`` and the Jacobian of ``phi``. The text runs on
symbols; its trace is what runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.inverse_kinematics.targets import Kind
from mbd_ros.dynamics.quantities import flexible, kinematics
from mbd_ros.dynamics.quantities.loop_kinematics import loop_rows, VALUES
from mbd_ros.dynamics.quantities.loops_as_programs import of_program
from mbd_ros.dynamics.quantities.quantities_as_programs import program_of
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.program.ties import frame_record
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.model import Model, state
from mbd_ros.model.flexible.on_segments import on_segments
from mbd_ros.spatial import Rotation, Vector3
from mbd_ros.spatial.logarithm import rotation_vector

Symbols = NDArray[Any]


class Row(NamedTuple):
    """
    One equation.

    Attributes
    ----------
    error : Scalar
        What is left.
    columns : dict of int to Scalar
        Derivatives by the displacement, those that are not zero.
    weight : Scalar
        Its factor among the others.

    """

    error: Any
    columns: dict[int, Any]
    weight: Any = 1.0

    def weighted(self) -> Row:
        """Return the row times its weight."""
        return Row(self.weight * self.error,
                   {k: self.weight * one for k, one in self.columns.items()})


class Residuals(NamedTuple):
    """
    The rows of all targets.

    Attributes
    ----------
    rows : list of Row
        Of targets but for the posture.
    loops : list of Row
        Of closed loops and mimic joints.
    posture : list of Row
        Of joints, each by its own rate alone.

    """

    rows: list[Row]
    loops: list[Row]
    posture: list[Row]


class Seen(NamedTuple):
    """Pose of a link in the world, and its Jacobian by columns: linear, then angular."""

    rotation: Rotation
    origin: Vector3
    columns: dict[int, tuple[Vector3, Vector3]]


def residuals(kinds: Sequence[Kind], model: Model, inputs: Mapping[str, Symbols], world: Symbols
              ) -> Residuals:
    """
    Return the rows of targets at a configuration.

    Parameters
    ----------
    kinds : sequence of Kind
        The structure of the targets.
    model : Model
        The robot.
    inputs : mapping
        ``'q'`` (1, nq) and ``'targets'`` (1, n), the numbers of all targets one after the other.
    world : array
        As in ``Evaluate``.

    Returns
    -------
    Residuals
        Elastic coordinates have no columns: they stay as they are.

    """
    q, moving = inputs['q'], model.nv - len(model.elastic_names)
    links = {link: _seen(model, link, q, world, moving) for kind in kinds for link in kind.links}
    found = Residuals([], [], [])
    first = 0
    for kind in kinds:
        numbers = inputs['targets'][0, first:first + kind.numbers].tolist()
        first += kind.numbers
        if kind.name == 'posture':
            found.posture.extend(_posture(kind, model, q[0].tolist(), numbers))
            continue
        if kind.name == 'center of mass':
            rows = _center(model, q, world, moving, numbers)
        else:
            rows = ROWS[kind.name](numbers, *(links[link] for link in kind.links))
        if kind.weighted:
            rows = [row._replace(weight=weight)
                    for row, weight in zip(rows, numbers[-len(rows):])]
        found.rows.extend(rows)
    if model.loops:
        found.loops.extend(_loops(model, q, world, moving))
    return found


def structure(kinds: Sequence[Kind], model: Model) -> str:
    """
    Return all that rows follow from beside the robot's bodies, as part of a program's name.

    Code is found on disk by it: robots that differ in names of links alone have other rows.
    """
    return repr([(kind, [_frame(model, link) for link in kind.links]) for kind in kinds])


def _frame(model: Model, link: str) -> tuple[Any, ...]:
    """Return where a link sits: a body or a segment, rotation, translation."""
    frame = model.links[link] if model.elastic is None else on_segments(model).link(link)
    return (frame.body, np.asarray(frame.rotation).tolist(),
            np.asarray(frame.translation).tolist())


def _seen(model: Model, link: str, q: Symbols, world: Symbols, moving: int) -> Seen:
    """Return a link at q."""
    programs: list[Program]
    if model.elastic is not None:
        programs = [flexible.link_program(model, what, link) for what in ('pose', 'jacobian')]
    else:
        frame = model.links[link]
        if frame.body < 0:
            return Seen(Rotation(*(Vector3(*axis) for axis in frame.rotation.T.tolist())),
                        Vector3(*frame.translation.tolist()), {})
        programs = [make(frame.body, frame_record(frame))
                    for make in (kinematics.link_pose, kinematics.link_jacobian)]
    pose, jacobian = (of_program(one, model, {'q': q}, world, None)[0].tolist()
                      for one in programs)
    columns = {}
    for k in range(moving):
        column = [row[k] for row in jacobian]
        if any(not _is_zero(one) for one in column):
            columns[k] = Vector3(*column[:3]), Vector3(*column[3:])
    return Seen(Rotation(*(Vector3(*(pose[i][k] for i in range(3))) for k in range(3))),
                Vector3(*(pose[i][3] for i in range(3))), columns)


def _is_zero(entry: Any) -> bool:
    return isinstance(entry, (float, int)) and entry == 0.0


def _rows(error: Vector3, columns: Mapping[int, Vector3]) -> list[Row]:
    """Return three rows."""
    return [Row(error[i], {k: column[i] for k, column in columns.items()
                           if not _is_zero(column[i])}) for i in range(3)]


def _given_pose(numbers: Sequence[Any]) -> tuple[Rotation, Vector3]:
    """Return rotation and position of the rows of a pose."""
    return (Rotation(*(Vector3(*numbers[k:12:4]) for k in range(3))), Vector3(*numbers[3:12:4]))


def _turn(wanted: Rotation, there: Rotation) -> Vector3:
    """Return the rotation vector of ``wanted there^T``, a sum of outer products of their axes."""
    return rotation_vector(Rotation(*(
        wanted[0] * there[0][k] + wanted[1] * there[1][k] + wanted[2] * there[2][k]
        for k in range(3))))


def _pose(numbers: Sequence[Any], link: Seen) -> list[Row]:
    rotation, position = _given_pose(numbers)
    return [*_rows(position - link.origin, {k: one for k, (one, _) in link.columns.items()}),
            *_rows(_turn(rotation, link.rotation),
                   {k: one for k, (_, one) in link.columns.items()})]


def _position(numbers: Sequence[Any], link: Seen) -> list[Row]:
    arm = link.rotation.apply(Vector3(*numbers[3:6]))
    return _rows(Vector3(*numbers[:3]) - (link.origin + arm), {
        k: linear + angular.cross(arm) for k, (linear, angular) in link.columns.items()})


def _axis(numbers: Sequence[Any], link: Seen) -> list[Row]:
    axis = link.rotation.apply(Vector3(*numbers[3:6]))
    return _rows(Vector3(*numbers[:3]) - axis, {
        k: angular.cross(axis) for k, (_, angular) in link.columns.items()})


def _look_at(numbers: Sequence[Any], link: Seen) -> list[Row]:
    """``u - a`` with u from the link's origin to the point; u changes across itself alone."""
    axis = link.rotation.apply(Vector3(*numbers[3:6]))
    sight = Vector3(*numbers[:3]) - link.origin
    inverse = 1.0 / sight.norm()
    along = sight * inverse
    return _rows(along - axis, {
        k: angular.cross(axis) + (linear - along * along.dot(linear)) * inverse
        for k, (linear, angular) in link.columns.items()})


def _relative(numbers: Sequence[Any], link: Seen, reference: Seen) -> list[Row]:
    rotation, position = _given_pose(numbers)
    arm = reference.rotation.apply(position)
    still = (Vector3(0.0, 0.0, 0.0), Vector3(0.0, 0.0, 0.0))
    linear, angular = {}, {}
    for k in {**link.columns, **reference.columns}:
        own, other = link.columns.get(k, still), reference.columns.get(k, still)
        linear[k] = own[0] - (other[0] + other[1].cross(arm))
        angular[k] = own[1] - other[1]
    wanted = Rotation(*(reference.rotation.apply(axis) for axis in rotation))
    return [*_rows(reference.origin + arm - link.origin, linear),
            *_rows(_turn(wanted, link.rotation), angular)]


ROWS: dict[str, Callable[..., list[Row]]] = {
    'pose': _pose, 'position': _position, 'axis': _axis, 'look at': _look_at,
    'relative pose': _relative}


def _center(model: Model, q: Symbols, world: Symbols, moving: int, numbers: Sequence[Any]
            ) -> list[Row]:
    center, jacobian = (
        of_program(program_of(name, model), model, {'q': q}, world, None)[0].tolist()
        for name in ('center_of_mass', 'center_of_mass_jacobian'))
    return _rows(Vector3(*numbers[:3]) - Vector3(*center), {
        k: Vector3(*(row[k] for row in jacobian)) for k in range(moving)})


def _posture(kind: Kind, model: Model, q: Sequence[Any], numbers: Sequence[Any]) -> list[Row]:
    weights = numbers[model.nq:] if kind.weighted else [1.0] * model.nv
    return [Row(numbers[entry] - q[entry], {k: 1.0}, weights[k])
            for entry, k in zip(*(part.tolist() for part in state.simple_entries(model)))]


def _loops(model: Model, q: Symbols, world: Symbols, moving: int) -> list[Row]:
    program = (loop_rows(tree_of(model).slots) if model.elastic is None
               else flexible.flexible_program(model, 'loop_rows'))
    still = np.empty((1, model.nv), object)
    still[:] = 0.0
    rows = of_program(program, model, {'q': q, 'v': still}, world, None)[0].tolist()
    found = [Row(-row[0], {k: one for k, one in enumerate(row[VALUES:VALUES + moving])
                           if not _is_zero(one)}) for row in rows]
    return [row for row in found if row.columns]
