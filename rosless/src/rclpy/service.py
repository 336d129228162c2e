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

"""Services."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import functools
import time
from types import CoroutineType
from typing import Any, NamedTuple, TypeAlias

from cyclonedds.core import DDSException
from rosless.dds.sample import Copied, Left
from rosless.idl.codec import deserialize, serialize
from rosless.idl.errors import DeserializationError
from rosless.idl.octets import LARGE
from rosless.idl.unread import unread

from .callback_groups import CallbackGroup, ReentrantCallbackGroup
from .early_answers import EarlyAnswers
from .entity import Job
from .handle import Handle
from .publisher import PATIENCE
from .rcl_errors import RCLError
from .service_channel import Channel, HEADER, identifiers, OFFSET, ServiceEntity
from .service_introspection import REQUEST_RECEIVED, RESPONSE_SENT
from .waiting_requests import WaitingRequests

Sample: TypeAlias = Copied | Left
MOST_APART = 64 << 20  # octets of large requests to a service, taken before they have been read


class RequestHeader(NamedTuple):
    """
    Who asked: what the answer must carry, and the DDS handle of the client's writer.

    The time stamps [ns] are when it was sent and taken.

    """

    guid: int
    sequence_number: int
    writer: int
    source_timestamp: int = 0
    received_timestamp: int = 0

    @property
    def request_id(self) -> RequestHeader:
        """Return this, which has the `sequence_number`."""
        return self


class ServiceHandle(Handle):
    """What a waitable of one's own does with a service."""

    def service_take_request(self, request_type: Any) -> tuple[Any, RequestHeader | None]:
        """Take a request, with who asked; ``(None, None)`` if there is none."""
        return self.owner.take_request() or (None, None)

    def service_send_response(self, response: Any, header: RequestHeader) -> None:
        """Answer a request."""
        self.owner.send_response(response, header)


