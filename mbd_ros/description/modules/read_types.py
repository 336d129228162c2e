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

"""Module types in a YAML document."""

from __future__ import annotations

from collections.abc import Mapping
import dataclasses
from typing import Any, cast, get_args

from mbd_ros.description.modules.inner_tree import check_tree
from mbd_ros.description.modules.part import read_part
from mbd_ros.description.modules.read_annotations import (
    read_contact, read_flexible, read_fluid, read_spring, read_thruster)
from mbd_ros.description.modules.records import (
    Body, FREE, Gender, ModuleType, Port, PortJoint, RIGID, Visual, VisualKind)
from mbd_ros.description.records.inertia_check import check_inertias
from mbd_ros.description.records.mechanism import (
    Dynamics, Inertia, Joint, JointKind, JointSpring, Limits, Link, Matrix3, SpringDamper, Vector3)
from mbd_ros.description.records.report import nearest
from mbd_ros.description.urdf.annotations import check_weight
from mbd_ros.description.urdf.thrusters import check_thrusters
from mbd_ros.description.xml.yaml_fields import Fields, Value
from mbd_ros.errors import cut

KINDS: tuple[JointKind, ...] = (
    'revolute', 'continuous', 'prismatic', 'planar', 'spherical', 'fixed')
"""Types of joints in modules and ports."""

FRAME = '_frame'
"""End of the names of frames that joints need and the document does not have."""

_SIZES = {'box': 3, 'cylinder': 2, 'sphere': 1, 'capsule': 2}
_LIMITED = ('revolute', 'prismatic')
_SPRUNG = ('revolute', 'continuous', 'prismatic', 'spherical')


def read_type(name: str, value: Value, folder: str | None,
              known: Mapping[str, ModuleType] | None = None) -> ModuleType:
    """
    Return a module type.

    Parameters
    ----------
    name : str
        Its name.
    value : Value
        What the document says of it.
    folder : str or None
        Where files of parts are looked for; None: nowhere.
    known : mapping of str to ModuleType, optional
        Types by the name of their part; if given, no other parts are allowed.

    Returns
    -------
    ModuleType
        With bodies and joints that make up a tree.

    Raises
    ------
    DescriptionError
        With file and line.

    """
    fields = value.fields('bodies', 'joints', 'ports', 'springs', 'part')
    part = ''
    springs: tuple[SpringDamper, ...] = ()
    if 'part' in fields:
        if any(key in fields for key in ('bodies', 'joints', 'springs')):
            value.fail('has a part and bodies, joints or springs of its own; allowed: either')
        part = fields['part'].text()
        if known is None:
            bodies, joints, springs = read_part(fields['part'], folder)
        elif part in known:
            bodies, joints = dict(known[part].bodies), dict(known[part].joints)
            springs = known[part].springs
        else:
            fields['part'].fail(f"is '{cut(part)}'; allowed: parts of the robot in use, as no "
                                'file is opened for a service')
    else:
        bodies = {key: _body(key, entry) for key, entry in fields['bodies'].entries('body')}
        listed = fields['joints'].entries('joint') if 'joints' in fields else ()
        joints = {key: _joint(key, entry, bodies) for key, entry in listed}
        springs = tuple(read_spring(key, entry, bodies) for key, entry in (
            fields['springs'].entries('spring') if 'springs' in fields else ()))
    if not bodies:
        value.fail('has no body; allowed: one or more')
    ports = {key: _port(key, entry, bodies)
             for key, entry in fields['ports'].entries('port')} if 'ports' in fields else {}
    for key, port in ports.items():
        if key in joints:
            value.report.refuse(f"port '{key}' of {value.what} has the name of a joint; names "
                                'must differ', port.source)
    for key in bodies:
        if key.endswith(FRAME):
            value.fail(f"has a body '{key}'; names that end with {FRAME} are taken")
    check_tree(value, bodies, joints)
    check_inertias([Link(f'{name}/{body.name}', body.inertia, body.source)
                    for body in bodies.values()], value.report)
    check_thrusters([one for body in bodies.values() for one in body.thrusters],
                    [*joints, *ports], value.report)
    for body in bodies.values():
        if body.flexible is not None:
            check_weight(body.flexible, body.inertia, value.report)
    return ModuleType(name, bodies, joints, ports, part, value.source, springs)


