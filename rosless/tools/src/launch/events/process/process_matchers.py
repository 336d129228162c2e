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

"""Tell processes apart by name, id or program."""

from __future__ import annotations

from collections.abc import Callable
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launch.actions.execute_local import ExecuteLocal


def matches_pid(pid: int) -> Callable[[ExecuteLocal], bool]:
    """Return a matcher for the process with this id."""
    return lambda action: (action.process_details or {}).get('pid') == pid


def matches_name(name: str) -> Callable[[ExecuteLocal], bool]:
    """Return a matcher for the process with this unique name."""
    return lambda action: (action.process_details or {}).get('name') == name


def matches_executable(executable: str) -> Callable[[ExecuteLocal], bool]:
    """Return a matcher for the processes that run this program."""
    def matcher(action: ExecuteLocal) -> bool:
        cmd = (action.process_details or {}).get('cmd') or ['']
        return executable in (cmd[0], os.path.basename(cmd[0]))
    return matcher
