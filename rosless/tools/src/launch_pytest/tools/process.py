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
Wait for what a process does: in coroutines, or, with ``_sync``, in other functions.

All take the launch context, which is not needed here, and the action of the process. Those that
look at output need ``cached_output=True`` in the action; what looks at it returns whether it is as
expected, or asserts that. `timeout` is in seconds; None is for ever.

"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
import time
from typing import Any

PERIOD = 0.01  # s, between two looks
Validate = Callable[[str], Any]


def _started(action: Any) -> bool:
    return 'pid' in (action.process_details or {})


def _ended(action: Any) -> bool:
    return action.return_code is not None


def _fits(validate: Validate, text: str) -> bool:
    try:
        return validate(text) is not False
    except AssertionError:
        return False


async def _wait(condition: Callable[[], bool], timeout: float | None) -> bool:
    limit = None if timeout is None else time.monotonic() + timeout
    while not condition():
        if limit is not None and time.monotonic() > limit:
            return condition()
        await asyncio.sleep(PERIOD)
    return True


def _wait_sync(condition: Callable[[], bool], timeout: float | None) -> bool:
    limit = None if timeout is None else time.monotonic() + timeout
    while not condition():
        if limit is not None and time.monotonic() > limit:
            return condition()
        time.sleep(PERIOD)
    return True


def _assert(validate: Validate, text: str) -> None:
    """Let what does not fit say so itself."""
    assert validate(text) is not False, f'this output is not as expected: {text!r}'


async def wait_for_start(
    launch_context: Any, process_action: Any, timeout: float | None = None,
) -> bool:
    """Wait until a process has started; tell whether it has."""
    return await _wait(lambda: _started(process_action), timeout)


def wait_for_start_sync(
    launch_context: Any, process_action: Any, timeout: float | None = None,
) -> bool:
    """Wait until a process has started; tell whether it has."""
    return _wait_sync(lambda: _started(process_action), timeout)


async def wait_for_exit(
    launch_context: Any, process_action: Any, timeout: float | None = None,
) -> bool:
    """Wait until a process has ended; tell whether it has."""
    return await _wait(lambda: _ended(process_action), timeout)


def wait_for_exit_sync(
    launch_context: Any, process_action: Any, timeout: float | None = None,
) -> bool:
    """Wait until a process has ended; tell whether it has."""
    return _wait_sync(lambda: _ended(process_action), timeout)


async def wait_for_output(
    launch_context: Any, process_action: Any, validate_output: Validate,
    timeout: float | None = None,
) -> bool:
    """Wait for standard output of a process; tell whether it came."""
    return await _wait(lambda: _fits(validate_output, process_action.get_stdout()), timeout)


def wait_for_output_sync(
    launch_context: Any, process_action: Any, validate_output: Validate,
    timeout: float | None = None,
) -> bool:
    """Wait for standard output of a process; tell whether it came."""
    return _wait_sync(lambda: _fits(validate_output, process_action.get_stdout()), timeout)


async def wait_for_stderr(
    launch_context: Any, process_action: Any, validate_output: Validate,
    timeout: float | None = None,
) -> bool:
    """Wait for standard error of a process; tell whether it came."""
    return await _wait(lambda: _fits(validate_output, process_action.get_stderr()), timeout)


def wait_for_stderr_sync(
    launch_context: Any, process_action: Any, validate_output: Validate,
    timeout: float | None = None,
) -> bool:
    """Wait for standard error of a process; tell whether it came."""
    return _wait_sync(lambda: _fits(validate_output, process_action.get_stderr()), timeout)


async def assert_output(
    launch_context: Any, process_action: Any, validate_output: Validate,
    timeout: float | None = None,
) -> None:
    """Do what `wait_for_output` does; AssertionError if it does not come."""
    await wait_for_output(launch_context, process_action, validate_output, timeout)
    _assert(validate_output, process_action.get_stdout())


def assert_output_sync(
    launch_context: Any, process_action: Any, validate_output: Validate,
    timeout: float | None = None,
) -> None:
    """Do what `wait_for_output_sync` does; AssertionError if it does not come."""
    wait_for_output_sync(launch_context, process_action, validate_output, timeout)
    _assert(validate_output, process_action.get_stdout())


async def assert_stderr(
    launch_context: Any, process_action: Any, validate_output: Validate,
    timeout: float | None = None,
) -> None:
    """Do what `wait_for_stderr` does; AssertionError if it does not come."""
    await wait_for_stderr(launch_context, process_action, validate_output, timeout)
    _assert(validate_output, process_action.get_stderr())


def assert_stderr_sync(
    launch_context: Any, process_action: Any, validate_output: Validate,
    timeout: float | None = None,
) -> None:
    """Do what `wait_for_stderr_sync` does; AssertionError if it does not come."""
    wait_for_stderr_sync(launch_context, process_action, validate_output, timeout)
    _assert(validate_output, process_action.get_stderr())