def _body(name: str, value: Value) -> Body:
    fields = value.fields('mass', 'center', 'inertia', 'visuals', 'fluid', 'contact', 'flexible',
                          'thrusters', 'gravity_compensation')
    inertia = None
    if 'mass' in fields:
        center: Vector3 = fields['center'].vector() if 'center' in fields else (0.0, 0.0, 0.0)
        inertia = Inertia(fields['mass'].number(), center, _tensor(fields['inertia']),
                          fields['mass'].source)
    elif 'inertia' in fields or 'center' in fields:
        value.fail("has no 'mass', without which 'inertia' and 'center' mean nothing")
    visuals = tuple(map(_visual, fields['visuals'].items())) if 'visuals' in fields else ()
    return Body(
        name, inertia, visuals, value.source,
        read_fluid(name, fields['fluid']) if 'fluid' in fields else None,
        read_contact(name, fields['contact']) if 'contact' in fields else None,
        read_flexible(name, fields['flexible']) if 'flexible' in fields else None,
        tuple(read_thruster(key, name, entry) for key, entry in (
            fields['thrusters'].entries('thruster') if 'thrusters' in fields else ())),
        fields.number('gravity_compensation', 0.0))


def _tensor(value: Value) -> Matrix3:
    count = len(value.items())
    if count == 3:
        xx, yy, zz = value.numbers(3)
        return (xx, 0.0, 0.0), (0.0, yy, 0.0), (0.0, 0.0, zz)
    if count != 6:
        value.fail(f'has {count} entries; allowed: ixx, iyy, izz, or ixx, ixy, ixz, iyy, iyz, izz')
    xx, xy, xz, yy, yz, zz = value.numbers(6)
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def _visual(value: Value) -> Visual:
    fields = value.fields(*_SIZES, 'mesh', 'scale', 'position', 'orientation', 'color')
    kinds = [kind for kind in get_args(VisualKind) if kind in fields]
    if len(kinds) != 1:
        value.fail(f'has {len(kinds)} shapes; allowed: one of {", ".join(get_args(VisualKind))}')
    (kind,) = kinds
    color = None
    if 'color' in fields:
        red, green, blue, opacity = fields['color'].numbers(4)
        color = red, green, blue, opacity
        if not all(0.0 <= part <= 1.0 for part in color):
            fields['color'].fail('is not within 0 and 1')
    if kind == 'mesh':
        scale = fields['scale'].numbers(3) if 'scale' in fields else (1.0, 1.0, 1.0)
        return Visual('mesh', scale, fields.pose(), color, fields['mesh'].text())
    if 'scale' in fields:
        fields['scale'].fail('is for meshes only')
    size = ((fields[kind].number(),) if kind == 'sphere' else fields[kind].numbers(_SIZES[kind]))
    if min(size) <= 0.0:
        fields[kind].fail('is not positive')
    return Visual(kind, size, fields.pose(), color)


def _joint(name: str, value: Value, bodies: dict[str, Body]) -> Joint:
    fields = value.fields('type', 'parent', 'child', 'position', 'orientation', 'axis', 'limits',
                          'dynamics', 'springs')
    ends = []
    for key in ('parent', 'child'):
        ends.append(_known_body(fields[key], bodies))
    moving = _moving(fields)
    return Joint(name, moving.kind, ends[0], ends[1], fields.pose(), moving.axis, moving.limits,
                 moving.dynamics, source=value.source)


def _known_body(value: Value, bodies: dict[str, Body]) -> str:
    name = value.text()
    if name not in bodies:
        value.fail(f"is '{name[:60]}', which does not exist; allowed: "
                   f'{", ".join(bodies)}{nearest(name, bodies)}')
    return name


