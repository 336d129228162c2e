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

"""Actions: goals that take time, with feedback on the way and a result at the end."""

from .client import ActionClient
from .graph import (
    get_action_client_names_and_types_by_node,
    get_action_names_and_types,
    get_action_server_names_and_types_by_node,
)
from .responses import CancelResponse, GoalResponse
from .server import ActionServer

__all__ = [
    'ActionClient',
    'ActionServer',
    'CancelResponse',
    'GoalResponse',
    'get_action_client_names_and_types_by_node',
    'get_action_names_and_types',
    'get_action_server_names_and_types_by_node',
]
