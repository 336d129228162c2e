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
Run blocking work, such as compiling, off the executor thread.

A callback that awaits such work blocks its callback group. So it has a group of its own, awaits
``run_in_thread``, and puts into the ``DefaultGroupQueue`` what must not run beside the callbacks
of the node's default group.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import sys
import threading

from rclpy.node import Node
from rclpy.task import Future

SHORT_TURN = 2e-4
"""Time after which the work lets callbacks have the interpreter, when they want it [s]."""
_ONE_AT_A_TIME = threading.Lock()


def run_in_thread(work: Callable[[], object]) -> Future:
    """
    Do something in a thread, while callbacks go on; one thing after the other.

    Parameters
    ----------
    work : callable
        What to do; it shares nothing with the callbacks.

    Returns
    -------
    Future
        Done when the work is: its result; what the work raises is raised where it is awaited.

    """
    done = Future()

    def run() -> None:
        with _ONE_AT_A_TIME:
            interval = sys.getswitchinterval()
            sys.setswitchinterval(min(SHORT_TURN, interval))
            try:
                result = work()
            except Exception as error:  # who waits must hear of it
                done.set_exception(error)
            else:
                done.set_result(result)
            finally:
                sys.setswitchinterval(interval)
    threading.Thread(target=run, daemon=True).start()
    return done


class DefaultGroupQueue:
    """
    Lets callbacks of other groups do something between two callbacks of the default group.

    Parameters
    ----------
    node : Node
        The node.

    """

    def __init__(self, node: Node) -> None:
        self._waiting: deque[tuple[Callable[[], object], Future]] = deque()
        self._guard = node.create_guard_condition(self._run)

    def take(self, work: Callable[[], object]) -> Future:
        """Return what is done when the work is: its result, or what it raises where awaited."""
        done = Future()
        self._waiting.append((work, done))
        self._guard.trigger()
        return done

    def _run(self) -> None:
        while self._waiting:
            work, done = self._waiting.popleft()
            try:
                done.set_result(work())
            except Exception as error:  # who waits must hear of it
                done.set_exception(error)
