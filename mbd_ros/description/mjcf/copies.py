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

"""Parts of MJCF that stand several times in a robot, or come from another file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.mjcf.document import Document, Item, open_document
from mbd_ros.description.mjcf.orientation import euler
from mbd_ros.description.records.report import nearest, Report, TEXT
from mbd_ros.description.xml.roots import Roots
from mbd_ros.description.xml.xml_tree import children, MAX_BYTES, parse_xml
from mbd_ros.errors import DescriptionError

Array = NDArray[np.float64]
Part = tuple[Any, Array, str, Document]
"""An element, the pose of its frame, the class that it inherits and the document it is read by."""

MAX_COPIES = 10000
"""Replicated and attached parts of a robot together."""
_NAMING = ('joint', 'joint1', 'joint2', 'jointinparent', 'body', 'body1', 'body2', 'site',
           'site1', 'site2', 'slidersite', 'cranksite', 'refsite', 'tendon', 'tendon1', 'tendon2')


def replicas(item: Item, childclass: str, documents: Sequence[Document]) -> Iterator[Part]:
    """
    Yield what stands in a ``<replicate>``, as often as it says.

    The k-th copy is turned by k times the angles of ``euler`` and stands ``offset`` from the one
    before, in its axes; its names end with ``sep`` and k, with as many digits as the count.

    Raises
    ------
    DescriptionError
        If there are too many copies.

    """
    document = item.document
    count = item.number('count', 0.0)
    most = MAX_COPIES - sum(len(one.copies) for one in documents) - len(documents)
    if not count.is_integer() or not 0 < count <= most:
        raise document.error(item.element, f'<replicate> has the count {count:.9g}; allowed: a '
                             f'whole number from 1, and {MAX_COPIES} copies in the robot')
    offset = item.numbers('offset', 3) or (0.0, 0.0, 0.0)
    angles = np.array(item.numbers('euler', 3) or (0.0, 0.0, 0.0))
    pose, digits = np.eye(4), len(str(int(count)))
    for k in range(int(count)):
        part = document.replicated(f'{item.text("sep")}{k:0{digits}}')
        for child in children(item.element):
            yield child, pose, childclass, part
        pose = pose.copy()
        pose[:3, 3] += pose[:3, :3] @ offset
        pose[:3, :3] = euler(item, (k + 1) * angles)


def attached(item: Item, documents: list[Document]) -> Iterator[Part]:
    """
    Yield what ``<attach>`` takes from another file: a body, a frame, or all that its world holds.

    Without a model it takes a body or frame once more that stands before it in its own file.

    Raises
    ------
    DescriptionError
        If there is no such model, file, body or frame, or it would be in itself.

    """
    document = item.document
    own = 'model' not in item.values
    if len(documents) + sum(len(one.copies) for one in documents) >= MAX_COPIES:
        raise document.error(item.element, f'<attach>: there are {MAX_COPIES} copies already')
    other = replace(document, names=set(), copies=[]) if own else _opened(item, documents)
    other.prefix = document.prefix + item.text('prefix')
    other.suffix = document.suffix
    documents.append(other)
    kind = 'frame' if 'frame' in item.values else 'body'
    name = item.text(kind)
    standing: Iterator[Any] = (element for part in other.root.iterfind('worldbody')
                               for element in part.iter(kind, *(('attach',) if own else ())))
    if own:
        standing = takewhile(lambda element: element is not item.element, standing)
    named = {element.get('name'): element for element in standing if element.tag == kind}
    if own and (not name or not item.text('prefix')):
        raise document.error(item.element, '<attach> without a model has not both a prefix and '
                             'either body or frame')
    if not name:
        for part in other.root.iterfind('worldbody'):
            for child in children(part):
                yield child, np.eye(4), 'main', other
    elif name not in named:
        where = 'this file' if own else f"model '{item.text('model')}'"
        raise document.error(item.element, f"<attach>: {kind} '{name}' does not exist in {where}"
                             f'{nearest(name, filter(None, named))}')
    elif named[name] in item.element.iterancestors():
        raise document.error(item.element, f"<attach>: {kind} '{name}' holds this <attach>")
    else:
        above = (element.get('childclass') for element in named[name].iterancestors())
        yield named[name], np.eye(4), next(filter(None, above), 'main'), other


def _opened(item: Item, documents: Sequence[Document]) -> Document:
    """Return the document of a model, from one that was opened before if it can be."""
    document, name = item.document, item.text('model')
    files = {part.get('name') or Path(part.get('file', '')).stem: part.get('file', '')
             for asset in document.root.iterfind('asset') for part in asset.iterfind('model')}
    if name not in files:
        raise document.error(item.element, f"<attach>: model '{name}' does not exist"
                             f'{nearest(name, files)}')
    report = document.report
    if report.file == TEXT:
        raise document.error(item.element, f"<attach> of '{files[name]}' in a text that has no "
                             'folder; allowed: in files')
    try:
        path = Roots(report.file, max_bytes=MAX_BYTES, folders=report.folders).check(
            Path(document.file).parent / files[name])
    except (DescriptionError, OSError, ValueError) as error:
        what = error.what if isinstance(error, DescriptionError) else str(error)
        raise document.error(item.element, f"<attach> of '{files[name]}': {what}") from None
    for one in documents:
        if one.file == str(path) and one is not document:
            return Document(one.root, report, one.file, one.settings, one.defaults)
    if path == Path(document.file).resolve():
        raise document.error(item.element, f"<attach> of '{files[name]}', which is this file")
    inner = Report(str(path))
    root = parse_xml(path.read_bytes(), inner)
    report.findings.extend(inner.findings)
    report.mark(root, str(path))
    other = open_document(root, report, str(path))
    other.settings.gravity = documents[0].settings.gravity
    other.settings.disabled = documents[0].settings.disabled
    return other


def section(tag: str, documents: Sequence[Document]) -> Iterator[Item]:
    """
    Yield the elements of a section, each as often as what it names stands in the robot.

    An element of an attached file that names something which was not attached is left out.
    """
    for number, document in enumerate(documents):
        for part in document.root.iterfind(tag):
            for element in children(part):
                named = _named(element)
                copies = [copy for copy in document.copies if named <= copy.names]
                if named <= document.names or not copies:
                    if number == 0 or named <= document.names:
                        yield document.item(element, 'main')
                else:
                    yield from (copy.item(element, 'main') for copy in copies)


def _named(element: Any) -> set[str]:
    """Return what an element and its parts name."""
    return {one.get(key) for one in (element, *children(element)) for key in _NAMING
            if one.get(key) and one.get(key) != 'world'}
