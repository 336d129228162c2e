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

"""Results in the form of JUnit."""

from __future__ import annotations

from collections.abc import Mapping
import re
from typing import Any
import unittest
from xml.etree import ElementTree

from launch_testing.test_result import FailResult
from launch_testing.test_result import SkipResult

ESCAPES = re.compile(  # of terminals: colours and movements, titles, others
    r'\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])')
NO_XML = re.compile(r'[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')  # XML 1.0, 2.2


def unittestResultsToXml(
    *, name: str = 'launch_test', test_results: Mapping[str, Any] | None = None,
) -> ElementTree.ElementTree[Any]:
    """
    Return results as a tree of ``testsuites``.

    Parameters
    ----------
    name : str
        Name of all of them.
    test_results : mapping
        Results of launches, by the names of their suites.

    """
    suites = ElementTree.Element('testsuites', name=plain(name))
    for each, result in (test_results or {}).items():
        suites.append(_suite(plain(each), result))
    for count in ('tests', 'failures', 'errors', 'skipped'):
        suites.set(count, str(sum(int(suite.get(count, '0')) for suite in suites)))
    time = sum(float(suite.get('time', '0')) for suite in suites)
    suites.set('time', f'{time:.3f}')
    return ElementTree.ElementTree(suites)


def plain(text: str) -> str:
    """Return a text without what terminals obey and XML forbids."""
    return NO_XML.sub('', ESCAPES.sub('', text))


def _suite(name: str, result: Any) -> ElementTree.Element:
    durations = getattr(result, 'durations', {})
    suite = ElementTree.Element('testsuite', name=name, time=f'{sum(durations.values()):.3f}')
    failures = [*result.failures, *((case, 'Unexpected success')
                                    for case in result.unexpectedSuccesses)]
    kinds = (('failure', failures), ('error', result.errors), ('skipped', result.skipped))
    counts = {tag: len(found) for tag, found in kinds}
    cases = list(getattr(result, 'cases', ()))
    cases += [case for _, found in kinds for case, _ in found if case not in cases]
    for case in cases:
        element = _case(suite, case)
        element.set('time', f'{durations.get(case, 0.0):.3f}')
        for tag, found in kinds:
            for other, text in found:
                if other is case:
                    _note(element, tag, plain(text))
    count = len(cases)
    if isinstance(result, FailResult):
        element = ElementTree.SubElement(suite, 'testcase', classname=name, name='launch',
                                         time='0.000')
        _note(element, 'failure', plain(result.message))
        counts['failure'] += 1
        count += 1
    elif isinstance(result, SkipResult) and not count:
        element = ElementTree.SubElement(suite, 'testcase', classname=name, name='launch',
                                         time='0.000')
        _note(element, 'skipped', plain(result.skip_reason))
        counts['skipped'] += 1
        count += 1
    suite.set('tests', str(count))
    suite.set('failures', str(counts['failure']))
    suite.set('errors', str(counts['error']))
    suite.set('skipped', str(counts['skipped']))
    return suite


def _case(suite: ElementTree.Element, case: Any) -> ElementTree.Element:
    kind = type(case)
    where = f'{kind.__module__}.{kind.__qualname__}'
    if isinstance(case, unittest.TestCase):
        called = case._testMethodName
    else:   # such as that of setUpClass
        where, called = where, str(case)
    return ElementTree.SubElement(suite, 'testcase', classname=plain(where), name=plain(called))


def _note(element: ElementTree.Element, tag: str, text: str) -> None:
    lines = text.strip().splitlines() or ['']
    message = text if tag == 'skipped' else lines[-1]
    noted = ElementTree.SubElement(element, tag, message=message)
    if tag != 'skipped':
        noted.text = text
