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

"""Tell nodes apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def matches_node_name(node_name: str) -> Callable[[Any], bool]:
    """Return a matcher of node actions by the full name of the node."""
    wanted = node_name if node_name.startswith('/') else f'/{node_name}'
    return lambda action: getattr(action, 'node_name', None) == wanted
