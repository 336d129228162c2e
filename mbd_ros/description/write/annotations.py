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

"""Fluid, flexible links, contact and thrusters back to ``<mbd:fluid>`` and the like."""

from __future__ import annotations

from dataclasses import fields
from math import inf
from typing import Any

from lxml import etree

from mbd_ros.description.records.mechanism import (
    Beam, ContactBody, FlexibleBody, FluidBody, Mechanism)
from mbd_ros.description.records.modal import ShapeIntegrals
from mbd_ros.description.records.thruster import ThrusterBody
from mbd_ros.description.records.vocabulary import (
    ADDED_MASS, CONTACT, FLEXIBLE, FLUID, NAMESPACE, THRUSTER)
from mbd_ros.description.write.loops import add_origin, numbers_text
from mbd_ros.errors import UnsupportedError


def refuse_annotations(mechanism: Mechanism, form: str) -> None:
    """Raise an UnsupportedError if a robot has what only our namespace has words for."""
    for joint in mechanism.joints:
        growing = joint.dynamics.quadratic_damping or joint.dynamics.cubic_damping
        what = ('series elasticity' if joint.dynamics.series_stiffness else
                'damping that grows with the speed' if growing and form != 'MJCF' else '')
        if what:
            raise UnsupportedError(
                f"writing the {what} of joint '{joint.name}' as {form}",
                'write URDF, which has words for it in our namespace', source=joint.source)
    for kind, link, source in (
            *(('fluid around', body.link, body.source) for body in mechanism.fluids),
            *(('bending of', body.link, body.source) for body in mechanism.flexibles),
            *(('contact of', body.link, body.source) for body in mechanism.contacts),
            *((f"thruster '{body.name}' of", body.link, body.source)
              for body in mechanism.thrusters)):
        raise UnsupportedError(f"writing the {kind} link '{link}' as {form}",
                               'write URDF, which has words for it in our namespace',
                               source=source)


def fluid_element(body: FluidBody) -> Any:
    """Return what a fluid does to a link as an element of its ``<link>``."""
    element = etree.Element(FLUID, nsmap={'mbd': NAMESPACE})
    add_origin(element, 'origin', body.frame)
    if body.volume:
        etree.SubElement(element, 'volume', value=numbers_text([body.volume]))
    entries = {name: value for name in ADDED_MASS
               if (value := body.added_mass['xyzpqr'.index(name[0])]['xyzpqr'.index(name[1])])}
    if entries:
        etree.SubElement(element, 'fluid_added_mass', {
            name: numbers_text([value]) for name, value in entries.items()})
    for tag in ('linear_drag', 'quadratic_drag'):
        values = getattr(body, tag)
        if any(values):
            etree.SubElement(element, tag, force=numbers_text(values[:3]),
                             moment=numbers_text(values[3:]))
    if any(body.lift):
        etree.SubElement(element, 'lift', force=numbers_text(body.lift))
    return element


def contact_element(body: ContactBody) -> Any:
    """Return where a link touches the ground as an element of its ``<link>``."""
    element = etree.Element(CONTACT, nsmap={'mbd': NAMESPACE})
    for point, radius in zip(body.points, body.radii):
        part = etree.SubElement(element, 'point', xyz=numbers_text(point))
        if radius:
            part.set('radius', numbers_text([radius]))
    etree.SubElement(element, 'stiffness', value=numbers_text([body.stiffness]))
    etree.SubElement(element, 'damping', value=numbers_text([body.damping]))
    etree.SubElement(element, 'friction', value=numbers_text([body.friction]),
                     slip_speed=numbers_text([body.slip_speed]))
    return element


def thruster_element(body: ThrusterBody) -> Any:
    """Return a thruster as an element of its ``<link>``."""
    element = etree.Element(THRUSTER, name=body.name, nsmap={'mbd': NAMESPACE})
    if any(body.point):
        etree.SubElement(element, 'origin', xyz=numbers_text(body.point))
    etree.SubElement(element, 'axis', xyz=numbers_text(body.axis))
    if any(body.curve):
        etree.SubElement(element, 'curve', {
            name: numbers_text([one]) for name, one in zip(('forward', 'reverse'), body.curve)})
    if body.time_constant:
        etree.SubElement(element, 'time_constant', value=numbers_text([body.time_constant]))
    if (body.lower, body.upper) != (-inf, inf):
        etree.SubElement(element, 'limit', lower=numbers_text([body.lower]),
                         upper=numbers_text([body.upper]))
    return element


def flexible_element(body: FlexibleBody) -> Any:
    """Return how a link bends as an element of its ``<link>``."""
    element = etree.Element(FLEXIBLE, nsmap={'mbd': NAMESPACE})
    add_origin(element, 'origin', body.frame)
    if body.beam is not None:
        beam = body.beam
        plain = Beam(beam.length, beam.linear_density)
        values = {}
        for field in fields(Beam):
            value = getattr(beam, field.name)
            if field.name in ('length', 'linear_density') or value != getattr(plain, field.name):
                values[field.name] = (
                    value if isinstance(value, str) else numbers_text(
                        value if isinstance(value, tuple) else [value]))
        etree.SubElement(element, 'beam', values)
        return element
    if body.file:
        etree.SubElement(element, 'modal', file=body.file)
        return element
    for point in body.points:
        values = {'xyz': numbers_text(point.position), 'shape': numbers_text(point.shape)}
        if point.joint:
            etree.SubElement(element, 'interface', values | {
                'joint': point.joint, 'rotation': numbers_text(point.rotation)})
        else:
            etree.SubElement(element, 'point', values | {'mass': numbers_text([point.mass])})
    for tag in ('stiffness', 'damping'):
        etree.SubElement(element, tag, values=numbers_text(getattr(body, tag)))
    if body.integrals is not None:
        values = {field.name: numbers_text(getattr(body.integrals, field.name))
                  for field in fields(ShapeIntegrals) if getattr(body.integrals, field.name)}
        if body.integrals.pairs:
            values['pairs'] = ' '.join(map(str, body.integrals.pairs))
        etree.SubElement(element, 'integrals', values)
    return element
