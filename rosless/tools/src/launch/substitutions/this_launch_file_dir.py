"""The directory of the launch file being executed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.substitution import Substitution
from launch.substitutions.substitution_failure import SubstitutionFailure

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class ThisLaunchFileDir(Substitution):
    """Stands for the absolute directory of the launch file being executed."""

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        return 'ThisLaunchFileDir()'

    def perform(self, context: LaunchContext) -> str:
        """Return the directory, or raise SubstitutionFailure outside of a launch file."""
        path = context.get_locals_as_dict().get('current_launch_file_directory')
        if path is None:
            raise SubstitutionFailure(
                'ThisLaunchFileDir used outside of a launch file (in a script)')
        return str(path)
