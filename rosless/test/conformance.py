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
What of the public API of rclpy is here, and which tests show it.

``python test/conformance.py record`` runs the tests and notes which of them use which name, in
``data/evidence.json``; ``python test/conformance.py`` writes ``docs/conformance.md``. The names
are those in ``data/rclpy_names.txt``; what differs or is absent is in ``data/differences.toml``.

"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
import importlib
import inspect
import json
from pathlib import Path
import re
import sys
import threading
from typing import Any

HERE = Path(__file__).resolve().parent
NAMES = HERE / 'data' / 'rclpy_names.txt'
EVIDENCE = HERE / 'data' / 'evidence.json'
DIFFERENCES = HERE / 'data' / 'differences.toml'
TABLE = HERE.parent / 'docs' / 'conformance.md'
UPSTREAM = HERE.parent / 'docs' / 'conformance' / 'upstream.yaml'
MOST = 2  # tests named in a row

HEAD = """# What of rclpy is here

Every public name of `rclpy` 9.1.2 (Kilted, which has all of Humble and Jazzy), and the tests below
`rosless/test` that show it. *works*: as in ROS 2. *differs*: see the remark. *absent*: it can be
imported where that makes sense, and raises an exception that says what to do instead when it is
used. This file is written by `python rosless/test/conformance.py`; a test fails when it is stale.

"""

UPSTREAM_HEAD = """
## The tests of ROS 2 itself

The suites of rclpy, launch and tf2 of two distributions, as they stand, of checkouts that one
makes oneself; `make upstream DIR=FOLDER` runs them and compares with this. Where the two differ,
Humble is followed.

What stays the own of the part in C. Where there is nothing instead, use raises `NotInRosless`,
which says so, and `hasattr` finds it missing.

"""


PART_IN_C = {
    'addresses (`handle.pointer`), capsules, allocators':
        'nothing; a `handle` can be entered, and keeps its entity meanwhile',
    '`rmw_qos_profile_t`, `get_c_qos_profile`':
        'an object of Python with the same values, without a structure of C behind it',
    '`Publisher`, `Subscription`, `Client`, `Service`, `Timer`, `GuardCondition` of '
    '`_rclpy_pybind11`': 'what waitables call: take, publish, send, answer',
    '`WaitSet`': "what waitables are given; its `wait` and its sizes are the executor's",
    '`EventHandle`, `QoSEvent`, `event_handlers`': '`event_callbacks`, called as in ROS 2',
}


def public_names() -> Iterator[tuple[str, str]]:
    """Yield owner (a module or class) and name of everything public."""
    for line in NAMES.read_text().splitlines():
        if not line.startswith('#'):
            owner, _, names = line.partition(': ')
            for name in names.split():
                yield owner, name


