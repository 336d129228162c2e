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

"""What all tests share: a DDS domain of their own, so that they never meet a robot; logs."""

import atexit
import collections
import gc
import importlib
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import tempfile
import time

from domains import reserve_domain
import pytest

os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')   # workers have a processor each
PATIENT = {f'test/nodes/test_{name}.py' for name in (
    'browser_page', 'cold_starts', 'lifecycle', 'module_manager', 'page_security', 'rviz')}
"""Files that start nodes and take long, after those of rosless: load only delays them."""
DOMAIN_LOCK = reserve_domain()  # held until this process ends
# Logs of nodes, which go to ~/.ros/log otherwise, end with the tests.
os.environ['ROS_LOG_DIR'] = tempfile.mkdtemp(prefix='mbd_ros_log_')
atexit.register(shutil.rmtree, os.environ['ROS_LOG_DIR'], ignore_errors=True)

# What a shell runs in the background ignores Ctrl-C, and all that it starts would, too.
signal.signal(signal.SIGINT, signal.default_int_handler)

found = importlib.util.find_spec('rosless')
if found is not None and found.origin is not None:
    # First of all, so that pytest does not take the folder `rosless` for the package.
    importlib.import_module('rosless')
else:
    collect_ignore_glob = ['rosless/*']  # a machine with ROS 2, where the real rclpy is used

PEERS = ('pinocchio', 'mujoco')
OTHERS = ('casadi', 'jax')
LACKING = [name for name in (*PEERS, *OTHERS) if importlib.util.find_spec(name) is None]
"""Packages that are not installed, as where colcon tests; ``make test`` installs them."""
if LACKING:   # each such file would end the collection of all others
    tests = pathlib.Path(__file__).parent / 'test'
    collect_ignore = [str(file) for file in sorted(tests.rglob('test_*.py')) if re.search(
        rf'^(import|from) ({"|".join(LACKING)})\b', file.read_text(encoding='utf-8'), re.M)]
    if set(PEERS) & set(LACKING):
        collect_ignore += [str(tests / 'peers')]


BEGUN = pytest.StashKey[float]()
"""What the processors had done for this process when the first test began [s]."""


BESIDE = pytest.StashKey[int]()
"""Whether this process has made way for launches, by its niceness."""


def pytest_addoption(parser):
    """Take a time after which no more tests begin."""
    parser.addoption('--seconds', type=float, metavar='S', help=(
        'begin no test after so many seconds of processor time, of each worker: the first tests '
        'of all files run before the second ones, and those left out are told as skipped'))


@pytest.hookimpl(tryfirst=True)   # before fixtures are made
def pytest_runtest_setup(item):
    """Leave a test out that would begin too late."""
    seconds = item.config.getoption('--seconds')
    now = time.process_time()   # so that a busy machine leaves out no more
    if seconds is not None and now - item.session.stash.setdefault(BEGUN, now) > seconds:
        pytest.skip(f'{seconds:g} s are over')


def pytest_configure():
    """Refuse to leave tests out where all are wanted."""
    if LACKING and os.environ.get('MBD_ROS_EVERY_TEST'):
        raise pytest.UsageError(f'{", ".join(LACKING)} not installed: pip install .[test,peers]')


def pytest_terminal_summary(terminalreporter):
    """Say aloud which tests did not run, and why."""
    if LACKING:
        terminalreporter.write_line(
            f'{", ".join(LACKING)} not installed: left out were test/peers and '
            f'{len(collect_ignore) - 1} files that import them; all run after '
            'pip install .[test,peers]', yellow=True)


def launches_of(nodeid):
    """
    Return which of the two series of launches a test belongs to, None of one that computes.

    Launches mostly wait: two series beside each other leave a processor to tests that compute.
    """
    file = nodeid.split('::')[0]   # whose fixtures are made once
    if file.startswith('rosless/') or file in PATIENT:
        return 'rosless/'
    return 'test/nodes/' if file.startswith('test/nodes/') else None


@pytest.hookimpl(optionalhook=True)   # of pytest-xdist, which may be missing
def pytest_xdist_make_scheduler(config, log):
    """With several workers (pytest -n 3), let one of them run most tests that start nodes."""
    from xdist.scheduler import LoadScopeScheduling

    class TwoLaunches(LoadScopeScheduling):
        """Hands each worker a whole scope at a time, in the order of the tests."""

        def _split_scope(self, nodeid):
            if config.getoption('--seconds') is not None:
                return nodeid
            return launches_of(nodeid) or nodeid.split('::')[0]

    config.option.loadscopereorder = False
    return TwoLaunches(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    """Let tests that compute, as workers, wait for those that launch, not the other way round."""
    if 'PYTEST_XDIST_WORKER' in os.environ and BESIDE not in item.session.stash and (
            launches_of(item.nodeid) is None):
        item.session.stash[BESIDE] = os.nice(10)   # to its end: nobody may take it back


def pytest_collection_modifyitems(config, items):
    """Begin with the launches, so that no worker waits for them at the end."""
    if config.getoption('--seconds') is not None:
        counts = collections.Counter()
        places = {}
        for item in items:
            counts[item.path] += 1
            places[item] = counts[item.path]
        items.sort(key=places.__getitem__)
        return
    order = ('test/nodes/', 'rosless/', None)
    items.sort(key=lambda item: (
        order.index(launches_of(item.nodeid)), item.nodeid.split('::')[0] in PATIENT))


def pytest_collection_finish(session):
    """Keep the garbage collector from what stays to the end: it went through it all each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope='module')
def _frozen():
    """Let it pass over what the modules before have left in caches, too."""
    yield
    gc.collect()
    gc.freeze()
