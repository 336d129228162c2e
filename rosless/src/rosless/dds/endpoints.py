"""Readers and writers of raw octets."""

from __future__ import annotations

import ctypes as ct
import threading
from typing import Any

from cyclonedds._clayer import ddspy_read, ddspy_take, ddspy_write
from cyclonedds.core import DDSException
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

from .library import c, DATA_AVAILABLE, TIMEOUT
from .qos import user_data

ANY_STATE = 0x7F

# The wheel reads the QoS of peers through buffers that all threads share.
discovery_lock = threading.Lock()


class Endpoint:
    """
    What readers and writers share.

    Attributes
    ----------
    ref : int
        Handle of the DDS entity.
    gid : bytes
        The 16 octets of its GUID.
    topic_name, type_name : str
        Names as on the wire.

    """

    def __init__(self, entity: Any, topic_name: str, type_name: str, statuses: int) -> None:
        self._entity = entity
        self.ref: int = entity._ref
        self.gid: bytes = entity.guid.bytes
        self.topic_name = topic_name
        self.type_name = type_name
        self._status = ct.c_uint32()
        self._status_address = ct.byref(self._status)
        self.statuses = statuses
        c.dds_set_status_mask(self.ref, statuses)

    def take_statuses(self) -> int:
        """Return the DDS statuses that changed, and mark them as seen; for one thread only."""
        c.dds_take_status(self.ref, self._status_address, self.statuses)
        return self._status.value

    def watch(self, statuses: int) -> None:
        """Let changes of these DDS statuses wake who waits for the endpoint."""
        self.statuses |= statuses
        c.dds_set_status_mask(self.ref, self.statuses)

    def close(self) -> None:
        """Delete the DDS entity."""
        self._entity = None
        c.dds_delete(self.ref)


class Writer(Endpoint):
    """Writes octets."""

    def __init__(
        self, participant: Any, topic: Topic[Any], names: tuple[str, str], qos: Qos
    ) -> None:
        super().__init__(DataWriter(participant, topic, qos=qos), *names, statuses=0)

    def write(self, data: bytes | bytearray) -> None:
        """
        Write one sample: CDR octets with encapsulation header, padded to four octets.

        A reliable writer whose readers are too slow waits until there is room.

        Raises
        ------
        DDSException
            If the writer has been deleted.

        """
        code = ddspy_write(self.ref, data)
        while code == TIMEOUT:
            code = ddspy_write(self.ref, data)
        if code < 0:
            raise DDSException(code, f'Occurred while writing to {self.topic_name}')

    def matched(self) -> int:
        """Return how many readers are matched."""
        return max(c.dds_get_matched_subscriptions(self.ref, None, 0), 0)

    def peers(self) -> tuple[int, ...]:
        """Return the instance handles of the matched readers."""
        return _handles(c.dds_get_matched_subscriptions, self.ref)

    def peer_data(self, handle: int) -> dict[str, str] | None:
        """Return the user data of the matched reader with this handle, or None."""
        entity = self._entity
        return None if entity is None else _data_of(entity.get_matched_subscription_data, handle)


class Reader(Endpoint):
    """Takes octets."""

    def __init__(
        self, participant: Any, topic: Topic[Any], names: tuple[str, str], qos: Qos
    ) -> None:
        entity = DataReader(participant, topic, qos=qos)
        super().__init__(entity, *names, statuses=DATA_AVAILABLE)

    def has_data(self) -> bool:
        """Tell whether there is a sample to take."""
        return bool(ddspy_read(self.ref, ANY_STATE, 1))

    def take(self) -> tuple[bytes, Any] | None:
        """
        Return the next sample and its DDS sample info, or None if there is none.

        Raises
        ------
        DDSException
            If the reader has been deleted.

        """
        while True:
            samples = ddspy_take(self.ref, ANY_STATE, 1)
            if not samples:
                return None
            if isinstance(samples, int):
                raise DDSException(samples, f'Occurred while reading {self.topic_name}')
            if samples[0][1].valid_data:
                return samples[0]

    def matched(self) -> int:
        """Return how many writers are matched."""
        return max(c.dds_get_matched_publications(self.ref, None, 0), 0)

    def peers(self) -> tuple[int, ...]:
        """Return the instance handles of the matched writers."""
        return _handles(c.dds_get_matched_publications, self.ref)

    def peer_data(self, handle: int) -> dict[str, str] | None:
        """Return the user data of the matched writer with this handle, or None."""
        entity = self._entity
        return None if entity is None else _data_of(entity.get_matched_publication_data, handle)


def _data_of(function: Any, handle: int) -> dict[str, str] | None:
    with discovery_lock:
        endpoint = function(handle)
    return None if endpoint is None else user_data(endpoint.qos)


def _handles(function: Any, ref: int) -> tuple[int, ...]:
    """
    Return the instance handles of the peers that an endpoint is matched with.

    The function says how many there are, also when that is more than it was given room for: peers
    come and go meanwhile, for which the methods of the wheel are not prepared.

    """
    room = 8
    while True:
        handles = (ct.c_uint64 * room)()
        count = function(ref, handles, room)
        if count <= room:
            return tuple(handles[: max(count, 0)])
        room = 2 * count
