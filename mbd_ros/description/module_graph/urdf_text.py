"""A Mechanism as URDF text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
import math
from typing import Any

from lxml import etree

from mbd_ros.description.mechanism import (
    Inertia, Joint, Limits, Matrix3, Mechanism, Pose)
from mbd_ros.description.module_graph.records import Visual
from mbd_ros.description.vocabulary import ARMATURE, GENERATION, NAMESPACE
from mbd_ros.description.write_loops import loop_element, numbers_text, placement

Element = Any
IDENTITY = Pose()


def to_urdf(mechanism: Mechanism, *, visuals: Mapping[str, Sequence[Visual]] | None = None,
            generation: int = 0) -> Mechanism:
    """
    Return a mechanism with its description as URDF in ``text``.

    Parameters
    ----------
    mechanism : Mechanism
        Links, joints and loop joints.
    visuals : mapping of str to sequence of Visual, optional
        Shapes, by link.
    generation : int
        Number of the robot among those that take each other's place; 0: not written.

    Returns
    -------
    Mechanism
        Reading the text gives the same model.

    """
    robot = etree.Element('robot', nsmap={'mbd': NAMESPACE}, name=mechanism.name)
    if generation:
        robot.set(GENERATION, str(generation))
    for link in mechanism.links:
        element = etree.SubElement(robot, 'link', name=link.name)
        if link.inertia is not None:
            _inertial(element, link.inertia)
        for visual in (visuals or {}).get(link.name, ()):
            _visual(element, visual)
    for joint in mechanism.joints:
        _joint(robot, joint)
    for loop in mechanism.loop_joints:
        robot.append(loop_element(loop))
    etree.indent(robot)
    return replace(mechanism, text=etree.tostring(robot, encoding='unicode'),
                   generation=generation)


def _inertial(link: Element, inertia: Inertia) -> None:
    part = etree.SubElement(link, 'inertial')
    _origin(part, Pose(translation=inertia.center))
    etree.SubElement(part, 'mass', value=_number(inertia.mass))
    etree.SubElement(part, 'inertia', _moments(inertia.tensor))


@lru_cache(maxsize=1024)
def _moments(tensor: Matrix3) -> dict[str, str]:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
    moments = {'ixx': xx, 'ixy': xy, 'ixz': xz, 'iyy': yy, 'iyz': yz, 'izz': zz}
    return {key: _number(value) for key, value in moments.items()}


def _visual(link: Element, visual: Visual) -> None:
    part = etree.SubElement(link, 'visual')
    _origin(part, visual.pose)
    shape = etree.SubElement(etree.SubElement(part, 'geometry'), visual.kind)
    size = visual.size
    if visual.kind == 'mesh':
        shape.set('filename', visual.file)
        shape.set('scale', _numbers(size))
    elif visual.kind == 'box':
        shape.set('size', _numbers(size))
    else:
        for name, value in zip(('radius', 'length'), size):
            shape.set(name, _number(value))
    if visual.color is not None:
        etree.SubElement(etree.SubElement(part, 'material', name=''), 'color',
                         rgba=_numbers(visual.color))


def _joint(robot: Element, joint: Joint) -> None:
    part = etree.SubElement(robot, 'joint', name=joint.name, type=joint.kind)
    etree.SubElement(part, 'parent', link=joint.parent)
    etree.SubElement(part, 'child', link=joint.child)
    _origin(part, joint.origin)
    if joint.kind in ('fixed', 'floating'):
        return
    if joint.kind != 'spherical':
        etree.SubElement(part, 'axis', xyz=_numbers(joint.axis))
    limits = _limits(joint.limits)
    if limits:
        etree.SubElement(part, 'limit', limits)
    dynamics = joint.dynamics
    if dynamics.damping or dynamics.friction:
        etree.SubElement(part, 'dynamics', damping=_number(dynamics.damping),
                         friction=_number(dynamics.friction))
    if dynamics.armature:
        etree.SubElement(part, ARMATURE, value=_number(dynamics.armature))


@lru_cache(maxsize=1024)
def _limits(limits: Limits) -> dict[str, str]:
    named = {name: getattr(limits, name) for name in (
        'lower', 'upper', 'velocity', 'effort', 'acceleration', 'deceleration', 'jerk')}
    return {name: _number(value) for name, value in named.items() if math.isfinite(value)}


def _origin(element: Element, pose: Pose) -> None:
    if pose != IDENTITY:
        etree.SubElement(element, 'origin', _place(pose))


@lru_cache(maxsize=4096)
def _place(pose: Pose) -> dict[str, str]:
    """Return the attributes of an origin; robots of many equal modules have few of them."""
    return placement(pose)


@lru_cache(maxsize=4096)
def _numbers(values: tuple[float, ...]) -> str:
    return numbers_text(values)


def _number(value: float) -> str:
    return _numbers((value,))
