"""The directory of the log files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.logging import launch_config
from launch.substitution import Substitution

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class LaunchLogDir(Substitution):
    """Stands for the directory of the log files of this launch."""

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        return 'LaunchLogDir()'

    def perform(self, context: LaunchContext) -> str:
        """Return the directory."""
        return launch_config.log_dir
