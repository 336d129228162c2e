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

"""Arrays of a model as answers of the dynamics services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from geometry_msgs.msg import Accel, Wrench
from mbd_msgs.msg import EffortTerm, ErrorCode
import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.functions.joint_wrenches import wrench_names
from mbd_ros.environment.fluid_law import TERMS
from mbd_ros.messages.dynamics.dynamics_requests import JointOrder
from mbd_ros.messages.dynamics.point_fields import copies_with
from mbd_ros.model import Model

Array = NDArray[np.float64]
BASE_ROWS = ('linear.x', 'linear.y', 'linear.z', 'angular.x', 'angular.y', 'angular.z')


def succeed(response: Any, order: JointOrder, generation: int, *, formulation: str,
            executor: str, computation_time: float) -> Any:
    """Fill in what all answers with numbers have; returns the answer."""
    response.success = True
    response.error_code = ErrorCode.SUCCESS
    response.model_generation = generation
    response.formulation = formulation
    response.executor = executor
    response.computation_time = computation_time
    response.joint_names = list(order.names)
    return response


def terms_included(*, external_forces: bool, dissipation: bool, fluid: bool = False) -> list[str]:
    """Return the names of the terms that the equations held."""
    names = [EffortTerm.INERTIAL, EffortTerm.VELOCITY, EffortTerm.GRAVITY]
    if dissipation:
        names.append(EffortTerm.DISSIPATION)
    if external_forces:
        names.append(EffortTerm.EXTERNAL_FORCES)
    return [*names, *TERMS] if fluid else names


def write_accelerations(response: Any, points: Sequence[Any], order: JointOrder,
                        accelerations: Array) -> None:
    """Write accelerations (N, nv) into the answer of a forward request."""
    response.points.extend(copies_with(points, 'accelerations', accelerations[:, order.v]))
    if order.base is not None:
        response.base_accelerations = [_accel(row[:6]) for row in accelerations]


def write_efforts(response: Any, points: Sequence[Any], order: JointOrder, efforts: Array,
                  terms: Mapping[str, Array]) -> None:
    """Write generalized forces (N, nv) and their terms into the answer of an inverse request."""
    response.points.extend(copies_with(points, 'effort', efforts[:, order.v]))
    if order.base is not None:
        response.base_wrenches = [_wrench(row[:6]) for row in efforts]
    for name, rows in terms.items():
        term = EffortTerm(name=name, efforts=rows[:, order.v].ravel().tolist())
        if order.base is not None:
            term.base_wrenches = [_wrench(row[:6]) for row in rows]
        response.terms.append(term)


def write_joint_wrenches(response: Any, model: Model, wrenches: Array) -> None:
    """Write what joints carry (N, joints, 6), force first, into an answer."""
    response.wrench_joints = list(wrench_names(model))
    bodies = {frame.body: name for name, frame in model.links.items()}
    bodies.update(enumerate(model.body_names))   # rather than links fixed to them
    response.wrench_children = [*model.body_names, *(
        bodies[loop.body2] for loop in model.loops if loop.kind != 'mimic')]
    response.joint_wrenches = [_wrench(row) for state in wrenches for row in state]


def write_mass_matrices(response: Any, model: Model, order: JointOrder, matrices: Array) -> None:
    """Write mass matrices (N, nv, nv) into an answer, rows and columns in the request's order."""
    places = order.v.tolist()
    names = list(order.names)
    if order.base is not None:
        places = [*range(6), *places]
        names = [f'{model.body_names[0]}.{row}' for row in BASE_ROWS] + names
    response.row_names = names
    response.rows = response.columns = len(places)
    response.data = matrices[:, places][:, :, places].ravel().tolist()


def _accel(row: Array) -> Accel:
    message = Accel()
    for part, values in ((message.linear, row[:3]), (message.angular, row[3:])):
        part.x, part.y, part.z = values.tolist()
    return message


def _wrench(row: Array) -> Wrench:
    message = Wrench()
    for part, values in ((message.force, row[:3]), (message.torque, row[3:])):
        part.x, part.y, part.z = values.tolist()
    return message
