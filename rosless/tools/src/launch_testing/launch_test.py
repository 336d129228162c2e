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
from collections.abc import Mapping, Sequence
import importlib.util
from pathlib import Path
import sys
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

from launch_testing.junitxml import unittestResultsToXml
from launch_testing.loader import ENTRY, LoadTestsFromPythonModule
from launch_testing.test_runner import LaunchTestRunner
from ros2cli.command.launch import describe_arguments, parse_arguments


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
    if not hasattr(module, ENTRY):
        return f"Test file '{path}' has no function {ENTRY}"
    runs = LoadTestsFromPythonModule(module)
    runner = LaunchTestRunner(runs, list(arguments.items()), debug=args.verbose)
    try:
        runner.validate()
    except TypeError as error:
        return str(error)
    if args.show_args:
        print(describe_arguments(runs[0].get_launch_description()))
        return 0
    results = runner.run()
    for result in results.values():
        for name_of_test, problem in result.problems():
            print(f'{name_of_test}: {problem}', file=sys.stderr)
    if args.xmlpath:
        report(results, f'{name}.{path.stem}').write(
            args.xmlpath, encoding='utf-8', xml_declaration=True)
    return 0 if all(result.wasSuccessful() for result in results.values()) else 1


def report(results: Mapping[Any, Any], name: str) -> ElementTree.ElementTree[Any]:
    """Return results in the form of JUnit."""
    return unittestResultsToXml(
        name=name, test_results={f'{name}.{run}': each for run, each in results.items()})


def _loaded(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == '__main__':
    sys.exit(main())
