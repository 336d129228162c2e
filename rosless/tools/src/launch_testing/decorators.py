"""What marks tests and descriptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Class = TypeVar('Class', bound=type)
Function = TypeVar('Function', bound=Callable[..., Any])


def post_shutdown_test() -> Callable[[Class], Class]:
    """Mark a class of tests that run after the processes have ended."""
    def mark(case: Class) -> Class:
        if not isinstance(case, type):
            raise TypeError('post_shutdown_test should decorate test classes')
        case.__post_shutdown_test__ = True  # type: ignore[attr-defined]
        return case

    return mark


def parametrize(argnames: str, argvalues: Iterable[Any]) -> Callable[[Function], Function]:
    """
    Launch and test once for each of several values.

    Parameters
    ----------
    argnames : str
        Names of arguments of ``generate_test_description``, with commas between them; the tests
        can have them, too.
    argvalues : iterable
        Their values; tuples if there are several names.

    """
    names = [name.strip() for name in argnames.split(',') if name.strip()]
    sets = [dict(zip(names, value if isinstance(value, tuple) else (value,)))
            for value in argvalues]

    def mark(function: Function) -> Function:
        function.__parametrized__ = sets  # type: ignore[attr-defined]
        return function

    return mark
