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

"""Start and end of every node of this package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import contextlib
import faulthandler
import gc
import os
import signal
import sys
import threading
from typing import Protocol
import warnings

import rclpy
from rclpy._rclpy_pybind11 import InvalidHandle
from rclpy.exceptions import (
    InvalidParameterException, InvalidParameterTypeException, InvalidParameterValueException)
from rclpy.executors import (
    ExternalShutdownException, MultiThreadedExecutor, SingleThreadedExecutor)

from mbd_ros.errors import MbdError

GARBAGE = (10_000, 10, 100)
"""
Objects made before garbage is looked for. A large request makes millions; with the interpreter's
own settings they are all searched again and again, up to a second at a time, while nobody else
runs.
"""
SWITCH_INTERVAL = 1e-4
"""
Time [s] after which a thread that computes in Python lets another one go on. With the 5 ms of the
interpreter a small request, for which three threads work in turn, waits 15 ms beside a large one.
"""
TIME_TO_STOP = 0.3
"""Time [s] that callbacks get to return once the end is asked for; a compiler may take longer."""
FAREWELL = 0.2
"""Time [s] in which the answer to the request to shut down the last node is sent."""
TIME_TO_END = 0.6
"""Time [s] after which the process is left, whatever still keeps it."""
PARAMETER_ERRORS = (
    InvalidParameterException, InvalidParameterTypeException, InvalidParameterValueException)


class Runnable(Protocol):
    """A node with its expensive work outside the constructor."""

    num_threads: int

    def start(self, ended: Callable[[], object]) -> None:
        """Create what the node offers and begin to work; ``ended`` is told of its end."""

    def close(self) -> None:
        """Stop threads and servers of the node."""

    def destroy_node(self) -> None:
        """Remove the node from the graph."""


def run(*makes: Callable[[], Runnable]) -> int:
    """
    Run nodes until they are told to stop, all on one executor.

    A node that cannot start is reported, and the others go on without it; one that fails later
    ends the process. All of them run in a thread beside the main one, which only waits for the
    end: Python hands signals to the main thread, and that one must not be amid a compilation,
    which nobody can stop.

    Parameters
    ----------
    *makes : callable
        Each makes a node; it is started here.

    Returns
    -------
    int
        Exit code: 0 after SIGINT or SIGTERM, 1 if a node cannot start with its parameters.

    """
    # The context is shut down by the client library; a KeyboardInterrupt amid anything else would
    # only disturb the end. A signal that comes before the library is ready is kept for it.
    with contextlib.suppress(RuntimeError, ValueError):   # no stderr
        # A crash in C says where its thread was. Frames of the others change while they are read,
        # and a second crash would end the report amid them.
        faulthandler.enable(all_threads=False)
    gc.set_threshold(*GARBAGE)
    gc.freeze()   # modules are no garbage; to look through them takes 13 ms, when nobody else runs
    sys.setswitchinterval(SWITCH_INTERVAL)
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: over.set())
    rclpy.init()
    # rclpy's word on a node that was being made when the context ended.
    warnings.filterwarnings('ignore', 'Failed to fini', RuntimeWarning)
    nodes = _Nodes(makes, over)
    thread = threading.Thread(target=nodes.run, name='nodes', daemon=True)
    thread.start()
    over.wait()
    rclpy.try_shutdown()
    limit = threading.Timer(TIME_TO_END, os._exit, (nodes.code,))
    limit.daemon = True
    limit.start()
    thread.join(TIME_TO_STOP)
    if thread.is_alive():
        with contextlib.suppress(Exception):   # to leave the graph, as far as that goes
            nodes.leave()
        sys.stdout.flush()
        os._exit(nodes.code)
    # Callbacks in the threads of an executor may go on while what they use is closed.
    warnings.simplefilter('ignore')
    nodes.end()
    if nodes.error is not None:
        raise nodes.error
    gc.freeze()   # or the interpreter, as it ends, searches all for garbage: 0.3 s, now 0.04 s
    return nodes.code


class _Nodes:
    """
    The nodes of a process.

    Parameters
    ----------
    makes : sequence of callable
        Each makes a node.
    over : Event
        Set when they have come to an end by themselves.

    Attributes
    ----------
    code : int
        1 if one could not start, else 0.
    error : Exception or None
        What one has failed by.

    """

    def __init__(self, makes: Sequence[Callable[[], Runnable]], over: threading.Event) -> None:
        self._makes = makes
        self._over = over
        self._nodes: list[Runnable] = []
        self._shut_down = 0
        self.code = 0
        self.error: Exception | None = None

    def run(self) -> None:
        """Start all of them and spin until the context is shut down."""
        try:
            for make in self._makes:
                if rclpy.ok():
                    self._start(make)
            if self._nodes:
                self._spin()
        except ExternalShutdownException:
            pass
        except Exception as error:
            if rclpy.ok():   # else the end came while a node was still being configured
                self.code, self.error = 1, error
        finally:
            self._over.set()

    def end(self) -> None:
        """Remove all of them from the graph."""
        while self._nodes:
            _end(self._nodes.pop())

    def leave(self) -> None:
        """Remove them from the graph while one still works: nothing it uses is closed."""
        while self._nodes:
            self._nodes.pop().destroy_node()

    def _spin(self) -> None:
        threads = sum(node.num_threads for node in self._nodes)
        executor = (SingleThreadedExecutor() if threads == 1
                    else MultiThreadedExecutor(num_threads=threads))
        for node in self._nodes:
            executor.add_node(node)
        gc.freeze()
        while True:
            try:
                executor.spin()
                return
            except InvalidHandle:   # a callback destroyed something while rclpy made its wait set
                pass

    def _node_ended(self) -> None:
        """Note that a node was shut down by a transition; the last one ends the process."""
        self._shut_down += 1
        if self._shut_down == len(self._nodes):
            farewell = threading.Timer(FAREWELL, self._over.set)
            farewell.daemon = True
            farewell.start()

    def _start(self, make: Callable[[], Runnable]) -> None:
        """Make a node and start it, or say why it cannot start."""
        started = len(self._nodes)
        try:
            self._nodes.append(make())
            self._nodes[-1].start(self._node_ended)
        except (MbdError, *PARAMETER_ERRORS) as error:
            print(f'cannot start: {error}', file=sys.stderr)
            self.code = 1
            if len(self._nodes) > started:
                _end(self._nodes.pop())


def _end(node: Runnable) -> None:
    node.close()
    node.destroy_node()
