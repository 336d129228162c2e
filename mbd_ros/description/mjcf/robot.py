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

"""MJCF to Mechanism."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from mbd_ros.description.mjcf.attributes import remark_unused
from mbd_ros.description.mjcf.bodies import read_bodies, Tree, WORLD
from mbd_ros.description.mjcf.document import Document, open_document
from mbd_ros.description.mjcf.equality import read_equality
from mbd_ros.description.mjcf.masses import scaled
from mbd_ros.description.mjcf.resistance import read_transmissions
from mbd_ros.description.mjcf.springs import add_timed_springs
from mbd_ros.description.records.finding import Severity
from mbd_ros.description.records.inertia_check import check_inertias
from mbd_ros.description.records.loop_joints import check_loops
from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.description.records.report import Report
from mbd_ros.description.records.side_file import stem_of
from mbd_ros.description.records.tree import check_names, span
from mbd_ros.description.write.urdf import urdf_text
from mbd_ros.description.xml.xml_tree import children

_FLUID = ('density', 'viscosity', 'wind')

_READ = ('compiler', 'option', 'default', 'worldbody', 'equality', 'tendon', 'actuator')
_UNUSED: dict[str, tuple[Severity, str]] = {
    'size': ('info', 'it is for the simulator'), 'visual': ('info', 'it is for the viewer'),
    'statistic': ('info', 'it is for the viewer'), 'custom': ('info', 'it is for users'),
    'asset': ('info', 'meshes and materials are not read'),
    'extension': ('warning', 'plugins are not read'),
    'contact': ('info', 'bodies do not touch'), 'sensor': ('info', 'sensors are not part of the '
                                                           'mechanism'),
    'keyframe': ('info', 'states are not part of the mechanism'),
    'deformable': ('warning', 'deformable bodies are not read')}


def read_mjcf(root: Any, report: Report) -> Mechanism:
    """
    Read a robot from MJCF: bodies, joints, inertias and equality constraints.

    Parameters
    ----------
    root : lxml element
        The ``<mujoco>``.
    report : Report
        Knows the file; takes the findings.

    Returns
    -------
    Mechanism
        Bodies are links of the same names, with ``world`` as root. ``text`` is the robot as URDF.

    Raises
    ------
    DescriptionError
        If it cannot be read, with file, line and name.
    UnsupportedError
        If it has something that this version cannot do.

    """
    document = open_document(root, report, report.file)
    tree = read_bodies(document)
    for one in {id(one.root): one for one in tree.documents}.values():
        _remark_parts(one)
        remark_unused(one)
    check_names('joint', tree.joints, report)
    check_names('link', tree.links, report)
    read_transmissions(tree)
    links = scaled(tree.links, document.settings.total)
    add_timed_springs(tree, links)
    loops = read_equality(document, tree)
    spanned = span(tree.links, tree.joints, report)
    check_loops(loops, tree.springs, tree.links, spanned.joints, report)
    check_inertias(links, report)
    name = root.get('model', '').strip() or stem_of(Path(report.file)).strip('<>')
    mechanism = Mechanism(name, WORLD, tuple(links), spanned.joints, tuple(report.findings),
                          report.file, '', tuple(loops), tuple(tree.springs),
                          fluids=tuple(tree.fluids), gravity=document.settings.gravity)
    return replace(mechanism, text=urdf_text(mechanism, shapes=_shapes(tree)))


def _remark_parts(document: Document) -> None:
    """Say which parts of the file are not used, and which of its options."""
    report = document.report
    for part in children(document.root):
        if part.tag in _READ:
            continue
        severity, why = _UNUSED.get(part.tag, ('warning', 'it is unknown'))
        if severity == 'info' or len(part) > 0 or part.tag not in _UNUSED:
            report.remark(severity, f'element <{part.tag}> is not used: {why}',
                          report.source(part))
    for part in document.root.iterfind('actuator'):
        report.remark('info', 'of <actuator> only armature and damping are used: efforts are '
                      'those of the joints', report.source(part))
    for part in document.root.iterfind('option'):
        others = [name for name in part.attrib if name not in ('gravity', *_FLUID)]
        if others:
            report.remark('info', f'{", ".join(others)} of <option> are not used: they are for '
                          'the simulator', report.source(part))


def _shapes(tree: Tree) -> dict[str, list[Any]]:
    return {body: [element for geom in geoms for element in geom.elements()]
            for body, geoms in tree.geoms.items()}
