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

"""The command ``launch_test``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import importlib.util
from pathlib import Path
import re
import sys
import threading
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

from launch_testing.runner import description_of
from launch_testing.runner import ENTRY
from launch_testing.runner import Outcome
from launch_testing.runner import run_module
from ros2cli.command.launch import describe_arguments
from ros2cli.command.launch import parse_arguments

ESCAPES = re.compile(  # of terminals: colours and movements, titles, others
    r'\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])')
NO_XML = re.compile(r'[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')  # XML 1.0, 2.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('launch_test_file', help='Path to the launch test.')
    parser.add_argument('--package-name', help='Name of the package the test is in. Useful to '
                        'aggregate xUnit reports.')
    parser.add_argument('-v', '--verbose', action='store_true', help='Run with verbose output')
    parser.add_argument('-s', '--show-args', '--show-arguments', action='store_true',
                        help='Show arguments that may be given to the launch test.')
    parser.add_argument('launch_arguments', nargs='*', help="Arguments in '<name>:=<value>' "
                        'format (for duplicates, last one wins).')
    parser.add_argument('--junit-xml', dest='xmlpath', metavar='FILE',
                        help='Do write xUnit reports to specified path.')


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(prog='launch_test',
                                     description='Launch integration testing tool.')
    add_arguments(parser)
    result = run(parser.parse_args(argv))
    if isinstance(result, str):
        parser.error(result)
    return result


def run(args: argparse.Namespace) -> int | str:
    """Run the tests of a file; return an exit status, or an error as text."""
    path = Path(args.launch_test_file)
    if not path.is_file():
        return f"Test file '{path}' does not exist"
    try:
        arguments = parse_arguments(args.launch_arguments)
    except RuntimeError as error:
        return str(error)
    name = args.package_name or path.stem
    module = _loaded(path, name)
    describe = getattr(module, ENTRY, None)
    if describe is None:
        return f"Test file '{path}' has no function {ENTRY}"
    if args.show_args:
        parameters: Any = getattr(describe, '__parametrized__', [{}])[0]
        print(describe_arguments(description_of(describe, parameters, threading.Event())[0]))
        return 0
    outcomes = run_module(module, list(arguments.items()), debug=args.verbose)
    for outcome in outcomes:
        if outcome.problem:
            print(outcome.problem, file=sys.stderr)
    if args.xmlpath:
        report(outcomes, f'{name}.{path.stem}').write(
            args.xmlpath, encoding='utf-8', xml_declaration=True)
    return 0 if all(outcome.successful() for outcome in outcomes) else 1


def report(outcomes: Sequence[Outcome], name: str) -> ElementTree.ElementTree[Any]:
    """Return results in the form of JUnit."""
    name = _plain(name)
    suites = ElementTree.Element('testsuites', name=name)
    for outcome in outcomes:
        failures, skips = dict(outcome.failures()), dict(outcome.skips())
        names = [str(case) for result in outcome.results for case in result.cases]
        names += [each for each in {**failures, **skips} if each not in names]
        suite = ElementTree.SubElement(
            suites, 'testsuite', name=name, tests=str(len(names)), errors='0',
            failures=str(len(failures)), skipped=str(len(skips)))
        for each in names:
            case = ElementTree.SubElement(suite, 'testcase', classname=name, name=_plain(each))
            if each in failures:
                ElementTree.SubElement(case, 'failure').text = _plain(failures[each])
            elif each in skips:
                ElementTree.SubElement(case, 'skipped', message=_plain(skips[each]))
    return ElementTree.ElementTree(suites)


def _plain(text: str) -> str:
    """Return a text without what terminals obey and XML forbids."""
    return NO_XML.sub('', ESCAPES.sub('', text))


def _loaded(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == '__main__':
    sys.exit(main())
