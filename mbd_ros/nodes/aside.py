"""Work beside the callbacks of a node, such as compiling."""

from __future__ import annotations

from collections.abc import Callable
import sys
import threading

from rclpy.task import Future

SHORT_TURN = 2e-4
"""Time after which the work lets callbacks have the interpreter, when they want it [s]."""
_ONE_AT_A_TIME = threading.Lock()


def done_aside(work: Callable[[], object]) -> Future:
    """
    Do something in a thread, while callbacks go on; one thing after the other.

    Parameters
    ----------
    work : callable
        What to do; it shares nothing with the callbacks.

    Returns
    -------
    Future
        Done when the work is; what the work raises is raised where it is awaited.

    """
    done = Future()

    def run() -> None:
        with _ONE_AT_A_TIME:
            interval = sys.getswitchinterval()
            sys.setswitchinterval(min(SHORT_TURN, interval))
            try:
                work()
            except Exception as error:  # who waits must hear of it
                done.set_exception(error)
            else:
                done.set_result(None)
            finally:
                sys.setswitchinterval(interval)
    threading.Thread(target=run, daemon=True).start()
    return done
