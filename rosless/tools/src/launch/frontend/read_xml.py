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

"""Read launch files in XML."""

from __future__ import annotations

from typing import Any

from launch.frontend.entity import Entity
from launch.frontend.entity import EntityError


def read_xml(path: str, content: str | bytes | None = None) -> Entity:
    """
    Return the outermost tag of a file, or of a content that was read from it.

    Entities of a document type and files elsewhere are not read.

    Raises
    ------
    EntityError
        If the file is no XML.
    OSError
        If it cannot be read.

    """
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False,
                             remove_comments=True, remove_pis=True)
    if content is None:
        with open(path, 'rb') as file:
            content = file.read()
    try:
        root = etree.fromstring(content.encode() if isinstance(content, str) else content, parser)
    except etree.XMLSyntaxError as error:
        raise EntityError(f'{path}:{error.lineno}: {error.msg}') from error
    return _entity(root, path)


def _entity(element: Any, path: str) -> Entity:
    where = f'{path}:{element.sourceline}'
    children = [_entity(child, path) for child in element if isinstance(child.tag, str)]
    for text in [element.text, *(child.tail for child in element)]:
        if text is not None and text.strip():
            raise EntityError(f"{where}: `{element.tag}`: unexpected text '{text.strip()}'")
    return Entity(str(element.tag), where, dict(element.attrib), children)
