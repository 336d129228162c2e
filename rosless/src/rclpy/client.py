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

"""Clients of services."""

from __future__ import annotations

import os
import threading
import time
from typing import Any, NamedTuple

from cyclonedds.core import DDSException
from rosless.dds.sample import Copied, Left
from rosless.idl.codec import deserialize, serialize
from rosless.idl.errors import DeserializationError

from .callback_groups import CallbackGroup
from .entity import Job
from .handle import DESTROYED, Handle
from .rcl_errors import InvalidHandle, RCLError
from .service_channel import Channel, HEADER, identifiers, OFFSET, ServiceEntity
from .service_introspection import REQUEST_SENT, RESPONSE_RECEIVED
from .task import Future

POLL_PERIOD = 0.02  # s, between looks whether the service is there


class ResponseHeader(NamedTuple):
    """Which call an answer belongs to, and when it was sent and taken [ns]."""

    sequence_number: int
    source_timestamp: int
    received_timestamp: int

    @property
    def request_id(self) -> ResponseHeader:
        """Return this, which has the `sequence_number`."""
        return self


class ClientHandle(Handle):
    """What a waitable of one's own does with a client."""

    def send_request(self, request: Any) -> int:
        """Send a request; return its number."""
        return self.owner._send(request, None)

    def take_response(self, response_type: Any) -> tuple[ResponseHeader | None, Any]:
        """Take an answer, with which call it belongs to; ``(None, None)`` if there is none."""
        client = self.owner
        taken = client._take()
        if taken is None:
            return None, None
        number, sample = taken
        header = ResponseHeader(number, sample.source_timestamp, time.time_ns())
        return header, deserialize(sample.octets(), response_type, OFFSET)

    def service_server_is_available(self) -> bool:
        """Tell whether the service is there."""
        return self.owner.service_is_ready()


class Client(ServiceEntity):
    """
    Calls a service; make one with `Node.create_client`.

    Parameters
    ----------
    channel : Channel
        The DDS side.
    callback_group : CallbackGroup
        The group in which answers are handled.
    node : Node
        Its node.

    """

    handle_class = ClientHandle
    order = 2

    def __init__(self, channel: Channel, callback_group: CallbackGroup, node: Any) -> None:
        super().__init__(channel, callback_group, node)
        self._guid = int.from_bytes(os.urandom(8), 'little')
        self._number = 0
        self._pending: dict[int, Future] = {}
        self._lock = threading.Lock()
        self._known_peers: tuple[Any, ...] = ()

    def call(self, request: Any, timeout_sec: float | None = None) -> Any:
        """
        Call the service and wait for the answer.

        Do not call this from a callback unless another thread of the executor can handle the
        answer: a `MultiThreadedExecutor`, and a group that lets it.

        Parameters
        ----------
        request : message
            The request.
        timeout_sec : float, optional
            How long to wait [s]; for ever if omitted or negative.

        Raises
        ------
        TypeError
            If the request is of another type.
        TimeoutError
            If there is no answer in time.
        RCLError
            If the context is shut down while waiting.

        """
        future = self.call_async(request)
        answered = threading.Event()

        future.add_done_callback(lambda _: answered.set())
        limit = None if timeout_sec is None or timeout_sec < 0 else timeout_sec
        with self.context.interrupting(answered):
            in_time = answered.wait(limit)
        if not future.done():
            self.remove_pending_request(future)
            if not in_time:
                raise TimeoutError(
                    f"no answer from service '{self.service_name}' in {timeout_sec} s"
                )
            raise RCLError(
                f"the context was shut down while waiting for service '{self.service_name}'"
            )
        return future.result()

    def call_async(self, request: Any) -> Future:
        """
        Call the service; the future gets the answer when the node is spun.

        Raises
        ------
        TypeError
            If the request is of another type.

        """
        node = self._node()
        future = Future(executor=None if node is None else node.executor)
        self._send(request, future)
        return future

    def _send(self, request: Any, future: Future | None) -> int:
        """Send a request whose answer the future gets, if there is one; return its number."""
        if not isinstance(request, self.srv_type.Request):
            raise TypeError(f'Expected {self.srv_type.Request}, got {type(request)}')
        with self._lock:
            self._number += 1
            number = self._number
            if future is not None:
                self._pending[number] = future
        try:
            self._writer.write(serialize(request, HEADER.pack(self._guid, number)))
        except DDSException as error:
            self._pending.pop(number, None)
            if self.destroyed:
                raise InvalidHandle(DESTROYED) from None
            raise RCLError(f'Failed to send request: {error}') from None
        if self._events is not None:
            self._events.tell(REQUEST_SENT, (self._guid, number), request=[request])
        return number

    def get_pending_request(self, sequence_number: int) -> Future:
        """Return the future of a call that has no answer yet."""
        return self._pending[sequence_number]

    def remove_pending_request(self, future: Future) -> None:
        """Forget a call; its answer will be ignored."""
        with self._lock:
            for number, pending in list(self._pending.items()):
                if pending is future:
                    del self._pending[number]

    def service_is_ready(self) -> bool:
        """
        Tell whether a service of that name is there.

        It is when both endpoints of one and the same service are matched: its reader of requests
        and its writer of answers.

        """
        self.require_handle()
        if not self._writer.matched() or not self._reader.matched():
            return False
        peers = self._writer.peers(), self._reader.peers()
        if peers != self._known_peers:
            of_requests = identifiers(self._writer, 'serviceid')
            if not of_requests & identifiers(self._reader, 'serviceid'):
                return False
            self._known_peers = peers
        return True

    def wait_for_service(self, timeout_sec: float | None = None) -> bool:
        """
        Wait until the service is there.

        Parameters
        ----------
        timeout_sec : float, optional
            How long [s]; for ever if omitted or negative.

        Returns
        -------
        bool
            Whether it is there.

        """
        limit = None if timeout_sec is None or timeout_sec < 0 else time.monotonic() + timeout_sec
        while self.context.ok() and not self.service_is_ready():
            if limit is not None and time.monotonic() >= limit:
                return False
            time.sleep(POLL_PERIOD)
        return self.service_is_ready()

    def next_job(self, executor: Any) -> Job | None:
        """Take an answer; those to other clients of the service are dropped."""
        while True:
            taken = self._take()
            if taken is None:
                return None
            number, sample = taken
            with self._lock:
                future = self._pending.pop(number, None)
            if future is None or future._done:
                continue
            return Job(self._answer, (future, number, sample, executor))

    def _take(self) -> tuple[int, Copied | Left] | None:
        """Take an answer to this client; return the number of the call with it."""
        while True:
            sample = self._reader.take_sample()
            if sample is None:
                return None
            if sample.size >= OFFSET:
                guid, number = HEADER.unpack_from(sample.octets(OFFSET), 4)
                if guid == self._guid:
                    return number, sample

    def _answer(self, future: Future, number: int, sample: Copied | Left, executor: Any) -> None:
        future._set_executor(executor)
        try:
            response = deserialize(sample.octets(), self.srv_type.Response, OFFSET)
        except DeserializationError as error:
            future.set_exception(error)
            return
        if self._events is not None:
            self._events.tell(RESPONSE_RECEIVED, (self._guid, number), response=[response])
        future.set_result(response)
