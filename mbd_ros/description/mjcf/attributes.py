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

"""Attributes of MJCF: those that are read, known but unused, and unknown."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from mbd_ros.description.mjcf.document import Document
from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.report import FILE, nearest

_TURN = 'quat axisangle euler xyaxes zaxis '
_READ = {tag: frozenset(names.split()) for tag, names in {
    'body': _TURN + 'name pos childclass mocap gravcomp',
    'frame': _TURN + 'name pos childclass',
    'inertial': _TURN + 'pos mass diaginertia fullinertia',
    'joint': 'name class type pos axis range limited ref damping frictionloss armature stiffness '
             'springref springdamper align',
    'freejoint': 'name align',
    'geom': _TURN + 'name class type size pos fromto mass density mesh group shellinertia contype '
                    'conaffinity fitscale',
    'site': _TURN + 'name class pos',
    'connect': 'name class active body1 body2 anchor site1 site2',
    'weld': 'name class active body1 body2 relpose site1 site2',
    'compiler': 'angle coordinate eulerseq autolimits inertiafromgeom inertiagrouprange boundmass '
                'boundinertia settotalmass balanceinertia alignfree meshdir '
                'assetdir strippath fitaabb exactmeshinertia',
}.items()}
_SOFT = 'solref solimp '
_UNUSED = {tag: frozenset(names.split()) for tag, names in {
    'body': 'sleep user fuse simple',
    'joint': 'solreflimit solimplimit solreffriction solimpfriction margin group user '
             'springyield actuatorfrclimited actuatorfrcrange actuatorgravcomp',
    'freejoint': 'group',
    'geom': _SOFT + 'condim priority solmix friction margin gap material rgba '
            'hfield fluidshape fluidcoef user adhesion castshadow surfacevel',
    'site': 'type size fromto material rgba group user',
    'connect': _SOFT, 'weld': _SOFT + 'anchor torquescale',
    'compiler': 'discardvisual texturedir usethread fusestatic '
                'saveinertial convexhull conflict passthrough '
                'savecanonical savecompiled',
}.items()}
_WHY = {
    'body': 'they are for the simulator', 'freejoint': 'they are for the simulator',
    'joint': 'they are of contact, solver or motor', 'site': 'they are for the viewer',
    'geom': 'they are of contact, fluid or viewer',
    'connect': 'constraints are kept exactly, not softly',
    'weld': 'constraints are kept exactly, not softly', 'compiler': 'they change no mechanism'}


def remark_unused(document: Document) -> None:
    """Remark once per tag what is known and not used, and every attribute that is unknown."""
    seen: dict[str, dict[str, Source]] = defaultdict(dict)
    for element in document.root.iter('*'):
        tag: Any = element.tag
        if tag not in _READ or (tag in ('joint', 'site', 'geom') and element.getparent().tag in (
                'equality', 'fixed', 'spatial', 'tendon')):
            continue
        for name in element.attrib:
            if name in _UNUSED.get(tag, ()):
                seen[tag].setdefault(name, document.report.source(element))
            elif name not in _READ[tag] and name != FILE:
                known = _READ[tag] | _UNUSED.get(tag, frozenset())
                document.report.remark(
                    'warning', f"attribute '{name}' of <{tag}> is unknown and not used"
                    f'{nearest(name, known)}', document.report.source(element))
    for tag, names in seen.items():
        document.report.remark('info', f'{", ".join(sorted(names))} of <{tag}> are not used: '
                               f'{_WHY[tag]}', next(iter(names.values())))
