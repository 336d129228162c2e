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

"""The strict pass: report every element and attribute that is not read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbd_ros.description.records.finding import Severity
from mbd_ros.description.records.numbers import is_infinite, numbers_in, read_numbers
from mbd_ros.description.records.report import nearest, owner, Report, tag_name
from mbd_ros.description.records.vocabulary import Attribute, Child, Element
from mbd_ros.description.xml.xml_tree import children


def check_element(element: Any, allowed: Element, report: Report, *, drawn: bool = False) -> None:
    """
    Compare an XML element and all below it with the vocabulary.

    What the vocabulary does not know, or knows as unused, becomes a finding. What is needed and
    missing, or should be numbers and is not, is an error; in parts for viewers a finding too.

    Parameters
    ----------
    element : lxml element
        What stands in the file.
    allowed : Element
        What may stand there.
    report : Report
        Takes the findings.
    drawn : bool
        Whether the element belongs to a part that is for viewers only.

    Raises
    ------
    DescriptionError
        With file, line and the name of the link or joint.

    """
    drawn = drawn or allowed.drawn
    _check_attributes(element, allowed.attributes, report, drawn)
    _check_text(element, element.text, report)
    seen: set[str] = set()
    for item in children(element):
        _check_text(item, item.tail, report)
        child = allowed.children.get(item.tag)
        if child is None:
            known = (name for name in allowed.children if not name.startswith('{'))
            report.remark('warning', f'{owner(item)}element <{tag_name(item)}> is unknown and not '
                          f"used{nearest(item.tag, known, '<{}>')}", report.source(item))
        elif child.unused:
            severity: Severity = 'warning' if item.tag.startswith('{') else 'info'
            report.remark(severity, f'{owner(item)}element <{tag_name(item)}> is not used: '
                          f'{child.unused}', report.source(item))
        elif item.tag in seen and not child.many:
            report.remark('warning', f'{owner(item)}a further <{tag_name(item)}> is not used; '
                          'only the first is', report.source(item))
        else:
            check_element(item, child.element, report, drawn=drawn)
        seen.add(item.tag)
    _check_required(element, allowed.children, seen, report, drawn)


def _check_attributes(element: Any, allowed: Mapping[str, Attribute], report: Report,
                      drawn: bool) -> None:
    for name, text in element.attrib.items():
        attribute = allowed.get(name)
        if attribute is None:
            report.remark('warning', f"{owner(element)}attribute '{name}' of "
                          f'<{tag_name(element)}> is unknown and not used'
                          f'{nearest(name, allowed)}', report.source(element))
        elif attribute.numbers and drawn:
            numbers = numbers_in(text, attribute.numbers)
            if isinstance(numbers, str):
                report.remark('warning', f'{owner(element)}{name}="{text}" of '
                              f'<{tag_name(element)}> {numbers}', report.source(element))
        elif attribute.numbers and not (attribute.infinite and is_infinite(text)):
            read_numbers(element, name, attribute.numbers, report)
    for name, attribute in allowed.items():
        if attribute.required and not (element.get(name) or '').strip():
            _missing(element, f"attribute '{name}'", report, drawn)


def _check_required(element: Any, allowed: Mapping[str, Child], seen: set[str], report: Report,
                    drawn: bool) -> None:
    for tag, child in allowed.items():
        if child.required and tag not in seen:
            _missing(element, f'<{tag}>', report, drawn)


def _missing(element: Any, what: str, report: Report, drawn: bool) -> None:
    message = f'{owner(element)}<{tag_name(element)}> has no {what}'
    if not drawn:
        raise report.error(message, report.source(element))
    report.remark('warning', message, report.source(element))


def _check_text(element: Any, text: str | None, report: Report) -> None:
    if text and text.strip():
        report.remark('warning', f"{owner(element)}the text '{text.strip()[:40]}' in or after "
                      f'<{tag_name(element)}> is not used', report.source(element))
