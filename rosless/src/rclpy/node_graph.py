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

"""What a node can learn of the graph."""

from __future__ import annotations

import time
from typing import Any

from rosless import names
from rosless.graph.entities import HUMBLE
from rosless.graph.queries import UnknownNode

from .exceptions import NameValidationException
from .node_names import NodeNames
from .qos import QoSProfile
from .rcl_errors import NodeNameNonExistentError
from .topic_endpoint_info import TopicEndpointInfo, TopicEndpointTypeEnum
from .type_hash import TypeHash

NamesAndTypes = list[tuple[str, list[str]]]
POLL_PERIOD = 0.02  # s, between looks whether a node is there
UNKNOWN = '_NODE_NAME_UNKNOWN_', '_NODE_NAMESPACE_UNKNOWN_'


class NodeGraph(NodeNames):
    """What `Node` can ask; the node is the only user of this class."""

    _context: Any

    def get_node_names(self) -> list[str]:
        """Return the names of all nodes, without namespaces."""
        return [name for name, _ in self.get_node_names_and_namespaces()]

    def get_fully_qualified_node_names(self) -> list[str]:
        """Return the full names of all nodes."""
        return [names.full_node_name(*pair) for pair in self.get_node_names_and_namespaces()]

    def get_node_names_and_namespaces(self) -> list[tuple[str, str]]:
        """Return name and namespace of all nodes."""
        return [(node.name, node.namespace) for node in self._context.graph.nodes()]

    def get_node_names_and_namespaces_with_enclaves(self) -> list[tuple[str, str, str]]:
        """Return name, namespace and security enclave of all nodes."""
        graph = self._context.graph
        enclaves = graph.enclaves()
        return [
            (node.name, node.namespace, enclaves.get(gid, '/'))
            for gid, nodes in graph.nodes_by_participant().items()
            for node in nodes
        ]

    def wait_for_node(self, fully_qualified_node_name: str, timeout: float) -> bool:
        """Wait until a node is there, at most a time [s]; return whether it is."""
        name = '/' + fully_qualified_node_name.lstrip('/')
        limit = time.monotonic() + timeout
        while name not in self.get_fully_qualified_node_names():
            if timeout >= 0 and time.monotonic() >= limit:
                return False
            time.sleep(POLL_PERIOD)
        return True

    def get_topic_names_and_types(self, no_demangle: bool = False) -> NamesAndTypes:
        """Return all topics with their types; as on the wire if `no_demangle`."""
        return self._context.graph.topics(no_demangle=no_demangle)

    def get_service_names_and_types(self) -> NamesAndTypes:
        """Return all services with their types."""
        return self._context.graph.services()

    def get_publisher_names_and_types_by_node(
        self, node_name: str, node_namespace: str, no_demangle: bool = False
    ) -> NamesAndTypes:
        """Return what a node publishes; raises `NodeNameNonExistentError` if there is none."""
        return self._of_node('publisher', node_name, node_namespace)

    def get_subscriber_names_and_types_by_node(
        self, node_name: str, node_namespace: str, no_demangle: bool = False
    ) -> NamesAndTypes:
        """Return what a node subscribes to."""
        return self._of_node('subscription', node_name, node_namespace)

    def get_service_names_and_types_by_node(
        self, node_name: str, node_namespace: str
    ) -> NamesAndTypes:
        """Return the services of a node."""
        return self._of_node('service', node_name, node_namespace)

    def get_client_names_and_types_by_node(
        self, node_name: str, node_namespace: str
    ) -> NamesAndTypes:
        """Return the services a node has clients of."""
        return self._of_node('client', node_name, node_namespace)

    def count_publishers(self, topic_name: str) -> int:
        """Return how many publishers a topic has; its name is not remapped."""
        topic = self._asked_for(topic_name, only_expand=True)
        return sum(writer.topic == topic for writer in self._context.graph.writers())

    def count_subscribers(self, topic_name: str) -> int:
        """Return how many subscriptions a topic has; its name is not remapped."""
        topic = self._asked_for(topic_name, only_expand=True)
        return sum(reader.topic == topic for reader in self._context.graph.readers())

    def count_services(self, service_name: str) -> int:
        """Return how many servers a service has; its name is not remapped."""
        request = self._requests_of(service_name)
        return sum(reader.topic == request for reader in self._context.graph.readers())

    def count_clients(self, service_name: str) -> int:
        """Return how many clients a service has; its name is not remapped."""
        request = self._requests_of(service_name)
        return sum(writer.topic == request for writer in self._context.graph.writers())

    def get_publishers_info_by_topic(
        self, topic_name: str, no_mangle: bool = False
    ) -> list[TopicEndpointInfo]:
        """Return what is known of a topic's publishers."""
        found = self._context.graph.writers(with_qos=True)
        return self._infos(found, topic_name, no_mangle, TopicEndpointTypeEnum.PUBLISHER)

    def get_subscriptions_info_by_topic(
        self, topic_name: str, no_mangle: bool = False
    ) -> list[TopicEndpointInfo]:
        """Return what is known of a topic's subscriptions."""
        found = self._context.graph.readers(with_qos=True)
        return self._infos(found, topic_name, no_mangle, TopicEndpointTypeEnum.SUBSCRIPTION)

    def _of_node(self, kind: str, name: str, namespace: str) -> NamesAndTypes:
        try:
            return self._context.graph.of_node(kind, name, namespace)
        except UnknownNode as error:
            raise NodeNameNonExistentError(str(error)) from None

    def _asked_for(self, topic: str, *, only_expand: bool = False) -> str:
        """Return a topic's name on the wire; ValueError, as in ROS 2, if it is none."""
        try:
            return names.topic_on_wire(self.resolve_topic_name(topic, only_expand=only_expand))
        except NameValidationException as error:
            raise ValueError(f"topic name '{topic}' is invalid: {error}") from None

    def _requests_of(self, service: str) -> str:
        """Return the topic of a service's requests on the wire, as `_asked_for`."""
        try:
            full_name = self.resolve_service_name(service, only_expand=True)
            return names.service_on_wire(full_name)[0]
        except NameValidationException as error:
            raise ValueError(f"service name '{service}' is invalid: {error}") from None

    def _infos(
        self, endpoints: list[Any], topic: str, no_mangle: bool, kind: TopicEndpointTypeEnum
    ) -> list[TopicEndpointInfo]:
        wanted = topic if no_mangle else self._asked_for(topic)
        owners = self._context.graph.owners()
        infos = []
        for endpoint in endpoints:
            if endpoint.topic != wanted:
                continue
            owner = owners.get(endpoint.gid)
            name, namespace = (owner.name, owner.namespace) if owner else UNKNOWN
            infos.append(
                TopicEndpointInfo(
                    node_name=name,
                    node_namespace=namespace,
                    topic_type=names.type_from_wire(endpoint.type) or endpoint.type,
                    endpoint_type=kind,
                    endpoint_gid=list(endpoint.gid.ljust(HUMBLE, b'\0')),
                    qos_profile=QoSProfile.from_profile(endpoint.profile),
                    topic_type_hash=TypeHash.from_text(endpoint.data.get('typehash', '')),
                )
            )
        return infos
