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

"""What the graph knows of an endpoint of a topic."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from .qos import QoSPresetProfiles, QoSProfile
from .type_hash import TypeHash


class TopicEndpointTypeEnum(IntEnum):
    """Whether an endpoint publishes or subscribes."""

    INVALID = 0
    PUBLISHER = 1
    SUBSCRIPTION = 2


@dataclass
class TopicEndpointInfo:
    """
    A publisher or subscription.

    Attributes
    ----------
    node_name, node_namespace : str
        Whose it is.
    topic_type : str
        Full name of the message type.
    endpoint_type : TopicEndpointTypeEnum
        Publisher or subscription.
    endpoint_gid : list[int]
        Its GID.
    qos_profile : QoSProfile
        Its profile; history and depth may be unknown.
    topic_type_hash : TypeHash
        Hash of the type, if the endpoint tells it.

    """

    node_name: str = ''
    node_namespace: str = ''
    topic_type: str = ''
    endpoint_type: TopicEndpointTypeEnum = TopicEndpointTypeEnum.INVALID
    endpoint_gid: list[int] = field(default_factory=list)
    qos_profile: QoSProfile = field(default_factory=lambda: QoSPresetProfiles.UNKNOWN.value)
    topic_type_hash: TypeHash = field(default_factory=TypeHash)

    def __str__(self) -> str:
        gid = '.'.join(f'{octet:02x}' for octet in self.endpoint_gid)
        qos = self.qos_profile
        depth = f' ({qos.depth})' if qos.history.name == 'KEEP_LAST' else ''
        return '\n'.join(
            (
                f'Node name: {self.node_name}',
                f'Node namespace: {self.node_namespace}',
                f'Topic type: {self.topic_type}',
                f'Endpoint type: {self.endpoint_type.name}',
                f'GID: {gid}',
                'QoS profile:',
                f'  Reliability: {qos.reliability.name}',
                f'  History (Depth): {qos.history.name}{depth}',
                f'  Durability: {qos.durability.name}',
                f'  Lifespan: {qos.lifespan}',
                f'  Deadline: {qos.deadline}',
                f'  Liveliness: {qos.liveliness.name}',
                f'  Liveliness lease duration: {qos.liveliness_lease_duration}',
            )
        )
