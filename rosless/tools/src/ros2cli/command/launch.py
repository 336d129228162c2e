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

"""``ros2 launch``: run a launch file."""

from __future__ import annotations

import argparse
import difflib
import os
from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from ament_index_python.packages import PackageNotFoundError
from launch import LaunchDescription
from launch import LaunchIntrospector
from launch import LaunchService
from launch.actions import IncludeLaunchDescription
from launch.invalid_launch_file_error import InvalidLaunchFileError
from launch.launch_context import LaunchContext
from launch.launch_description_sources import AnyLaunchDescriptionSource
from launch.logging import get_logger

INTERMIXED = True
EXTENSIONS = ('launch.py', 'launch.xml', 'launch.yaml', 'launch.yml')
ALWAYS_KNOWN = ('emulate_tty', 'ros_namespace', 'sigkill_timeout', 'sigterm_timeout')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.usage = ('ros2 launch [-h] [-n] [-d] [-p] [-s] [-a] '
                    'package_name [launch_file_name] [launch_arguments ...]')
    parser.add_argument(
        'package_name', help='Name of the ROS package which contains the launch file, '
        'or path of a launch file')
    parser.add_argument(
        'rest', nargs='*', metavar='launch_file_name / launch_arguments',
        help="Name of the launch file (with a package), and arguments to it; '<name>:=<value>' "
        '(for duplicates, last one wins)')
    parser.add_argument(
        '-n', '--noninteractive', action='store_true',
        help='Run the launch system non-interactively, with no terminal associated')
    parser.add_argument(
        '-d', '--debug', action='store_true',
        help='Put the launch system in debug mode, provides more verbose output')
    parser.add_argument(
        '-p', '--print', '--print-description', action='store_true', dest='print_description',
        help='Print the launch description to the console without launching it.')
    parser.add_argument(
        '-s', '--show-args', '--show-arguments', action='store_true', dest='show_args',
        help='Show arguments that may be given to the launch file')
    parser.add_argument(
        '--launch-prefix', help='Prefix command, which should go before all executables. Command '
        "must be wrapped in quotes if it contains spaces (e.g. --launch-prefix 'gdb --args').")
    parser.add_argument(
        '--launch-prefix-filter', help='Regex pattern for executables to which the '
        '--launch-prefix is applied by matching their name.')
    parser.add_argument(
        '-a', '--show-all-subprocesses-output', action='store_true',
        help="Show all launched subprocesses' output by overriding their output configuration")


def main(args: argparse.Namespace) -> int | str | None:
    """Run the launch file, or show its arguments."""
    rest = list(args.rest)
    if os.path.isfile(args.package_name) or os.sep in args.package_name:
        path = args.package_name
        if not os.path.isfile(path):
            return f"file '{path}' was not found"
    elif not rest or ':=' in rest[0]:
        return _missing_file(args.package_name)
    else:
        path = find_launch_file(args.package_name, rest.pop(0))
    given = parse_arguments(rest)
    prefixes = {name: value for name, value in (
        ('launch-prefix', args.launch_prefix),
        ('launch-prefix-filter', args.launch_prefix_filter)) if value is not None}
    if args.show_all_subprocesses_output:
        os.environ['OVERRIDE_LAUNCH_PROCESS_OUTPUT'] = 'both'
    source = AnyLaunchDescriptionSource(path)
    try:
        description = source.get_launch_description(LaunchContext(argv=rest))
    except InvalidLaunchFileError as error:
        return str(error)
    if args.show_args:
        print(describe_arguments(description))
        return None
    if args.print_description:
        print(LaunchIntrospector().format_launch_description(description))
        return None
    _warn_of_unknown(given, description)
    service = LaunchService(argv=rest, noninteractive=args.noninteractive, debug=args.debug)
    service.include_launch_description(LaunchDescription([
        IncludeLaunchDescription(source, launch_arguments=[*given.items(), *prefixes.items()])]))
    return service.run()


def find_launch_file(package_name: str, file_name: str) -> str:
    """
    Return the path of a launch file of a package.

    Raises
    ------
    RuntimeError
        If there is no such package, or not exactly one file of that name in its share directory.

    """
    try:
        share = Path(get_package_share_directory(package_name))
    except (PackageNotFoundError, ValueError) as error:
        raise RuntimeError(f"Package '{package_name}' not found: {error}") from error
    files = sorted(path for path in share.rglob('*') if path.is_file())
    matching = [path for path in files if path.name == file_name]
    if not matching:
        known = sorted({path.name for path in files if path.name.endswith(EXTENSIONS)})
        near = difflib.get_close_matches(file_name, known, n=1)
        hint = f", did you mean '{near[0]}'?" if near else ''
        raise RuntimeError(
            f"file '{file_name}' was not found in the share directory of package "
            f"'{package_name}' which is at '{share}'{hint} "
            f"(launch files there: {', '.join(known) or 'none'})")
    if len(matching) > 1:
        raise RuntimeError(
            f"file '{file_name}' was found more than once in the share directory of package "
            f"'{package_name}': [{', '.join(map(str, matching))}]")
    return str(matching[0])


def parse_arguments(words: list[str]) -> dict[str, str]:
    """
    Return names and values of arguments in the form ``<name>:=<value>``.

    Raises
    ------
    RuntimeError
        If a word does not have that form.

    """
    given = {}
    for word in words:
        name, assigned, value = word.partition(':=')
        if not assigned or not name or not value:
            raise RuntimeError(
                f"malformed launch argument '{word}', expected format '<name>:=<value>'")
        given[name] = value
    return given


def describe_arguments(description: LaunchDescription) -> str:
    """Return the arguments of a launch description in the form of ``ros2 launch -s``."""
    lines = ["Arguments (pass arguments as '<name>:=<value>'):"]
    arguments = description.get_launch_arguments()
    for argument in arguments:
        mark = '*' if argument._conditionally_included else ''
        lines += ['', f"    '{argument.name}':{mark}", f'        {argument.description}']
        if argument.default_value is not None:
            default = ' + '.join(part.describe() for part in argument.default_value)
            lines.append(f'        (default: {default})')
    if any(argument._conditionally_included for argument in arguments):
        lines += ['', '* argument(s) which are only used if specific conditions occur']
    if not arguments:
        lines += ['', '  No arguments.']
    return '\n'.join(lines)


def _warn_of_unknown(given: dict[str, str], description: LaunchDescription) -> None:
    known = [argument.name for argument in description.get_launch_arguments()]
    for name in given:
        if name not in known and name not in ALWAYS_KNOWN:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f", did you mean '{near[0]}'?" if near else ''
            get_logger().warning(
                f"unknown launch argument '{name}'{hint} "
                f"(declared: {', '.join(known) or 'none'}; see --show-args)")


def _missing_file(package_name: str) -> str:
    try:
        share = Path(get_package_share_directory(package_name))
    except (PackageNotFoundError, ValueError):
        return (f"'{package_name}' is neither a launch file nor a package: "
                'expected a path, or a package and the name of a launch file')
    known = sorted({path.name for path in share.rglob('*') if path.name.endswith(EXTENSIONS)})
    return (f"the name of a launch file is missing; package '{package_name}' has: "
            f"{', '.join(known) or 'none'}")
