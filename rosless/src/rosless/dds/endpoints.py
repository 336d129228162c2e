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

"""Readers and writers of raw octets."""

from __future__ import annotations

import ctypes as ct
import signal
import threading
import time
from typing import Any

from cyclonedds._clayer import ddspy_read, ddspy_take, ddspy_write
from cyclonedds.core import DDSException
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from rosless.idl.octets import LARGE

from .library import c, DATA_AVAILABLE, TIMEOUT
from .qos import user_data
from .sample import ANY_STATE, Copied, Left, take_and_leave, write

MOST_WRITERS = 64  # whose GUIDs a reader remembers
FULL_PERIOD = 0.001  # s, between two attempts to write when a reliable reader is too slow


class DiscoveryLock:
    """
    Held while the wheel reads what is known of peers.

    It does so through buffers that all threads share, and that are freed when the participant is
    deleted; and it calls Python from C, where an exception gets lost and a result is missing: in
    the main thread Ctrl-C waits until it is done.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._handler: Any = None
        self._caught: list[tuple[int, Any]] = []

    def __enter__(self) -> None:
        self._lock.acquire()
        if threading.current_thread() is threading.main_thread():
            self._handler = signal.getsignal(signal.SIGINT)
            if callable(self._handler):   # else nothing in Python
                signal.signal(signal.SIGINT, self._keep)

    def __exit__(self, *_: object) -> None:
        handler, caught = None, []
        if threading.current_thread() is threading.main_thread():
            handler, self._handler = self._handler, None
            if callable(handler):
                signal.signal(signal.SIGINT, handler)
            caught, self._caught = self._caught, []
        self._lock.release()
        for number, frame in caught[:1]:
            handler(number, frame)

    def _keep(self, number: int, frame: Any) -> None:
        self._caught.append((number, frame))


discovery_lock = DiscoveryLock()


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
        self.dropped = 0
        self._stuck = False  # since the last sample had no room in time

    def write(self, data: bytes | bytearray, patience: float | None = None) -> bool:
        """
        Write one sample: CDR octets with encapsulation header, padded to four octets.

        A reliable writer whose readers are too slow waits until there is room. Other threads run
        then, and while a large sample is sent.

        Parameters
        ----------
        data : bytes or bytearray
            The octets.
        patience : float, optional
            How long to wait [s]; as long as it takes if None. After one sample had no room in that
            time no further one waits, until one has room.

        Returns
        -------
        bool
            Whether it was written; one that was not counts as dropped.

        Raises
        ------
        DDSException
            If the writer has been deleted.

        """
        send = ddspy_write if len(data) <= LARGE else write
        code = send(self.ref, data)
        if code == TIMEOUT:
            limit = None if patience is None else time.monotonic() + patience
            while code == TIMEOUT:
                if limit is not None and (self._stuck or time.monotonic() > limit):
                    self._stuck = True
                    self.dropped += 1
                    return False
                time.sleep(FULL_PERIOD)
                code = send(self.ref, data)
        self._stuck = False
        if code < 0:
            raise DDSException(code, f'Occurred while writing to {self.topic_name}')
        return True

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
        self._gets_large = False
        self._gids: dict[int, bytes] = {}

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

    def expect_large(self) -> None:
        """Copy no sample as it is taken: not the first large one either, which keeps others."""
        self._gets_large = True

    def take_sample(self) -> Copied | Left | None:
        """Return what `take` does; once a sample was large, those that follow are not copied."""
        if self._gets_large:
            return take_and_leave(self.ref, self.topic_name)
        taken = self.take()
        if taken is None:
            return None
        self._gets_large = len(taken[0]) > LARGE
        return Copied(*taken)

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

    def writer_gid(self, handle: int) -> bytes:
        """
        Return the 16 octets of the GUID of the writer with this instance handle.

        Of a writer that had gone before it was asked for, the handle itself with zeros after it,
        which is as unique.

        """
        gid = self._gids.get(handle)
        if gid is None:
            with discovery_lock:
                entity = self._entity
                found = None if entity is None else entity.get_matched_publication_data(handle)
            gid = handle.to_bytes(16, 'little') if found is None else found.key.bytes
            if len(self._gids) >= MOST_WRITERS:
                self._gids.clear()
            self._gids[handle] = gid
        return gid


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
