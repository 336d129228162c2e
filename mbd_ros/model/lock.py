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

"""Robots with some joints held where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import Joint, Mechanism, Pose
from mbd_ros.errors import InvalidValueError, UnknownNameError, UnsupportedError
from mbd_ros.model.build import build_model
from mbd_ros.model.joints.joint_type import JointType
from mbd_ros.model.model import Model

Array = NDArray[np.float64]
HELD = ('revolute', 'continuous', 'prismatic')


def lock(model: Model, positions: Mapping[str, float]) -> Model:
    """
    Return the robot with some joints held: a model without their coordinates.

    Parameters
    ----------
    model : Model
        The robot.
    positions : mapping of str to float
        Where each joint is held [rad or m]: revolute, continuous and prismatic ones.

    Returns
    -------
    Model
        The links stay, and force laws; what a held joint moved is part of the body before it.

    Raises
    ------
    UnknownNameError
        If there is no such joint.
    InvalidValueError
        If a position is not a finite number, or there is no mapping.
    UnsupportedError
        If a joint has several coordinates, has series elasticity, or is coupled to one that is
        not held.

    """
    if not isinstance(positions, Mapping):
        raise InvalidValueError('positions', positions, 'a mapping of joints to positions')
    names = model.joint_names
    for name, position in positions.items():
        if name not in names:
            raise UnknownNameError('joint', name, names)
        if not isinstance(position, (int, float, np.number)) or not np.isfinite(position):
            raise InvalidValueError(f"the position of joint '{name}'", position,
                                    'a finite number [rad or m]')
    coupled = {loop.name for loop in model.loops if loop.kind == 'mimic'}
    joints = tuple(_held(joint, float(positions[joint.name])) if joint.name in positions else joint
                   for joint in model.mechanism.joints)
    for name in positions:
        joint = next((one for one in model.mechanism.joints if one.name == name), None)
        if joint is None or joint.kind not in HELD:
            kind = model.joint_types[model.joint_index(name)].value
            raise UnsupportedError(f"holding the {kind} joint '{name}'",
                                   'joints with one coordinate')
        if model.elastic is not None and joint.dynamics.series_stiffness:
            raise UnsupportedError(f"holding the joint '{name}', which has series elasticity,",
                                   'load the robot with flexible=False')
    for joint in model.mechanism.joints:
        if joint.name in coupled and joint.mimic is not None and (joint.name in positions) != (
                joint.mimic.joint in positions):
            raise UnsupportedError(
                f"holding one of the coupled joints '{joint.name}' and '{joint.mimic.joint}'",
                'hold both')
    return rebuilt(model, replace(model.mechanism, joints=joints))


def rebuilt(model: Model, mechanism: Mechanism, **options: bool) -> Model:
    """
    Return the model of a changed mechanism, with the base, couplings and surroundings of another.

    Parameters
    ----------
    model : Model
        The robot before the change.
    mechanism : Mechanism
        Its records after it.
    **options : bool
        Of ``build_model``, where they are to be others.

    Returns
    -------
    Model
        Under the same laws; in a vacuum if that is where the robot was.

    """
    other = build_model(mechanism, **{**build_options(model), **options},
                        generation=model.generation).with_laws(*model.laws)
    frames = model.links if model.elastic is None else model.elastic.links
    dry = not model.fluids and any(
        frames[fluid.link].body >= 0 for fluid in model.mechanism.fluids)
    other = replace(other, gravity=model.gravity)
    return replace(other, fluids=()) if dry else other


def build_options(model: Model) -> dict[str, bool]:
    """Return the options by which a model was made from its mechanism."""
    floating = bool(model.joint_types) and model.joint_types[0] is JointType.FLOATING and (
        model.body_names[0] == model.root)
    always = {joint.name for joint in model.mechanism.joints
              if joint.mimic is not None and joint.mimic.always}
    return {'floating_base': floating, 'flexible': model.elastic is not None,
            'mimic': any(loop.name not in always for loop in model.loops if loop.kind == 'mimic')}


def _held(joint: Joint, position: float) -> Joint:
    """Return a joint as a fixed one at a position."""
    rotation, translation = np.array(joint.origin.rotation), np.array(joint.origin.translation)
    axis = np.array(joint.axis)
    if joint.kind == 'prismatic':
        translation = translation + rotation @ axis * position
    else:
        cross = np.cross(np.eye(3), axis)
        rotation = rotation @ (np.eye(3) + np.sin(position) * cross
                               + (1.0 - np.cos(position)) * cross @ cross)
    rows = tuple(tuple(float(entry) for entry in row) for row in rotation)
    return replace(joint, kind='fixed', mimic=None, origin=Pose(
        rows, tuple(float(entry) for entry in translation)))  # type: ignore[arg-type]
