"""Base of the events that tell of a process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from launch.event import Event

if TYPE_CHECKING:
    from launch.actions.execute_local import ExecuteLocal


class RunningProcessEvent(Event):
    """
    Something about a process.

    Parameters
    ----------
    action : ExecuteLocal
        The action that started the process.
    name : str
        Unique name of the process, such as ``talker-1``.
    cmd : sequence of str
        Program and arguments.
    cwd : str, optional
        Working directory.
    env : mapping
        Environment.
    pid : int
        Process id.

    """

    name = 'launch.events.process.RunningProcessEvent'

    def __init__(
        self,
        *,
        action: ExecuteLocal,
        name: str,
        cmd: Sequence[str],
        cwd: str | None,
        env: Mapping[str, str],
        pid: int,
    ) -> None:
        self.action = action
        self.process_name = name
        self.cmd = list(cmd)
        self.cwd = cwd
        self.env = env
        self.pid = pid

    @property
    def execute_process_action(self) -> ExecuteLocal:
        """Return the action that started the process."""
        return self.action
