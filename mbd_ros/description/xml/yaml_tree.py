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

"""YAML with line numbers, and without the dangers of YAML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from mbd_ros.description.records.budget import reading, take
from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.report import Report

MAX_BYTES = 64 * 1024 * 1024
"""A file beyond it is a mistake or an attack."""

MAX_DEPTH = 16
"""Deeper than any field of a description lies."""

_NODE = 200
"""Bytes of a node without its text."""

_LOADER: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Node:
    """
    A part of a YAML document.

    Attributes
    ----------
    value : str or list or dict
        A scalar as it stands there, a list of nodes, or nodes by key.
    line : int
        Where it begins, counted from 1.
    quoted : bool
        Whether it is a scalar in quotes, or a block, which is text whatever it looks like.

    """

    value: str | list[Node] | dict[str, Node]
    line: int
    quoted: bool = False

    @property
    def kind(self) -> str:
        """Return what it is, as messages say it."""
        return {str: 'a scalar', list: 'a list', dict: 'a mapping'}[type(self.value)]


@reading()
def parse_yaml(text: str, report: Report) -> Node:
    """
    Return the document that a text holds, without making objects of it.

    Aliases (``*name``), tags (``!name``), more than one document, keys given twice and nesting
    beyond ``MAX_DEPTH`` are refused.

    Parameters
    ----------
    text : str
        The document.
    report : Report
        Words the errors.

    Returns
    -------
    Node
        Its root.

    Raises
    ------
    DescriptionError
        If this is not YAML, or has what is refused; with the line.

    """
    if len(text) > MAX_BYTES:
        raise report.error(f'the description is larger than {MAX_BYTES} bytes, which no robot is',
                           Source(report.file))
    try:
        return _Composer(report).document(yaml.parse(text, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise report.error(f'this is not well-formed YAML: {error.problem or error.context}',
                           Source(report.file, mark.line + 1 if mark else None)) from None
    except (yaml.YAMLError, UnicodeError) as error:
        place = getattr(error, 'position', getattr(error, 'start', 0))  # of a character
        raise report.error(f'this is not well-formed YAML: {error}',
                           Source(report.file, text.count('\n', 0, place) + 1)) from None


class _Composer:
    """Puts the events of the parser together, with a stack of its own."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._root: Node | None = None
        self._open: list[Node] = []
        self._keys: list[str | None] = []

    def document(self, events: Any) -> Node:
        for event in events:
            line = event.start_mark.line + 1
            take(_NODE + len(getattr(event, 'value', '')), self._report.file, line)
            if isinstance(event, yaml.ScalarEvent):
                self._no_tag(event, line)
                self._scalar(event.value, line, not event.implicit[0])
            elif isinstance(event, yaml.MappingStartEvent):
                self._begin(event, Node({}, line))
            elif isinstance(event, yaml.SequenceStartEvent):
                self._begin(event, Node([], line))
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                self._open.pop()
                self._keys.pop()
            elif isinstance(event, yaml.AliasEvent):
                raise self._error(f"the alias '*{event.anchor}' is not allowed; write the value "
                                  'out', line)
            elif isinstance(event, yaml.DocumentStartEvent) and self._root is not None:
                raise self._error('a second document begins; allowed: one', line)
        if self._root is None:
            raise self._error('the description is empty', 1)
        return self._root

    def _begin(self, event: Any, node: Node) -> None:
        self._no_tag(event, node.line)
        self._put(node)
        self._open.append(node)
        self._keys.append(None)
        if len(self._open) > MAX_DEPTH:
            raise self._error(f'this is nested deeper than {MAX_DEPTH} levels', node.line)

    def _scalar(self, text: str, line: int, quoted: bool) -> None:
        if self._open and isinstance(self._open[-1].value, dict) and self._keys[-1] is None:
            if text in self._open[-1].value:
                raise self._error(f"'{_short(text)}' is given twice, first in line "
                                  f'{self._open[-1].value[text].line}', line)
            self._keys[-1] = text
        else:
            self._put(Node(text, line, quoted))

    def _put(self, node: Node) -> None:
        if not self._open:
            self._root = node
            return
        inside = self._open[-1].value
        if isinstance(inside, list):
            inside.append(node)
        elif isinstance(inside, dict):
            key = self._keys[-1]
            if key is None:
                raise self._error(f'{node.kind} is no key; allowed: names', node.line)
            inside[key] = node
            self._keys[-1] = None

    def _no_tag(self, event: Any, line: int) -> None:
        if event.tag is not None:
            raise self._error(f"the tag '{_short(event.tag)}' is not allowed", line)

    def _error(self, message: str, line: int) -> Exception:
        return self._report.error(message, Source(self._report.file, line))


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + '...'
