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

"""Questions about the graph: nodes, topics, services, endpoints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from cyclonedds.builtin import BuiltinTopicDcpsPublication, BuiltinTopicDcpsSubscription
from cyclonedds.builtin_types import cqos_to_qos
from cyclonedds.core import InstanceState

from .builtin import BuiltinReader
from .discovery import Discovery
from .entities import NodeEntities
from .. import names
from ..dds.endpoints import discovery_lock
from ..dds.participant import Participant
from ..dds.qos import from_dds, Profile, user_data

NamesAndTypes = list[tuple[str, list[str]]]


class UnknownNode(LookupError):
    """No node of that name in that namespace."""


@dataclass(frozen=True)
class EndpointInfo:
    """A discovered reader or writer; names as on the wire, profile and user data if asked for."""

    gid: bytes
    participant: bytes
    topic: str
    type: str
    profile: Profile | None
    data: dict[str, str]


class Graph:
    """
    What a participant knows of the graph.

    Parameters
    ----------
    participant : Participant
        The participant that looks.
    discovery : Discovery
        Its `ros_discovery_info` side.

    """

    def __init__(self, participant: Participant, discovery: Discovery) -> None:
        self._participant = participant
        self.discovery = discovery
        self._builtin: dict[str, BuiltinReader] = {}

    def participants(self) -> set[bytes]:
        """Return the GUIDs of the participants alive."""
        return self.discovery.participants()

    def enclaves(self) -> dict[bytes, str]:
        """Return the security enclaves of the participants, by GUID."""
        return self.discovery.enclaves()

    def writers(self, *, with_qos: bool = False) -> list[EndpointInfo]:
        """Return all writers."""
        return self._endpoints('writer', BuiltinTopicDcpsPublication, with_qos)

    def readers(self, *, with_qos: bool = False) -> list[EndpointInfo]:
        """Return all readers."""
        return self._endpoints('reader', BuiltinTopicDcpsSubscription, with_qos)

    def nodes(self) -> list[NodeEntities]:
        """Return all nodes of participants alive."""
        return [node for nodes in self.nodes_by_participant().values() for node in nodes]

    def nodes_by_participant(self) -> dict[bytes, list[NodeEntities]]:
        """Return the nodes of participants alive, by GUID of the participant."""
        alive = self.participants() | {self._participant.gid}
        self.discovery.forget(alive)
        return {gid: nodes for gid, nodes in self.discovery.nodes().items() if gid in alive}

    def owners(self) -> dict[bytes, NodeEntities]:
        """Return the node that owns each endpoint, by GUID."""
        return {gid: node for node in self.nodes() for gid in (*node.readers, *node.writers)}

    def topics(self, *, no_demangle: bool = False) -> NamesAndTypes:
        """Return names and types of all topics, sorted."""
        everything = [*self.writers(), *self.readers()]
        if no_demangle:
            return _collect(everything, lambda name: name, lambda name: name)
        return _collect(everything, names.topic_from_wire, names.type_from_wire)

    def services(self) -> NamesAndTypes:
        """Return names and types of all services, sorted."""
        everything = [*self.writers(), *self.readers()]
        return _collect(everything, names.service_from_wire, names.service_type_from_wire)

    def of_node(self, kind: str, name: str, namespace: str) -> NamesAndTypes:
        """
        Return names and types of what a node owns.

        Parameters
        ----------
        kind : str
            ``'publisher'``, ``'subscription'``, ``'service'`` or ``'client'``.
        name, namespace : str
            The node.

        Raises
        ------
        UnknownNode
            If there is no such node.

        """
        nodes = [n for n in self.nodes() if (n.name, n.namespace) == (name, namespace)]
        if not nodes:
            raise UnknownNode(f'cannot get {kind} names: no node {name!r} in {namespace!r}')
        readers = {gid for node in nodes for gid in node.readers}
        writers = {gid for node in nodes for gid in node.writers}
        if kind == 'publisher':
            mine = [w for w in self.writers() if w.gid in writers]
            return _collect(mine, names.topic_from_wire, names.type_from_wire)
        mine = [r for r in self.readers() if r.gid in readers]
        if kind == 'subscription':
            return _collect(mine, names.topic_from_wire, names.type_from_wire)
        prefix = 'rq/' if kind == 'service' else 'rr/'
        mine = [r for r in mine if r.topic.startswith(prefix)]
        return _collect(mine, names.service_from_wire, names.service_type_from_wire)

    def _endpoints(self, kind: str, topic: Any, with_qos: bool) -> list[EndpointInfo]:
        def construct(
            key: bytes,
            participant: bytes,
            _: int,
            name: str,
            type_name: str,
            qos: Any,
            info: Any,
            __: Any,
        ) -> EndpointInfo | None:
            if info.instance_state != InstanceState.Alive:
                return None
            profile = from_dds(qos) if with_qos else None
            return EndpointInfo(key, participant, name, type_name, profile, user_data(qos))

        convert = cqos_to_qos if with_qos else _no_qos
        with discovery_lock:
            if self._participant.closed:
                return []
            found = self._reader(kind, topic).read(construct, convert)
        return [each for each in found if each is not None]

    def _reader(self, kind: str, topic: Any) -> BuiltinReader:
        if kind not in self._builtin:
            self._builtin[kind] = BuiltinReader(self._participant.entity, topic)
        return self._builtin[kind]


def _no_qos(pointer: int) -> None:
    return None


def _collect(
    endpoints: Iterable[EndpointInfo],
    name_of: Callable[[str], str | None],
    type_of: Callable[[str], str | None],
) -> NamesAndTypes:
    found: dict[str, set[str]] = defaultdict(set)
    for endpoint in endpoints:
        name, type_name = name_of(endpoint.topic), type_of(endpoint.type)
        if name is not None and type_name is not None:
            found[name].add(type_name)
    return sorted((name, sorted(types)) for name, types in found.items())
