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

"""The table of what of rclpy is here: complete, up to date, and true."""

from __future__ import annotations

import importlib.util
import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from rclpy.absent import Absent, NotInRosless

FILE = Path(__file__).resolve().parents[1] / 'conformance.py'
_spec = importlib.util.spec_from_file_location('rosless_conformance', FILE)
assert _spec is not None
assert _spec.loader is not None
conformance = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(conformance)

ENTRIES = [
    (f'{owner}.{name}', conformance.difference(owner, name)['status'], owner)
    for owner, name in conformance.public_names()
]
ABSENT = [(name, owner) for name, status, owner in ENTRIES if status == 'absent']


def test_the_table_is_up_to_date() -> None:
    hint = 'run `python rosless/test/conformance.py` (after adding tests: `... record`)'
    assert conformance.TABLE.read_text() == conformance.rendered(), hint


def test_every_name_is_shown_by_tests_that_exist() -> None:
    evidence = json.loads(conformance.EVIDENCE.read_text())
    tests = set(conformance.Sources().words)
    for name, status, _ in ENTRIES:
        assert evidence[name] or status == 'absent', f'no test uses {name}'
        assert set(evidence[name]) <= tests, name


def test_remarks_are_about_names_there_are() -> None:
    known = {name for name, _, _ in ENTRIES} | {owner for _, _, owner in ENTRIES}
    for name, entry in conformance.differences().items():
        assert name in known, name
        assert entry['how'], name


def test_what_is_not_absent_is_there() -> None:
    for name, status, _ in ENTRIES:
        if status != 'absent':
            conformance.resolve(name)


@pytest.mark.parametrize(('name', 'owner'), ABSENT)
def test_what_is_absent_says_so(name: str, owner: str) -> None:
    cls = conformance.resolve(owner)
    if inspect.isclass(cls) and issubclass(cls, Absent):
        return  # a member of a class of which there are no objects
    found = conformance.resolve(name)
    with pytest.raises(NotInRosless, match=r'rosless|executors'):
        use(found, None if inspect.isclass(found) else object.__new__(cls))


def use(member: Any, instance: Any) -> None:
    """Call a class or method, read a property, or run a coroutine method to its end."""
    if inspect.isclass(member):
        member()
    if isinstance(member, property):
        member.__get__(instance)
        return
    missing = len(inspect.signature(member).parameters) - 1
    outcome = member(instance, *[None] * missing)
    if inspect.iscoroutine(outcome):
        outcome.send(None)


def test_absent_parts_are_not_found_by_hasattr(make_node: Any) -> None:
    node = make_node()
    assert not hasattr(node.handle, 'pointer')
    with pytest.raises(NotImplementedError, match='nothing of rclpy in C in rosless'):
        node.handle.pointer  # noqa: B018
