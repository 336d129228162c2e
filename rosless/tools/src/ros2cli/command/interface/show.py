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

"""``ros2 interface show``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
import re
import sys

from rosless.interfaces import interface_text
from rosless.interfaces import split_name

FIELD = re.compile(
    r'\s*(?P<type>[A-Za-z]\w*(?:/\w+)*)(?:<=\d+)?(?:\[[^\]]*\])?\s+[a-z]\w*\s*(?P<rest>.*)')
PRIMITIVES = frozenset([
    'bool', 'byte', 'char', 'float32', 'float64', 'int8', 'uint8', 'int16', 'uint16', 'int32',
    'uint32', 'int64', 'uint64', 'string', 'wstring'])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        'type', help='Show an interface definition (e.g. "example_interfaces/msg/String"). '
        'Passing "-" reads the argument from stdin (e.g. "ros2 topic type /chatter | ros2 '
        'interface show -")')
    group = parser.add_mutually_exclusive_group()
    group.add_argument('--all-comments', action='store_true',
                       help='Show all comments, including for subinterface')
    group.add_argument('--no-comments', action='store_true',
                       help='Show no comments or whitespace')


def main(args: argparse.Namespace) -> str | None:
    """Print the definition of an interface, with those of its fields."""
    name = args.type
    if name == '-':
        name = sys.stdin.readline().strip()
    try:
        text = interface_text(name)
        lines = list(expanded(name, text, 0, args.all_comments, args.no_comments))
    except Exception as error:
        return str(error)
    print('\n'.join(lines))
    return None


def expanded(
    name: str, text: str, level: int, all_comments: bool, no_comments: bool,
) -> Iterator[str]:
    """
    Yield the lines of a definition, each field that is a message followed by its definition.

    Parameters
    ----------
    name, text : str
        Full name and definition of the interface.
    level : int
        How deep the definition is nested; lines are indented by as many tabs.
    all_comments, no_comments : bool
        Whether comments are shown in nested definitions too, or nowhere.

    """
    bare = no_comments or (level > 0 and not all_comments)
    for line in text.splitlines():
        code = without_comment(line).rstrip()
        if bare and not code:
            continue
        yield '\t' * level + (code if bare else line)
        nested = message_of_field(code, split_name(name)[0])
        if nested is not None:
            yield from expanded(
                nested, interface_text(nested), level + 1, all_comments, no_comments)


def message_of_field(line: str, package: str) -> str | None:
    """Return the full name of the message that a line of a package declares a field of."""
    match = FIELD.fullmatch(without_comment(line).rstrip())
    if match is None or match['type'] in PRIMITIVES or match['rest'].startswith('='):
        return None
    return nested_name(match['type'], package)


def nested_name(type_name: str, package: str) -> str:
    """Return the full name of a message from the type of a field in a package."""
    parts = type_name.split('/')
    if len(parts) == 1:
        package = 'std_msgs' if parts[0] == 'Header' else package
        return f'{package}/msg/{parts[0]}'
    return f'{parts[0]}/msg/{parts[-1]}'


def without_comment(line: str) -> str:
    """Return a line up to its comment; a ``#`` in a quoted default value is none."""
    quote = ''
    for index, character in enumerate(line):
        if character == quote:
            quote = ''
        elif not quote and character in '"\'':
            quote = character
        elif not quote and character == '#':
            return line[:index]
    return line
