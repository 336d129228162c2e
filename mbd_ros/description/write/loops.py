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

"""Loop joints and springs back to text, in every dialect they are read from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from lxml import etree
import numpy as np

from mbd_ros.description.records.mechanism import LoopJoint, Mechanism, Pose, SpringDamper, Vector3
from mbd_ros.description.records.poses import inverse, matrix_of, pose_from, roll_pitch_yaw
from mbd_ros.description.records.vocabulary import DRAKE, NAMESPACE
from mbd_ros.description.records.zero_poses import zero_poses
from mbd_ros.errors import InvalidValueError, UnsupportedError

Z: Vector3 = (0.0, 0.0, 1.0)

CLOSED = 1e-9
"""Frames closer than this [m, and entries of rotations] coincide; drawings are not that exact."""


def numbers_text(values: Iterable[float]) -> str:
    """Return numbers with all their digits, so that they are read back as they are."""
    return ' '.join(repr(float(value) + 0.0) for value in values)


def add_origin(parent: Any, tag: str, pose: Pose) -> None:
    """Add an element with the pose as ``xyz`` and ``rpy``, unless it is the identity."""
    if pose != Pose():
        etree.SubElement(parent, tag, placement(pose))


@lru_cache(maxsize=4096)
def placement(pose: Pose) -> dict[str, str]:
    """Return the attributes ``xyz`` and ``rpy`` of a pose, not to be changed."""
    return {'xyz': numbers_text(pose.translation),
            'rpy': numbers_text(roll_pitch_yaw(pose.rotation))}


def loop_element(loop: LoopJoint, dialect: str = 'loop_joint',
                 mechanism: Mechanism | None = None) -> Any:
    """
    Return a loop joint as an element of a URDF.

    Parameters
    ----------
    loop : LoopJoint
        The joint.
    dialect : {'loop_joint', 'constraint', 'drake', 'gazebo', 'joint'}
        How it is written; ``'joint'`` is a second joint onto the child.
    mechanism : Mechanism, optional
        The robot; ``'gazebo'`` needs it, because it gives the frame in one link only: in the other
        it is where it stands while all joints are at zero.

    Returns
    -------
    lxml element
        A child for ``<robot>``.

    Raises
    ------
    UnsupportedError
        If the dialect has no words for this joint.

    """
    if dialect == 'gazebo':
        if mechanism is None:
            raise InvalidValueError('mechanism', None, "the robot, for the dialect 'gazebo'")
        return _gazebo(loop, mechanism)
    if dialect not in _WRITERS:
        raise InvalidValueError('dialect', dialect, ', '.join(map(repr, (*_WRITERS, 'gazebo'))))
    return _WRITERS[dialect](loop)


def _plain(loop: LoopJoint) -> Any:
    element = etree.Element('loop_joint', name=loop.name, type=loop.kind)
    if loop.distance is not None:
        element.set('distance', numbers_text([loop.distance]))
    for tag, link, frame in (('link1', loop.link1, loop.frame1),
                             ('link2', loop.link2, loop.frame2)):
        etree.SubElement(element, tag, {'link': link} | placement(frame))
    return element


def _constraint(loop: LoopJoint) -> Any:
    if loop.kind == 'distance':
        raise _no_words(loop, '<constraint>')
    element = etree.Element('constraint', name=loop.name, type=loop.kind)
    axes = (Z, Z) if loop.kind != 'universal' else ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    for end, link, frame, axis in (('parent', loop.link1, loop.frame1, axes[0]),
                                   ('child', loop.link2, loop.frame2, axes[1])):
        etree.SubElement(element, end, link=link)
        etree.SubElement(element, f'{end}_origin', placement(frame))
        if loop.kind not in ('spherical', 'fixed'):
            etree.SubElement(element, f'{end}_axis', xyz=numbers_text(axis))
    return element


def _drake(loop: LoopJoint) -> Any:
    stem = {'spherical': 'ball_constraint', 'distance': 'distance_constraint'}.get(loop.kind)
    if stem is None:
        raise _no_words(loop, "Drake's tags")
    element = _drake_element(stem, loop.name, loop.link1, loop.frame1.translation, loop.link2,
                             loop.frame2.translation)
    if loop.distance is not None:
        _drake_value(element, 'distance', [loop.distance])
    return element


def _drake_element(stem: str, name: str, link1: str, point1: Vector3, link2: str,
                   point2: Vector3) -> Any:
    uri = DRAKE[0].strip('{}')
    element = etree.Element(f'{DRAKE[0]}{stem}', {'name': name}, nsmap={'drake': uri})
    for body, link in (('A', link1), ('B', link2)):
        etree.SubElement(element, f'{element.tag}_body_{body}', name=link)
    _drake_value(element, 'p_AP', point1)
    _drake_value(element, 'p_BQ', point2)
    return element


def _drake_value(element: Any, name: str, values: Iterable[float]) -> None:
    etree.SubElement(element, f'{element.tag}_{name}', value=numbers_text(values))


def _gazebo(loop: LoopJoint, mechanism: Mechanism) -> Any:
    kind = {'spherical': 'ball'}.get(loop.kind, loop.kind)
    if loop.kind in ('distance', 'planar'):
        raise _no_words(loop, 'SDFormat')
    axes = _axes_at_zero(loop, mechanism)
    element = etree.Element('gazebo')
    joint = etree.SubElement(element, 'joint', name=loop.name, type=kind)
    etree.SubElement(joint, 'parent').text = loop.link1
    etree.SubElement(joint, 'child').text = loop.link2
    etree.SubElement(joint, 'pose').text = numbers_text(
        (*loop.frame2.translation, *roll_pitch_yaw(loop.frame2.rotation)))
    for tag, axis in axes.items():
        etree.SubElement(etree.SubElement(joint, tag), 'xyz').text = numbers_text(axis)
    return element


def _axes_at_zero(loop: LoopJoint, mechanism: Mechanism) -> dict[str, Iterable[float]]:
    """Return the axes in the second frame, if the loop is closed while all joints are at zero."""
    poses = zero_poses(mechanism.root, mechanism.joints)
    first = inverse(poses[loop.link2] @ matrix_of(loop.frame2)) @ (
        poses[loop.link1] @ matrix_of(loop.frame1))
    compared = {'revolute': [2, 3], 'prismatic': [0, 1, 2, 3], 'fixed': [0, 1, 2, 3]}.get(
        loop.kind, [3])
    if not np.allclose(first[:, compared], np.eye(4)[:, compared], rtol=0.0, atol=CLOSED):
        raise UnsupportedError(
            f"writing the loop joint '{loop.name}' as SDFormat, while its frames differ with all "
            'joints at zero', 'write it as <loop_joint>, which holds both frames',
            source=loop.source)
    if loop.kind == 'universal':
        return {'axis': first[:3, 0].tolist(), 'axis2': (0.0, 1.0, 0.0)}
    return {'axis': Z} if loop.kind in ('revolute', 'prismatic') else {}


def _second_joint(loop: LoopJoint) -> Any:
    if loop.kind in ('distance', 'universal') or loop.frame2.translation != (0.0, 0.0, 0.0):
        raise _no_words(loop, 'a second <joint> onto the child, whose frame is that of the link,')
    element = etree.Element('joint', name=loop.name, type=loop.kind)
    etree.SubElement(element, 'parent', link=loop.link1)
    etree.SubElement(element, 'child', link=loop.link2)
    add_origin(element, 'origin', pose_from(
        matrix_of(loop.frame1) @ inverse(matrix_of(loop.frame2))))
    if loop.kind in ('revolute', 'prismatic', 'planar'):
        axis = np.array(loop.frame2.rotation)[:, 2]
        etree.SubElement(element, 'axis', xyz=numbers_text(axis))
    if loop.kind in ('revolute', 'prismatic'):
        etree.SubElement(element, 'limit', lower='0', upper='0', effort='0', velocity='0')
    return element


def spring_element(spring: SpringDamper, dialect: str = 'mbd') -> Any:
    """Return a spring as an element of a URDF: ``<mbd:spring_damper>``, or ``'drake'``'s."""
    values = {'stiffness': spring.stiffness, 'damping': spring.damping, 'length': spring.length}
    if dialect != 'drake' and spring.slack:
        values['slack'] = spring.slack
    if dialect == 'drake':
        if spring.slack:
            raise UnsupportedError(f"writing the spring '{spring.name}', which has slack, as "
                                   "Drake's", 'write URDF with our own elements',
                                   source=spring.source)
        element = _drake_element('linear_spring_damper', spring.name, spring.link1, spring.point1,
                                 spring.link2, spring.point2)
        for name, value in values.items():
            _drake_value(element, {'length': 'free_length'}.get(name, name), [value])
        return element
    element = etree.Element(f'{{{NAMESPACE}}}spring_damper', {'name': spring.name} | {
        name: numbers_text([value]) for name, value in values.items()}, nsmap={'mbd': NAMESPACE})
    for tag, link, point in (('link1', spring.link1, spring.point1),
                             ('link2', spring.link2, spring.point2)):
        etree.SubElement(element, tag, link=link, xyz=numbers_text(point))
    return element


def _no_words(loop: LoopJoint, dialect: str) -> UnsupportedError:
    return UnsupportedError(f"writing the {loop.kind} loop joint '{loop.name}' as {dialect}",
                            'write it as <loop_joint>, which has words for all kinds',
                            source=loop.source)


_WRITERS: dict[str, Callable[[LoopJoint], Any]] = {
    'loop_joint': _plain, 'constraint': _constraint, 'drake': _drake, 'joint': _second_joint}
