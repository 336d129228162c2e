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

"""``<mbd:fluid>`` and ``<mbd:flexible>``: hydrodynamic and elastic properties of links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
import re
from typing import Any

import numpy as np

from mbd_ros.description.records.mechanism import (
    ContactBody, FlexibleBody, FluidBody, Inertia, Joint, Link, LoopJoint, Pose, SpringDamper)
from mbd_ros.description.records.numbers import read_numbers
from mbd_ros.description.records.poses import read_placement
from mbd_ros.description.records.report import Report
from mbd_ros.description.records.thruster import ThrusterBody
from mbd_ros.description.records.vocabulary import ADDED_MASS, FLEXIBLE, FLUID
from mbd_ros.description.urdf.beams import MOST_OF_ALL, read_beam
from mbd_ros.description.urdf.modal import read_modal

Attached = LoopJoint | SpringDamper | ContactBody | ThrusterBody

ROUNDING = 1e-9
"""Of the largest eigenvalue: rounding is less."""


def read_fluids(robot: Any, report: Report) -> tuple[FluidBody, ...]:
    """
    Return what a fluid does to the links of a URDF.

    Raises
    ------
    DescriptionError
        If a coefficient is negative, or the added mass is no mass.

    """
    return tuple(_fluid(link.get('name'), link.find(FLUID), report)
                 for link in robot.iterfind('link') if link.find(FLUID) is not None)


def _fluid(link: str, element: Any, report: Report) -> FluidBody:
    what = f"link '{link}': <mbd:fluid>"
    part = element.find('fluid_added_mass')
    entries = {} if part is None else {
        name: read_numbers(part, name, 1, report)[0] for name in part.attrib if name in ADDED_MASS}
    volume = _value(element, 'volume', report)
    drags = {tag: _drag(element, tag, report) for tag in ('linear_drag', 'quadratic_drag')}
    wing = element.find('lift')
    y, z = (0.0, 0.0) if wing is None else read_numbers(wing, 'force', 2, report)
    for name, values in (('volume', (volume,)), *drags.items(), ('lift', (y, z))):
        if min(values) < 0.0:
            raise report.error(f'{what} has the {name} {min(values):.9g}; allowed: 0 or more',
                               report.source(element))
    body = FluidBody(link, _origin(element, report), volume, added_mass(entries), lift=(y, z),
                     source=report.source(element), **drags)
    check_added_mass(body, report)
    return body


def added_mass(entries: dict[str, float]) -> tuple[tuple[float, ...], ...]:
    """Return the symmetric matrix of entries ``xx``, ``xy``, ... ``rr``."""
    return tuple(tuple(entries.get('xyzpqr'[min(i, j)] + 'xyzpqr'[max(i, j)], 0.0)
                       for j in range(6)) for i in range(6))


def check_added_mass(body: FluidBody, report: Report) -> None:
    """Refuse an added mass that is not positive semidefinite: no fluid has one."""
    matrix = np.array(body.added_mass)
    if np.abs(matrix).max() > 1e20:
        raise report.error(f"link '{body.link}' has an added mass beyond 1e20", body.source)
    moments = np.linalg.eigvalsh(matrix)
    if moments[0] < -ROUNDING * abs(moments[-1]):
        raise report.error(f"link '{body.link}' has an added mass with the eigenvalue "
                           f'{moments[0]:.6g}; allowed: 0 or more', body.source)


def attachments_on(link: str, attached: Sequence[Attached]) -> list[str]:
    """Return the names of what is attached to a link; of contacts ``link/contact_1``, ..."""
    points = sum(len(one.points) for one in attached
                 if isinstance(one, ContactBody) and one.link == link)
    return [*(one.name for one in attached if not isinstance(one, ContactBody) and link in (
        (one.link,) if isinstance(one, ThrusterBody) else (one.link1, one.link2))),
            *(f'{link}/contact_{k + 1}' for k in range(points))]


def read_flexibles(robot: Any, links: Sequence[Link], joints: Sequence[Joint],
                   attached: Sequence[Attached], report: Report) -> tuple[FlexibleBody, ...]:
    """
    Return the links of a URDF that bend.

    ``attached``: loop joints, springs, contacts and thrusters, which may sit on them.

    Raises
    ------
    DescriptionError
        If numbers are missing, have the wrong count or sign, or a joint does not exist.

    """
    inertias = {link.name: link.inertia for link in links}
    found = []
    modes = 0
    for link in robot.iterfind('link'):
        element = link.find(FLEXIBLE)
        if element is None:
            continue
        name, source = link.get('name'), report.source(element)
        what = f"link '{name}': <mbd:flexible>"
        carried = [*(joint.name for joint in joints if joint.parent == name),
                   *attachments_on(name, attached)]
        of_file = report
        if element.find('modal') is not None:
            from mbd_ros.description.urdf.modal_file import included   # few need YAML
            of_file = included(element, what, carried, report)
        beam = element.find('beam')
        given = element.find('point') is not None or element.find('integrals') is not None
        if (beam is None) == (not given):
            raise report.error(f'{what} has not either a <beam>, <point>s, <integrals> or '
                               '<modal>', source)
        if beam is not None:
            modes += sum(map(int, beam.get('modes', '1 1 0').split())) if re.fullmatch(
                r'[\d\s]{1,100}', beam.get('modes', '1 1 0')) else 0
            if modes > MOST_OF_ALL:
                raise report.error(f'{what}: the beams of this robot have {modes} modes together; '
                                   f'allowed: {MOST_OF_ALL}', report.source(beam))
        body = FlexibleBody(name, _origin(element, report), read_beam(beam, what, report),
                            source=source) if beam is not None else replace(
            read_modal(name, element, carried, what, of_file),
            frame=_origin(element, report), source=source)
        check_weight(body, inertias[name], report)
        found.append(body)
    return tuple(found)


def check_weight(body: FlexibleBody, inertia: Inertia | None, report: Report) -> None:
    """Refuse a flexible link that weighs more than the whole link."""
    mass = (sum(point.mass for point in body.points) if body.beam is None
            else body.beam.length * body.beam.linear_density
            * (1.0 + body.beam.taper + body.beam.taper ** 2) / 3.0)
    if inertia is None or mass > inertia.mass * (1.0 + 1e-6):
        raise report.error(
            f"link '{body.link}': <mbd:flexible> weighs {mass:.6g} kg, more than the <inertial> "
            'of its link; allowed: as much at most, since that is the whole link', body.source)


def _value(element: Any, tag: str, report: Report) -> float:
    part = element.find(tag)
    return 0.0 if part is None else read_numbers(part, 'value', 1, report)[0]


def _origin(element: Any, report: Report) -> Pose:
    part = element.find('origin')
    return Pose() if part is None else read_placement(part, report)


def _drag(element: Any, tag: str, report: Report) -> tuple[float, ...]:
    part = element.find(tag)
    if part is None:
        return (0.0,) * 6
    return tuple(value for name in ('force', 'moment') for value in (
        read_numbers(part, name, 3, report) if part.get(name) is not None else (0.0,) * 3))
