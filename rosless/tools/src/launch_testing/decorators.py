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

"""What marks tests and descriptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
import functools
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


def ready_to_test_action_timeout(timeout: float) -> Callable[[Function], Function]:
    """Let a test wait for `ReadyToTest` this long [s], not 15 s."""
    def mark(function: Function) -> Function:
        function.__ready_to_test_action_timeout__ = timeout  # type: ignore[attr-defined]
        return function

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

    Returns
    -------
    callable
        Makes of a function one that yields, for each set, a function which fills it in, and the
        set.

    """
    names = [name.strip() for name in argnames.split(',') if name.strip()]
    sets = [dict(zip(names, value if isinstance(value, tuple) else (value,)))
            for value in argvalues]

    def mark(function: Function) -> Function:
        @functools.wraps(function)
        def each() -> Iterator[tuple[Callable[..., Any], dict[str, Any]]]:
            for values in sets:
                yield functools.partial(function, **values), values

        each.__parametrized__ = True  # type: ignore[attr-defined]
        return each  # type: ignore[return-value]

    return mark
