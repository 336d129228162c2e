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

"""
Texts with ``$(...)``.

``$(name argument ...)``: arguments are separated by blanks, may be in quotes, and may hold further
``$(...)``; a backslash takes the meaning from the character behind it.

"""

from __future__ import annotations

import difflib
from typing import Any

from launch.frontend.expose import load_extensions
from launch.frontend.expose import make
from launch.frontend.expose import normalized
from launch.frontend.expose import SUBSTITUTIONS
from launch.substitution import Substitution
from launch.substitutions.text_substitution import TextSubstitution

OPEN = '$('
QUOTES = '\'"'


class SubstitutionSyntaxError(ValueError):
    """A text with ``$(...)`` cannot be read."""


def parse_substitution(string: str) -> list[Substitution]:
    """
    Return the parts of a text.

    Raises
    ------
    SubstitutionSyntaxError
        If a parenthesis or quote is missing, or a name is not known.

    """
    load_extensions()
    return _Reader(str(string)).text()


def parse_if_substitutions(value: Any) -> Any:
    """
    Return the parts of a text that holds ``$(...)``; texts without and other values as they are.

    Of a list each value is taken so.

    Raises
    ------
    ValueError
        If a list holds values of several types besides texts.

    """
    if isinstance(value, str):
        parts = parse_substitution(value)
        if len(parts) == 1 and isinstance(parts[0], TextSubstitution):
            return parts[0].text
        return parts
    if isinstance(value, list):
        kinds = {type(part) for part in value} - {str}
        if len(kinds) > 1:
            raise ValueError(f'a list of values of several types: {value!r}')
        return [parse_if_substitutions(part) for part in value]
    return value


class _Reader:
    """Reads one text from left to right."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._place = 0

    def text(self) -> list[Substitution]:
        """Return the parts up to the end."""
        parts: list[Substitution] = []
        plain = ''
        while self._place < len(self._source):
            if self._source.startswith(OPEN, self._place):
                parts += _plain(plain)
                plain = ''
                parts.append(self._substitution())
            else:
                plain += self._character('$\\')
        return (parts + _plain(plain)) or [TextSubstitution(text='')]

    def _character(self, escapable: str | None) -> str:
        """Take a character; a backslash counts only in front of what can be escaped."""
        found = self._source[self._place]
        self._place += 1
        if found == '\\' and self._place < len(self._source) and (
                escapable is None or self._source[self._place] in escapable):
            found = self._source[self._place]
            self._place += 1
        return found

    def _substitution(self) -> Substitution:
        begin = self._place
        self._place += len(OPEN)
        arguments: list[list[Substitution]] = []
        while True:
            while self._peek(begin).isspace():
                self._place += 1
            if self._peek(begin) == ')':
                self._place += 1
                break
            arguments.append(self._argument(begin))
        if not arguments:
            raise self._error('$() is empty')
        name, *rest = arguments
        if len(name) != 1 or not isinstance(name[0], TextSubstitution):
            raise self._error('the name of a substitution must be a plain text')
        return self._made(name[0].text, rest)

    def _argument(self, begin: int) -> list[Substitution]:
        parts: list[Substitution] = []
        plain, quote = '', ''
        while True:
            character = self._peek(begin)
            if not quote and (character.isspace() or character == ')'):
                return (parts + _plain(plain)) or [TextSubstitution(text='')]
            if self._source.startswith(OPEN, self._place):
                parts += _plain(plain)
                plain = ''
                parts.append(self._substitution())
            elif character == quote:
                quote = ''
                self._place += 1
            elif not quote and character in QUOTES:
                quote = character
                self._place += 1
            else:
                plain += self._character(None)

    def _made(self, name: str, arguments: list[list[Substitution]]) -> Substitution:
        exposed = SUBSTITUTIONS.get(normalized(name))
        if exposed is None:
            near = difflib.get_close_matches(normalized(name), SUBSTITUTIONS, n=1)
            hint = f", did you mean '{near[0].replace('_', '-')}'?" if near else ''
            raise self._error(f"unknown substitution '{name}'{hint}")
        try:
            made: Substitution = make(exposed, arguments)
        except (TypeError, ValueError) as error:
            raise self._error(f'$({name} ...): {error}') from error
        return made

    def _peek(self, begin: int) -> str:
        if self._place >= len(self._source):
            raise self._error(
                f"a parenthesis or quote is not closed in '{self._source[begin:]}'")
        return self._source[self._place]

    def _error(self, text: str) -> SubstitutionSyntaxError:
        return SubstitutionSyntaxError(f"{text}, in '{self._source}'")


def _plain(text: str) -> list[Substitution]:
    return [TextSubstitution(text=text)] if text else []
