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

"""Launch a description, run the tests beside it, end it, run the tests for afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import functools
import inspect
import threading
from types import ModuleType
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
from launch_testing.actions import READY
from launch_testing.io_handler import ActiveIoHandler
from launch_testing.proc_info_handler import ActiveProcInfoHandler

READY_TIMEOUT = 15.0  # s, as launch_testing has it
ENTRY = 'generate_test_description'


class Result(unittest.TextTestResult):
    """What came of tests, with a list of those that were run."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cases: list[unittest.TestCase] = []

    def startTest(self, test: unittest.TestCase) -> None:
        """Note a test."""
        self.cases.append(test)
        super().startTest(test)


class Outcome:
    """
    What came of one launch.

    Attributes
    ----------
    results : list of Result
        Of the tests beside it, and of those afterwards.
    problem : str
        Why there are none; empty if there are.
    skipped : str
        Why the description is not to be launched; empty if it is.

    """

    def __init__(self) -> None:
        self.results: list[Result] = []
        self.problem = ''
        self.skipped = ''

    def successful(self) -> bool:
        """Tell whether everything went well."""
        return not self.problem and all(result.wasSuccessful() for result in self.results)

    def failures(self) -> list[tuple[str, str]]:
        """Return names and texts of what went wrong."""
        found = [(str(case), text) for result in self.results
                 for case, text in (*result.errors, *result.failures)]
        found += [(str(case), 'Unexpected success') for result in self.results
                  for case in result.unexpectedSuccesses]
        return found + ([('launch', self.problem)] if self.problem else [])

    def skips(self) -> list[tuple[str, str]]:
        """Return names of what was not run, and why."""
        found = [(str(case), why) for result in self.results for case, why in result.skipped]
        return found + ([('launch', self.skipped)] if self.skipped else [])


def run_module(
    module: ModuleType, arguments: Sequence[tuple[str, str]] = (), *, debug: bool = False,
) -> list[Outcome]:
    """
    Run the tests of a module, once for each set of parameters.

    Parameters
    ----------
    module : module
        Has ``generate_test_description`` and classes of tests.
    arguments : sequence of (str, str)
        Launch arguments.
    debug : bool
        Whether the launch writes messages of level DEBUG.

    Returns
    -------
    list of Outcome
        Of each launch.

    """
    describe = getattr(module, ENTRY)
    return [_run(module, describe, parameters, arguments, debug)
            for parameters in getattr(describe, '__parametrized__', [{}])]


def description_of(
    describe: Callable[..., Any], parameters: Mapping[str, Any], ready: threading.Event,
) -> tuple[LaunchDescription, dict[str, Any]]:
    """Return the launch description and what else a module hands to its tests."""
    given = dict(parameters)
    if 'ready_fn' in inspect.signature(describe).parameters:   # of older tests
        given['ready_fn'] = ready.set
    found = describe(**given)
    return found if isinstance(found, tuple) else (found, {})


def _run(module: ModuleType, describe: Callable[..., Any], parameters: Mapping[str, Any],
         arguments: Sequence[tuple[str, str]], debug: bool) -> Outcome:
    outcome, ready = Outcome(), threading.Event()
    try:
        description, context = description_of(describe, parameters, ready)
    except unittest.SkipTest as skipped:
        outcome.skipped = str(skipped) or 'no reason given'
        print(f'{module.__name__} is skipped: {outcome.skipped}')
        return outcome
    info, output = ActiveProcInfoHandler(), ActiveIoHandler()
    service = LaunchService(debug=debug)
    service.context.extend_globals({READY: ready})
    attributes = {'proc_info': info, 'proc_output': output, 'test_args': dict(arguments),
                  'launch_service': service}
    values = {**context, **parameters, **attributes}
    service.include_launch_description(LaunchDescription([
        RegisterEventHandler(OnProcessStart(on_start=lambda event, _: info.append(event))),
        RegisterEventHandler(OnProcessExit(on_exit=lambda event, _: info.append(event))),
        RegisterEventHandler(OnProcessIO(on_stdout=output.append, on_stderr=output.append)),
        IncludeLaunchDescription(LaunchDescriptionSource(description),
                                 launch_arguments=arguments)]))
    ended = threading.Event()

    def test() -> None:
        try:
            if not ready.wait(READY_TIMEOUT):
                outcome.problem = 'Timed out waiting for processes to start up: no ReadyToTest'
            elif not ended.is_set():
                outcome.results.append(_tested(module, attributes, values, afterwards=False))
        finally:
            service.shutdown()

    thread = threading.Thread(target=test, name='launch_testing', daemon=True)
    thread.start()
    service.run(shutdown_when_idle=not getattr(describe, '__keep_alive__', False))
    ended.set()
    if not ready.is_set() or not (outcome.results or outcome.problem):
        outcome.problem = outcome.problem or _premature(info, output)
        return outcome
    thread.join()
    outcome.results.append(_tested(module, attributes, values, afterwards=True))
    return outcome


def _premature(info: ActiveProcInfoHandler, output: ActiveIoHandler) -> str:
    """Return what is to be said when the launch ended before the tests."""
    lines = ['Processes under test stopped before tests completed']
    for event in info:
        if getattr(event, 'returncode', 0):
            lines.append(f"Process '{event.process_name}' exited with {event.returncode}")
            lines += [one.text.decode(errors='replace') for one in output
                      if one.action is event.action]
    return '\n'.join(lines)


def _tested(module: ModuleType, attributes: Mapping[str, Any], values: Mapping[str, Any], *,
            afterwards: bool) -> Result:
    """Run the tests of a module that are due."""
    loader, suite = unittest.TestLoader(), unittest.TestSuite()
    for case in vars(module).values():
        if isinstance(case, type) and issubclass(case, unittest.TestCase) and (
                getattr(case, '__post_shutdown_test__', False) == afterwards):
            suite.addTest(loader.loadTestsFromTestCase(_handed(case, attributes, values)))
    result = unittest.TextTestRunner(verbosity=2, resultclass=Result).run(suite)
    assert isinstance(result, Result)
    return result


def _handed(case: type[unittest.TestCase], attributes: Mapping[str, Any],
            values: Mapping[str, Any]) -> type[unittest.TestCase]:
    """Return a class of tests with these attributes, whose methods get what they name."""
    members: dict[str, Any] = {'__module__': case.__module__, '__qualname__': case.__qualname__,
                               **attributes}
    for name in dir(case):
        method = inspect.getattr_static(case, name)
        if name.startswith('test') or name in ('setUp', 'tearDown'):
            members[name] = _filled(method, values) if callable(method) else method
        elif name in ('setUpClass', 'tearDownClass'):
            members[name] = classmethod(_filled(method.__func__, values))
    members |= attributes   # test_args, which is no test
    return type(case.__name__, (case,), members)


def _filled(function: Callable[..., Any], values: Mapping[str, Any]) -> Callable[..., Any]:
    """Return a function that gets those of these values that its arguments name."""
    known = {name: values[name] for name in inspect.signature(function).parameters
             if name in values}
    if not known:
        return function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **known, **kwargs)

    return call
