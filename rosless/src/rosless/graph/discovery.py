"""Publishing our nodes, and keeping track of those of other processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import threading

from .entities import decode, encode, NodeEntities, TOPIC, TYPE
from ..dds.endpoints import Endpoint, Writer
from ..dds.participant import Participant
from ..dds.qos import KEEP_ALL, KEEP_LAST, Profile, RELIABLE, TRANSIENT_LOCAL
from ..dds.waiter import Waiter


class Discovery:
    """
    The `ros_discovery_info` side of a participant.

    A thread takes what other processes publish; it sleeps until something changes.

    Parameters
    ----------
    participant : Participant
        The participant whose endpoints the nodes own.

    """

    def __init__(self, participant: Participant) -> None:
        self._participant = participant
        self._lock = threading.RLock()
        self._local: list[NodeEntities] = []
        self._remote: dict[bytes, list[NodeEntities]] = {}
        self._held = 0
        latched = {'reliability': RELIABLE, 'durability': TRANSIENT_LOCAL}
        self._writer = participant.writer(
            TOPIC, TYPE, Profile(history=KEEP_LAST, depth=1, **latched)
        )
        self._reader = participant.reader(
            TOPIC, TYPE, Profile(history=KEEP_ALL, depth=0, **latched)
        )
        self._waiter = Waiter(participant.ref)
        self._waiter.attach(self._reader.ref, 1)
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

    def forget(self, alive: set[bytes]) -> None:
        """Drop participants that are not among those alive."""
        with self._lock:
            for gid in [gid for gid in self._remote if gid not in alive]:
                del self._remote[gid]

    def _publish(self) -> None:
        if not self._held and not self._participant.closed:
            self._writer.write(encode(self._participant.gid, self._local))

    def _run(self) -> None:
        while not self._participant.closed and not self._waiter.closed:
            self._waiter.wait(None)
            if not self._participant.closed:
                self._reader.take_statuses()
                self._take()

    def _take(self) -> None:
        with self._lock:
            while not self._participant.closed:
                sample = self._reader.take()
                if sample is None:
                    return
                try:
                    gid, nodes = decode(sample[0])
                except ValueError:
                    continue
                self._remote[gid] = nodes

    def _stop(self) -> None:
        self._waiter.wake()
        self._thread.join(timeout=1.0)
