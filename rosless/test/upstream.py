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
Runs the test suites of ROS 2 itself on rosless, and compares what came with the table.

``python rosless/test/upstream.py FOLDER`` looks for the packages in `SUITES` anywhere below the
folder, which holds checkouts that the user made (they are not part of this repository), for
example ``git clone -b humble https://github.com/ros2/rclpy`` and so for ``launch``, ``geometry2``,
``rcl_interfaces``, ``test_interface_files``, ``launch_ros`` and ``osrf_pycommon``. Each file runs
in a process of its own, as CMake of these packages does it, in a DDS domain of its own.

Every test that fails has a row in ``docs/conformance/upstream.yaml``, which says why; what fails
without a row, and a row whose test passes, are differences, and end this program with 1.
``--write`` notes the results in that file instead, keeping the reasons; ``conformance.py`` puts
them into ``docs/conformance.md``. Further arguments are parts of names of files to run.

"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
import json
import os
from pathlib import Path
from queue import SimpleQueue
import re
import shutil
import signal
import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
TABLE = HERE.parent / 'docs' / 'conformance' / 'upstream.yaml'
BUILD = HERE.parents[1] / 'build' / 'upstream'
REPORT = 'ROSLESS_UPSTREAM_REPORT'
SUITES = ('rclpy', 'launch', 'launch_xml', 'launch_yaml', 'launch_testing', 'launch_pytest',
          'tf2_ros_py')
OPTIONAL = {'launch_pytest': ('pytest_asyncio',)}
INTERFACES = ('test_msgs', 'test_interface_files')
DISTRIBUTIONS = {'3': 'humble', '7': 'jazzy'}
"""By the first number of the version of rclpy."""
LINTERS = ('test_copyright', 'test_flake8', 'test_pep257', 'test_mypy', 'test_xmllint')
EXAMPLES = 'examples'
"""Folders of files that the tests run; they are no tests by themselves."""
TIMEOUT = 240.0
"""For a file [s]: twice what CMake of rclpy allows."""
WORKERS = 2


def pytest_runtest_logreport(report: Any) -> None:
    """Note what a test came to, at once: the process may hang in the next one."""
    if report.when == 'call' or report.outcome != 'passed':
        said = '' if report.outcome == 'passed' else _said(report)
        _note(report.nodeid.partition('::')[2], report.outcome, said)


def pytest_collectreport(report: Any) -> None:
    """Note what could not be collected."""
    if report.failed:
        _note('(file)', 'failed', _said(report))


def _note(test: str, outcome: str, said: str) -> None:
    if REPORT in os.environ:
        with open(os.environ[REPORT], 'a', encoding='utf-8') as file:
            file.write(json.dumps([test, outcome, said]) + '\n')


def _said(report: Any) -> str:
    """Return the last thing that pytest says of an exception."""
    lines = re.findall(r'^E   +(.*)', str(report.longrepr), re.M)
    return (lines[0] if lines else str(report.longrepr).strip().rpartition('\n')[2])[:300]


def packages(folder: Path) -> dict[str, Path]:
    """Return the folders of all ROS packages below a folder, by name."""
    found = {}
    for file in sorted(folder.rglob('package.xml')):
        name = (ElementTree.parse(file).getroot().findtext('name') or '').strip()
        found.setdefault(name, file.parent)
    return found


def distribution(package: Path) -> str:
    """Return the distribution a checkout of rclpy belongs to."""
    version = ElementTree.parse(package / 'package.xml').getroot().findtext('version') or ''
    return DISTRIBUTIONS.get(version.split('.')[0], 'rolling')


