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

"""Mechanism to SDF, the format of Gazebo."""

from __future__ import annotations

from math import inf
from typing import Any

from lxml import etree

from mbd_ros.description.records.mechanism import (
    Inertia, Joint, Mechanism, Pose, STANDARD_GRAVITY)
from mbd_ros.description.records.poses import roll_pitch_yaw
from mbd_ros.description.records.vocabulary import DRAKE
from mbd_ros.description.write.annotations import refuse_annotations
from mbd_ros.description.write.loops import loop_element, numbers_text
from mbd_ros.errors import UnsupportedError

VERSION = '1.9'
"""The oldest with ``relative_to`` everywhere and in wide use."""

WORLD = 'world'
"""What SDFormat fixes models to; no link, joint or model may have this name."""

_NOTHING = Inertia(0.0)

_TYPES = {'revolute': 'revolute', 'continuous': 'continuous', 'prismatic': 'prismatic',
          'fixed': 'fixed', 'spherical': 'ball'}


def sdf_text(mechanism: Mechanism) -> str:
    """
    Return the kinematic and inertial content of a robot as SDF.

    The root link is fixed to the world, or is the world if that is its name. Rotor inertia is
    written as Drake's. Springs between points have no words there, limits of acceleration and jerk
    neither; the latter are left out, as is the inertia of a root ``world``.

    Parameters
    ----------
    mechanism : Mechanism
        The robot.

    Returns
    -------
    str
        XML; numbers have all their digits.

    Raises
    ------
    UnsupportedError
        If something has no counterpart, so that the robot would move differently, or a name is
        not one that SDFormat allows.

    """
    _refuse(mechanism)
    _check_names(mechanism)
    sdf = etree.Element('sdf', version=VERSION, nsmap={'drake': DRAKE[0][1:-1]} if any(
        joint.dynamics.armature for joint in mechanism.joints) else None)
    world = sdf
    if mechanism.gravity != STANDARD_GRAVITY:   # which only worlds have
        world = etree.SubElement(sdf, 'world', name=f'{mechanism.name}_world')
        etree.SubElement(world, 'gravity').text = numbers_text(mechanism.gravity)
    model = etree.SubElement(world, 'model', name=mechanism.name)
    joints = {joint.child: joint for joint in mechanism.joints}
    for link in mechanism.links:
        if link.name == WORLD:
            continue
        element = etree.SubElement(model, 'link', name=link.name)
        joint = joints.get(link.name)
        if joint is not None:
            _add_pose(element, joint.origin, joint.parent)
        _add_inertial(element, link.inertia or _NOTHING)
        if link.gravity_compensation == 1.0:
            etree.SubElement(element, 'gravity').text = 'false'
    if mechanism.root != WORLD:
        anchor = etree.SubElement(model, 'joint', name=_anchor(mechanism), type='fixed')
        etree.SubElement(anchor, 'parent').text = WORLD
        etree.SubElement(anchor, 'child').text = mechanism.root
    for joint in mechanism.joints:
        _add_joint(model, joint)
    for loop in mechanism.loop_joints:
        model.extend(loop_element(loop, 'gazebo', mechanism))
    etree.indent(sdf)
    return str(etree.tostring(sdf, encoding='unicode')) + '\n'


def _refuse(mechanism: Mechanism) -> None:
    for joint in mechanism.joints:
        what = (f"{joint.kind} joint '{joint.name}'" if joint.kind not in _TYPES else
                f"rotor inertia of joint '{joint.name}'" if (
                    joint.dynamics.armature and joint.kind == 'spherical') else
                f"polynomial that joint '{joint.name}' follows" if (
                    joint.mimic is not None and joint.mimic.powers) else
                f"spring of joint '{joint.name}', which is not one with a single stiffness," if (
                    _unwritten_spring(joint)) else '')
        if what:
            raise UnsupportedError(f'writing the {what} as SDF', (
                f"allowed: {', '.join(_TYPES)}, the last without rotor inertia"),
                source=joint.source)
    for link in mechanism.links:
        if link.gravity_compensation not in (0.0, 1.0):
            raise UnsupportedError(f"writing the gravity compensation of link '{link.name}' as "
                                   'SDF', 'allowed: all of its weight, or none',
                                   source=link.source)
    for spring in mechanism.springs:
        raise UnsupportedError(f"writing the spring '{spring.name}' as SDF",
                               'write URDF, which has words for springs in our namespace',
                               source=spring.source)
    refuse_annotations(mechanism, 'SDF')


