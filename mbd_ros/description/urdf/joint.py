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

"""A ``<joint>`` of URDF to a Joint record."""

from __future__ import annotations

from collections.abc import Iterator
from math import copysign, hypot, inf
import sys
from typing import Any, cast, get_args

from mbd_ros.description.records.mechanism import (
    Dynamics, Joint, JointKind, JointSpring, Limits, Mimic, Vector3)
from mbd_ros.description.records.numbers import is_infinite, read_numbers
from mbd_ros.description.records.poses import read_pose
from mbd_ros.description.records.report import nearest, Report, tag_name
from mbd_ros.description.records.vocabulary import (
    ARMATURE, COUPLED, CUBIC_DAMPING, POLYNOMIAL, QUADRATIC_DAMPING, SERIES_ELASTIC,
    SPRING)

KINDS: tuple[str, ...] = get_args(JointKind)

_ELSEWHERE = {'ball': 'spherical', 'hinge': 'revolute', 'slide': 'prismatic',
              'slider': 'prismatic', 'free': 'floating', 'weld': 'fixed', 'rigid': 'fixed',
              'rotational': 'revolute', 'linear': 'prismatic'}
"""What other formats call the types of joints."""

_MOVES = ('revolute', 'continuous', 'prismatic')
_BY_RATES: tuple[JointKind, ...] = ('floating', 'spherical')
"""Joints of several rates, each of which has the inertia and resistance that is given."""
_RESISTS = (('dynamics', 'damping', 'damping'), ('dynamics', 'friction', 'friction'),
            ('dynamics', QUADRATIC_DAMPING, 'quadratic_damping'),
            ('dynamics', CUBIC_DAMPING, 'cubic_damping'),
            (ARMATURE, 'value', 'armature'), (SERIES_ELASTIC, 'stiffness', 'series_stiffness'),
            (SERIES_ELASTIC, 'damping', 'series_damping'))
_FEEL = ('axis', 'limit', 'dynamics', 'mimic', POLYNOMIAL, ARMATURE, SERIES_ELASTIC, SPRING)
_STIFFNESS = ('stiffness', 'quadratic_stiffness', 'cubic_stiffness')


def read_joint(element: Any, raw: Any, report: Report) -> Joint:
    """
    Return the record of a joint.

    Parameters
    ----------
    element : lxml element
        The ``<joint>``, which has passed the strict pass.
    raw : yourdfpy.Joint
        Its numbers.
    report : Report
        Takes the findings.

    Returns
    -------
    Joint
        With its source line.

    Raises
    ------
    DescriptionError
        If type, axis or limits are not allowed.

    """
    kind = _read_kind(element, report)
    _remark_unused(element, kind, report)
    moves = kind in _MOVES
    return Joint(
        element.get('name'), kind, raw.parent, raw.child,
        read_pose(element.find('origin'), raw.origin, report),
        _read_axis(element, raw.axis, report) if moves or kind == 'planar' else (0.0, 0.0, 1.0),
        _read_limits(element, raw.limit, kind, report) if moves else Limits(),
        _read_dynamics(element, kind, report) if moves or kind in _BY_RATES else Dynamics(),
        _read_mimic(element, raw.mimic, report) if moves else None,
        report.source(element))


def _read_kind(element: Any, report: Report) -> JointKind:
    kind = element.get('type')
    name = element.get('name')
    allowed = ', '.join(KINDS)
    if kind not in KINDS:
        meant = _ELSEWHERE.get(kind.lower())
        hint = f"; did you mean '{meant}'?" if meant else nearest(kind, KINDS)
        raise report.error(f"joint '{name}' has the unknown type '{kind}'; allowed: {allowed}"
                           f'{hint}', report.source(element))
    return cast(JointKind, kind)


def _remark_unused(element: Any, kind: JointKind, report: Report) -> None:
    if kind in _MOVES:
        return
    for tag in _FEEL:
        part = element.find(tag)
        if part is not None and not (kind == 'planar' and tag == 'axis') and not (
                kind in _BY_RATES and tag in ('dynamics', ARMATURE, SPRING)):
            report.remark('info', f"joint '{element.get('name')}': element <{tag_name(part)}> has "
                          f'no meaning for a {kind} joint and is not used', report.source(part))


def _read_axis(element: Any, axis: Any, report: Report) -> Vector3:
    name = element.get('name')
    part = element.find('axis')
    if part is None:
        report.remark('info', f"joint '{name}' has no <axis>; URDF's default, x, is used",
                      report.source(element))
        return (1.0, 0.0, 0.0)
    length = hypot(*axis)
    if length == 0.0:
        raise report.error(f"joint '{name}': the <axis> is zero; allowed: a unit vector",
                           report.source(part))
    if abs(length - 1.0) > 1e-9:
        report.remark('info', f"joint '{name}': the <axis> has the length {length:.9g}; it is "
                      'scaled to 1', report.source(part))
    x, y, z = (axis / length + 0.0).tolist()
    return x, y, z


