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

"""Find the launches that a module describes, and the tests of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
import functools
import inspect
from types import ModuleType
from typing import Any
import unittest

from launch import LaunchDescription
from launch_testing.actions import ReadyToTest

READY_TIMEOUT = 15.0  # s, as launch_testing has it
ENTRY = 'generate_test_description'


class TestRun:
    """
    One launch and its tests.

    Parameters
    ----------
    name : str
        Its name.
    test_description_function : callable
        Returns the launch description, or that and a dictionary of what tests may ask for.
    param_args : mapping
        The values it is called with, which tests may ask for, too.
    pre_shutdown_tests, post_shutdown_tests : iterable of unittest.TestCase
        What is run beside the processes, and afterwards.

    """

    __test__ = False  # no test by itself, for pytest

    def __init__(
        self,
        name: str,
        test_description_function: Callable[..., Any],
        param_args: Mapping[str, Any],
        pre_shutdown_tests: Iterable[Any],
        post_shutdown_tests: Iterable[Any],
    ) -> None:
        self.name = name
        self.test_description_function = test_description_function
        self.param_args = dict(param_args)
        self.pre_shutdown_tests = pre_shutdown_tests
        self.post_shutdown_tests = post_shutdown_tests
        self.timeout = float(getattr(
            test_description_function, '__ready_to_test_action_timeout__', READY_TIMEOUT))

    def __str__(self) -> str:
        values = ', '.join(f'{name}={value}' for name, value in self.param_args.items())
        return f'{self.name}[{values}]' if values else self.name

    @property
    def takes_ready_fn(self) -> bool:
        """Whether the function calls what it is given when tests can begin, as older ones do."""
        return 'ready_fn' in inspect.signature(self.test_description_function).parameters

    def validate(self) -> None:
        """
        Check the arguments of the function.

        Raises
        ------
        TypeError
            If it has one that nobody gives, or lacks one that it was to be called with.

        """
        function = self.test_description_function
        known = inspect.signature(getattr(function, 'func', function)).parameters
        for name in self.param_args:
            if name not in known:
                raise TypeError(
                    f"Could not find an argument of {ENTRY} for the parameter '{name}'")
        for name, parameter in known.items():
            if name not in (*self.param_args, 'ready_fn') and parameter.default is parameter.empty:
                raise TypeError(f"{ENTRY} has unexpected extra argument '{name}'")

    def normalized_test_description(
        self, ready_fn: Callable[[], None]
    ) -> tuple[LaunchDescription, dict[str, Any]]:
        """
        Return the launch description, and what else tests may ask for.

        Parameters
        ----------
        ready_fn : callable
            Called when tests can begin.

        Raises
        ------
        TypeError
            If the description says nowhere when that is.

        """
        given = {'ready_fn': ready_fn} if self.takes_ready_fn else {}
        found = self.test_description_function(**given)
        description, others = found if isinstance(found, tuple) else (found, {})
        ready = [each for each in entities_of(description) if isinstance(each, ReadyToTest)]
        for action in ready:
            action._add_callback(ready_fn)
        if not ready and not given:
            raise TypeError(f'{ENTRY} must return a launch description containing a ReadyToTest '
                            'action')
        return description, others

    def get_launch_description(self) -> LaunchDescription:
        """Return the launch description by itself, to look at."""
        return self.normalized_test_description(lambda: None)[0]

    def bind(
        self, tests: Iterable[Any], injected_attributes: Mapping[str, Any] | None = None,
        injected_args: Mapping[str, Any] | None = None,
    ) -> unittest.TestSuite:
        """
        Return tests with these attributes, whose methods get those of these values they name.

        Parameters
        ----------
        tests : iterable of unittest.TestCase
            The tests.
        injected_attributes, injected_args : mapping
            Names and values.

        """
        attributes = dict(injected_attributes or {})
        values = {**attributes, **(injected_args or {}), **self.param_args}
        kinds: dict[type, Any] = {}
        suite = unittest.TestSuite()
        for case in cases_of(tests):
            kind = type(case)
            if kind not in kinds:
                kinds[kind] = _handed(kind, attributes, values)
            suite.addTest(kinds[kind](case._testMethodName))
        return suite

    def all_cases(self) -> Iterator[unittest.TestCase]:
        """Yield all tests."""
        yield from cases_of(self.pre_shutdown_tests)
        yield from cases_of(self.post_shutdown_tests)


def LoadTestsFromPythonModule(module: ModuleType, *, name: str = 'launch_tests') -> list[TestRun]:
    """Return the launches of a module, one for each set of parameters."""
    describe = getattr(module, ENTRY)
    if hasattr(describe, '__parametrized__'):
        functions = list(describe())
    else:
        functions = [(describe, {})]
    return [TestRun(name, function, parameters, _loaded(module, afterwards=False),
                    _loaded(module, afterwards=True)) for function, parameters in functions]


def cases_of(tests: Iterable[Any]) -> Iterator[unittest.TestCase]:
    """Yield the tests of suites within suites."""
    for each in tests:
        if isinstance(each, unittest.TestSuite):
            yield from cases_of(each)
        else:
            yield each


def entities_of(entity: Any) -> Iterator[Any]:
    """Yield an entity and all that it leads to, as far as known beforehand."""
    yield entity
    found = list(entity.describe_sub_entities())
    for _, others in entity.describe_conditional_sub_entities():
        found += others
    for each in found:
        yield from entities_of(each)


def _loaded(module: ModuleType, *, afterwards: bool) -> unittest.TestSuite:
    loader, suite = unittest.TestLoader(), unittest.TestSuite()
    for case in vars(module).values():
        if isinstance(case, type) and issubclass(case, unittest.TestCase) and (
                getattr(case, '__post_shutdown_test__', False) == afterwards):
            suite.addTest(loader.loadTestsFromTestCase(case))
    return suite


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
