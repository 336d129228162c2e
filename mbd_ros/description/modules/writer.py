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

"""A ModuleGraph as a YAML document that reads back as the same graph."""

from __future__ import annotations

from collections.abc import Mapping
import dataclasses
import math
from typing import Any

import numpy as np
from transforms3d.euler import mat2euler
import yaml

from mbd_ros.description.modules.reader import VERSION
from mbd_ros.description.modules.records import (
    Body, ModuleGraph, ModuleType, Port, PortJoint, Visual)
from mbd_ros.description.records.mechanism import (
    ContactBody, FluidBody, Joint, JointSpring, Limits, Pose, SpringDamper)
from mbd_ros.description.records.thruster import ThrusterBody
from mbd_ros.description.write.annotations import flexible_element

_DUMPER: Any = getattr(yaml, 'CSafeDumper', yaml.SafeDumper)


def write_module_graph(graph: ModuleGraph) -> str:
    """
    Return the YAML document of a graph.

    Parameters
    ----------
    graph : ModuleGraph
        The robot.

    Returns
    -------
    str
        Numbers with all their digits; comments of the file it was read from are not kept.

    """
    base = {'module': graph.base.module, 'motion': graph.base.motion, **_pose(graph.base.pose)}
    return str(yaml.dump({
        'module_graph': int(VERSION), 'name': graph.name,
        'types': {name: _type(one) for name, one in graph.types.items()},
        'instances': {name: one.type for name, one in graph.instances.items()},
        'connections': [_without({
            'parent': f'{one.parent}.{one.parent_port}', 'child': f'{one.child}.{one.child_port}',
            'angle': one.angle, 'closes_loop': one.closes_loop}) for one in graph.connections],
        'base': base}, Dumper=_DUMPER, sort_keys=False, default_flow_style=None, width=99))


def _without(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that say something."""
    return {key: value for key, value in fields.items()
            if value not in (None, '', False, 0.0) and value != [] and value != {}}


def _type(one: ModuleType) -> dict[str, Any]:
    ports = {name: _port(port) for name, port in one.ports.items()}
    if one.part:
        return {'part': one.part, 'ports': ports}
    return {'bodies': {name: _body(body) for name, body in one.bodies.items()},
            **_without({'joints': {name: _joint(joint) for name, joint in one.joints.items()},
                        'springs': {spring.name: _spring(spring) for spring in one.springs}}),
            'ports': ports}


def _body(body: Body) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if body.inertia is not None:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia.tensor
        fields = {'mass': body.inertia.mass, 'center': list(body.inertia.center),
                  'inertia': [xx, xy, xz, yy, yz, zz]}
    if body.fluid is not None:
        fields['fluid'] = _fluid(body.fluid)
    if body.contact is not None:
        fields['contact'] = _contact(body.contact)
    if body.flexible is not None:
        fields['flexible'] = {**_pose(body.flexible.frame),
                              'beam': dict(flexible_element(body.flexible)[-1].attrib)}
    if body.gravity_compensation:
        fields['gravity_compensation'] = body.gravity_compensation
    if body.thrusters:
        fields['thrusters'] = {one.name: _thruster(one) for one in body.thrusters}
    if body.visuals:
        fields['visuals'] = [_visual(visual) for visual in body.visuals]
    return fields


def _fluid(fluid: FluidBody) -> dict[str, Any]:
    rows = fluid.added_mass
    return {'volume': fluid.volume, **_pose(fluid.frame),
            'added_mass': [rows[i][j] for i in range(6) for j in range(i, 6)],
            'linear_drag': list(fluid.linear_drag),
            'quadratic_drag': list(fluid.quadratic_drag),
            **({'lift': list(fluid.lift)} if any(fluid.lift) else {})}


def _contact(contact: ContactBody) -> dict[str, Any]:
    return {'points': [list(point) for point in contact.points], **_without({
        'radius': contact.radii[0], 'stiffness': contact.stiffness, 'damping': contact.damping,
        'friction': contact.friction, 'slip_speed': contact.slip_speed})}


def _thruster(one: ThrusterBody) -> dict[str, Any]:
    return {'position': list(one.point), 'axis': list(one.axis), **_without({
        'curve': list(one.curve) if any(one.curve) else [], 'time_constant': one.time_constant,
        'limits': [one.lower, one.upper] if math.isfinite(one.upper - one.lower) else []})}


def _spring(spring: SpringDamper) -> dict[str, Any]:
    return {'body1': spring.link1, 'body2': spring.link2, 'point1': list(spring.point1),
            'point2': list(spring.point2), **_without({
                'stiffness': spring.stiffness, 'damping': spring.damping,
                'length': spring.length, 'slack': spring.slack})}


def _visual(visual: Visual) -> dict[str, Any]:
    shape: Any = list(visual.size)
    fields: dict[str, Any] = {visual.kind: shape}
    if visual.kind == 'sphere':
        fields = {'sphere': shape[0]}
    elif visual.kind == 'mesh':
        fields = {'mesh': visual.file, 'scale': shape}
    color = {} if visual.color is None else {'color': list(visual.color)}
    return {**fields, **_pose(visual.pose), **color}


def _joint(joint: Joint) -> dict[str, Any]:
    moving = PortJoint(joint.kind, joint.axis, joint.limits, joint.dynamics)
    kind = _moving(moving)
    return {'type': kind.pop('type'), 'parent': joint.parent, 'child': joint.child,
            **_pose(joint.origin), **kind}


def _moving(joint: PortJoint) -> dict[str, Any]:
    if joint.kind == 'fixed':
        return {'type': 'fixed'}
    dynamics = joint.dynamics
    return {'type': joint.kind, 'axis': list(joint.axis), **_without({
        'limits': _limits(joint.limits),
        'dynamics': _without({
            one.name: getattr(dynamics, one.name) for one in dataclasses.fields(dynamics)
            if one.name != 'springs'}),
        'springs': [_joint_spring(one) for one in dynamics.springs]})}


def _joint_spring(spring: JointSpring) -> dict[str, Any]:
    return _without({'stiffness': list(spring.stiffness), 'reference': list(spring.reference),
                     'slack': spring.slack})


def _limits(limits: Limits) -> dict[str, float]:
    found = {'lower': limits.lower, 'upper': limits.upper, 'velocity': limits.velocity,
             'effort': limits.effort}
    return {key: value for key, value in found.items() if math.isfinite(value)}


def _port(port: Port) -> dict[str, Any]:
    joint = {} if port.joint.kind == 'fixed' else {'joint': _moving(port.joint)}
    angles = {} if port.angles is None else {'angles': list(port.angles)}
    gender = '' if port.gender == 'any' else port.gender
    return {'body': port.body, **_pose(port.pose),
            **_without({'gender': gender, 'connector': port.connector}), **angles, **joint}


def _pose(pose: Pose) -> dict[str, list[float]]:
    fields: dict[str, list[float]] = {}
    if any(pose.translation):
        fields['position'] = list(pose.translation)
    if pose.rotation != Pose().rotation:
        fields['orientation'] = [
            float(angle) for angle in mat2euler(np.array(pose.rotation), axes='sxyz')]
    return fields
