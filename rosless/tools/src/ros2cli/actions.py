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

"""Actions in the graph."""

from __future__ import annotations

from typing import Any

from rclpy.action import get_action_names_and_types
from ros2cli.graph import NAMED
from ros2cli.graph import wait_until


def types_of_action(node: Any, action: str) -> list[str]:
    """Return the types of an action, waiting for it to be discovered; empty if it is not."""
    return list(wait_until(lambda: dict(get_action_names_and_types(node)).get(action, []), NAMED))
