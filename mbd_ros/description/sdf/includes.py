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


"""``<include>`` of SDFormat: models of other files in their places."""

from __future__ import annotations

from typing import Any

from lxml import etree

from mbd_ros.description.records.report import Report
from mbd_ros.description.sdf.frames import MODEL
from mbd_ros.description.sdf.parts import remark_others, text_of
from mbd_ros.description.sdf.resources import Resources
from mbd_ros.description.xml.xml_tree import parse_xml
from mbd_ros.errors import DescriptionError

OLD = '1.4'
"""Below 1.5 axes are in the frame of their model."""
MERGED = 'mbd_merge'
"""Attribute of a model whose parts are to be those of the model around it."""
UNREAD = 'mbd_unread'
"""Attribute of a model that stands for an ``<include>`` of a world that cannot be read: why."""

_OF = 'mbd_file'
"""Attribute of a model: the file that it was included from."""
_MOST, _DEEPEST = 1000, 20
_READ = ('uri', 'name', 'pose', 'placement_frame', 'static')
_UNUSED = {'plugin': 'it is for the simulator', 'joint': 'states are not part of the mechanism',
           'namespace': 'it is for the simulator', 'experimental:params': 'it is not read'}


def include_models(root: Any, report: Report) -> None:
    """
    Replace each ``<include>`` of a model or world by the model that it names.

    One in a world that cannot be read becomes a model without parts that says why: it may be
    scenery.

    Parameters
    ----------
    root : lxml element
        The ``<sdf>``; changed.
    report : Report
        Takes the findings.

    Raises
    ------
    DescriptionError
        If a model that is part of another cannot be read, or files include each other without
        end.

    """
    resources = Resources(report)
    count = 0
    while (include := next((one for one in root.iter('include') if one is not root and
                            one.getparent().tag in ('sdf', 'world', 'model')), None)) is not None:
        count += 1
        try:
            if count > _MOST:
                raise DescriptionError(f'the description has more than {_MOST} of them')
            model = _model(include, resources, report)
        except (DescriptionError, OSError, ValueError) as error:
            what = error.what if isinstance(error, DescriptionError) else str(error)
            what = f"<include> of '{text_of(include, 'uri')}': {what}"
            if include.getparent().tag == 'model' or count > _MOST:
                raise report.error(what, report.source(include)) from None
            model = etree.Element('model', {'name': text_of(include, 'name') or text_of(
                include, 'uri').rpartition('/')[2], UNREAD: what})
            model.sourceline = min(include.sourceline or 1, 65535)
        parent = include.getparent()
        parent[parent.index(include)] = model


def _model(include: Any, resources: Resources, report: Report) -> Any:
    """Return the model that an ``<include>`` names, with what that says of it."""
    uri = text_of(include, 'uri')
    if not uri:
        raise DescriptionError('it has no <uri>')
    beside = report.source(include).file or ''
    path = resources.find(uri, beside)
    above = [one.get(_OF) for one in include.iterancestors('model')]
    if str(path) in above or len(above) > _DEEPEST:
        raise DescriptionError(f'the file {path} includes itself' if str(path) in above else
                               f'files include each other more than {_DEEPEST} deep')
    inner = Report(str(path))
    root = parse_xml(path.read_bytes(), inner)
    report.findings.extend(inner.findings)
    models = list(root.iterfind('model'))
    if root.tag != 'sdf' or len(models) != 1:
        raise DescriptionError(f'{path} has {len(models)} models; allowed: <sdf> with one')
    model = models[0]
    for axis in model.iter('axis', 'axis2') if model.find('.//joint') is not None else ():
        _settle(axis, root.get('version', '').strip() == OLD)
    report.mark(root, str(path))
    model.set(_OF, str(path))
    model.tail = None
    what = f"<include> of '{uri}'"
    remark_others(include, _READ, _UNUSED, what, report)
    if text_of(include, 'name'):
        model.set('name', text_of(include, 'name'))
    if include.get('merge') in ('true', '1'):
        model.set(MERGED, 'true')
    placed = text_of(include, 'placement_frame')
    pose = include.find('pose')
    if placed:
        if pose is None:
            raise DescriptionError('it has a <placement_frame> and no <pose>')
        model.set('placement_frame', placed)
    for tag in ('pose', 'static'):
        part = include.find(tag)
        if part is not None:
            for old in model.findall(tag):
                model.remove(old)
            model.insert(0, part)
    return model


def _settle(axis: Any, old: bool) -> None:
    """Say which frame an axis is given in, which depends on the version of its file."""
    joint, way = axis.getparent(), axis.find('xyz')
    if joint.tag == 'joint' and way is not None and not way.get('expressed_in'):
        in_model = old or text_of(axis, 'use_parent_model_frame') in ('1', 'true')
        way.set('expressed_in', MODEL if in_model else joint.get('name', ''))
        for flag in axis.findall('use_parent_model_frame'):
            axis.remove(flag)
