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

"""Let pytest run the tests that have the mark ``launch``."""

from __future__ import annotations

import inspect
import itertools
import sys
from typing import Any
import warnings

import pytest

FIRST, SHUTDOWN, RESUMED = range(3)


class LaunchTestWarning(pytest.PytestWarning):
    """A test with the mark cannot be run."""


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line(
        'markers', 'launch(fixture, shutdown=False): run a test beside a launch, or afterwards')


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: Any, name: str, obj: Any) -> Any:
    """Return the tests of a marked function, which may be a coroutine or a generator."""
    mark = _mark_of(obj)
    if mark is None or not collector.funcnamefilter(name) or not inspect.isroutine(obj):
        return None
    fixture = mark.kwargs.get('fixture')
    if not hasattr(fixture, '_launch_pytest'):
        text = '"fixture" keyword argument is required in a pytest.mark.launch() decorator, and ' \
            'must be a launch_pytest.fixture'
        warnings.warn(LaunchTestWarning(f'{name}: {text}'), stacklevel=1)
        obj = pytest.mark.skip(text)(obj)
    elif 'usefixtures' not in {each.name for each in obj.pytestmark}:
        obj = pytest.mark.usefixtures(fixture._launch_pytest[0])(obj)
    return list(collector._genfunctions(name, obj))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Put what is run after the end of a launch that several tests share behind all of them."""
    found: list[Any] = []
    for key, group in itertools.groupby(items, _launch_of):
        tests = list(group)
        if key is not None:
            tests += [_resumed(item) for item in tests if _is_generator(item.obj)]
            tests.sort(key=_phase)
        found += tests
    items[:] = found


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> bool | None:
    """Run a marked test."""
    mark = pyfuncitem.get_closest_marker('launch')
    if mark is None or not hasattr(mark.kwargs.get('fixture'), '_launch_pytest'):
        return None
    launch = _running(pyfuncitem)
    scope = mark.kwargs['fixture']._launch_pytest[1]
    function, shutdown = pyfuncitem.obj, mark.kwargs.get('shutdown', False)
    first = getattr(pyfuncitem, '_resumes', None)
    if first is not None:
        launch.stop()
        if not hasattr(first, '_generator'):
            pytest.skip('the part before the end of the launch has failed')
        _finish(launch, first._generator)
        return True
    arguments = {each: pyfuncitem.funcargs[each] for each in pyfuncitem._fixtureinfo.argnames}
    if _is_generator(function):
        if shutdown:
            pytest.fail('generator or async generator based launch tests cannot be marked with '
                        'shutdown=True', pytrace=False)
        generator = function(**arguments)
        ended = _step(launch, generator)
        if scope != 'function':
            pyfuncitem._generator = None if ended else generator
        elif not ended:
            launch.stop()
            _finish(launch, generator)
        return True
    if shutdown:
        launch.stop()
    outcome = function(**arguments)
    if inspect.iscoroutine(outcome):
        launch.wait_for(outcome)
    return True


@pytest.fixture
def launch_service(request: Any) -> Any:
    """Return the launch service beside which a marked test is run."""
    return _running(request.node).service


@pytest.fixture
def launch_context(launch_service: Any) -> Any:
    """Return the context of the launch beside which a marked test is run."""
    return launch_service.context


@pytest.fixture
def event_loop(launch_service: Any) -> Any:
    """Return the loop of the launch beside which a marked test is run; None if it has ended."""
    return launch_service.event_loop


def _running(item: Any) -> Any:
    from launch_pytest.fixture import running

    name = item.get_closest_marker('launch').kwargs['fixture']._launch_pytest[0]
    item._request.getfixturevalue(name)
    return running[name]


def _mark_of(obj: Any) -> Any:
    marks = getattr(obj, 'pytestmark', ())
    return next((mark for mark in marks if mark.name == 'launch'), None) \
        if isinstance(marks, list) else None


def _launch_of(item: Any) -> Any:
    """Return what identifies a launch that several tests share; None for other tests."""
    mark = item.get_closest_marker('launch')
    fixture = None if mark is None else mark.kwargs.get('fixture')
    if not hasattr(fixture, '_launch_pytest') or fixture._launch_pytest[1] == 'function':
        return None
    name = fixture._launch_pytest[0]
    callspec = getattr(item, 'callspec', None)
    index = None if callspec is None else callspec.indices.get(name)
    return name, index, str(item.path)


def _phase(item: Any) -> int:
    if hasattr(item, '_resumes'):
        return RESUMED
    return SHUTDOWN if item.get_closest_marker('launch').kwargs.get('shutdown') else FIRST


def _resumed(item: Any) -> Any:
    """Return the test that runs the second part of a generator."""
    made = pytest.Function.from_parent(
        item.parent, name=f'{item.name}[shutdown]', callobj=item.obj,
        callspec=getattr(item, 'callspec', None), fixtureinfo=item._fixtureinfo,
        originalname=item.originalname)
    made._resumes = item
    return made


def _is_generator(function: Any) -> bool:
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)


def _step(launch: Any, generator: Any) -> bool:
    """Run a generator up to where it yields; tell whether it has come to its end."""
    try:
        if inspect.isasyncgen(generator):
            launch.wait_for(_next(generator))
        else:
            next(generator)
    except (StopIteration, StopAsyncIteration):
        return True
    return False


async def _next(generator: Any) -> None:
    hooks = sys.get_asyncgen_hooks()
    # It outlives this loop, which would close it at its own end.
    sys.set_asyncgen_hooks(firstiter=None, finalizer=None)
    try:
        following = generator.__anext__()
    finally:
        sys.set_asyncgen_hooks(*hooks)
    await following


def _finish(launch: Any, generator: Any) -> None:
    if generator is not None and not _step(launch, generator):
        pytest.fail('launch tests that are generators must stop iteration after yielding once',
                    pytrace=False)
