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

"""Requests of the dynamics services as arrays of a model, every name and number checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
import math
from typing import Any

from geometry_msgs.msg import Wrench
import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import (
    InvalidValueError, NotFiniteError, ShapeError, UnknownNameError, UnsupportedError)
from mbd_ros.messages.dynamics.point_fields import first_filled, rows_of
from mbd_ros.model import JointType, Model
from mbd_ros.model.state import neutral

Array = NDArray[np.float64]
VECTOR3 = ('x', 'y', 'z')
QUATERNION = ('x', 'y', 'z', 'w')
LARGEST = 1e100
"""Of a vector or quaternion; the squares of its components are numbers."""


@dataclass(frozen=True)
class JointOrder:
    """
    The joints of a request in the model.

    Attributes
    ----------
    names : tuple of str
        As in the request.
    q, v : (n,) arrays of int
        Where each joint is in q and in v.
    base : int or None
        Where the floating base begins in v; it begins there in q, too.

    """

    names: tuple[str, ...]
    q: NDArray[np.intp]
    v: NDArray[np.intp]
    base: int | None


@dataclass(frozen=True)
class States:
    """
    The points of a request.

    Attributes
    ----------
    order : JointOrder
        How the request names the joints.
    q, v : arrays
        (N, nq) and (N, nv).
    driven : array
        (N, nv): efforts of a forward, accelerations of an inverse request.

    """

    order: JointOrder
    q: Array
    v: Array
    driven: Array


def joint_order(model: Model, names: Sequence[str]) -> JointOrder:
    """
    Match the joints of a request to those of a model.

    Parameters
    ----------
    model : Model
        The robot.
    names : sequence of str
        Every joint of the model but the floating base, and every elastic coordinate, once each.

    Returns
    -------
    JointOrder
        Where they are.

    Raises
    ------
    UnknownNameError
        If a name is not that of a joint.
    ShapeError
        If a joint is missing or named twice.
    UnsupportedError
        If a joint has several coordinates and is not a floating base.

    """
    floating = [index for index, kind in enumerate(model.joint_types) if not kind.is_simple]
    for index in floating:
        if index > 0 or model.joint_types[index] is not JointType.FLOATING:
            raise UnsupportedError(
                f"the {model.joint_types[index].value} joint '{model.joint_names[index]}' in "
                'requests', 'joints with one coordinate, and a base that floats')
    places = {name: (model.q_offsets[index], model.v_offsets[index])
              for index, name in enumerate(model.joint_names) if index not in floating}
    bent = len(model.elastic_names)
    places.update((name, (model.nq - bent + k, model.nv - bent + k))
                  for k, name in enumerate(model.elastic_names))
    for name in names:
        if name not in places:
            raise UnknownNameError('joint', name, places)
    given = Counter(names)
    missing = [name for name in places if name not in given]
    if missing or len(names) > len(places):
        twice = sorted(name for name, count in given.items() if count > 1)
        found = '; '.join(f'{what}: {", ".join(some)}' for what, some in (
            ('missing', missing), ('named twice', twice)) if some)
        raise ShapeError('joint_names', (len(names),),
                         f'({len(places)},), every joint of the model once; {found}')
    in_q, in_v = (np.array([places[name][k] for name in names], dtype=np.intp) for k in (0, 1))
    return JointOrder(tuple(names), in_q, in_v, 0 if floating else None)


def name_elastic_coordinates(model: Model, request: Any) -> None:
    """
    Add elastic coordinates to a request that names none of them, after the joints, all zero.

    So the answer names them, and clients need not know how a link bends.
    """
    if not model.elastic_names or set(model.elastic_names) & set(request.joint_names):
        return
    count, zeros = len(request.joint_names), [0.0] * len(model.elastic_names)
    request.joint_names = [*request.joint_names, *model.elastic_names]
    for point in request.points:
        for field in ('positions', 'velocities', 'accelerations', 'effort'):
            values = getattr(point, field)
            if count and len(values) == count:   # what has another length is refused later
                setattr(point, field, [*values, *zeros])


def read_forward(model: Model, request: Any) -> States:
    """
    Read a request of ``mbd_msgs/srv/ForwardDynamics``.

    Parameters
    ----------
    model : Model
        The robot.
    request : ForwardDynamics.Request
        Positions; velocities and efforts or nothing.

    Returns
    -------
    States
        ``driven`` holds the generalized forces.

    Raises
    ------
    UnknownNameError, ShapeError, NotFiniteError, InvalidValueError, UnsupportedError
        If the request is not as its definition says.

    """
    return _read(model, request, output='accelerations', driven='effort',
                 base=('base_wrenches', 'force', 'torque'))


def read_inverse(model: Model, request: Any) -> States:
    """
    Read a request of ``mbd_msgs/srv/InverseDynamics``.

    Parameters
    ----------
    model : Model
        The robot.
    request : InverseDynamics.Request
        Positions; velocities and accelerations or nothing.

    Returns
    -------
    States
        ``driven`` holds the accelerations.

    Raises
    ------
    UnknownNameError, ShapeError, NotFiniteError, InvalidValueError, UnsupportedError
        If the request is not as its definition says.

    """
    return _read(model, request, output='effort', driven='accelerations',
                 base=('base_accelerations', 'linear', 'angular'))


def read_configurations(model: Model, request: Any) -> States:
    """
    Read a request of ``mbd_msgs/srv/MassMatrix``.

    Parameters
    ----------
    model : Model
        The robot.
    request : MassMatrix.Request
        Positions and nothing else.

    Returns
    -------
    States
        ``v`` and ``driven`` are zero.

    Raises
    ------
    UnknownNameError, ShapeError, NotFiniteError, InvalidValueError, UnsupportedError
        If the request is not as its definition says.

    """
    order = _checked(model, request, output='velocities')
    for field in ('accelerations', 'effort'):
        _check_empty(request.points, field)
    q = _configurations(model, request, order)
    v = np.zeros((len(q), model.nv))
    return States(order, q, v, v)


def read_terms(model: Model, request: Any, default_gravity: Sequence[float]) -> dict[str, Any]:
    """
    Read what else enters the equations.

    Parameters
    ----------
    model : Model
        The robot.
    request : ForwardDynamics.Request or InverseDynamics.Request
        With gravity, wrenches, dissipation, formulation and executor.
    default_gravity : sequence of float
        (3,) used where the request gives none [m/s^2].

    Returns
    -------
    dict
        Keyword arguments of ``mbd_ros.forward_dynamics``.

    Raises
    ------
    UnknownNameError, ShapeError, NotFiniteError
        If a link is unknown, or wrenches are too few, too many or not finite.

    """
    gravity = [_components(vector, VECTOR3, 'gravity') for vector in request.gravity]
    return {
        'gravity': gravity[0] if gravity else list(default_gravity),
        'external_forces': _external_forces(model, request),
        'dissipation': bool(request.dissipation),
        **read_choices(request),
    }


def read_choices(request: Any) -> dict[str, Any]:
    """Return formulation and executor of a request as keyword arguments; empty means auto."""
    return {'formulation': request.formulation or 'auto', 'executor': request.executor or 'auto'}


def _read(model: Model, request: Any, *, output: str, driven: str, base: tuple[str, str, str]
          ) -> States:
    """Read states; ``base`` names the field of what drives a floating base, and its parts."""
    order = _checked(model, request, output=output)
    q, v = _states(model, request, order)
    given = _spread(model, request.points, driven, order)
    name, *parts = base
    if order.base is not None and getattr(request, name):
        given[:, :6] = _six(getattr(request, name), name, len(request.points), *parts)
    return States(order, q, v, given)


def _checked(model: Model, request: Any, *, output: str) -> JointOrder:
    """Return the order of the joints after the checks that all requests share."""
    name_elastic_coordinates(model, request)
    order = joint_order(model, request.joint_names)
    if not request.points:
        raise ShapeError('points', (0,), 'at least one point')
    _check_empty(request.points, output)
    if order.base is None:
        for field in ('base_poses', 'base_twists', 'base_wrenches', 'base_accelerations'):
            if getattr(request, field, None):
                raise InvalidValueError(field, f'{len(getattr(request, field))} entries',
                                        'none: the base of this robot does not float')
    return order


def _check_empty(points: Sequence[Any], field: str) -> None:
    index = first_filled(points, field)
    if index is not None:
        raise InvalidValueError(f'{field} of point {index}',
                                f'{len(getattr(points[index], field))} numbers',
                                'none: this service does not take them')


def _states(model: Model, request: Any, order: JointOrder) -> tuple[Array, Array]:
    """Return q (N, nq) and v (N, nv) of the points."""
    v = _spread(model, request.points, 'velocities', order)
    if order.base is not None and request.base_twists:
        v[:, :6] = _six(request.base_twists, 'base_twists', len(request.points), 'linear',
                        'angular')
    return _configurations(model, request, order), v


def _configurations(model: Model, request: Any, order: JointOrder) -> Array:
    """Return q (N, nq) of the points."""
    count = len(request.points)
    q = np.tile(neutral(model), (count, 1))
    q[:, order.q] = rows_of(request.points, 'positions', order.names, needed=True)
    if order.base is not None:
        _check_count(request.base_poses, 'base_poses', count)
        for index, pose in enumerate(request.base_poses):
            where = f'base_poses[{index}]'
            turn = _components(pose.orientation, QUATERNION, where)
            length = math.hypot(*turn)
            if abs(length - 1.0) > 1e-3:
                raise InvalidValueError(f'{where}.orientation', turn,
                                        'a quaternion x y z w of length 1')
            q[index, :3] = _components(pose.position, VECTOR3, where)
            q[index, 3:7] = np.array(turn) / length
    return q


def _spread(model: Model, points: Sequence[Any], field: str, order: JointOrder) -> Array:
    """Return a field of the points in the order of v (N, nv); zero where it is empty."""
    spread = np.zeros((len(points), model.nv))
    spread[:, order.v] = rows_of(points, field, order.names, needed=False)
    return spread


def _six(messages: Sequence[Any], name: str, count: int, *parts: str) -> Array:
    """Return messages of two vectors as (N, 6)."""
    _check_count(messages, name, count)
    return np.array([[value for part in parts
                      for value in _components(getattr(one, part), VECTOR3, f'{name}[{index}]')]
                     for index, one in enumerate(messages)])


def _check_count(messages: Sequence[Any], name: str, count: int) -> None:
    if len(messages) != count:
        raise ShapeError(name, (len(messages),), f'({count},), one for each point')


def _components(message: Any, names: Sequence[str], where: str) -> list[float]:
    """Return the components of a vector or quaternion."""
    values = [float(getattr(message, name)) for name in names]
    for name, value in zip(names, values):
        if not math.isfinite(value):
            raise NotFiniteError(where, name, value)
        if abs(value) > LARGEST:
            raise InvalidValueError(f'{where}.{name}', value, f'from {-LARGEST:g} to {LARGEST:g}')
    return values


def _external_forces(model: Model, request: Any) -> Mapping[str, Array] | None:
    """Return the wrenches on links as (L: (6,) or (N, 6)), or None without any."""
    links, wrenches, count = request.wrench_links, request.wrenches, len(request.points)
    if not links and not wrenches:
        return None
    for link in links:
        if link not in model.links:
            raise UnknownNameError('link', link, model.links)
    if len(set(links)) < len(links):
        raise InvalidValueError('wrench_links', list(links), 'each link at most once')
    if len(wrenches) not in (len(links), count * len(links)):
        raise ShapeError('wrenches', (len(wrenches),),
                         f'({len(links)},) for all points alike, or ({count * len(links)},)')
    read: Callable[[Sequence[Wrench]], Array] = lambda chosen: _six(   # noqa: E731
        chosen, 'wrenches', len(chosen), 'force', 'torque')
    if len(wrenches) == len(links):
        return dict(zip(links, read(wrenches)))
    return {link: read(wrenches[index::len(links)]) for index, link in enumerate(links)}
