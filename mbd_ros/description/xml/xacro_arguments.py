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

"""Values of ``<xacro:arg>``: as words ``NAME:=VALUE``, and which of them a file asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import re
import shlex

from mbd_ros.errors import InvalidValueError

WORD = re.compile(r'([^\s:=/\\]+):=(.*)', re.DOTALL)
"""How the command ``xacro`` and ROS 2 write an argument."""


class Arguments(dict[str, str]):
    """
    Values of ``<xacro:arg>``, and what the file asked for while xacro read it.

    Attributes
    ----------
    declared : dict of str to str or None
        Names that ``<xacro:arg>`` has, with the default where none was given.
    used : set of str
        Names of ``$(arg NAME)``.
    missing : str or None
        The one that was used and has no value.

    """

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.declared: dict[str, str | None] = {}
        self.used: set[str] = set()
        self.missing: str | None = None

    def __contains__(self, name: object) -> bool:
        self.declared.setdefault(str(name), None)
        return super().__contains__(name)

    def __setitem__(self, name: str, default: str) -> None:
        self.declared[name] = default
        super().__setitem__(name, default)

    def __getitem__(self, name: str) -> str:
        self.used.add(name)
        return super().__getitem__(name)

    def __missing__(self, name: str) -> str:
        self.missing = name
        raise KeyError(name)


def how_to_give(name: str) -> str:
    """Return what a message says about an argument that has no value."""
    return (f'the file uses $(arg {name}) without a default; give it as '
            f"load(..., arguments={{'{name}': ...}}), '{name}:=VALUE' after the file on the "
            f"command line of mbd_ros, or xacro_args:='{name}:=VALUE' of a launch file")


def argument_words(words: str | Iterable[str]) -> dict[str, str]:
    """
    Return arguments that are given as words ``NAME:=VALUE``.

    Parameters
    ----------
    words : str or iterable of str
        A text is taken apart as by a shell: ``"ur_type:=ur5e name:='my ur'"``.

    Raises
    ------
    InvalidValueError
        If a word is something else, or a name is given twice.

    """
    try:
        parts = shlex.split(words) if isinstance(words, str) else list(words)
    except ValueError as error:
        raise InvalidValueError('xacro_args', words, f'words NAME:=VALUE ({error})') from None
    found: dict[str, str] = {}
    for part in parts:
        match = WORD.fullmatch(part)
        if match is None or match[1] in found:
            raise InvalidValueError('xacro_args', part, 'words NAME:=VALUE, each name once')
        found[match[1]] = match[2]
    return found
