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

"""Marks of descriptions and tests."""

from __future__ import annotations

from collections.abc import Callable
import functools
import time
from typing import Any, TypeVar

__all__ = ['keep_alive', 'retry_on_failure']

Function = TypeVar('Function', bound=Callable[..., Any])


def keep_alive(test_description: Function) -> Function:
    """Mark a description whose launch goes on when its processes have ended."""
    test_description.__keep_alive__ = True  # type: ignore[attr-defined]
    return test_description


def retry_on_failure(
    *, times: int, delay: float | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """
    Try a test again when it fails.

    Parameters
    ----------
    times : int
        How often at most.
    delay : float, optional
        Time between two of them [s].

    """
    assert times > 0

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            for _ in range(times - 1):
                try:
                    return function(*args, **kwargs)
                except AssertionError:
                    time.sleep(delay or 0.0)
            return function(*args, **kwargs)

        return call

    return mark