def lay_out(found: dict[str, Path], target: Path) -> dict[str, Path]:
    """
    Copy the tests, never the packages under test; return the folders in which they run.

    Beside the tests stand ``share/test_msgs`` with its interfaces, and Python packages of that
    name and of `osrf_pycommon` in ``site``.

    """
    shutil.rmtree(target, ignore_errors=True)
    share, site = target / 'prefix' / 'share' / 'test_msgs', target / 'site'
    for name in INTERFACES:
        for kind in ('msg', 'srv', 'action'):
            if name in found and (found[name] / kind).is_dir():
                shutil.copytree(found[name] / kind, share / kind, dirs_exist_ok=True)
    if 'test_msgs' in found:
        shutil.copytree(found['test_msgs'] / 'src' / 'test_msgs', site / 'test_msgs')
        (site / 'test_msgs' / '__init__.py').touch()
    if 'osrf_pycommon' in found:
        shutil.copytree(found['osrf_pycommon'] / 'osrf_pycommon', site / 'osrf_pycommon')
        with open(site / 'osrf_pycommon' / '__init__.py', 'a', encoding='utf-8') as file:
            file.write('from . import process_utils\n')  # launch of ROS 2 imports it
    if 'launch_testing' in found:  # its programs and examples, which its tests run
        package, prefix = found['launch_testing'], target / 'prefix'
        shutil.copytree(package / 'example_processes', prefix / 'lib' / 'launch_testing')
        shutil.copytree(package / 'test' / 'launch_testing' / EXAMPLES,
                        prefix / 'share' / 'launch_testing' / EXAMPLES)
        index = prefix / 'share' / 'ament_index' / 'resource_index' / 'packages'
        index.mkdir(parents=True)
        (index / 'launch_testing').touch()
    folders = {}
    for suite in SUITES:
        if suite not in found:
            continue
        folder = target / suite
        # The name test_rclpy is that of the folder into which CMake copies them.
        tests = folder / ('test_rclpy' if suite == 'rclpy' else 'test')
        shutil.copytree(found[suite] / 'test', tests)
        if suite == 'rclpy':  # the original finds the libraries in C
            (tests / '__init__.py').write_text('')
        ini = found[suite] / 'pytest.ini'
        if ini.exists():  # without their doctests, which are those of their own sources
            text = ini.read_text().replace('--doctest-modules', '')
            (folder / 'pytest.ini').write_text(text)
        folders[suite] = tests
    return folders


def files(tests: Path) -> Iterator[Path]:
    """Yield the files of a suite."""
    for file in sorted(tests.rglob('test_*.py')):
        if file.stem not in LINTERS and EXAMPLES not in file.parts:
            yield file


def run(
    file: Path, tests: Path, target: Path, domains: SimpleQueue[str]
) -> dict[str, tuple[str, str]]:
    """Run a file; return what each of its tests came to, and what pytest said of it."""
    domain = domains.get()
    try:
        return _run(file, tests, target, domain)
    finally:
        domains.put(domain)


