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

"""Mechanism to URDF."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import lru_cache
from itertools import chain
from math import inf
import sys
from typing import Any

from lxml import etree

from mbd_ros.description.records.mechanism import (
    Inertia, Joint, Limits, Mechanism, STANDARD_GRAVITY)
from mbd_ros.description.records.vocabulary import (
    ARMATURE, COUPLED, CUBIC_DAMPING, DRAKE, GENERATION, GRAVITY, GRAVITY_COMPENSATION, NAMESPACE,
    POLYNOMIAL, QUADRATIC_DAMPING, SERIES_ELASTIC, SPRING)
from mbd_ros.description.write.annotations import (
    contact_element, flexible_element, fluid_element, thruster_element)
from mbd_ros.description.write.loops import add_origin, loop_element, numbers_text, spring_element

LARGEST = sys.float_info.max
"""Stands for no limit where URDF asks for one, to Pinocchio, too."""


def urdf_text(mechanism: Mechanism, *, loops: str = 'loop_joint',
              shapes: Mapping[str, Sequence[Any]] | None = None,
              others: Iterable[Any] = ()) -> str:
    """
    Return a robot as URDF, which is read back as the same robot.

    Parameters
    ----------
    mechanism : Mechanism
        The robot.
    loops : {'loop_joint', 'constraint', 'drake', 'gazebo', 'joint'}
        Dialect of the loop joints; springs are written as Drake's with ``'drake'``.
    shapes : mapping of str to sequence of lxml element, optional
        ``<visual>`` and ``<collision>`` elements by the name of their link.
    others : iterable of lxml element
        Further children of ``<robot>``, for other programs.

    Returns
    -------
    str
        XML; numbers have all their digits, orientations are roll, pitch and yaw.

    Raises
    ------
    UnsupportedError
        If the dialect has no words for some loop joint.

    """
    shapes = {} if shapes is None else shapes
    others = list(others)
    prefixes = {'mbd': NAMESPACE, 'drake': DRAKE[0].strip('{}')} | {
        prefix: uri for element in (*others, *chain.from_iterable(shapes.values()))
        for prefix, uri in element.nsmap.items()}
    robot = etree.Element('robot', name=mechanism.name, nsmap={'mbd': NAMESPACE})
    if mechanism.generation:
        robot.set(GENERATION, str(mechanism.generation))
    if mechanism.gravity != STANDARD_GRAVITY:
        robot.set(GRAVITY, numbers_text(mechanism.gravity))
    annotations: dict[str, list[Any]] = defaultdict(list)
    for body in mechanism.fluids:
        annotations[body.link].append(fluid_element(body))
    for flexible in mechanism.flexibles:
        annotations[flexible.link].append(flexible_element(flexible))
    for contact in mechanism.contacts:
        annotations[contact.link].append(contact_element(contact))
    for thruster in mechanism.thrusters:
        annotations[thruster.link].append(thruster_element(thruster))
    for link in mechanism.links:
        element = etree.SubElement(robot, 'link', name=link.name)
        if link.inertia is not None:
            element.append(inertial_element(link.inertia))
        element.extend(annotations.get(link.name, ()))
        if link.gravity_compensation:
            etree.SubElement(element, GRAVITY_COMPENSATION,
                             value=numbers_text([link.gravity_compensation]))
        element.extend(shapes.get(link.name, ()))
    robot.extend(map(_joint, mechanism.joints))
    robot.extend(loop_element(loop, loops, mechanism) for loop in mechanism.loop_joints)
    robot.extend(spring_element(spring, 'drake' if loops == 'drake' else 'mbd')
                 for spring in mechanism.springs)
    robot.extend(others)
    etree.cleanup_namespaces(robot, top_nsmap=prefixes)
    etree.indent(robot)
    return str(etree.tostring(robot, encoding='unicode')) + '\n'


def inertial_element(inertia: Inertia) -> Any:
    """Return the ``<inertial>`` of a link."""
    return copy(_inertial(inertia))


@lru_cache(maxsize=1024)
def _inertial(inertia: Inertia) -> Any:
    """Return the element, to be copied; robots of many equal modules have few of them."""
    element = etree.Element('inertial')
    if any(inertia.center):
        etree.SubElement(element, 'origin', xyz=numbers_text(inertia.center))
    etree.SubElement(element, 'mass', value=numbers_text([inertia.mass]))
    etree.SubElement(element, 'inertia', {
        f"i{'xyz'[i]}{'xyz'[j]}": numbers_text([inertia.tensor[i][j]])
        for i in range(3) for j in range(i, 3)})
    return element


def _joint(joint: Joint) -> Any:
    element = etree.Element('joint', name=joint.name, type=joint.kind)
    add_origin(element, 'origin', joint.origin)
    etree.SubElement(element, 'parent', link=joint.parent)
    etree.SubElement(element, 'child', link=joint.child)
    if joint.kind == 'fixed':
        return element
    if joint.kind not in ('floating', 'spherical'):
        etree.SubElement(element, 'axis', xyz=numbers_text(joint.axis))
    if joint.kind == 'planar':
        return element
    limits = _limits(joint)
    if joint.kind in ('revolute', 'prismatic') or (limits and joint.kind == 'continuous'):
        etree.SubElement(element, 'limit', limits)
    resistance = {word: numbers_text([value]) for word, name in (
        ('damping', 'damping'), ('friction', 'friction'),
        (QUADRATIC_DAMPING, 'quadratic_damping'), (CUBIC_DAMPING, 'cubic_damping'))
        if (value := getattr(joint.dynamics, name))}
    if resistance:
        etree.SubElement(element, 'dynamics', resistance)
    if joint.mimic is not None and joint.mimic.powers:
        etree.SubElement(element, POLYNOMIAL, joint=joint.mimic.joint, coefficients=numbers_text(
            (joint.mimic.offset, joint.mimic.multiplier, *joint.mimic.powers)))
    elif joint.mimic is not None:
        mimic = etree.SubElement(element, 'mimic', joint=joint.mimic.joint,
                                 multiplier=numbers_text([joint.mimic.multiplier]),
                                 offset=numbers_text([joint.mimic.offset]))
        if joint.mimic.always:
            mimic.set(COUPLED, 'true')
    if joint.dynamics.armature:
        etree.SubElement(element, ARMATURE, value=numbers_text([joint.dynamics.armature]))
    if joint.dynamics.series_stiffness:
        etree.SubElement(element, SERIES_ELASTIC, {
            name: numbers_text([value]) for name, value in (
                ('stiffness', joint.dynamics.series_stiffness),
                ('damping', joint.dynamics.series_damping)) if value})
    for spring in joint.dynamics.springs:
        part = etree.SubElement(element, SPRING, {
            name: numbers_text([value]) for name, value in zip(
                ('stiffness', 'quadratic_stiffness', 'cubic_stiffness'), spring.stiffness)
            if value})
        if any(spring.reference):
            part.set('reference', numbers_text(spring.reference))
        if spring.slack:
            part.set('slack', numbers_text([spring.slack]))
    return element


def _limits(joint: Joint) -> dict[str, str]:
    """Return a limit; urdfdom refuses one without effort and velocity."""
    limits: Limits = joint.limits
    given = {name: value for name in ('effort', 'velocity', 'acceleration', 'deceleration', 'jerk')
             if (value := getattr(limits, name)) != inf}
    if joint.kind != 'continuous':
        given = {'lower': max(limits.lower, -LARGEST), 'upper': min(limits.upper, LARGEST)} | given
    if given:
        given = {'effort': LARGEST, 'velocity': LARGEST} | given
    return {name: numbers_text([value]) for name, value in given.items()}