def _moving(fields: Fields) -> PortJoint:
    kind = cast(JointKind, fields['type'].choice(KINDS))
    for key in ('axis', 'limits', 'dynamics', 'springs'):
        if kind == 'fixed' and key in fields:
            fields[key].fail('has no meaning for a fixed joint')
    if kind == 'fixed':
        return RIGID
    limits = FREE
    if kind == 'spherical' and 'axis' in fields:
        fields['axis'].fail('has no meaning for a spherical joint')
    if kind in _LIMITED and 'limits' not in fields:
        fields.owner.fail(f"of type {kind} has no 'limits'; allowed: limits, or the type "
                          "'continuous' for joints that turn without end")
    if 'limits' in fields:
        limits = _limits(fields['limits'], kind)
    dynamics = Dynamics()
    if 'dynamics' in fields:
        known = tuple(one.name for one in dataclasses.fields(Dynamics) if one.name != 'springs')
        feel = fields['dynamics'].fields(*known)
        values: dict[str, Any] = {name: feel.not_negative(name) for name in known}
        dynamics = Dynamics(**values)
        if dynamics.series_stiffness and not dynamics.armature:
            feel.owner.fail("has 'series_stiffness' without 'armature'; allowed: a rotor between "
                            'motor and spring')
    if 'springs' in fields:
        dynamics = dataclasses.replace(dynamics, springs=tuple(
            _joint_spring(one, kind) for one in fields['springs'].items()))
    return PortJoint(kind, fields.axis((0.0, 0.0, 1.0)), limits, dynamics)


def _joint_spring(value: Value, kind: JointKind) -> JointSpring:
    fields = value.fields('stiffness', 'reference', 'slack')
    if kind not in _SPRUNG:
        value.fail(f'has no meaning for a {kind} joint')
    c1, c2, c3 = fields['stiffness'].numbers(3)
    reference: tuple[float, ...] = ()
    if 'reference' in fields:
        reference = fields['reference'].numbers(4 if kind == 'spherical' else 1)
        if kind == 'spherical' and not any(reference):
            fields['reference'].fail('is zero; allowed: a quaternion x y z w')
    slack = fields.not_negative('slack')
    if slack and kind == 'spherical':
        fields['slack'].fail('has no meaning for a spherical joint')
    return JointSpring((c1, c2, c3), reference, slack, value.source)


def _limits(value: Value, kind: JointKind) -> Limits:
    given = value.fields('lower', 'upper', 'velocity', 'effort')
    free = FREE.velocity
    rates = {'velocity': given.not_negative('velocity', free),
             'effort': given.not_negative('effort', free)}
    if kind not in _LIMITED:
        for key in ('lower', 'upper'):
            if key in given:
                given[key].fail(f'has no meaning for a {kind} joint')
        return Limits(source=value.source, **rates)
    angle = kind == 'revolute'
    lower, upper = (given[key].number(angle=angle) for key in ('lower', 'upper'))
    if lower > upper:
        value.fail(f'has lower={lower:.9g} above upper={upper:.9g}')
    return Limits(lower, upper, source=value.source, **rates)


def _port(name: str, value: Value, bodies: dict[str, Body]) -> Port:
    fields = value.fields('body', 'position', 'orientation', 'gender', 'connector', 'angles',
                          'joint')
    body = _known_body(fields['body'], bodies) if 'body' in fields else next(iter(bodies))
    gender = fields['gender'].choice(get_args(Gender)) if 'gender' in fields else 'any'
    connector = fields['connector'].text() if 'connector' in fields else ''
    angles = None
    if 'angles' in fields:
        angles = tuple(item.number(angle=True) for item in fields['angles'].items())
        if not angles:
            fields['angles'].fail('is empty; allowed: one angle or more, or no angles for any')
    joint = RIGID
    if 'joint' in fields:
        joint = _moving(fields['joint'].fields(
            'type', 'axis', 'limits', 'dynamics', 'springs'))
    return Port(name, body, fields.pose(), cast(Gender, gender), connector, angles, joint,
                value.source)
