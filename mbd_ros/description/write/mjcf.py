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

"""Mechanism to MJCF, the format of MuJoCo."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from math import inf
from typing import Any

from lxml import etree
import numpy as np
from transforms3d.quaternions import mat2quat, quat2mat

from mbd_ros.description.records.mechanism import (
    Joint, JointSpring, LoopJoint, Matrix3, Mechanism, Pose, STANDARD_GRAVITY, Vector3)
from mbd_ros.description.records.poses import matrix3
from mbd_ros.description.write.annotations import refuse_annotations
from mbd_ros.description.write.loops import numbers_text
from mbd_ros.description.write.mjcf_inertia import add_inertials
from mbd_ros.errors import UnsupportedError

_TYPES = {'revolute': 'hinge', 'continuous': 'hinge', 'prismatic': 'slide', 'spherical': 'ball',
          'floating': 'free'}
_EQUALITIES = {'spherical': 'connect', 'fixed': 'weld'}

WORLD = 'world'
"""Name that MuJoCo gives to what carries all bodies."""

NARROW = 1e-9
"""Width of the range of a joint whose limits are equal [rad or m]; MuJoCo wants a positive one."""


def mjcf_text(mechanism: Mechanism) -> str:
    """
    Return the kinematic and inertial content of a robot as MJCF.

    Velocity, acceleration and effort limits belong to actuators there and are left out; loop
    joints are equality constraints between sites, which MuJoCo keeps softly. A root link named
    ``world`` becomes MuJoCo's own, which has no inertia. Where principal moments of inertia differ
    from a rigid body's by rounding only, the smallest is raised so that MuJoCo loads them.

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
        If MuJoCo would not load it: planar joints, floating joints that the root does not carry,
        loop joints that are neither spherical nor fixed, and moving bodies without mass or with
        moments of inertia that no rigid body has.

    """
    _refuse(mechanism)
    mujoco = etree.Element('mujoco', model=mechanism.name)
    # The rotor inertia is written where it is; a mass that is not written is none.
    etree.SubElement(mujoco, 'compiler', angle='radian', autolimits='true',
                     inertiafromgeom='false')
    if mechanism.gravity != STANDARD_GRAVITY:
        etree.SubElement(mujoco, 'option', gravity=numbers_text(mechanism.gravity))
    bodies = _bodies(mechanism, etree.SubElement(mujoco, 'worldbody'))
    add_inertials(mechanism, bodies)
    equality = etree.Element('equality')
    for loop in mechanism.loop_joints:
        _add_loop(equality, loop, bodies)
    for link in mechanism.links:
        if link.gravity_compensation and link.name != WORLD:
            bodies[link.name].set('gravcomp', numbers_text([link.gravity_compensation]))
    for joint in mechanism.joints:
        if joint.mimic is not None:
            etree.SubElement(equality, 'joint', joint1=joint.name, joint2=joint.mimic.joint,
                             polycoef=numbers_text(
                                 (joint.mimic.offset, joint.mimic.multiplier,
                                  *(joint.mimic.powers or (0.0, 0.0, 0.0)))))
    tendons = etree.Element('tendon')
    for spring in mechanism.springs:
        ends = [_site(bodies[link], f'{spring.name}_{number}', point) for number, link, point in (
            (1, spring.link1, spring.point1), (2, spring.link2, spring.point2))]
        tendon = etree.SubElement(tendons, 'spatial', {
            'name': spring.name, 'stiffness': numbers_text([spring.stiffness]),
            'damping': numbers_text([spring.damping]),
            'springlength': numbers_text([spring.length, spring.length + spring.slack])})
        for end in ends:
            etree.SubElement(tendon, 'site', site=end)
    for joint in mechanism.joints:
        _add_spring_tendons(tendons, joint)
    mujoco.extend(part for part in (equality, tendons) if len(part))
    etree.indent(mujoco)
    return str(etree.tostring(mujoco, encoding='unicode')) + '\n'


def _refuse(mechanism: Mechanism) -> None:
    for joint in mechanism.joints:
        if joint.kind not in ('fixed', *_TYPES):
            raise UnsupportedError(
                f"writing the {joint.kind} joint '{joint.name}' as MJCF",
                f"allowed: fixed, {', '.join(_TYPES)}",
                source=joint.source)
        _check_springs(joint)
        if joint.kind == 'floating' and joint.parent != mechanism.root:
            raise UnsupportedError(
                f"writing the floating joint '{joint.name}' as MJCF, which link '{joint.parent}' "
                'carries,', f"MuJoCo loads them on the root link '{mechanism.root}' only",
                source=joint.source)
    for link in mechanism.links:
        if link.name == WORLD and link.name != mechanism.root:
            raise UnsupportedError(f"writing the link '{WORLD}' as MJCF",
                                   'MuJoCo has a body of that name already; rename the link',
                                   source=link.source)
    refuse_annotations(mechanism, 'MJCF')


def _bodies(mechanism: Mechanism, world: Any) -> dict[str, Any]:
    """Add all links as nested bodies; return them by name."""
    carried: dict[str, list[Joint]] = defaultdict(list)
    for joint in mechanism.joints:
        carried[joint.parent].append(joint)
    root = mechanism.root
    bodies = {root: world if root == WORLD else etree.SubElement(world, 'body', name=root)}
    waiting = [root]
    while waiting:
        for joint in carried[waiting.pop()]:
            # The root is at the origin of the world, and MuJoCo has free joints there only.
            parent = world if joint.kind == 'floating' else bodies[joint.parent]
            body = etree.SubElement(parent, 'body', {
                'name': joint.child, 'pos': numbers_text(_place_of(joint).translation),
                'quat': _quaternion(_place_of(joint).rotation)})
            if joint.kind != 'fixed':
                _add_joint(body, joint)
            bodies[joint.child] = body
            waiting.append(joint.child)
    return bodies


def _add_joint(body: Any, joint: Joint) -> None:
    element = etree.SubElement(body, 'joint', name=joint.name, type=_TYPES[joint.kind])
    lower, upper = joint.limits.lower, joint.limits.upper
    if joint.kind not in ('floating', 'spherical'):
        element.set('axis', numbers_text(joint.axis))
    if joint.kind in ('revolute', 'prismatic') and -inf < lower and upper < inf:
        element.set('range', numbers_text((lower, max(upper, lower + NARROW * max(
            1.0, abs(lower))))))
    damping = (joint.dynamics.damping, joint.dynamics.quadratic_damping,
               joint.dynamics.cubic_damping)
    if any(damping):
        element.set('damping', numbers_text(damping if any(damping[1:]) else damping[:1]))
    for spring in _plain_springs(joint):
        element.set('stiffness', _stiffness(spring))
        if joint.kind not in ('floating', 'spherical') and any(spring.reference):
            element.set('springref', numbers_text(spring.reference))
    for attribute, value in (('frictionloss', joint.dynamics.friction),
                             ('armature', joint.dynamics.armature)):
        if value:
            element.set(attribute, numbers_text([value]))


def _plain_springs(joint: Joint) -> tuple[JointSpring, ...]:
    """Return the spring that is an attribute of its joint; others are those of tendons."""
    return tuple(one for one in joint.dynamics.springs if not one.slack)[:1]


def _stiffness(spring: JointSpring) -> str:
    return numbers_text(spring.stiffness if any(spring.stiffness[1:]) else spring.stiffness[:1])


def _add_spring_tendons(tendons: Any, joint: Joint) -> None:
    """Add the springs of a joint that are not its attribute."""
    plain = _plain_springs(joint)
    others = [one for one in joint.dynamics.springs if not any(one is other for other in plain)]
    for number, spring in enumerate(others, start=1):
        start = spring.reference[0] if spring.reference else 0.0
        ratio = 2.0 if (start, spring.slack) == (-1.0, 0.0) else 1.0   # -1 means something else
        tendon = etree.SubElement(tendons, 'fixed', {
            'name': f'{joint.name}_spring_{number}', 'stiffness': _stiffness(replace(
                spring, stiffness=_shared(spring.stiffness, ratio))),
            'springlength': numbers_text([ratio * start, ratio * (start + spring.slack)])})
        etree.SubElement(tendon, 'joint', joint=joint.name, coef=numbers_text([ratio]))


def _shared(stiffness: Vector3, ratio: float) -> Vector3:
    c1, c2, c3 = stiffness
    return c1 / ratio**2, c2 / ratio**3, c3 / ratio**4


def _check_springs(joint: Joint) -> None:
    """Refuse springs of balls and free bodies that MuJoCo has no words for."""
    springs = joint.dynamics.springs
    if joint.kind not in ('spherical', 'floating') or not springs:
        return
    turned = any(springs[0].reference[:3]) and joint.kind == 'spherical'
    if len(springs) > 1 or turned or (joint.kind == 'floating' and joint.origin != Pose()):
        raise UnsupportedError(
            f"writing the springs of the {joint.kind} joint '{joint.name}' as MJCF",
            'allowed: one, which is at rest at zero, or where a free body is that starts in the '
            'frame of the world', source=joint.source)


def _place_of(joint: Joint) -> Pose:
    """Return where a body is in the file; the spring of a free one is at rest there."""
    if joint.kind != 'floating' or not joint.dynamics.springs:
        return joint.origin
    reference = joint.dynamics.springs[0].reference
    if not reference:
        return joint.origin
    x, y, z, *vector, scalar = reference
    return Pose(matrix3(quat2mat((scalar, *vector))), (x, y, z))


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
