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
