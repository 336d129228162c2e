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

"""The decorator for fixtures that launch something."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
import functools
import inspect
from typing import Any

from launch import LaunchDescription
from launch_pytest.running import RunningLaunch
import pytest

running: dict[str, RunningLaunch] = {}
"""The launches that run, by the names of their fixtures."""


def fixture(
    decorated: Callable[..., Any] | None = None, *, shutdown_when_idle: bool = True, **kwargs: Any
) -> Any:
    """
    Decorate a function that returns a launch description, or a sequence that begins with one.

    Parameters
    ----------
    decorated : callable
        The function; it may have other fixtures as arguments.
    shutdown_when_idle : bool
        Whether the launch ends when no process is left.
    **kwargs
        As for `pytest.fixture`, such as `scope`.

    """
    def decorate(function: Callable[..., Any]) -> Any:
        name = kwargs.get('name') or function.__name__
        signature = inspect.signature(function)

        @functools.wraps(function)
        def launch(**given: Any) -> Iterator[Any]:
            value = function(**given)
            running[name] = launched = RunningLaunch(
                _description(value), shutdown_when_idle=shutdown_when_idle)
            try:
                yield value
            finally:
                launched.stop()
                running.pop(name, None)

        launch.__signature__ = signature  # type: ignore[attr-defined]
        made = pytest.fixture(launch, **kwargs)
        made._launch_pytest = (name, kwargs.get('scope', 'function'))  # type: ignore[attr-defined]
        return made

    return decorate if decorated is None else decorate(decorated)


def _description(value: Any) -> LaunchDescription:
    if isinstance(value, Sequence) and value:
        value = value[0]
    if not isinstance(value, LaunchDescription):
        raise TypeError('what a launch fixture returns must be either a launch description or a '
                        f"sequence that begins with one, found '{value!r}'")
    return value
