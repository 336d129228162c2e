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
        from launch_testing.runner import run_module

        words = [word.partition(':=') for group in self.config.getoption('--launch-args')
                 for word in group]
        outcomes = run_module(self.module, [(name, value) for name, _, value in words])
        failures = [failure for outcome in outcomes for failure in outcome.failures()]
        if failures:
            raise LaunchTestFailure('\n\n'.join(
                f'FAIL: {name}\n{text}' for name, text in failures))

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


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line('markers', 'launch_test: mark a generate_test_description function '
                            'as a launch test entrypoint')
