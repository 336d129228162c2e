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

"""What module types say of fluids, contact, bending, thrusters and springs."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from lxml import etree

from mbd_ros.description.modules.records import Body
from mbd_ros.description.records.mechanism import (
    ContactBody, FlexibleBody, FluidBody, SpringDamper)
from mbd_ros.description.records.thruster import ThrusterBody
from mbd_ros.description.records.vocabulary import ADDED_MASS, BEAM
from mbd_ros.description.urdf.annotations import added_mass, check_added_mass
from mbd_ros.description.urdf.beams import read_beam
from mbd_ros.description.xml.yaml_fields import Value


def read_fluid(name: str, value: Value) -> FluidBody:
    """Return what a fluid does to a body."""
    fields = value.fields('volume', 'position', 'orientation', 'added_mass', 'linear_drag',
                          'quadratic_drag', 'lift')
    drags = {}
    for key, count in (('linear_drag', 6), ('quadratic_drag', 6), ('lift', 2)):
        drags[key] = fields[key].numbers(count) if key in fields else (0.0,) * count
        if min(drags[key]) < 0.0:
            fields[key].fail('has an entry below 0; allowed: 0 or more')
    entries: dict[str, float] = {}
    if 'added_mass' in fields:
        count = len(fields['added_mass'].items())
        if count not in (6, len(ADDED_MASS)):
            fields['added_mass'].fail(f'has {count} entries; allowed: the 6 of a diagonal, or the '
                                      f'{len(ADDED_MASS)} of an upper triangle by rows')
        names = ADDED_MASS if count > 6 else tuple(2 * axis for axis in 'xyzpqr')
        entries = dict(zip(names, fields['added_mass'].numbers(count)))
    y, z = drags.pop('lift')
    body = FluidBody(name, fields.pose(), fields.not_negative('volume'), added_mass(entries),
                     lift=(y, z), source=value.source, **drags)
    check_added_mass(body, value.report)
    return body


def read_contact(name: str, value: Value) -> ContactBody:
    """Return where a body touches the ground."""
    fields = value.fields('points', 'radius', 'stiffness', 'damping', 'friction', 'slip_speed')
    points = tuple(point.vector() for point in fields['points'].items())
    if not points:
        fields['points'].fail('is empty; allowed: one point or more')
    body = ContactBody(
        name, points, (fields.not_negative('radius'),) * len(points),
        fields['stiffness'].number(), fields.not_negative('damping'),
        fields.not_negative('friction'), fields.not_negative('slip_speed', 0.01), value.source)
    for key in ('stiffness', 'slip_speed'):
        if not getattr(body, key) > 0.0:
            fields[key].fail(f'is {getattr(body, key):.9g}; allowed: more than 0')
    return body


def read_flexible(name: str, value: Value) -> FlexibleBody:
    """Return a body that bends: a beam with the attributes of ``<beam>`` as keys."""
    fields = value.fields('position', 'orientation', 'beam')
    beam = fields['beam']
    given = beam.fields(*BEAM.attributes)
    element = etree.Element('beam')
    element.sourceline = beam.source.line
    for key in BEAM.attributes:
        if key in given:
            one = given[key]
            element.set(key, ' '.join(item.text() for item in one.items())
                        if isinstance(one.node.value, list) else one.text())
    return FlexibleBody(name, fields.pose(), read_beam(element, f"body '{name}'", value.report),
                        source=value.source)


def read_thruster(name: str, body: str, value: Value) -> ThrusterBody:
    """Return a thruster on a body."""
    fields = value.fields('position', 'axis', 'curve', 'time_constant', 'limits')
    forward, reverse = fields['curve'].numbers(2) if 'curve' in fields else (0.0, 0.0)
    lower, upper = fields['limits'].numbers(2) if 'limits' in fields else (-inf, inf)
    return ThrusterBody(
        name, body, fields['position'].vector() if 'position' in fields else (0.0, 0.0, 0.0),
        fields.axis((1.0, 0.0, 0.0)), (forward, reverse), fields.number('time_constant', 0.0),
        lower, upper, value.source)


def read_spring(name: str, value: Value, bodies: Mapping[str, Body]) -> SpringDamper:
    """Return a spring with a damper between points of two bodies."""
    fields = value.fields('body1', 'body2', 'point1', 'point2', 'stiffness', 'damping', 'length',
                          'slack')
    first, second = (fields[key].choice(tuple(bodies)) for key in ('body1', 'body2'))
    if first == second:
        fields['body2'].fail(f"is '{second}', as body1; allowed: another body")
    here, there = (fields[key].vector() if key in fields else (0.0, 0.0, 0.0)
                   for key in ('point1', 'point2'))
    return SpringDamper(name, first, second, here, there, fields.not_negative('stiffness'),
                        fields.not_negative('damping'), fields.not_negative('length'),
                        value.source, fields.not_negative('slack'))
