"""How every node of this package starts and ends."""

from __future__ import annotations

from collections.abc import Callable
import gc
import signal
import sys
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


def run(make: Callable[[], Runnable]) -> int:
    """
    Run one node until it is told to stop.

    Parameters
    ----------
    make : callable
        Makes the node; it is configured here.

    Returns
    -------
    int
        Exit code: 0 after SIGINT or SIGTERM, 1 if the node cannot start with its parameters.

    """
    # The context is shut down by the client library; a KeyboardInterrupt amid anything else would
    # only disturb the end.
    gc.set_threshold(*GARBAGE)
    signal.signal(signal.SIGINT, lambda number, frame: None)
    rclpy.init()
    node = None
    try:
        node = make()
        node.configure()
        executor = (SingleThreadedExecutor() if node.num_threads == 1
                    else MultiThreadedExecutor(num_threads=node.num_threads))
        executor.add_node(node)
        executor.spin()
    except ExternalShutdownException:
        pass
    except (MbdError, *PARAMETER_ERRORS) as error:
        print(f'cannot start: {error}', file=sys.stderr)
        return 1
    except Exception:
        if rclpy.ok():   # else the end came while the node was still being configured
            raise
    finally:
        if node is not None:
            node.close()
            node.destroy_node()
        rclpy.try_shutdown()
    return 0
