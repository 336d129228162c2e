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
Tests as launch_testing had them first: a process whose exit code, or whose output, is checked.

Newer tests are classes beside ``generate_test_description``; see the package.

"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launch import LaunchDescription
from launch import LaunchService
from launch.actions import RegisterEventHandler
from launch.actions import Shutdown
from launch.event_handlers import OnProcessExit
from launch.event_handlers import OnProcessIO

__all__ = ['LaunchTestService']


class LaunchTestService:
    """Runs a launch, and fails if one of its tests does."""

    def __init__(self) -> None:
        self._waiting: set[str] = set()
        self._failures: list[str] = []
        self._number = 0

    def add_fixture_action(
        self, launch_description: LaunchDescription, action: Any, exit_allowed: Any = (0,),
    ) -> Any:
        """
        Add a process that tests need.

        Parameters
        ----------
        launch_description : LaunchDescription
            What is launched.
        action : ExecuteProcess
            The process.
        exit_allowed : bool or sequence of int
            Whether it may end before the tests, or with which codes.

        """
        def ended(event: Any, _context: Any) -> Any:
            fine = exit_allowed if isinstance(exit_allowed, bool) else \
                event.returncode in exit_allowed
            if fine or not self._waiting:
                return None
            return self._fail(f'{event.process_name} ended with {event.returncode}')

        launch_description.add_action(action)
        launch_description.add_action(
            RegisterEventHandler(OnProcessExit(target_action=action, on_exit=ended)))
        return action

    def add_test_action(self, launch_description: LaunchDescription, action: Any) -> Any:
        """Add a process that is a test: it has to end with the code 0."""
        name = self._test('exit code')

        def ended(event: Any, _context: Any) -> Any:
            if event.returncode:
                return self._fail(f'{event.process_name} ended with {event.returncode}')
            return self._pass(name)

        launch_description.add_action(action)
        launch_description.add_action(
            RegisterEventHandler(OnProcessExit(target_action=action, on_exit=ended)))
        return action

    def add_output_test(
        self, launch_description: LaunchDescription, action: Any,
        output_test: Callable[[str], bool], test_suffix: str = 'output', output_filter: Any = None,
    ) -> Any:
        """
        Check the output of a process, again whenever there is more.

        Parameters
        ----------
        launch_description : LaunchDescription
            What is launched.
        action : ExecuteProcess
            The process.
        output_test : callable
            Takes the output so far; tells whether it is as expected.
        test_suffix : str
            Name of the test.
        output_filter : callable, optional
            Takes and returns output before it is checked.

        """
        name = self._test(test_suffix)
        text: list[str] = []

        def written(event: Any) -> Any:
            text.append(event.text.decode(errors='replace'))
            whole = ''.join(text)
            if output_filter is not None:
                whole = output_filter(whole)
            return self._pass(name) if output_test(whole) else None

        launch_description.add_action(RegisterEventHandler(OnProcessIO(
            target_action=action, on_stdout=written, on_stderr=written)))
        return action

    def run(self, launch_service: LaunchService, *args: Any, **kwargs: Any) -> int:
        """Run a launch; return 0, or 1 if a test failed, or the launch did."""
        code = launch_service.run(*args, **kwargs)
        for problem in [*self._failures, *(f'no {name}' for name in self._waiting)]:
            print(problem)
        return code or int(bool(self._failures or self._waiting))

    def _test(self, kind: str) -> str:
        self._number += 1
        name = f'{kind} of test {self._number}'
        self._waiting.add(name)
        return name

    def _pass(self, name: str) -> Any:
        self._waiting.discard(name)
        return None if self._waiting else Shutdown(reason='all tests have passed')

    def _fail(self, text: str) -> Any:
        self._failures.append(text)
        return Shutdown(reason=text)
