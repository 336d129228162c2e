"""Compiling while others go on: order, failure, fork and the end of the interpreter."""

import os
import subprocess
import sys
import threading
import time

import pytest

from mbd_ros.execution.executors import background
from mbd_ros.execution.executors.background import Background


@pytest.fixture
def queue(monkeypatch):
    """Return a queue without patience."""
    monkeypatch.setattr(background, 'PATIENCE', 0.0)
    return Background()


def test_jobs_are_done_in_order_by_another_thread_that_then_ends(queue):
    done = []
    for number in range(3):
        queue.submit(lambda number=number: done.append((number, threading.current_thread().name)))
    assert queue.wait(60.0)
    assert done == [(number, 'mbd_ros compiler') for number in range(3)]
    end = time.monotonic() + 60.0
    while any(one.name == 'mbd_ros compiler' for one in threading.enumerate()):
        assert time.monotonic() < end
        time.sleep(0.001)


def test_it_waits_until_nothing_new_comes_but_not_if_somebody_waits_for_it(monkeypatch):
    monkeypatch.setattr(background, 'PATIENCE', 3600.0)
    queue, done = Background(), []
    queue.submit(lambda: done.append(1))
    assert not done
    assert queue.wait(60.0)
    assert done == [1]


def test_a_job_that_fails_is_told_and_the_next_is_done(queue):
    done, release = [], threading.Event()
    queue.submit(release.wait)
    queue.submit(lambda: {}['x'])
    queue.submit(lambda: done.append(1))
    with pytest.warns(RuntimeWarning, match=r"background failed: KeyError\('x'\)"):
        assert _released(release, queue)
    assert done == [1]


def _released(release, queue):
    release.set()
    return queue.wait(60.0)


def test_waiting_ends_in_time(queue):
    release = threading.Event()
    queue.submit(release.wait)
    assert not queue.wait(0.01)
    release.set()
    assert queue.wait(60.0)


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='there is no fork to be safe against')
def test_a_forked_child_does_what_was_left(queue):
    release = threading.Event()
    queue.submit(release.wait)
    read, write = os.pipe()
    queue.submit(lambda: os.write(write, str(os.getpid()).encode()))
    child = os.fork()
    if child == 0:
        release.set()
        os._exit(0 if queue.wait(60.0) else 1)
    assert os.read(read, 100) == str(child).encode()
    assert os.waitpid(child, 0)[1] == 0
    release.set()
    assert queue.wait(60.0)
    assert os.read(read, 100) == str(os.getpid()).encode()
    os.close(read)
    os.close(write)


SCRIPT = """
import sys, mbd_ros
sys.path.append(sys.argv[1])
from robots import chain
dyn = mbd_ros.compile(mbd_ros.load(chain(20, 1)), executor='auto')
print(dyn.how('forward_dynamics'))
if sys.argv[2] == 'amid':
    from mbd_ros.execution.executors import background
    background.PATIENCE = 0.0
    dyn.forward_dynamics_derivatives
    import time
    time.sleep(0.05)
"""


@pytest.mark.parametrize('when', ['before', 'amid'])
def test_the_interpreter_ends_cleanly_while_something_compiles(when):
    support = os.path.join(os.path.dirname(__file__), '..', '..', 'support')
    answer = subprocess.run([sys.executable, '-c', SCRIPT, support, when], capture_output=True,
                            text=True, timeout=300, check=True,
                            env={**os.environ, 'MBD_ROS_CACHE': 'off'})
    assert (answer.stdout, answer.stderr) == ('rolled\n', '')
