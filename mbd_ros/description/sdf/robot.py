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

"""SDFormat to Mechanism."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from lxml import etree
import numpy as np

from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.inertia_check import check_inertias
from mbd_ros.description.records.loop_joints import check_loops
from mbd_ros.description.records.mechanism import (
    FluidBody, Inertia, Joint, Link, Mechanism, STANDARD_GRAVITY, Vector3)
from mbd_ros.description.records.poses import matrix3, pose_from
from mbd_ros.description.records.report import Report
from mbd_ros.description.records.side_file import stem_of
from mbd_ros.description.records.solids import combined
from mbd_ros.description.records.tree import span
from mbd_ros.description.records.vocabulary import ADDED_MASS
from mbd_ros.description.sdf.auto_inertia import auto_inertia
from mbd_ros.description.sdf.composition import compose, is_static
from mbd_ros.description.sdf.frames import WORLD
from mbd_ros.description.sdf.includes import OLD
from mbd_ros.description.sdf.joints import (
    all_reached, carrying, closing_joint, mesh_gears, read_raw, tree_joints)
from mbd_ros.description.sdf.parts import base_of, pose_in, remark_others, text_of, value_of
from mbd_ros.description.urdf.annotations import added_mass, check_added_mass
from mbd_ros.description.urdf.loops_gazebo import text_numbers
from mbd_ros.description.write.kept_urdf_elements import SHAPES
from mbd_ros.description.write.loops import add_origin
from mbd_ros.description.write.urdf import urdf_text

VERSIONS = ('1.4', '1.5', '1.6', '1.7', '1.8', '1.9', '1.10', '1.11', '1.12')

_SIMULATOR = 'it is for the simulator'
_MODEL = {'self_collide': _SIMULATOR, 'allow_auto_disable': _SIMULATOR, 'plugin': _SIMULATOR,
          'enable_wind': _SIMULATOR, 'gripper': _SIMULATOR}
_LINK = {'self_collide': _SIMULATOR, 'sensor': 'sensors are not part of the mechanism',
         'light': 'it is for the viewer', 'projector': 'it is for the viewer',
         'velocity_decay': _SIMULATOR, 'enable_wind': _SIMULATOR, 'must_be_base_link': _SIMULATOR,
         'audio_sink': _SIMULATOR, 'audio_source': _SIMULATOR, 'battery': _SIMULATOR,
         'particle_emitter': _SIMULATOR}
_TENSOR = ('ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz')
_DRAWN = {'box': ('size',), 'sphere': ('radius',), 'cylinder': ('radius', 'length'),
          'capsule': ('radius', 'length')}
WORLD_GRAVITY: Vector3 = (0.0, 0.0, -9.8)
"""SDFormat's default of a ``<world>`` [m/s^2]."""


def read_sdf(root: Any, report: Report, *, model_name: str | None = None) -> Mechanism:
    """
    Read one model of an SDFormat file: links, joints, frames and inertias.

    Parameters
    ----------
    root : lxml element
        The ``<sdf>``.
    report : Report
        Knows the file; takes the findings.
    model_name : str, optional
        Of several models the one to read; by default the only one, or the only one that moves.

    Returns
    -------
    Mechanism
        With ``world`` as root if a joint names it as parent, else with the link that no joint
        carries. ``text`` is the robot as URDF.

    Raises
    ------
    DescriptionError
        If it cannot be read, with file, line and name.
    UnsupportedError
        If it has something that this version cannot do.

    """
    version = root.get('version', '').strip()
    if version not in VERSIONS:
        report.remark('warning', f"the SDFormat version '{version}' is unknown; it is read as "
                      f'{VERSIONS[-1]}', report.source(root))
    model, frames = compose(root, report, model_name)
    _check_model(model, report)
    raws = [read_raw(element, frames, version == OLD, report)
            for element in model.iterfind('joint')]
    gears = [raw for raw in raws if raw.type == 'gearbox']
    raws = [raw for raw in raws if raw.type != 'gearbox']
    links = [_link(element, report) for element in model.iterfind('link')]
    if any(raw.parent == WORLD for raw in raws):
        links.insert(0, Link(WORLD, source=report.source(model)))
    raws = all_reached(raws, links, report)
    spanned = span(links, [raw.proxy for raw in raws], report,
                   kept=carrying(raws, gears, frames))
    cut = {loop.name for loop in spanned.closing}
    loops = [closing_joint(raw, report) for raw in raws if raw.name in cut]
    joints: list[Joint] = []
    for raw in raws:
        if raw.name not in cut:
            between, new = tree_joints(raw, report)
            links.extend(between)
            joints.extend(new)
    mesh_gears(gears, raws, joints, frames, report)
    check_loops(loops, (), links, joints, report)
    check_inertias(links, report)
    if spanned.root != WORLD:
        report.remark('info', f"the root link '{spanned.root}' is fixed to nothing; where the "
                      'model stands in the world is not used', report.source(model))
    name = model.get('name', '').strip() or stem_of(Path(report.file)).strip('<>')
    fluids = tuple(body for element in model.iterfind('link')
                   if (body := _fluid(element, report)) is not None)
    shapes = {element.get('name'): _shapes(element, report) for element in model.iterfind('link')}
    mechanism = Mechanism(name, spanned.root, tuple(links), tuple(joints), tuple(report.findings),
                          report.file, '', tuple(loops), fluids=fluids,
                          gravity=_gravity(root, report))
    return replace(mechanism, text=urdf_text(mechanism, shapes=shapes))


