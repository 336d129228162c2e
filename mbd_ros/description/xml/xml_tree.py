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

"""XML with line numbers, and without the dangers of XML."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from mbd_ros.description.records.budget import add_elements, reading, take
from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.report import Report, tag_name

_VERSION = re.compile(rb"""\A(?:\xef\xbb\xbf)?(<\?xml\s+version\s*=\s*["'])([0-9.]{1,20})["']""")

MAX_BYTES = 64 * 1024 * 1024
"""A file beyond it is a mistake or an attack."""
MAX_ATTRIBUTES = 200
"""Of one element; to list them takes a time that grows with the square of their number."""


@reading()
def parse_xml(data: bytes, report: Report) -> Any:
    """
    Return the root element of an XML document.

    No document type, hence no entity, is accepted, and nothing else is opened or downloaded.
    Prefixes without a namespace are accepted, as by urdfdom, and remarked; so is a namespace of
    the whole document, whose names are read as if it had none.

    Parameters
    ----------
    data : bytes
        The document.
    report : Report
        Takes the findings, and words the errors.

    Returns
    -------
    lxml element
        With ``sourceline`` on it and all below it.

    Raises
    ------
    DescriptionError
        If this is not well-formed XML or too large, with the line.

    """
    if len(data) > MAX_BYTES:
        raise report.error(f'the description is larger than {MAX_BYTES} bytes, which no robot is',
                           Source(report.file))
    take(len(data), report.file)
    if not data.strip():
        raise report.error('the description is empty; allowed: XML with the root <robot>',
                           Source(report.file))
    version = _VERSION.match(data)
    if version is not None and not version[2].startswith(b'1.'):
        report.remark('info', f"XML of version '{version[2].decode()}' is read as 1.0",
                      Source(report.file, 1))
        data = data[:version.start(2)] + b'1.0' + data[version.end(2):]
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False,
                             huge_tree=False, recover=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise report.error(f'this is not well-formed XML: {error.msg}',
                           Source(report.file, error.lineno)) from None
    for entry in parser.error_log:
        source = Source(report.file, entry.line)
        if entry.type == etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE:
            report.remark('info', f'{entry.message}; it is read as part of the name', source)
        elif entry.type == etree.ErrorTypes.ERR_HYPHEN_IN_COMMENT:
            report.remark('info', 'a comment has two hyphens in it; it is skipped as other '
                          'readers do', source)
        elif entry.level >= etree.ErrorLevels.ERROR:
            raise report.error(f'this is not well-formed XML: {entry.message}', source)
    if root is None:
        raise report.error('this is not XML', Source(report.file, 1))
    if root.getroottree().docinfo.doctype:
        line = data[:max(data.find(b'<!DOCTYPE'), 0)].count(b'\n') + 1
        raise report.error('a document type (<!DOCTYPE ...>) is not allowed; remove it',
                           Source(report.file, line))
    for element in root.iter('*'):
        add_elements(1, report.file, element.sourceline)
        if len(element.attrib) > MAX_ATTRIBUTES:
            raise report.error(f'<{tag_name(element)}> has {len(element.attrib)} attributes; '
                               f'allowed: {MAX_ATTRIBUTES}', report.source(element))
    default = root.nsmap.get(None)
    if default is not None and root.prefix is None:
        report.remark('info', f"the namespace '{default}' of the document is not looked at",
                      Source(report.file, root.sourceline))
        for element in root.iter(f'{{{default}}}*'):
            if element.prefix is None:
                element.tag = etree.QName(element).localname
        etree.cleanup_namespaces(root, keep_ns_prefixes=list(filter(None, root.nsmap)))
    return root


def children(element: Any) -> list[Any]:
    """Return the child elements, without comments and processing instructions."""
    return list(element.iterchildren('*'))


def as_text(root: Any) -> str:
    """Return the whole document, comments included, without an XML declaration."""
    text: str = etree.tostring(root.getroottree(), encoding='unicode')
    return text
