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

"""Collects the remarks of a reader and words its errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
import os
from typing import Any, TypeAlias

from mbd_ros.description.records.budget import look, may_compare, take
from mbd_ros.description.records.finding import Finding, Severity, Source
from mbd_ros.errors import (
    DescriptionError, LONGEST_VALUE, MOST_COMPARED, nearest_name, one_line, UnsupportedError)


TEXT = '<string>'
"""Stands for the file in messages about XML that was handed over as text."""

_FINDING = 200
"""Bytes of a finding without texts."""

FILE = '{http://www.w3.org/XML/1998/namespace}base'
"""Attribute of elements that were included from another file."""


Place: TypeAlias = tuple[str, int]
"""File and line."""

MOST_LINES = 65_535
"""Beyond it libxml2 keeps no line of an element."""

MOST_FINDINGS = 10_000
"""Of one file; that there are more is the last one."""


IGNORABLE = {
    'actuators': 'damping and rotor inertia of actuators on several joints',
    'closing': 'springs and rotor inertia of joints that close loops',
    'fluid': 'forces of a fluid that a simulator makes up',
    'kinematic': 'links that a simulator moves, whatever pushes them',
    'tendons': 'springs, damping and inertia of tendons along several joints or around bodies',
}
"""What may be left out of the equations, by the word that asks for it."""


class Report:
    """
    What is remarked while one file is read.

    Parameters
    ----------
    file : str
        Path of the file, or ``TEXT``.
    checked : bool
        Whether mass properties no body can have are refused, or remarked only.
    mimic : bool
        Whether joints will be coupled to those they mimic.
    folders : sequence of str or path
        Folders that the description may read files from, besides those it stands in.
    from_shapes : bool
        Whether inertias that are not given come from shapes.
    rotors : bool
        Whether transmissions of a URDF give joints the inertia of their motors.
    packages : mapping, optional
        Folders of packages by name, as its user gave them.
    ignore : sequence of str
        What of ``IGNORABLE`` its user wants left out.

    """

    def __init__(self, file: str, *, checked: bool = True, mimic: bool = False,
                 folders: Sequence[str | os.PathLike[str]] = (), from_shapes: bool = False,
                 rotors: bool = False,
                 packages: Mapping[str, str | os.PathLike[str]] | None = None,
                 ignore: Sequence[str] = ()) -> None:
        self.file = file
        self.checked = checked
        self.mimic = mimic
        self.folders = folders
        self.from_shapes = from_shapes
        self.rotors = rotors
        self.packages = packages
        self.ignore = ignore
        self.findings: list[Finding] = []
        self._places: Sequence[Place] = ()
        self._included = False

    def source(self, element: Any) -> Source:
        """Return where an XML element stands; it is looked whether there is time left."""
        file, line = self._file_of(element), element.sourceline
        if self._places and line is not None:
            file, line = self._places[line]
        look(file, line)
        return Source(file, line)

    def number(self, root: Any, places: Sequence[Place]) -> None:
        """Note where the elements of a document stand that a program has made, in its order."""
        elements = list(root.iter('*'))
        if len(elements) == len(places) <= MOST_LINES:
            for number, element in enumerate(elements):
                element.sourceline = number
            self._places = places

    def _file_of(self, element: Any) -> str:
        above = element if self._included else None
        while above is not None:
            file: str | None = above.get(FILE)
            if file is not None:
                return file
            above = above.getparent()
        return self.file

    def mark(self, root: Any, file: str) -> None:
        """Note that the children of an element, which come into this document, are of a file."""
        self._included = True
        for child in root.iterchildren('*'):
            if child.get(FILE) is None:
                child.set(FILE, file)

    def remark(self, severity: Severity, message: str, source: Source, remedy: str = '') -> None:
        """Keep a finding, unless there are too many."""
        if len(self.findings) > MOST_FINDINGS and severity != 'error':
            look(source.file, source.line)
            return
        if len(self.findings) == MOST_FINDINGS:
            severity, message, remedy = 'warning', (
                f'more than {MOST_FINDINGS} findings; those from here on are left out'), ''
        text = one_line(message)
        take(len(text) + len(remedy) + _FINDING, source.file, source.line)
        self.findings.append(Finding(severity, text, source.file, source.line, remedy))

    def follows(self, joint: str, leader: str, source: Source) -> None:
        """Remark that a joint mimics another, unless it will be coupled to it."""
        if not self.mimic:
            self.remark('warning', f"joint '{joint}' mimics '{leader}'; it is read as an ordinary "
                        'joint, without the coupling', source,
                        'load with mimic=True couples it')

    def leave_out(self, word: str, what: str, source: Source) -> None:
        """
        Refuse what enters the equations and is not read, or leave it out with a finding.

        Parameters
        ----------
        word : str
            Of ``IGNORABLE``.
        what : str
            Names it, as the subject of a sentence.
        source : Source
            Where it stands.

        Raises
        ------
        UnsupportedError
            If the user did not ask to ignore it.

        """
        if word not in self.ignore:
            raise UnsupportedError(what, f"load(..., ignore=['{word}']), or --ignore {word}, "
                                   'loads the robot without it', source=source)
        self.remark('warning', f'{what.rstrip(",")} is not in the equations, as it was loaded',
                    source)

    def error(self, message: str, source: Source) -> DescriptionError:
        """Return the error to raise."""
        return DescriptionError(message, file=source.file, line=source.line)

    def refuse(self, message: str, source: Source) -> None:
        """Raise a DescriptionError, or keep it as a finding if the user asked for that."""
        if self.checked:
            raise self.error(message, source)
        self.remark('error', message, source)


_OWNERS = {'link': 'link', 'joint': 'joint', 'loop_joint': 'loop joint',
           'constraint': 'constraint'}


def owner(element: Any) -> str:
    """Return which link or joint an element belongs to, as the beginning of a message."""
    while element is not None:
        if element.tag in _OWNERS and element.get('name', '').strip():
            return f"{_OWNERS[element.tag]} '{element.get('name')}': "
        element = element.getparent()
    return ''


def tag_name(element: Any) -> str:
    """Return the tag as it stands in the file, with its prefix."""
    local: str = element.tag.rpartition('}')[2]
    return f'{element.prefix}:{local}' if element.prefix else local


def nearest(name: str, known: Iterable[str], form: str = "'{}'") -> str:
    """Return ``; did you mean ...?`` or nothing, as where too many were looked for already."""
    known = list(islice(known, MOST_COMPARED))
    if not may_compare(len(name[:LONGEST_VALUE]) + sum(map(len, known))):
        return ''
    near = nearest_name(name, known)
    return f'; did you mean {form.format(near)}?' if near else ''
