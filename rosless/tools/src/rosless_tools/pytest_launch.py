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
Let pytest run launch tests: modules whose ``generate_test_description`` has the mark.

This stands outside launch_testing so that pytest need not import that where there is none.

"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


class LaunchTestFailure(Exception):
    """Some tests of a launch have failed."""


class LaunchTestItem(pytest.Item):
    """All tests of a module."""

    module: ModuleType

    def runtest(self) -> None:
        """Run them."""
        from launch_testing.loader import LoadTestsFromPythonModule
        from launch_testing.test_result import SkipResult
        from launch_testing.test_runner import LaunchTestRunner

        runner = LaunchTestRunner(
            LoadTestsFromPythonModule(self.module), list(launch_arguments(self.config).items()))
        runner.validate()
        results = list(runner.run().values())
        if not all(result.wasSuccessful() for result in results):
            raise LaunchTestFailure('\n\n'.join(
                f'FAIL: {name}\n{text}' for result in results for name, text in result.problems()))
        reasons = [result.skip_reason for result in results if isinstance(result, SkipResult)]
        if results and len(reasons) == len(results):
            pytest.skip('; '.join(reasons))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return what is shown of a failure."""
        if isinstance(excinfo.value, LaunchTestFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where it is and what it is called."""
        return self.path, 0, f'launch tests: {self.name}'


class LaunchTestModule(pytest.File):
    """A module with launch tests."""

    module: ModuleType

    def collect(self) -> Iterator[LaunchTestItem]:
        """Yield the one item."""
        item = LaunchTestItem.from_parent(self, name=self.module.__name__)
        item.module = self.module
        yield item


def pytest_pycollect_makemodule(module_path: Path, parent: Any) -> LaunchTestModule | None:
    """Take over modules of launch tests."""
    if b'launch_test' not in module_path.read_bytes():
        return None
    try:
        module = pytest.Module.from_parent(parent, path=module_path).obj
    except Exception:   # pytest shows it when it collects the module
        return None
    marks = getattr(getattr(module, 'generate_test_description', None), 'pytestmark', ())
    if not any(mark.name == 'launch_test' for mark in marks):
        return None
    found: LaunchTestModule = LaunchTestModule.from_parent(parent, path=module_path)
    found.module = module
    return found


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option for launch arguments."""
    parser.addoption('--launch-args', action='append', nargs='*', default=[],
                     help='One or more Launch test arguments')


def launch_arguments(config: pytest.Config) -> dict[str, str]:
    """
    Return names and values of the launch arguments on the command line.

    Raises
    ------
    RuntimeError
        If one is not of the form ``<name>:=<value>``.

    """
    from ros2cli.command.launch import parse_arguments

    return parse_arguments([word for group in config.getoption('--launch-args') for word in group])


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark, and refuse what is not a launch argument."""
    if config.getoption('--launch-args'):
        try:
            launch_arguments(config)
        except RuntimeError as error:
            raise pytest.UsageError(str(error)) from None
    config.addinivalue_line('markers', 'launch_test: mark a generate_test_description function '
                            'as a launch test entrypoint')
