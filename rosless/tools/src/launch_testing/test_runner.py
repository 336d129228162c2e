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

"""Launch what is described and run the tests beside it and afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import sys
import threading
from typing import Any
import unittest

from launch import LaunchDescription
from launch import LaunchService
from launch.actions import IncludeLaunchDescription
from launch.actions import RegisterEventHandler
from launch.event_handlers import OnProcessExit
from launch.event_handlers import OnProcessIO
from launch.event_handlers import OnProcessStart
from launch.launch_description_source import LaunchDescriptionSource
from launch_testing.io_handler import ActiveIoHandler
from launch_testing.loader import TestRun
from launch_testing.proc_info_handler import ActiveProcInfoHandler
from launch_testing.test_result import FailResult
from launch_testing.test_result import SkipResult
from launch_testing.test_result import TestResult


class LaunchTestRunner:
    """
    Runs launches, one after the other.

    Parameters
    ----------
    test_runs : iterable of TestRun
        The launches.
    launch_file_arguments : sequence of (str, str)
        Names and values of launch arguments.
    debug : bool
        Whether a launch writes messages of level DEBUG.

    """

    def __init__(
        self, test_runs: Iterable[TestRun],
        launch_file_arguments: Sequence[tuple[str, str]] = (), debug: bool = False,
    ) -> None:
        self._runs = list(test_runs)
        self._arguments = list(launch_file_arguments)
        self._debug = debug

    def validate(self) -> None:
        """Check the functions of all launches; see `TestRun.validate`."""
        for run in self._runs:
            run.validate()

    def run(self) -> dict[TestRun, TestResult]:
        """Run all launches; return what came of each."""
        results: dict[TestRun, TestResult] = {}
        for run in self._runs:
            if len(self._runs) > 1:
                print(f'Starting test run {run}')
            try:
                results[run] = _RunnerWorker(run, self._arguments, self._debug).run()
            except unittest.SkipTest as skipped:
                reason = str(skipped) or 'no reason given'
                print(f'{run} is skipped: {reason}')
                results[run] = SkipResult(run, reason)
        return results


class _RunnerWorker:
    """Runs one launch."""

    def __init__(
        self, test_run: TestRun, arguments: Sequence[tuple[str, str]] = (), debug: bool = False,
    ) -> None:
        self._test_run = test_run
        self._arguments = arguments
        self._service = LaunchService(debug=debug)
        self._ready = threading.Event()
        self._ended = threading.Event()
        self._info, self._output = ActiveProcInfoHandler(), ActiveIoHandler()
        self._result: TestResult | None = None
        self._problem = ''
        self._values: dict[str, Any] = {}
        self._attributes = {
            'proc_info': self._info, 'proc_output': self._output,
            'test_args': dict(arguments), 'launch_service': self._service}

    def run(self) -> TestResult:
        """Launch, and run the tests; raises unittest.SkipTest if that is to be skipped."""
        run, info, output = self._test_run, self._info, self._output
        description, self._values = run.normalized_test_description(self._ready.set)
        self._service.include_launch_description(LaunchDescription([
            RegisterEventHandler(OnProcessStart(on_start=lambda event, _: info.append(event))),
            RegisterEventHandler(OnProcessExit(on_exit=lambda event, _: info.append(event))),
            RegisterEventHandler(OnProcessIO(on_stdout=output.append, on_stderr=output.append)),
            IncludeLaunchDescription(LaunchDescriptionSource(description),
                                     launch_arguments=self._arguments)]))
        thread = threading.Thread(target=self._run_test, name='launch_testing', daemon=True)
        thread.start()
        function = getattr(run.test_description_function, 'func', run.test_description_function)
        self._service.run(shutdown_when_idle=not getattr(function, '__keep_alive__', False))
        self._ended.set()
        if not self._ready.is_set() or self._result is None:
            self._problem = self._problem or self._premature()
            print(self._problem)
            return FailResult(run, self._problem)
        thread.join()
        self._result.append(self._tested(run.post_shutdown_tests))
        return self._result

    def _run_test(self) -> None:
        """Run the tests that are run beside the processes, as soon as these are ready."""
        try:
            if not self._ready.wait(self._test_run.timeout):
                self._problem = 'Timed out waiting for processes to start up: no ReadyToTest'
            elif not self._ended.is_set():
                self._result = self._tested(self._test_run.pre_shutdown_tests)
        finally:
            self._service.shutdown()

    def _tested(self, tests: Iterable[Any]) -> TestResult:
        suite = self._test_run.bind(tests, self._attributes, self._values)
        result = unittest.TextTestRunner(
            stream=sys.stderr, verbosity=2,
            resultclass=lambda *args, **kwargs: TestResult(
                *args, test_run=self._test_run, **kwargs)).run(suite)
        assert isinstance(result, TestResult)
        return result

    def _premature(self) -> str:
        """Return what is to be said when the launch ended before the tests."""
        lines = ['Processes under test stopped before tests completed']
        for event in self._info:
            if getattr(event, 'returncode', 0):
                lines.append(f"Process '{event.process_name}' exited with {event.returncode}")
                lines += [one.text.decode(errors='replace') for one in self._output
                          if one.action is event.action]
        return '\n'.join(lines)
