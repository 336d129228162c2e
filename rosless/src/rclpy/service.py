"""Services."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
import time
from typing import Any, NamedTuple
import weakref

from cyclonedds.core import DDSException
from rosless.dds.endpoints import Reader, Writer
from rosless.idl.codec import deserialize, serialize
from rosless.idl.errors import DeserializationError

from .callback_groups import CallbackGroup
from .entity import Entity, Job
from .exceptions import RCLError
from .qos import QoSProfile
from .service_channel import HEADER, identifier_of, OFFSET

MATCH_TIMEOUT = 0.1  # s, for the client's reader to be discovered, as in rmw_cyclonedds_cpp


class RequestHeader(NamedTuple):
    """Who asked: what the answer must carry, and the DDS handle of the client's writer."""

    guid: int
    sequence_number: int
    writer: int


class Service(Entity):
    """
    Answers requests; make one with `Node.create_service`.

    Parameters
    ----------
    writer, reader : Writer, Reader
        The DDS side.
    srv_type : type
        Class of the service.
    srv_name : str
        Full name of the service.
    callback : Callable
        Called with request and response; returns the response. It may be a coroutine.
    callback_group : CallbackGroup
        Its group.
    qos_profile : QoSProfile
        Its profile.
    node : Node
        Its node.

    """

    def __init__(
        self,
        writer: Writer,
        reader: Reader,
        srv_type: Any,
        srv_name: str,
        callback: Callable[..., Any],
        callback_group: CallbackGroup,
        qos_profile: QoSProfile,
        node: Any,
    ) -> None:
        super().__init__(callback_group, reader)
        self._writer = writer
        self._reader = reader
        self.srv_type = srv_type
        self.srv_name = srv_name
        self.callback = callback
        self.qos_profile = qos_profile
        self.context = node.context
        self._node = weakref.ref(node)
        self._matched: set[int] = set()

    @property
    def service_name(self) -> str:
        """Full name of the service."""
        return self.srv_name

    def next_job(self, executor: Any) -> Job | None:
        """Take a request."""
        taken = self.take_request()
        if taken is None:
            return None
        request, header = taken
        return Job(
            self.callback,
            (request, self.srv_type.Response()),
            partial(self.send_response, header=header),
        )

    def take_request(self) -> tuple[Any, RequestHeader] | None:
        """Return the next request and who asked, or None; malformed ones are logged."""
        while True:
            sample = self._reader.take()
            if sample is None:
                return None
            data, info = sample
            try:
                if len(data) < OFFSET:
                    raise DeserializationError(f'{len(data)} octets are no request')
                guid, number = HEADER.unpack_from(data, 4)
                request = deserialize(data, self.srv_type.Request, OFFSET)
            except DeserializationError as error:
                self._log_error(f"dropped a request to service '{self.srv_name}': {error}")
                continue
            return request, RequestHeader(guid, number, info.publication_handle)

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
                f"the callback of service '{self.srv_name}' must return "
                f'{self.srv_type.Response}, not {type(response)}'
            )
        data = serialize(response, HEADER.pack(header.guid, header.sequence_number))
        if not self._client_is_matched(header.writer):
            self._log_error(f"service '{self.srv_name}': the client that asked cannot be reached")
            return
        try:
            self._writer.write(data)
        except DDSException as error:
            if not self.destroyed and self.context.ok():
                raise RCLError(f'Failed to send response: {error}') from None

    def _client_is_matched(self, writer: int) -> bool:
        """Wait until the reader of the client whose writer this is has been discovered."""
        if writer in self._matched:
            return True
        limit = time.monotonic() + MATCH_TIMEOUT
        endpoint = self._reader.matched_writer(writer)
        if endpoint is None:
            return False
        client = identifier_of(endpoint, 'clientid')
        while client is not None:
            readers = self._writer.matched_readers()
            if any(identifier_of(each, 'clientid') == client for each in readers):
                break
            if time.monotonic() > limit:
                return False
            time.sleep(0.002)
        self._matched.add(writer)
        return True

    def _log_error(self, text: str) -> None:
        node = self._node()
        if node is not None:
            node.get_logger().error(text)

    def close(self) -> None:
        """Delete the writer; called by the node."""
        self._writer.close()

    def destroy(self) -> None:
        """Let the node forget it."""
        node = self._node()
        if node is not None:
            node.destroy_service(self)