class Service(ServiceEntity):
    """
    Answers requests; make one with `Node.create_service`.

    Parameters
    ----------
    channel : Channel
        The DDS side.
    callback : Callable
        Called with request and response; returns the response. It may be a coroutine.
    callback_group : CallbackGroup
        Its group.
    node : Node
        Its node.

    Attributes
    ----------
    unread_beyond : int, optional
        Requests of more octets are handed to the callback unread: their fields are read when the
        callback asks for one. None: large ones are read beside the callbacks.
    tells_client : bool
        Whether the callback is given a third argument, a number that tells clients apart.
    most_elements : int, optional
        How many strings and messages the sequences of a request may hold, that of all messages if
        None.

    """

    handle_class = ServiceHandle
    order = 2

    def __init__(
        self,
        channel: Channel,
        callback: Callable[..., Any],
        callback_group: CallbackGroup,
        node: Any,
    ) -> None:
        super().__init__(channel, callback_group, node)
        self.callback = callback
        self.most_elements: int | None = None
        self.unread_beyond: int | None = None
        self.tells_client = False
        self._read_apart: deque[tuple[Any, RequestHeader]] = deque()
        self._being_read = 0
        self._waiting = WaitingRequests(self._reader.take_sample, self._log_dropped)
        self._left = False  # whether large requests may still be with DDS
        self._matched: set[int] = set()
        self._early = EarlyAnswers(self._log_error)

    def next_job(self, executor: Any) -> Job | None:
        """
        Take a request; it is read where its callback runs.

        A large one is read apart, and its group stays free for others meanwhile. In an exclusive
        group what comes after it waits, in a reentrant one if it is too much.

        """
        while True:
            if self._read_apart:
                return Job(self._serve_large, (*self._read_apart.popleft(), executor))
            self._left = self._being_read > 0 and not self._may_take()
            sample = None if self._left else self._waiting.next()
            if sample is None:
                return None
            if self.unread_beyond is not None and sample.size > self.unread_beyond:
                return Job(self._serve_unread, (sample, executor))
            if sample.size <= LARGE:
                return Job(self._serve, (sample,))
            if not self.polled:
                self.polled = True
                executor._queue.refresh()
            self._being_read += sample.size
            executor._apart(self._read, sample).add_done_callback(
                functools.partial(self._keep, sample.size)
            )

    def _may_take(self) -> bool:
        """Tell whether another request may be taken although large ones are being read."""
        if isinstance(self.callback_group, ReentrantCallbackGroup):
            return self._being_read < MOST_APART
        return not self._being_read

    def is_due(self) -> bool:
        """Tell whether a large request has been read, or the next one can be."""
        more = self._left or len(self._waiting) > 0
        return bool(self._read_apart) or (more and self._may_take())

    def wait_seconds(self) -> float | None:
        """Return 0 if it is due; else somebody wakes the executor."""
        return 0.0 if self.is_due() else None

    def _keep(self, size: int, read: Any) -> None:
        """Keep a large request that has been read until its group is free."""
        self._being_read -= size
        received = read.result()
        if received is not None:
            self._read_apart.append(received)
        self.wake()

    def take_request(self) -> tuple[Any, RequestHeader] | None:
        """Return the next request and who asked, or None; malformed ones are logged."""
        while True:
            sample = self._waiting.next()
            if sample is None:
                return None
            received = self._read(sample)
            if received is not None:
                return received

    def _serve(self, sample: Sample) -> Any:
        """Answer a request; return a coroutine that does if the callback is one."""
        received = self._read(sample)
        if received is None:
            return None
        request, header = received
        outcome = self._call(request, header)
        if isinstance(outcome, CoroutineType):
            return self._send_when_done(outcome, header)
        self._send(outcome, header)
        return None

    async def _send_when_done(self, outcome: Any, header: RequestHeader) -> None:
        self._send(await outcome, header)

    async def _serve_unread(self, sample: Sample, executor: Any) -> None:
        """Answer a request whose callback wants it as it came."""
        received = self._read(sample, unread)
        if received is not None:
            await self._serve_large(*received, executor)

    async def _serve_large(self, request: Any, header: RequestHeader, executor: Any) -> None:
        """Answer a request whose answer may take long to write, too."""
        if self.destroyed:
            return
        outcome = self._call(request, header)
        if isinstance(outcome, CoroutineType):
            outcome = await outcome
        await executor._apart(self._send, outcome, header)

    def _call(self, request: Any, header: RequestHeader) -> Any:
        """Call the callback."""
        if self.tells_client:
            return self.callback(request, self.srv_type.Response(), header.writer)
        return self.callback(request, self.srv_type.Response())

    def _send(self, response: Any, header: RequestHeader) -> None:
        """Send what the callback returned."""
        self.send_response(response, header)

    def _read(
        self, sample: Sample, read: Callable[..., Any] | None = None
    ) -> tuple[Any, RequestHeader] | None:
        """Return a request and who asked; None if it is malformed, which is logged."""
        data = sample.octets()
        try:
            if len(data) < OFFSET:
                raise DeserializationError(f'{len(data)} octets are no request')
            guid, number = HEADER.unpack_from(data, 4)
            kind, most = self.srv_type.Request, self.most_elements
            request = (read or deserialize)(data, kind, OFFSET, most)
        except DeserializationError as error:
            self._log_error(f"dropped a request to service '{self.service_name}': {error}")
            return None
        if self._events is not None:
            self._events.tell(REQUEST_RECEIVED, (guid, number), request=[request])
        return request, RequestHeader(guid, number, sample.publication_handle,
                                      sample.source_timestamp, time.time_ns())

    def send_response(self, response: Any, header: RequestHeader) -> None:
        """
        Answer a request.

        Parameters
        ----------
        response : message
            The answer.
        header : RequestHeader
            Whom to answer.

        Raises
        ------
        TypeError
            If the answer is of another type.

        """
        if not isinstance(response, self.srv_type.Response):
            raise TypeError(
                f"the callback of service '{self.service_name}' must return "
                f'{self.srv_type.Response}, not {type(response)}'
            )
        data = serialize(response, HEADER.pack(header.guid, header.sequence_number))
        client = ''
        if header.writer not in self._matched:
            known = self._reader.peer_data(header.writer)
            if known is None:
                self._log_error(
                    f"service '{self.service_name}': the client that asked cannot be reached"
                )
                return
            client = known.get('clientid', '')
            if not client or client in self.client_ids():
                self._matched.add(header.writer)
                client = ''
        # Without an identifier what is kept waits for room: another client does not read.
        if client or not self._write(data, response, header, PATIENCE):
            self._early.add(self, len(data), client, header.writer,
                            functools.partial(self._write, data, response, header))

    def _write(
        self, data: Any, response: Any, header: RequestHeader, patience: float | None = None
    ) -> bool:
        """Write an answer; return False if there was no room for it in time."""
        try:
            if not self._writer.write(data, patience):
                return False
        except DDSException as error:
            if not self.destroyed and self.context.ok():
                raise RCLError(f'Failed to send response: {error}') from None
            return True
        if self._events is not None:
            self._events.tell(RESPONSE_SENT, header[:2], response=[response])
        return True

    def client_ids(self) -> set[str]:
        """Return the identifiers of the clients whose readers have been discovered."""
        return identifiers(self._writer, 'clientid')

    def writers(self) -> tuple[int, ...]:
        """Return the DDS handles of the writers of the clients that are there."""
        return self._reader.peers()

    def _log_dropped(self, count: int) -> None:
        self._log_error(
            f"service '{self.service_name}': {count} requests dropped: too many wait of one "
            'client'
        )

    def _log_error(self, text: str) -> None:
        node = self._node()
        if node is not None:
            node.get_logger().error(text, throttle_duration_sec=1.0)
