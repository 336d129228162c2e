"""Mechanism to MJCF, the format of MuJoCo."""

from __future__ import annotations

from collections import defaultdict
from math import inf
from typing import Any

from lxml import etree
import numpy as np
from transforms3d.quaternions import mat2quat

from mbd_ros.description.mechanism import Inertia, Joint, LoopJoint, Matrix3, Mechanism, Vector3
from mbd_ros.description.write_annotations import refuse_annotations
from mbd_ros.description.write_loops import numbers_text
from mbd_ros.errors import UnsupportedError

_TYPES = {'revolute': 'hinge', 'continuous': 'hinge', 'prismatic': 'slide', 'spherical': 'ball',
          'floating': 'free'}
_EQUALITIES = {'spherical': 'connect', 'fixed': 'weld'}


def mjcf_text(mechanism: Mechanism) -> str:
    """
    Return the kinematic and inertial content of a robot as MJCF.

    Velocity, acceleration and effort limits belong to actuators there and are left out; loop
    joints are equality constraints between sites, which MuJoCo keeps softly.

    Parameters
    ----------
    mechanism : Mechanism
        The robot.

    Returns
    -------
    str
        XML; numbers have all their digits, angles are radians.

    Raises
    ------
    UnsupportedError
        If a joint has no counterpart: planar joints, and loop joints that are neither spherical
        nor fixed.

    """
    for joint in mechanism.joints:
        if joint.kind not in ('fixed', *_TYPES):
            raise UnsupportedError(
                f"writing the {joint.kind} joint '{joint.name}' as MJCF",
                f"allowed: fixed, {', '.join(_TYPES)}",
                source=joint.source)
    refuse_annotations(mechanism, 'MJCF')
    mujoco = etree.Element('mujoco', model=mechanism.name)
    # The rotor inertia is written where it is; a mass that is not written is none.
    etree.SubElement(mujoco, 'compiler', angle='radian', autolimits='true',
                     inertiafromgeom='false')
    bodies = _bodies(mechanism, etree.SubElement(mujoco, 'worldbody'))
    equality = etree.Element('equality')
    for loop in mechanism.loop_joints:
        _add_loop(equality, loop, bodies)
    for joint in mechanism.joints:
        if joint.mimic is not None:
            etree.SubElement(equality, 'joint', joint1=joint.name, joint2=joint.mimic.joint,
                             polycoef=numbers_text(
                                 (joint.mimic.offset, joint.mimic.multiplier, 0.0, 0.0, 0.0)))
    tendons = etree.Element('tendon')
    for spring in mechanism.springs:
        ends = [_site(bodies[link], f'{spring.name}_{number}', point) for number, link, point in (
            (1, spring.link1, spring.point1), (2, spring.link2, spring.point2))]
        tendon = etree.SubElement(tendons, 'spatial', {
            'name': spring.name, 'stiffness': numbers_text([spring.stiffness]),
            'damping': numbers_text([spring.damping]),
            'springlength': numbers_text([spring.length])})
        for end in ends:
            etree.SubElement(tendon, 'site', site=end)
    mujoco.extend(part for part in (equality, tendons) if len(part))
    etree.indent(mujoco)
    return str(etree.tostring(mujoco, encoding='unicode')) + '\n'


def _bodies(mechanism: Mechanism, world: Any) -> dict[str, Any]:
    """Add all links as nested bodies; return them by name."""
    carried: dict[str, list[Joint]] = defaultdict(list)
    for joint in mechanism.joints:
        carried[joint.parent].append(joint)
    inertias = {link.name: link.inertia for link in mechanism.links}
    bodies = {mechanism.root: etree.SubElement(world, 'body', name=mechanism.root)}
    _add_inertial(bodies[mechanism.root], inertias[mechanism.root])
    waiting = [mechanism.root]
    while waiting:
        for joint in carried[waiting.pop()]:
            body = etree.SubElement(bodies[joint.parent], 'body', {
                'name': joint.child, 'pos': numbers_text(joint.origin.translation),
                'quat': _quaternion(joint.origin.rotation)})
            if joint.kind != 'fixed':
                _add_joint(body, joint)
            _add_inertial(body, inertias[joint.child])
            bodies[joint.child] = body
            waiting.append(joint.child)
    return bodies


def _add_joint(body: Any, joint: Joint) -> None:
    element = etree.SubElement(body, 'joint', name=joint.name, type=_TYPES[joint.kind])
    if joint.kind in ('floating', 'spherical'):
        return
    element.set('axis', numbers_text(joint.axis))
    lower, upper = joint.limits.lower, joint.limits.upper
    if joint.kind != 'continuous' and -inf < lower and upper < inf:
        element.set('range', numbers_text((lower, upper)))
    for attribute, value in (('damping', joint.dynamics.damping),
                             ('frictionloss', joint.dynamics.friction),
                             ('armature', joint.dynamics.armature)):
        if value:
            element.set(attribute, numbers_text([value]))


def _add_inertial(body: Any, inertia: Inertia | None) -> None:
    if inertia is None:
        return
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.tensor
    etree.SubElement(body, 'inertial', {
        'pos': numbers_text(inertia.center), 'mass': numbers_text([inertia.mass]),
        'fullinertia': numbers_text((xx, yy, zz, xy, xz, yz))})


def _add_loop(equality: Any, loop: LoopJoint, bodies: dict[str, Any]) -> None:
    if loop.kind not in _EQUALITIES:
        raise UnsupportedError(
            f"writing the {loop.kind} loop joint '{loop.name}' as MJCF",
            f"allowed: {', '.join(_EQUALITIES)}",
            source=loop.source)
    ends = [_site(bodies[link], f'{loop.name}_{number}', frame.translation, frame.rotation)
            for number, link, frame in ((1, loop.link1, loop.frame1),
                                        (2, loop.link2, loop.frame2))]
    etree.SubElement(equality, _EQUALITIES[loop.kind], name=loop.name, site1=ends[0],
                     site2=ends[1])


def _site(body: Any, name: str, position: Vector3, rotation: Matrix3 | None = None) -> str:
    site = etree.SubElement(body, 'site', name=name, pos=numbers_text(position))
    if rotation is not None:
        site.set('quat', _quaternion(rotation))
    return name


def _quaternion(rotation: Matrix3) -> str:
    return numbers_text(mat2quat(np.array(rotation)))
