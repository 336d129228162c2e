"""Start and end of every node of this package."""

from __future__ import annotations

from collections.abc import Callable
import gc
import signal
import sys
import threading
from typing import Protocol

import rclpy
from rclpy.exceptions import (
    InvalidParameterException, InvalidParameterTypeException, InvalidParameterValueException)
from rclpy.executors import (
    ExternalShutdownException, MultiThreadedExecutor, SingleThreadedExecutor)

from mbd_ros.errors import MbdError

GARBAGE = (50_000, 20, 20)
"""
Objects made before garbage is looked for. A large request makes millions; with the interpreter's
own settings they are all searched again and again, up to a second at a time, while nobody else
runs.
"""
SWITCH_INTERVAL = 5e-4
"""
Time [s] after which a thread that computes in Python lets another one go on. With the 5 ms of the
interpreter a small request, for which three threads work in turn, waits 15 ms beside a large one.
"""
PARAMETER_ERRORS = (
    InvalidParameterException, InvalidParameterTypeException, InvalidParameterValueException)


class Runnable(Protocol):
    """A node with its expensive work outside the constructor."""

    num_threads: int

    def configure(self) -> None:
        """Create what the node offers and begin to work."""

    def close(self) -> None:
        """Stop threads and servers of the node."""

    def destroy_node(self) -> None:
        """Remove the node from the graph."""


def run(*makes: Callable[[], Runnable]) -> int:
    """
    Run nodes until they are told to stop, all on one executor.

    A node that cannot start is reported, and the others go on without it; one that fails later
    ends the process.

    Parameters
    ----------
    *makes : callable
        Each makes a node; it is configured here.

    Returns
    -------
    int
        Exit code: 0 after SIGINT or SIGTERM, 1 if a node cannot start with its parameters.

    """
    # The context is shut down by the client library; a KeyboardInterrupt amid anything else would
    # only disturb the end. A signal that comes before the library is ready is kept for it.
    gc.set_threshold(*GARBAGE)
    sys.setswitchinterval(SWITCH_INTERVAL)
    told = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: told.set())
    rclpy.init()
    if told.is_set():
        rclpy.try_shutdown()
    nodes: list[Runnable] = []
    refused = 0
    try:
        for make in makes:
            if rclpy.ok():
                refused += not _start(make, nodes)
        if nodes:
            threads = sum(node.num_threads for node in nodes)
            executor = (SingleThreadedExecutor() if threads == 1
                        else MultiThreadedExecutor(num_threads=threads))
            for node in nodes:
                executor.add_node(node)
            executor.spin()
    except ExternalShutdownException:
        pass
    except Exception:
        if rclpy.ok():   # else the end came while a node was still being configured
            raise
    finally:
        for node in reversed(nodes):
            _end(node)
        rclpy.try_shutdown()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)   # who asks twice does not want to wait
        gc.freeze()   # or the interpreter, as it ends, searches all for garbage: 0.3 s, now 0.04 s
    return 1 if refused else 0


def _start(make: Callable[[], Runnable], nodes: list[Runnable]) -> bool:
    """Make a node and add it to the others, or say why it cannot start."""
    node = None
    try:
        node = make()
        node.configure()
    except (MbdError, *PARAMETER_ERRORS) as error:
        print(f'cannot start: {error}', file=sys.stderr)
        if node is not None:
            _end(node)
        return False
    except BaseException:
        if node is not None:
            _end(node)
        raise
    nodes.append(node)
    return True


def _end(node: Runnable) -> None:
    node.close()
    node.destroy_node()
