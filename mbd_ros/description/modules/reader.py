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

"""A YAML document to a ModuleGraph."""

from __future__ import annotations

from collections.abc import Mapping
import os
from pathlib import Path
from typing import cast, get_args

from mbd_ros.description.modules.read_types import read_type
from mbd_ros.description.modules.records import (
    Base, Connection, Instance, ModuleGraph, ModuleType, Motion)
from mbd_ros.description.modules.rules import check_graph
from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.report import nearest, Report
from mbd_ros.description.xml.file_content import read_content, utf8_text
from mbd_ros.description.xml.yaml_fields import NAME, Value
from mbd_ros.description.xml.yaml_tree import parse_yaml
from mbd_ros.errors import DockingError, UnknownNameError

VERSION = '1'
"""Of the form of these documents."""

MAX_MODULES = 200_000
"""More of them are a mistake."""
LONGEST_MODULE = 2000
"""Characters of a description for each module that is allowed."""


def read_module_graph(text: str, file: str, *, folder: str | None = None,
                      types: Mapping[str, ModuleType] | None = None,
                      checked: bool = True, most: int = MAX_MODULES) -> ModuleGraph:
    """
    Read a robot made of modules.

    Parameters
    ----------
    text : str
        The YAML document.
    file : str
        Its path, for messages.
    folder : str, optional
        Where parts (URDF and xacro files) are looked for; by default nowhere, so that only those
        in packages can be named.
    types : mapping of str to ModuleType, optional
        Of a robot in use, for text from a service: no file is opened, and the parts are those
        that these types have.
    checked : bool
        Whether mass properties no body can have are refused, or remarked only.
    most : int, optional
        Number of modules that are allowed, each with ``LONGEST_MODULE`` characters.

    Returns
    -------
    ModuleGraph
        Checked: every name exists, every connection is allowed, the modules make up one tree.

    Raises
    ------
    DescriptionError
        With file and line.

    """
    report = Report(file, checked=checked)
    if len(text) > most * LONGEST_MODULE:
        raise report.error(f'the description has {len(text)} characters; allowed: '
                           f'{most * LONGEST_MODULE} for {most} modules', Source(file))
    root = Value(parse_yaml(text, report), 'the description', report)
    fields = root.fields('module_graph', 'name', 'types', 'instances', 'connections', 'base')
    version = fields['module_graph'].text()
    if version != VERSION:
        fields['module_graph'].fail(f"is '{version[:20]}', the version of the form; allowed: "
                                    f'{VERSION}')
    known = None if types is None else {one.part: one for one in types.values() if one.part}
    types = {name: read_type(name, value, folder, known)
             for name, value in fields['types'].entries('type')}
    entries = list(fields['instances'].entries('instance'))
    if len(entries) > most:
        fields['instances'].fail(f'has {len(entries)} entries; allowed: {most}')
    instances = {name: _instance(name, value, types) for name, value in entries}
    connections = (tuple(map(_connection, fields['connections'].items()))
                   if 'connections' in fields else ())
    graph = ModuleGraph(fields['name'].name(), types, instances, connections,
                        _base(fields['base']), tuple(report.findings), file)
    try:
        check_graph(graph)
    except DockingError as error:
        raise report.error(error.what, error.source or root.source) from None
    except UnknownNameError as error:
        source = next((one.source for one in connections
                       if error.name in (name for end in one.ends for name in end)),
                      graph.base.source)
        raise report.error(str(error), source) from None
    return graph


def read_module_graph_file(path: str | os.PathLike[str], *, checked: bool = True) -> ModuleGraph:
    """
    Read a file that holds a robot made of modules.

    Parameters
    ----------
    path : str or path
        The file; parts are looked for in its folder.
    checked : bool
        As in ``read_module_graph``.

    Raises
    ------
    DescriptionError
        If it cannot be read.

    """
    return read_module_graph(utf8_text(read_content(Path(path)), str(path)), str(path),
                             folder=os.path.dirname(os.path.abspath(path)), checked=checked)


def _instance(name: str, value: Value, types: Mapping[str, object]) -> Instance:
    kind = value.text()
    if kind not in types:
        value.fail(f"is of the type '{kind[:60]}', which does not exist; allowed: "
                   f'{", ".join(types)}{nearest(kind, types)}')
    return Instance(name, kind, value.source)


def _connection(value: Value) -> Connection:
    fields = value.fields('parent', 'child', 'angle', 'closes_loop')
    (parent, parent_port), (child, child_port) = (_end(fields[key]) for key in ('parent', 'child'))
    return Connection(parent, parent_port, child, child_port,
                      fields.number('angle', 0.0, angle=True),
                      fields['closes_loop'].truth() if 'closes_loop' in fields else False,
                      value.source)


def _end(value: Value) -> tuple[str, str]:
    module, point, port = value.text().partition('.')
    if not point or not NAME.fullmatch(module) or not NAME.fullmatch(port):
        value.fail(f"is '{value.text()[:60]}'; allowed: MODULE.PORT")
    return module, port


def _base(value: Value) -> Base:
    fields = value.fields('module', 'motion', 'position', 'orientation')
    motion = cast(Motion, fields['motion'].choice(get_args(Motion)) if 'motion' in fields
                  else 'fixed')
    return Base(fields['module'].name(), motion, fields.pose(), value.source)
