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
The process that answers large requests, begun by ``HeavyWorker``.

It reads jobs from its standard input and writes answers to its standard output. It has a low
priority, joins no graph, and ends with the node that began it.
"""

from __future__ import annotations

from collections.abc import Callable
import os
import pickle
import queue
import signal
import struct
import sys
import threading
import traceback
from types import SimpleNamespace
from typing import Any, NamedTuple
import warnings

from rclpy.serialization import deserialize_message, serialize_message

from mbd_ros.errors import LoopsOpenWarning, MbdError
from mbd_ros.messages.diagnostics.error_codes import fail
from mbd_ros.messages.dynamics import request_costs as costs
from mbd_ros.model import Model
from mbd_ros.nodes.serving.answers import Answers, Ran, SERVICES

NICENESS = 10
"""What other processes want is done first."""
LENGTH = struct.Struct('<Q')
MESSAGE = pickle.PickleBuffer
"""Octets of a message, which are handed on as they are: to copy megabytes keeps other threads."""


class Job(NamedTuple):
    """
    What is to be answered.

    Attributes
    ----------
    name : str
        Of the service.
    request : bytes or MESSAGE
        Serialized.
    settings : SimpleNamespace
        Parameters of the node.
    generation : int
        Of the robot, 0 without one.
    model : bytes or None
        The robot, pickled by the node that began this process; None: that of the job before.

    """

    name: str
    request: bytes | pickle.PickleBuffer
    settings: SimpleNamespace
    generation: int
    model: bytes | None


class Done(NamedTuple):
    """
    An answer.

    Attributes
    ----------
    response : bytes or MESSAGE
        Serialized; it says what was wrong.
    ran : Ran or None
        What has computed it.
    refused : str
        Why the request was refused; empty if it was not.
    trace : str
        Where an internal error was raised; empty without one.

    """

    response: bytes | pickle.PickleBuffer
    ran: Ran | None
    refused: str
    trace: str


def write(stream: Any, what: object) -> None:
    """
    Write an object of this file to another process of this node.

    How many parts it has, and the parts, each behind the number of its octets: the pickled object,
    and what it holds as ``MESSAGE``.
    """
    apart: list[pickle.PickleBuffer] = []
    octets = pickle.dumps(what, pickle.HIGHEST_PROTOCOL, buffer_callback=apart.append)
    stream.write(LENGTH.pack(1 + len(apart)))
    for part in (octets, *(one.raw() for one in apart)):
        stream.write(LENGTH.pack(len(part)))
        stream.write(part)
    stream.flush()


def read(stream: Any) -> Any:
    """
    Return the next object, as ``write`` wrote it; EOFError where the other process ended.

    What it held as ``MESSAGE`` is bytes.
    """
    def number() -> int:
        head = stream.read(LENGTH.size)
        if len(head) < LENGTH.size:
            raise EOFError
        return int(LENGTH.unpack(head)[0])

    octets, *apart = [stream.read(number()) for _ in range(number())]
    return pickle.loads(octets, buffers=apart)


def answer(job: Job, model: Model | None) -> Done:
    """Return the answer to a job; errors are in it."""
    kind = SERVICES[job.name]
    response, ran, refused, trace = kind.Response(), None, '', ''
    try:
        try:
            request = deserialize_message(bytes(job.request), kind.Request)
        except RuntimeError as error:
            raise MbdError(str(error)) from None
        costs.require_affordable(costs.cost_of(
            request, model, executor=job.settings.executor), request)
        ran = Answers(job.settings).fill(job.name, model, request, response)
    except MbdError as error:
        refused = str(error)
        fail(response, error, job.generation)
    except Exception as error:   # whatever it is, the node must hear of it
        refused, trace = f'internal error: {error!r}', traceback.format_exc()
        fail(response, MbdError(refused), job.generation)
    return Done(MESSAGE(serialize_message(response)), ran, refused, trace)


def serve(jobs: Callable[[], Job], done: Callable[[Done], None]) -> None:
    """Answer one job after the other."""
    model: Model | None = None
    while True:
        job = jobs()
        if job.model is not None:
            model = pickle.loads(job.model)
        done(answer(job, model if job.generation else None))


def main() -> None:
    """Answer until the node has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)   # Ctrl-C is for the node
    os.nice(NICENESS)
    warnings.simplefilter('ignore', LoopsOpenWarning)   # answers say it
    output = os.fdopen(os.dup(1), 'wb')
    os.dup2(2, 1)   # what libraries print is no answer
    jobs: queue.Queue[Job] = queue.Queue()

    def listen() -> None:
        while True:
            try:
                jobs.put(read(sys.stdin.buffer))
            except (EOFError, OSError):   # the node has ended: so does what is computed for it
                os._exit(0)
    threading.Thread(target=listen, daemon=True).start()
    serve(jobs.get, lambda one: write(output, one))
