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

"""Joints of a robot matched with those of the robot that replaces it."""

from __future__ import annotations

from collections.abc import Mapping
import math

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import InvalidValueError, NotFiniteError, UnknownNameError
from mbd_ros.model.joints.joint_manifold import MANIFOLDS
from mbd_ros.model.joints.joint_type import JointType
from mbd_ros.model.model import Model
from mbd_ros.model.rigid_motion import of_matrix
from mbd_ros.model.state import neutral

Array = NDArray[np.float64]


def same_joints(old: Model, new: Model) -> list[tuple[slice, slice]]:
    """Return where the velocities of joints of one name and type are in v, old and new."""
    place = {name: i for i, name in enumerate(old.joint_names)}
    return [(_slice(old, place[name]), _slice(new, i)) for i, name in enumerate(new.joint_names)
            if name in place and old.joint_types[place[name]] is new.joint_types[i]]


def _slice(model: Model, joint: int) -> slice:
    start = model.v_offsets[joint]
    return slice(start, start + model.joint_types[joint].nv)


def unmoved(old: Model, q: Array, new: Model) -> Array:
    """Return q (nq,) of a new robot with neutral joints, its links bent as those of the old."""
    result = neutral(new)
    bent = dict(zip(old.elastic_names, q[old.nq - len(old.elastic_names):]))
    for k, name in enumerate(new.elastic_names, start=new.nq - len(new.elastic_names)):
        result[k] = bent.get(name, 0.0)
    return result


def matched_configuration(old: Model, q: Array, poses: Mapping[str, Array], new: Model,
                          positions: Mapping[str, float], standing: Mapping[str, Array]) -> Array:
    """
    Return the configuration at which links stand to each other as before, as far as joints allow.

    A joint that is as it was keeps its coordinates, whole turns included. Another one takes those
    at which the link it moves is nearest to where it was against the link it hangs on, within the
    joint's limits. Where one of them is new, it is neutral. Links bend as before.

    Parameters
    ----------
    old : Model
        The robot so far.
    q : (nq,) array
        Its configuration.
    poses : mapping of str to (4, 4) array
        Of its links in the world.
    new : Model
        The robot from now on.
    positions : mapping of str to float
        Of joints with one coordinate; they have precedence.
    standing : mapping of str to (4, 4) array
        Poses of the links of the new robot at ``unmoved(old, q, new)``.

    Returns
    -------
    (nq,) array
        Of the new robot.

    Raises
    ------
    UnknownNameError, InvalidValueError, NotFiniteError
        If a position is given of a joint that does not exist or has several coordinates, or is
        beyond the limits.

    """
    result = unmoved(old, q, new)
    kept = {joint.name: joint for joint in old.mechanism.joints}
    now = {joint.name: joint for joint in new.mechanism.joints}
    place = {name: i for i, name in enumerate(old.joint_names)}
    seen = _first_links(new, poses)
    for i, (name, kind) in enumerate(zip(new.joint_names, new.joint_types)):
        own = slice(new.q_offsets[i], new.q_offsets[i] + kind.nq)
        if name in positions:
            result[own] = _given(new, i, positions[name])
        elif name in place and _alike(kept.get(name), now.get(name)):
            start = old.q_offsets[place[name]]
            result[own] = q[start:start + kind.nq]
        else:
            link, carrier = seen.get(i), seen.get(new.parents[i])
            zero = new.links[new.body_names[i]].body_pose(standing[new.body_names[i]])
            if link is not None and (carrier is not None or new.parents[i] < 0):
                child = poses[link] @ np.linalg.solve(standing[link], zero)
                if carrier is not None:
                    zero = poses[carrier] @ np.linalg.solve(standing[carrier], zero)
                result[own] = _nearest(new, i, zero, child)
    for name in positions:
        if name not in new.joint_names:
            raise UnknownNameError('joint', name, new.joint_names)
    return result


def _alike(old: object, new: object) -> bool:
    """Tell whether two records of a joint, None for an added floating base, mean the same."""
    fields = ('kind', 'parent', 'child', 'origin', 'axis')
    return all(getattr(old, field, None) == getattr(new, field, None) for field in fields)


def _given(model: Model, joint: int, value: float) -> float:
    name = model.joint_names[joint]
    if not model.joint_types[joint].is_simple:
        raise InvalidValueError('positions', name, 'joints with one coordinate')
    if not math.isfinite(value):
        raise NotFiniteError('the position', f"joint '{name}'", value)
    lower, upper = (float(limits[model.v_offsets[joint]])
                    for limits in (model.lower, model.upper))
    if not lower <= value <= upper:
        raise InvalidValueError(f"the position of joint '{name}'", value,
                                f'{lower:.9g} to {upper:.9g}')
    return value


def _first_links(model: Model, poses: Mapping[str, Array]) -> dict[int, str]:
    """Return of each body the first link that was there, as far as there is one."""
    found: dict[int, str] = {}
    for name, frame in model.links.items():
        if frame.body >= 0 and name in poses:
            found.setdefault(frame.body, name)
    return found


def _nearest(model: Model, joint: int, zero: Array, child: Array) -> Array:
    """Return the coordinates at which a body is nearest to a pose, within the limits."""
    turn, shift = zero[:3, :3].T @ child[:3, :3], zero[:3, :3].T @ (child[:3, 3] - zero[:3, 3])
    kind, first = model.joint_types[joint], model.v_offsets[joint]
    if not kind.is_simple:
        x, y, z = shift.tolist()
        return np.array(MANIFOLDS[kind].at(((x, y, z), of_matrix(turn.tolist()))))
    lower, upper = float(model.lower[first]), float(model.upper[first])
    if kind is JointType.PRISMATIC:
        return np.array([min(max(float(shift[2]), lower), upper)])
    angle = math.atan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1])
    return np.array([_within(angle, lower, upper)])


def _within(angle: float, lower: float, upper: float) -> float:
    """Return the angle, whole turns further if need be, or the limit that is nearest to it."""
    if angle < lower:
        angle += math.tau * math.ceil((lower - angle) / math.tau)
    elif angle > upper:
        angle -= math.tau * math.ceil((angle - upper) / math.tau)
    if lower <= angle <= upper:
        return angle
    return min((lower, upper), key=lambda limit: -math.cos(limit - angle))


def matched_rates(old: Model, values: Array, new: Model) -> Array:
    """
    Return values of v or tau of a robot for the robot that takes its place.

    Parameters
    ----------
    old : Model
        The robot so far.
    values : (nv,) array
        One for each of its velocities.
    new : Model
        The robot from now on.

    Returns
    -------
    (nv,) array
        Zero for joints that are new.

    """
    result = np.zeros(new.nv)
    for there, here in same_joints(old, new):
        result[here] = values[there]
    return result