def resolve(dotted: str) -> Any:
    """Return what a dotted name stands for; raises AttributeError if there is no such thing."""
    parts = dotted.split('.')
    for count in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module('.'.join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            if inspect.isclass(found) and part in getattr(found, '__annotations__', {}):
                return found.__annotations__[part]
            found = inspect.getattr_static(found, part)
        return found
    raise AttributeError(dotted)


def codes(dotted: str) -> list[Any]:
    """Return the code objects that run when a name is used; none for constants."""
    try:
        found = resolve(dotted)
    except AttributeError:
        return []
    if isinstance(found, property):
        found = found.fget
    if isinstance(found, (classmethod, staticmethod)):
        found = found.__func__
    if inspect.isclass(found):
        found = found.__dict__.get('__init__') or found.__dict__.get('__new__')
    code = getattr(found, '__code__', None)
    return [] if code is None else [code]


class Recorder:
    """A plugin of pytest that notes which test calls what directly."""

    def __init__(self) -> None:
        self.found: dict[str, set[str]] = defaultdict(set)
        self._test = ''
        self._names: dict[Any, list[str]] = defaultdict(list)
        for owner, name in public_names():
            for code in codes(f'{owner}.{name}'):
                self._names[id(code)].append(f'{owner}.{name}')

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note which test begins."""
        self._test = nodeid.partition('[')[0].removeprefix('test/')

    def pytest_sessionstart(self) -> None:
        """Watch calls in all threads."""
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def pytest_sessionfinish(self) -> None:
        """Write what was found."""
        sys.setprofile(None)
        EVIDENCE.write_text(json.dumps(chosen(self.found), indent=0, sort_keys=True) + '\n')

    def _profile(self, frame: Any, event: str, _: Any) -> None:
        if event != 'call' or frame.f_back is None:
            return
        names = self._names.get(id(frame.f_code))
        if names and self._test and frame.f_back.f_code.co_filename.startswith(str(HERE)):
            self.found[self._test].update(names)


def chosen(found: dict[str, set[str]]) -> dict[str, list[str]]:
    """Return, for each name, the tests that are most about it: those that use the fewest names."""
    tests: dict[str, list[str]] = defaultdict(list)
    for test in sorted(found, key=lambda test: (len(found[test]), test)):
        for name in found[test]:
            tests[name].append(test)
    for owner, name in public_names():
        dotted = f'{owner}.{name}'
        if dotted not in tests:
            tests[dotted] = Sources().mentioning(owner, name)
    return {name: tests[name][:MOST] for name in tests}


class Sources:
    """The tests' sources."""

    _cache: dict[str, dict[str, set[str]]] | None = None

    @cached_property
    def words(self) -> dict[str, set[str]]:
        """Return the identifiers in each test function, also in the programs it runs."""
        if Sources._cache is None:
            Sources._cache = {'': {}}
            for path in sorted(HERE.glob('*/test_*.py')):
                Sources._cache[''] |= _words(path)
        return Sources._cache['']

    def mentioning(self, owner: str, name: str) -> list[str]:
        """Return the tests that mention a name; members of classes together with the class."""
        last = owner.rpartition('.')[2]
        wanted = {name, last} if last[:1].isupper() else {name}
        tests = [test for test, words in self.words.items() if wanted <= words]
        return sorted(tests, key=lambda test: (len(self.words[test]), test))


def _words(path: Path) -> dict[str, set[str]]:
    """Return the identifiers in the functions of a file."""
    tree = ast.parse(path.read_text())
    constants = {
        target.id: _identifiers(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith('test_'):
            words = _identifiers(node)
            for word in words & set(constants):
                words = words | constants[word]
            found[f'{path.relative_to(HERE)}::{node.name}'] = words
    return found


def _identifiers(root: ast.AST) -> set[str]:
    words: set[str] = set()
    for node in ast.walk(root):
        for attribute in ('id', 'attr', 'arg'):
            word = getattr(node, attribute, None)
            if isinstance(word, str):
                words.add(word)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words.update(re.findall(r'[A-Za-z_]\w+', node.value))
    return words


def differences() -> dict[str, dict[str, str]]:
    """Return, by name, the status of what differs or is absent, and a remark."""
    found: dict[str, dict[str, str]] = {}
    status = ''
    for line in DIFFERENCES.read_text().splitlines():
        if line.startswith('['):
            status = line.strip('[]')
        elif line and not line.startswith('#'):
            name, _, remark = line.partition(' = ')
            found[name.strip('"')] = {'status': status, 'how': remark.strip('"')}
    return found


def difference(owner: str, name: str) -> dict[str, str]:
    """Return status and remark of a name: its own, or those of the class it belongs to."""
    known = differences()
    return known.get(f'{owner}.{name}') or known.get(owner) or {'status': 'works', 'how': ''}


def rendered() -> str:
    """Return the table."""
    evidence = json.loads(EVIDENCE.read_text())
    rows: dict[str, list[str]] = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    for owner, name in public_names():
        entry = difference(owner, name)
        counts[entry['status']] += 1
        tests = ', '.join(f'`{test}`' for test in evidence[f'{owner}.{name}'])
        rows[owner].append(f'| `{name}` | {entry["status"]} | {entry["how"]} | {tests} |')
    total = ', '.join(f'{counts[status]} {status}' for status in ('works', 'differs', 'absent'))
    text = HEAD + f'{sum(counts.values())} names: {total}.\n'
    for owner, lines in rows.items():
        text += f'\n## {owner}\n\n| name | | how | shown by |\n|---|---|---|---|\n'
        text += '\n'.join(lines) + '\n'
    return text + upstream()


def upstream() -> str:
    """Return what the tests of ROS 2 itself come to, as ``upstream.py`` noted it."""
    import yaml

    text = UPSTREAM_HEAD + '| of C | instead |\n|---|---|\n'
    text += ''.join(f'| {ours} | {instead} |\n' for ours, instead in PART_IN_C.items())
    table = yaml.safe_load(UPSTREAM.read_text(encoding='utf-8'))
    distributions = list(table)
    suites = {suite: None for each in table.values() for suite in each}
    for suite in suites:
        totals = '; '.join(
            f'{name}: {sum(each["passed"] for each in files.values())} passed, '
            f'{sum(len(each["failed"]) for each in files.values())} failed'
            for name in distributions if (files := table[name].get(suite)))
        text += f'\n### {suite}, {totals}\n\n'
        heads = ' | '.join(f'{name} passed | failed' for name in distributions)
        text += f'| file | {heads} | why |\n|---|{"---|---|" * len(distributions)}---|\n'
        names = {name: None for each in table.values() for name in each.get(suite, {})}
        for name in sorted(names):
            entries = [table[each].get(suite, {}).get(name) for each in distributions]
            counts = ' | '.join('| ' if entry is None else
                                f'{entry["passed"]} | {len(entry["failed"])}' for entry in entries)
            text += f'| `{name}` | {counts} | {_why(distributions, entries)} |\n'
    return text


def _why(distributions: list[str], entries: list[Any]) -> str:
    """Return why tests of a file fail, and of which distribution if it is not all of them."""
    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    for distribution, entry in zip(distributions, entries):
        for test, why in entry['failed'].items() if entry else ():
            test = test.rpartition('::')[2]
            reasons[why.replace('|', r'\|'), f'`{test}`'].append(distribution)
    grouped: dict[str, list[str]] = defaultdict(list)
    there = sum(entry is not None for entry in entries)
    for (why, test), where in reasons.items():
        grouped[why].append(test if len(where) == there else f'{test} ({where[0]})')
    return '; '.join(f"{', '.join(tests)}: {why}" for why, tests in grouped.items())


def main() -> None:
    """Record, or write the table."""
    if sys.argv[1:] == ['record']:
        import pytest

        code = pytest.main(['-q', str(HERE / 'core')], plugins=[Recorder()])
        if code:
            raise SystemExit(int(code))
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text(rendered())


if __name__ == '__main__':
    main()