def _run(file: Path, tests: Path, target: Path, domain: str) -> dict[str, tuple[str, str]]:
    name = f'{tests.parent.name}_{file.relative_to(tests)}'.replace('/', '_')
    report = target / 'reports' / name
    report.parent.mkdir(exist_ok=True)
    report.unlink(missing_ok=True)
    env = {**os.environ, REPORT: str(report), 'AMENT_PREFIX_PATH': str(target / 'prefix'),
           'PATH': os.pathsep.join([str(Path(sys.executable).parent), os.environ['PATH']]),
           'ROS_DOMAIN_ID': domain, 'TEST_DOMAIN': domain, 'ROS_LOG_DIR': str(target / 'log')}
    paths = [str(HERE), str(target / 'site')]
    if tests.parent.name == 'launch':  # where its helper modules stand
        paths.append(str(tests))
    env['PYTHONPATH'] = os.pathsep.join([*paths, *filter(None, [os.environ.get('PYTHONPATH')])])
    command = [sys.executable, '-m', 'pytest', '-q', '-p', 'upstream', '-p', 'no:cacheprovider',
               '-p', 'no:xdist', f'--rootdir={tests.parent}', str(file)]
    if (tests.parent / 'pytest.ini').exists():
        command[3:3] = ['-c', str(tests.parent / 'pytest.ini')]
    with open(f'{report}.txt', 'w', encoding='utf-8') as output:
        process = subprocess.Popen(command, cwd=tests.parent, env=env, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
    results: dict[str, tuple[str, str]] = {}
    for line in report.read_text(encoding='utf-8').splitlines() if report.exists() else ():
        test, outcome, said = json.loads(line)
        if results.get(test, ('passed',))[0] != 'failed':
            results[test] = (outcome, said)
    if code < 0 or (not results and code):
        results['(end)'] = ('failed', f'ended with {code}' if code > 0 else
                            f'ended by {signal.Signals(-code).name}, after {TIMEOUT:g} s at most')
    return results


def main() -> int:
    """Run what is asked for; return 1 if it differs from the table."""
    import yaml

    sys.path.insert(0, str(HERE.parents[1] / 'test' / 'support'))
    from domains import reserve_domain

    arguments = argparse.ArgumentParser(description=(__doc__ or '').strip().partition('\n')[0])
    arguments.add_argument('folder', type=Path)
    arguments.add_argument('names', nargs='*')
    arguments.add_argument('--write', action='store_true')
    arguments.add_argument('--said', action='store_true', help='print what pytest said')
    given = arguments.parse_args()
    found = packages(given.folder)
    lacking = [name for name in (*SUITES, *INTERFACES) if name not in found]
    if 'rclpy' not in found:
        arguments.error(f'{given.folder} holds no package rclpy; found: {", ".join(found)}')
    if lacking:
        print(f'no checkout below {given.folder}: {", ".join(lacking)}', file=sys.stderr)
    name = distribution(found['rclpy'])
    locks = []
    domains: SimpleQueue[str] = SimpleQueue()
    for _ in range(WORKERS):
        locks.append(reserve_domain())
        domains.put(os.environ['ROS_DOMAIN_ID'])
    folders = lay_out(found, BUILD / name)
    work = [(suite, file) for suite, tests in folders.items() for file in files(tests)
            if not given.names or any(each in f'{suite}/{file.name}' for each in given.names)]
    with ThreadPoolExecutor(WORKERS) as pool:
        outcomes = list(pool.map(
            lambda each: run(each[1], folders[each[0]], BUILD / name, domains), work))
    for lock in locks:
        os.close(lock)
    table = yaml.safe_load(TABLE.read_text(encoding='utf-8')) if TABLE.exists() else {}
    known = table.setdefault(name, {})
    differences = []
    totals: Counter[tuple[str, str]] = Counter()
    for (suite, file), results in zip(work, outcomes):
        relative = str(file.relative_to(folders[suite]))
        reasons = known.get(suite, {}).get(relative, {}).get('failed', {})
        failed = {test: said for test, (outcome, said) in results.items() if outcome == 'failed'}
        count = Counter(outcome for outcome, _ in results.values())
        for outcome, number in count.items():
            totals[suite, outcome] += number
        print(f'{suite}/{relative}: {count["passed"]} passed, {count["failed"]} failed')
        for test, said in failed.items():
            if given.said:
                print(f'    {test}: {said}')
            if test not in reasons:
                differences.append(f'{suite}/{relative}::{test} fails: {said}')
        differences += [f'{suite}/{relative}::{test} passes, against the table'
                        for test in reasons if test not in failed]
        known.setdefault(suite, {})[relative] = {
            'passed': count['passed'],
            'failed': {test: reasons.get(test, said) for test, said in failed.items()}}
    for suite in folders:
        print(f'{suite}: {totals[suite, "passed"]} passed, {totals[suite, "failed"]} failed')
    if given.write:
        text = yaml.safe_dump(table, sort_keys=False, width=95, allow_unicode=True)
        TABLE.write_text(text, encoding='utf-8')
        return 0
    print('\n'.join(differences) or f'as {TABLE.name} says')
    return 1 if differences else 0


if __name__ == '__main__':
    sys.exit(main())
