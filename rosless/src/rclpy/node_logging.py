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

"""Sending a node's log messages to /rosout."""

from __future__ import annotations

from typing import Any

from cyclonedds.core import DDSException
from rosless import names
from rosless.idl.build import interface_class
from rosless.idl.codec import serialize

from .impl import log_output
from .impl.logging_severity import LoggingSeverity
from .qos import QoSProfile

TOPIC = '/rosout'
TYPE = 'rcl_interfaces/msg/Log'


class RosoutPublisher:
    """
    Publishes the messages of one logger.

    Parameters
    ----------
    context : Context
        The context.
    graph_node : NodeEntities
        The node in the graph.
    logger_name : str
        Name of the logger.
    profile : QoSProfile
        Profile of the publisher.

    """

    def __init__(
        self, context: Any, graph_node: Any, logger_name: str, profile: QoSProfile
    ) -> None:
        self._name = logger_name
        self._writer = context.writer(
            names.topic_on_wire(TOPIC),
            names.type_on_wire(TYPE),
            profile.to_profile(),
        )
        context.discovery.add_endpoint(graph_node, self._writer)
        log_output.add_publisher(logger_name, self._publish)

    def close(self) -> None:
        """Stop publishing."""
        log_output.remove_publisher(self._name)
        self._writer.close()

    def _publish(
        self,
        stamp: int,
        severity: LoggingSeverity,
        name: str,
        message: str,
        caller: tuple[str, str, int],
    ) -> None:
        log = interface_class(TYPE)(level=int(severity), name=name, msg=message)
        log.stamp.sec, log.stamp.nanosec = divmod(stamp, 10**9)
        log.file, log.function, log.line = caller
        try:
            self._writer.write(serialize(log), 0.0)
        except DDSException:
            log_output.remove_publisher(self._name)
