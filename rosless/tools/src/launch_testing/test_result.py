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

"""What came of the tests of a launch."""

from __future__ import annotations

import time
from typing import Any, TYPE_CHECKING
import unittest

if TYPE_CHECKING:
    from launch_testing.loader import TestRun


class TestResult(unittest.TextTestResult):
    """
    What came of tests, with a list of those that were run, and how long each took [s].

    Parameters
    ----------
    stream, descriptions, verbosity
        As for `unittest.TextTestResult`.
    test_run : TestRun, optional
        The launch they belong to.

    """

    __test__ = False  # no test by itself, for pytest

    def __init__(
        self, stream: Any = None, descriptions: bool = True, verbosity: int = 1,
        test_run: TestRun | None = None, **kwargs: Any,
    ) -> None:
        super().__init__(stream, descriptions, verbosity, **kwargs)
        self.test_run = test_run
        self.cases: list[unittest.TestCase] = []
        self.durations: dict[unittest.TestCase, float] = {}
        self._began = 0.0

    @property
    def testCases(self) -> list[unittest.TestCase]:
        """Return the tests that were run."""
        return self.cases

    def startTest(self, test: unittest.TestCase) -> None:
        """Note a test."""
        self.cases.append(test)
        self._began = time.monotonic()
        super().startTest(test)

    def stopTest(self, test: unittest.TestCase) -> None:
        """Note how long it took."""
        self.durations[test] = time.monotonic() - self._began
        super().stopTest(test)

    def append(self, results: TestResult) -> None:
        """Add what came of further tests."""
        self.cases += results.cases
        self.durations |= results.durations
        for name in ('failures', 'errors', 'skipped', 'expectedFailures', 'unexpectedSuccesses'):
            getattr(self, name).extend(getattr(results, name))
        self.testsRun += results.testsRun

    def problems(self) -> list[tuple[str, str]]:
        """Return names and texts of what went wrong."""
        found = [(str(case), text) for case, text in (*self.errors, *self.failures)]
        return found + [(str(case), 'Unexpected success') for case in self.unexpectedSuccesses]


class FailResult(TestResult):
    """
    That of a launch whose tests could not be run to their end.

    Parameters
    ----------
    test_run : TestRun
        The launch.
    message : str
        Why.

    """

    def __init__(self, test_run: TestRun, message: str = '') -> None:
        super().__init__(test_run=test_run)
        self.message = message

    def wasSuccessful(self) -> bool:
        """Return False."""
        return False

    def problems(self) -> list[tuple[str, str]]:
        """Return names and texts of what went wrong."""
        return [*super().problems(), ('launch', self.message)]


class SkipResult(TestResult):
    """
    That of a launch which is to be skipped.

    Parameters
    ----------
    test_run : TestRun
        The launch.
    skip_reason : str
        Why.

    """

    def __init__(self, test_run: TestRun, skip_reason: str = '') -> None:
        super().__init__(test_run=test_run)
        self.skip_reason = skip_reason
        for case in test_run.all_cases():
            self.cases.append(case)
            self.skipped.append((case, skip_reason))
        self.testsRun = len(self.cases)