def _gravity(root: Any, report: Report) -> Vector3:
    """Return that of the world; old files have it in ``<physics>``, and none is Gazebo's 9.8."""
    for world in root.iterfind('world'):
        part = world.find('gravity')
        part = world.find('physics/gravity') if part is None else part
        if part is None:
            report.remark('info', '<world> has no <gravity>; that of SDFormat, 0 0 -9.8, is used',
                          report.source(world))
            return WORLD_GRAVITY
        x, y, z = text_numbers(part, 3, '<world>', report)
        return x, y, z
    return STANDARD_GRAVITY


def _check_model(model: Any, report: Report) -> None:
    name = model.get('name', '')
    if is_static(model):
        report.remark('warning', f"model '{name}' is static; it is read as if it could move",
                      report.source(model))
    remark_others(model, ('link', 'joint', 'frame', 'pose', 'static'), _MODEL,
                  f"model '{name}'", report)


def _link(element: Any, report: Report) -> Link:
    name, source = element.get('name', ''), report.source(element)
    what = f"link '{name}'"
    if text_of(element, 'kinematic') in ('1', 'true'):
        report.leave_out('kinematic', f'<kinematic> of {what}, which a program moves whatever '
                         'pushes it,', source)
    floats = text_of(element, 'gravity', '1').lower() in ('0', 'false')
    remark_others(element, ('pose', 'inertial', 'visual', 'collision', 'gravity', 'kinematic'),
                  _LINK, what, report)
    return Link(name, _inertia(element, what, source, report), source, float(floats))


def _inertia(element: Any, what: str, source: Source, report: Report) -> Inertia | None:
    part = element.find('inertial')
    if part is None and report.from_shapes and any(
            element.find(f'{tag}/geometry/{kind}') is not None for tag in SHAPES
            for kind in _DRAWN):
        return None
    if part is None:
        report.remark('info', f"{what} has no <inertial>; SDFormat's default, 1 kg and 1 kg m^2, "
                      'is used', source)
        return Inertia(1.0, tensor=matrix3(np.eye(3)), source=source)
    if part.get('auto', 'false') in ('true', '1'):
        remark_others(part, ('mass', 'density', 'inertia', 'pose'), {
            'auto_inertia_params': _SIMULATOR}, what, report)
        return auto_inertia(element, report)
    if base_of(part):
        raise report.error(f'{what}: <pose> of <inertial> relative to another frame; allowed: '
                           'relative to the link', report.source(part))
    remark_others(part, ('pose', 'mass', 'inertia', 'fluid_added_mass'), {
        'density': 'it counts only where inertia is left to the simulator'}, what, report)
    for tensor_part in part.iterfind('inertia'):
        remark_others(tensor_part, _TENSOR, {}, what, report)
    entries = {axes: value_of(part, f'inertia/{axes}', float(axes[1] == axes[2]), what, report)
               for axes in _TENSOR}
    tensor = np.array([[entries[f'i{min(a, b)}{max(a, b)}'] for b in 'xyz'] for a in 'xyz'])
    mass = value_of(part, 'mass', 1.0, what, report)
    placed = pose_in(part, what, report)
    if mass == 0.0:
        turned = placed[:3, :3] @ tensor @ placed[:3, :3].T
        x, y, z = placed[:3, 3].tolist()
        return Inertia(0.0, (x, y, z), matrix3(turned), report.source(part))
    return combined([(mass, placed, tensor)], report.source(part))


def _fluid(link: Any, report: Report) -> FluidBody | None:
    """Return the added mass of a link: about its origin, in its axes, as SDFormat 1.10 says."""
    part = link.find('inertial/fluid_added_mass')
    if part is None:
        return None
    what = f"link '{link.get('name')}'"
    remark_others(part, ADDED_MASS, {}, what, report)
    entries = {name: value_of(part, name, 0.0, what, report) for name in ADDED_MASS}
    body = FluidBody(link.get('name'), added_mass=added_mass(entries), source=report.source(part))
    check_added_mass(body, report)
    return body


def _shapes(link: Any, report: Report) -> list[Any]:
    """Return the shapes that URDF has, too, as ``<visual>`` and ``<collision>`` elements."""
    found = []
    for part in (one for tag in SHAPES for one in link.iterfind(tag)):
        for shape in part.iterfind('geometry/*'):
            kind, sizes = str(shape.tag), _DRAWN.get(str(shape.tag))
            if sizes is None:
                if part.tag == 'visual':
                    report.remark(
                        'info', f"link '{link.get('name')}': a visual of shape <{kind}> is not "
                        f'drawn; drawn are: {", ".join(_DRAWN)}', report.source(shape))
                continue
            element = etree.Element(part.tag)
            add_origin(element, 'origin', pose_from(pose_in(part, part.tag, report)))
            etree.SubElement(etree.SubElement(element, 'geometry'), kind, {
                size: text_of(shape, size) for size in sizes})
            found.append(element)
    return found
