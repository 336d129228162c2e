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

"""Names for C: what a description calls things never reaches C text as it is."""

from __future__ import annotations

from collections.abc import Iterable
import re

from mbd_ros.errors import InvalidValueError

LONGEST = 40
"""Characters of the name of a library: C promises to tell 31 apart beside a function's own."""
_IDENTIFIER = re.compile(r'[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*', re.ASCII)
_PACKAGE = re.compile(r'[a-z][a-z0-9]*(_[a-z0-9]+)*', re.ASCII)


def checked_name(name: object) -> str:
    """
    Return the name of a library, which begins all names in its header.

    Raises
    ------
    InvalidValueError
        If it is no identifier of C and C++ with room for endings.

    """
    if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name) or len(name) > LONGEST:
        raise InvalidValueError(
            '--name', name, f'letters, digits and single underscores between them, a letter '
            f'first, at most {LONGEST} characters')
    return name


def checked_package(name: object) -> str:
    """Return the name of a ROS package; raise ``InvalidValueError`` if it cannot be one."""
    if not isinstance(name, str) or not _PACKAGE.fullmatch(name) or len(name) > LONGEST:
        raise InvalidValueError(
            '--as-package', name, 'lower-case letters, digits and single underscores between '
            f'them, a letter first, at most {LONGEST} characters')
    return name


def identifier(name: str) -> str:
    """Return an identifier that resembles a name; ``'robot'`` where nothing is left of it."""
    words = re.findall(r'[A-Za-z0-9]+', name)
    found = '_'.join(words)[:LONGEST].rstrip('_')
    if not found:
        return 'robot'
    return found if found[0].isalpha() else f'robot_{found}'[:LONGEST].rstrip('_')


def distinct(names: Iterable[str]) -> dict[str, str]:
    """Return an identifier for each name, no two the same."""
    found: dict[str, str] = {}
    for name in names:
        base = one = '_'.join(re.findall(r'[A-Za-z0-9]+', name))[:LONGEST].rstrip('_') or 'x'
        number = 2
        while one in found.values():
            one, number = f'{base}_{number}', number + 1
        found[name] = one
    return found


def commented(name: str) -> str:
    """Return a name for a comment: nothing in it can end the comment or its line."""
    return re.sub(r'[^A-Za-z0-9_ .:+-]', '_', name)[:100]


def bytes_ir(text: str) -> str:
    """Return a text with a zero behind it as a constant of IR."""
    data = text.encode('utf-8', 'surrogateescape') + b'\0'
    return f'[{len(data)} x i8] c"{"".join(f"{chr(92)}{one:02X}" for one in data)}"'
