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

"""
Run a robot until all its machine code is on disk: what ``mbd_ros cache warm`` starts.

It takes parameters as ``composed`` does, and ends by itself.

"""

from __future__ import annotations

from collections.abc import Callable
import sys

from std_msgs.msg import Float64MultiArray

from mbd_ros.nodes.controller import Controller
from mbd_ros.nodes.dynamics_server import DynamicsServer
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.guard import GuardedNode
from mbd_ros.nodes.every_node.run import run
from mbd_ros.nodes.simulator import Simulator

ENOUGH = 10
"""Effort commands after which simulator and controller have done all that they do at first."""


class Witness(GuardedNode):
    """Ends the process when enough effort commands were sent."""

    num_threads = 1

    def __init__(self) -> None:
        super().__init__('witness')
        self._left = ENOUGH

    def start(self, ended: Callable[[], object]) -> None:
        """Listen for effort commands."""
        self.create_subscription(
            Float64MultiArray, 'effort_controller/commands', self._on_efforts, qos.RELIABLE)

    def close(self) -> None:
        """Do nothing; there is nothing to stop."""

    def _on_efforts(self, message: Float64MultiArray) -> None:
        self._left -= 1
        if self._left == 0:
            self.context.try_shutdown()


def main() -> None:
    """Run the nodes."""
    sys.exit(run(DynamicsServer, Simulator, Controller, Witness))


if __name__ == '__main__':
    main()
