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

"""Have large requests answered in a process beside the node, one after the other."""

from __future__ import annotations

import contextlib
import copy
import functools
import pickle
import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import Any

from rclpy.serialization import deserialize_message, serialize_message
from rclpy.task import Future

from mbd_ros.errors import MbdError
from mbd_ros.messages.dynamics import request_costs as costs
from mbd_ros.model import Model
from mbd_ros.nodes.serving.answers import SERVICES
from mbd_ros.nodes.serving.async_semaphore import AsyncSemaphore
from mbd_ros.nodes.serving.worker_process import Done, Job, main, MESSAGE, read, write

LONGEST = 600.0
"""A process that has not answered after this time is ended [s]; a budget is a tenth of it."""
BEGIN = (f"import sys; sys.path.remove('') if '' in sys.path else None; "
         f'from {main.__module__} import main; main()')
"""What the process runs: nothing is imported from the folder in which the node was begun."""


class HeavyWorker:
    """
    A process that answers large requests, begun with the first one.

    The interpreter lets one thread run at a time. What reads, computes and writes a hundred
    thousand points in the process of the node keeps everything else there waiting, again and
    again, and takes the processor from other nodes. This process has a low priority, and the node
    only hands octets on. Requests that are due first are next, clients taking turns
    (``AsyncSemaphore``).
    """

    def __init__(self) -> None:
        self._turns = AsyncSemaphore(1)
        self._loads: dict[int, costs.Load] = {}   # by client, of those that have any
        self._lock, self._loads_lock = threading.Lock(), threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._sent: Model | None = None   # the robot that the process knows

    async def answer(self, name: str, cost: float, model: Model | None, request: Any,
                     settings: SimpleNamespace, client: int = 0) -> tuple[Any, Done]:
        """
        Return the answer to a request, and how it came about.

        Parameters
        ----------
        name : str
            Of the service, a key of ``SERVICES``.
        cost : float
            What it is expected to take [s].
        model : Model or None
            The robot in use.
        request : message
            It may be unread.
        settings : SimpleNamespace
            Parameters of the node.
        client : int, optional
            Who asks.

        Raises
        ------
        MbdError
            If too much waits, or the process has ended.

        """
        octets = serialize_message(request)
        del request   # its octets are enough
        new = costs.Load(1, cost, len(octets))
        with self._loads_lock:
            own = self._loads.get(client, costs.Load())
            others = functools.reduce(costs.Load.with_more, (
                load for one, load in self._loads.items() if one != client), costs.Load())
            costs.require_room(new, own, others)
            self._loads[client] = own.with_more(new)
        try:
            async with self._turns.of(cost, client):
                settings = copy.deepcopy(settings)   # as it is now
                done: Future = Future()
                threading.Thread(target=self._ask, daemon=True, name='large request', args=(
                    done, name, octets, model, settings)).start()
                answered: Done = await done
        finally:
            with self._loads_lock:
                left = self._loads.pop(client).without(new)
                if left.requests:
                    self._loads[client] = left
        return deserialize_message(bytes(answered.response), SERVICES[name].Response), answered

    def _ask(self, done: Future, name: str, octets: bytes, model: Model | None,
             settings: SimpleNamespace) -> None:
        try:
            done.set_result(self._exchange(name, octets, model, settings))
        except Exception as error:   # who waits must hear of it
            done.set_exception(error)

    def _exchange(self, name: str, octets: bytes, model: Model | None, settings: SimpleNamespace
                  ) -> Done:
        """Give the process a job and return what it answers; a process that fails is ended."""
        process = self._begun()
        limit = threading.Timer(LONGEST, process.kill)
        limit.daemon = True
        limit.start()
        try:
            known = model is None or model is self._sent
            write(process.stdin, Job(
                name, MESSAGE(octets), settings, 0 if model is None else model.generation,
                None if known else pickle.dumps(model)))
            self._sent = model or self._sent
            done: Done = read(process.stdout)
            return done
        except (OSError, EOFError, ValueError):
            self._end()
            raise MbdError('the process that answers large requests has ended, or was ended '
                           f'after {LONGEST:g} s: a smaller request') from None
        finally:
            limit.cancel()

    def _begun(self) -> subprocess.Popen[bytes]:
        """Return the process, which is begun if there is none."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._sent = None
                self._process = subprocess.Popen(
                    [sys.executable, '-c', BEGIN],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            return self._process

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):   # what was not written yet is lost
                    if stream is not None:
                        stream.close()

    def close(self) -> None:
        """End the process; the next large request begins another."""
        self._end()