def _read_limits(element: Any, raw: Any, kind: JointKind, report: Report) -> Limits:
    name = element.get('name')
    part = element.find('limit')
    if part is None:
        if kind != 'continuous':
            raise report.error(f"joint '{name}' of type '{kind}' has no <limit>; allowed: a "
                               "<limit>, or the type 'continuous' for joints that turn without "
                               'end', report.source(element))
        return Limits()
    source = report.source(part)
    lower, upper = -inf, inf
    if kind != 'continuous':
        if raw.lower is None or raw.upper is None:
            report.remark('warning', f"joint '{name}': <limit> has not both lower and upper; "
                          "URDF's default, 0, is used", source)
        lower, upper = _no_largest(raw.lower or 0.0), _no_largest(raw.upper or 0.0)
    elif raw.lower is not None or raw.upper is not None:
        report.remark('info', f"joint '{name}' is continuous: lower and upper of <limit> are not "
                      'used', source)
    if lower > upper:
        raise report.error(f"joint '{name}': lower={lower:.9g} of <limit> is above upper="
                           f'{upper:.9g}', source)
    others = {attribute: float(part.get(attribute)) if is_infinite(part.get(attribute)) else
              _no_largest(read_numbers(part, attribute, 1, report)[0]) for attribute in
              ('velocity', 'effort', 'acceleration', 'deceleration', 'jerk')
              if part.get(attribute)}
    for attribute, value in list(others.items()):
        if value == -1.0 and attribute in ('velocity', 'effort'):   # as in SDFormat
            others[attribute] = inf
            report.remark('warning', f"joint '{name}': {attribute}=-1 of <limit> is read as no "
                          'limit', source)
        elif value < 0.0:
            raise report.error(f"joint '{name}': {attribute}={value:.9g} of <limit> is negative",
                               source)
    for attribute in ('velocity', 'effort'):
        if attribute not in others:
            report.remark('info', f"joint '{name}': <limit> has no {attribute}; there is no limit "
                          'then', source)
        elif others[attribute] == 0.0:
            report.remark('warning', f"joint '{name}': {attribute} of <limit> is 0", source)
    return Limits(lower, upper, source=source, **others)


def _no_largest(limit: float) -> float:
    """Return a limit; the largest number there is stands for none, as in Pinocchio."""
    return limit if abs(limit) < sys.float_info.max else copysign(inf, limit)


def _read_dynamics(element: Any, kind: JointKind, report: Report) -> Dynamics:
    values: dict[str, float] = {}
    for tag, attribute, meaning in _RESISTS:
        if kind in _BY_RATES and tag == SERIES_ELASTIC:
            continue
        part = element.find(tag)
        if part is None or part.get(attribute) is None:
            continue
        (values[meaning],) = read_numbers(part, attribute, 1, report)
        if values[meaning] < 0.0:
            raise report.error(f"joint '{element.get('name')}': {attribute}="
                               f'{values[meaning]:.9g} of <{tag_name(part)}> is negative',
                               report.source(part))
    found, part = Dynamics(**values, springs=tuple(_read_springs(element, kind, report))), (
        element.find(SERIES_ELASTIC))
    if part is not None and kind not in _BY_RATES and not (
            found.series_stiffness and found.armature):
        raise report.error(
            f"joint '{element.get('name')}': <mbd:series_elastic> has the stiffness "
            f'{found.series_stiffness:.9g} behind a rotor of inertia {found.armature:.9g}; '
            'allowed: both above 0, the rotor by <mbd:armature>', report.source(part))
    return found


def _read_springs(element: Any, kind: JointKind, report: Report) -> Iterator[JointSpring]:
    """Yield the springs along the coordinates of a joint."""
    count = {'spherical': 4, 'floating': 7}.get(kind, 1)
    for part in element.iterfind(SPRING):
        c1, c2, c3 = (read_numbers(part, name, 1, report)[0] if part.get(name) is not None
                      else 0.0 for name in _STIFFNESS)
        reference = (read_numbers(part, 'reference', count, report)
                     if part.get('reference') is not None else ())
        slack = (read_numbers(part, 'slack', 1, report)[0] if part.get('slack') is not None
                 else 0.0)
        turn = reference[-4:] if count > 1 else ()
        if slack < 0.0 or (slack and count > 1) or (turn and not any(turn)):
            raise report.error(
                f"joint '{element.get('name')}': <mbd:spring> has the slack {slack:.9g} and the "
                f'reference "{part.get("reference", "")}"; allowed: a slack of 0 or more, with '
                'one coordinate only, and a quaternion that is not zero', report.source(part))
        yield JointSpring((c1, c2, c3), tuple(reference), slack, report.source(part))


def _read_mimic(element: Any, raw: Any, report: Report) -> Mimic | None:
    part, curved = element.find('mimic'), element.find(POLYNOMIAL)
    if curved is not None:
        source = report.source(curved)
        if part is not None:
            raise report.error(f"joint '{element.get('name')}' has both <mimic> and "
                               '<mbd:polynomial_mimic>; allowed: one', source)
        offset, multiplier, *powers = read_numbers(curved, 'coefficients', 5, report)
        report.follows(element.get('name'), curved.get('joint'), source)
        return Mimic(curved.get('joint'), multiplier, offset, source, powers=tuple(powers))
    if part is None:
        return None
    source = report.source(part)
    said = part.get(COUPLED, 'false')
    if said not in ('true', 'false'):
        raise report.error(f"joint '{element.get('name')}': mbd:coupled is '{said}'; allowed: "
                           'true or false', source)
    if said == 'false':
        report.follows(element.get('name'), raw.joint, source)
    return Mimic(raw.joint, raw.multiplier, raw.offset, source, said == 'true')