def _check_names(mechanism: Mechanism) -> None:
    """Refuse names that SDFormat reserves, or knows only once among links and joints."""
    owners: dict[str, str] = {}
    for kind, items in (('link', mechanism.links), ('joint', mechanism.joints),
                        ('loop joint', mechanism.loop_joints)):
        for item in items:
            name = item.name
            if (kind, name) == ('link', mechanism.root) and name == WORLD:
                continue
            reserved = name == WORLD or '::' in name or (
                name.startswith('__') and name.endswith('__'))
            if reserved or name in owners:
                raise UnsupportedError(
                    f"writing the {kind} '{name}' as SDF",
                    f'SDFormat reserves {WORLD}, __names__ and :: for itself; rename the {kind}'
                    if reserved else
                    f'SDFormat wants other names for joints than for links, and there is a '
                    f'{owners[name]} of that name; rename one', source=item.source)
            owners[name] = kind


def _anchor(mechanism: Mechanism) -> str:
    """Return a name for the joint between world and root, which nothing else has."""
    taken = {item.name for items in (mechanism.links, mechanism.joints, mechanism.loop_joints)
             for item in items}
    name = f'world_{mechanism.root}'
    while name in taken:
        name += '_'
    return name


def _add_pose(element: Any, pose: Pose, relative_to: str) -> None:
    """Add a pose; that of the world is the one of the model, which has no name there."""
    base = {} if relative_to == WORLD else {'relative_to': relative_to}
    etree.SubElement(element, 'pose', base).text = numbers_text(
        (*pose.translation, *roll_pitch_yaw(pose.rotation)))


def _add_inertial(link: Any, inertia: Inertia) -> None:
    """Add mass properties, also where they are zero: without them SDFormat assumes 1 kg."""
    element = etree.SubElement(link, 'inertial')
    etree.SubElement(element, 'pose').text = numbers_text((*inertia.center, 0.0, 0.0, 0.0))
    etree.SubElement(element, 'mass').text = numbers_text([inertia.mass])
    tensor = etree.SubElement(element, 'inertia')
    for i in range(3):
        for j in range(i, 3):
            etree.SubElement(tensor, f"i{'xyz'[i]}{'xyz'[j]}").text = numbers_text(
                [inertia.tensor[i][j]])


def _add_joint(model: Any, joint: Joint) -> None:
    element = etree.SubElement(model, 'joint', name=joint.name, type=_TYPES[joint.kind])
    etree.SubElement(element, 'parent').text = joint.parent
    etree.SubElement(element, 'child').text = joint.child
    if joint.kind in ('fixed', 'spherical'):
        return
    axis = etree.SubElement(element, 'axis')
    etree.SubElement(axis, 'xyz').text = numbers_text(joint.axis)
    limits = {'lower': joint.limits.lower, 'upper': joint.limits.upper,
              'effort': joint.limits.effort, 'velocity': joint.limits.velocity}
    _add_numbers(axis, 'limit', {name: value for name, value in limits.items()
                                 if abs(value) != inf})
    _add_numbers(axis, 'dynamics', {name: value for name, value in (
        ('damping', joint.dynamics.damping), ('friction', joint.dynamics.friction),
        *_spring(joint)) if value})
    if joint.mimic is not None:
        mimic = etree.SubElement(axis, 'mimic', joint=joint.mimic.joint)
        etree.SubElement(mimic, 'multiplier').text = numbers_text([joint.mimic.multiplier])
        etree.SubElement(mimic, 'offset').text = numbers_text([joint.mimic.offset])
        etree.SubElement(mimic, 'reference').text = '0'
    if joint.dynamics.armature:
        etree.SubElement(element, f'{DRAKE[0]}rotor_inertia').text = numbers_text(
            [joint.dynamics.armature])
        etree.SubElement(element, f'{DRAKE[0]}gear_ratio').text = '1'


def _spring(joint: Joint) -> tuple[tuple[str, float], ...]:
    """Return the spring of a joint, which has one at most."""
    return tuple((word, value) for spring in joint.dynamics.springs for word, value in (
        ('spring_stiffness', spring.stiffness[0]),
        ('spring_reference', spring.reference[0] if spring.reference else 0.0)))


def _unwritten_spring(joint: Joint) -> bool:
    springs = joint.dynamics.springs
    return len(springs) > 1 or any(
        one.slack or any(one.stiffness[1:]) or joint.kind == 'spherical' for one in springs)


def _add_numbers(parent: Any, tag: str, values: dict[str, float]) -> None:
    if not values:
        return
    element = etree.SubElement(parent, tag)
    for name, value in values.items():
        etree.SubElement(element, name).text = numbers_text([value])
