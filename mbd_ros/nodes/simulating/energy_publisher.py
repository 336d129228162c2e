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

"""Says where the energy of the simulated robot goes, while somebody listens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mbd_msgs.msg import EnergyAudit
from rclpy.node import Node

from mbd_ros.messages.states.energy_audit import energy_audit
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.fluid_and_ground import DRAWN_RATE
from mbd_ros.nodes.simulating.simulation_loop import SimulationLoop


class EnergyPublisher:
    """
    Publishes ``~/energy``; the simulator keeps no account of it while nobody subscribes.

    Parameters
    ----------
    node : Node
        The simulator.
    settings : SimpleNamespace
        Its parameters.
    loop : callable
        Returns what moves the robot, None before there is one.

    """

    def __init__(self, node: Node, settings: Any, loop: Callable[[], SimulationLoop | None]
                 ) -> None:
        self._publisher = node.create_publisher(EnergyAudit, '~/energy', qos.RELIABLE)
        self._loop = loop
        self._every = max(1, round(settings.publish_rate / DRAWN_RATE))
        self._count = -1

    def publish(self, now: int) -> None:
        """Publish the audit of the state of a time [ns], between two steps."""
        self._count += 1
        loop = self._loop()
        if loop is None or self._count % self._every:
            return
        wanted = self._publisher.get_subscription_count() > 0
        parts = loop.audit(wanted)
        if wanted and parts:
            self._publisher.publish(energy_audit(now, parts))
