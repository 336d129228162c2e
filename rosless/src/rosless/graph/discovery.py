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

"""Publishing our nodes, and keeping track of those of other processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import ctypes as ct
import threading
from typing import Any

from cyclonedds.builtin import BuiltinTopicDcpsParticipant
from cyclonedds.builtin_types import cqos_to_qos
from cyclonedds.core import InstanceState

from .builtin import BuiltinReader
from .entities import decode, encode, HUMBLE, NodeEntities, TOPIC, TYPE
from .vendors import foreign_vendors
from ..dds.endpoints import discovery_lock, Endpoint, Writer
from ..dds.library import c, DATA_AVAILABLE
from ..dds.participant import Participant
from ..dds.qos import KEEP_ALL, KEEP_LAST, Profile, RELIABLE, TRANSIENT_LOCAL, user_data
from ..dds.waiter import Waiter

NODES, PARTICIPANTS = 1, 2  # keys in the wait set


class Discovery:
    """
    The `ros_discovery_info` side of a participant.

    A thread takes what other processes publish; it sleeps until something changes. When the
    participant has been closed, announcing and withdrawing do nothing: peers saw all of it vanish.

    Parameters
    ----------
    participant : Participant
        The participant whose endpoints the nodes own.
    on_foreign_vendor : Callable, optional
        Called, once for each, with the id of a DDS vendor other than Cyclone DDS that is seen.

    """

    def __init__(
        self, participant: Participant, on_foreign_vendor: Callable[[int], None] | None = None
    ) -> None:
        self._participant = participant
        self._on_foreign_vendor = on_foreign_vendor
        self._foreign: set[int] = set()
        self._gid_size = HUMBLE
        self._lock = threading.RLock()
        self._local: list[NodeEntities] = []
        self._remote: dict[bytes, list[NodeEntities]] = {}
        self._held = 0
        self._closed = False
        latched = {'reliability': RELIABLE, 'durability': TRANSIENT_LOCAL}
        self._writer = participant.writer(
            TOPIC, TYPE, Profile(history=KEEP_LAST, depth=1, **latched)
        )
        self._reader = participant.reader(
            TOPIC, TYPE, Profile(history=KEEP_ALL, depth=0, **latched)
        )
        self._waiter = Waiter(participant.ref)
        self._waiter.attach(self._reader.ref, NODES)
        self._peers = BuiltinReader(participant.entity, BuiltinTopicDcpsParticipant)
        c.dds_set_status_mask(self._peers.ref, DATA_AVAILABLE)
        self._waiter.attach(self._peers.ref, PARTICIPANTS)
        self._thread = threading.Thread(target=self._run, name='ros_discovery_info', daemon=True)
        self._thread.start()
        participant.on_close(self._stop)

    def add_node(self, name: str, namespace: str) -> NodeEntities:
        """Announce a node; pass the result to the other methods."""
        node = NodeEntities(name, namespace)
        with self._lock:
            self._local.append(node)
            self._publish()
        return node

    def remove_node(self, node: NodeEntities) -> None:
        """Withdraw a node."""
        with self._lock:
            if node in self._local:
                self._local.remove(node)
                self._publish()

    def add_endpoint(self, node: NodeEntities, endpoint: Endpoint) -> None:
        """Announce that the node owns a reader or writer."""
        with self._lock:
            gids = node.writers if isinstance(endpoint, Writer) else node.readers
            gids.append(endpoint.gid)
            self._publish()

    def remove_endpoint(self, node: NodeEntities, endpoint: Endpoint) -> None:
        """Withdraw a reader or writer of the node."""
        with self._lock:
            gids = node.writers if isinstance(endpoint, Writer) else node.readers
            if endpoint.gid in gids:
                gids.remove(endpoint.gid)
                self._publish()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Publish once, at the end, what is announced inside."""
        with self._lock:
            self._held += 1
        try:
            yield
        finally:
            with self._lock:
                self._held -= 1
                self._publish()

    def nodes(self) -> dict[bytes, list[NodeEntities]]:
        """Return the nodes of all participants heard of, by the participants' GUIDs."""
        self._take()
        with self._lock:
            return {**self._remote, self._participant.gid: list(self._local)}

    def participants(self) -> set[bytes]:
        """Return the GUIDs of the participants alive; none when ours has been closed."""
        found = self._read(lambda key, qos, info: (key, info.instance_state), _no_qos)
        return {key for key, state in found if state == InstanceState.Alive}

    def enclaves(self) -> dict[bytes, str]:
        """Return the security enclaves of the participants alive, by GUID; ``/`` if untold."""
        found = self._read(lambda key, qos, info: (key, qos), cqos_to_qos)
        return {key: user_data(qos).get('enclave', '/') for key, qos in found}

    def _read(self, construct: Callable[..., Any], convert: Callable[[int], Any]) -> list[Any]:
        with discovery_lock:
            if self._participant.closed:
                return []
            return self._peers.read(construct, convert)

    def notice(self, participants: set[bytes]) -> None:
        """Report DDS vendors that have not been seen before."""
        for vendor in foreign_vendors(participants):
            if vendor not in self._foreign and self._on_foreign_vendor is not None:
                self._foreign.add(vendor)
                self._on_foreign_vendor(vendor)

    def forget(self, alive: set[bytes]) -> None:
        """Drop participants that are not among those alive."""
        with self._lock:
            for gid in [gid for gid in self._remote if gid not in alive]:
                del self._remote[gid]

    def _publish(self) -> None:
        if not self._held and not self._closed:
            self._writer.write(encode(self._participant.gid, self._local, self._gid_size))

    def _run(self) -> None:
        while not self._participant.closed and not self._waiter.closed:
            keys = self._waiter.wait(None)
            if self._participant.closed:
                return
            if PARTICIPANTS in keys:
                c.dds_take_status(self._peers.ref, ct.byref(ct.c_uint32()), DATA_AVAILABLE)
                alive = self.participants()
                self.notice(alive)
                self.forget(alive)
            self._reader.take_statuses()
            self._take()

    def _take(self) -> None:
        with self._lock:
            while not self._participant.closed:
                sample = self._reader.take()
                if sample is None:
                    return
                try:
                    gid, nodes, gid_size = decode(sample[0])
                except ValueError:
                    continue
                if gid == self._participant.gid or self._is_unknown(gid):
                    continue
                self._remote[gid] = nodes
                if gid_size < self._gid_size:
                    self._gid_size = gid_size
                    self._publish()

    def _is_unknown(self, gid: bytes) -> bool:
        """Tell whether no participant alive has this GUID: DDS announces it before its nodes."""
        return gid not in self._remote and gid not in self.participants()

    def _stop(self) -> None:
        with self._lock:   # whoever publishes has done so; nobody does from now on
            self._closed = True
        self._waiter.wake()
        self._thread.join(timeout=1.0)


def _no_qos(pointer: int) -> None:
    return None
