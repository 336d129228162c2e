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
