"""Choose where the nodes that follow write their log files."""

from __future__ import annotations

from typing import Any

from launch.actions import SetEnvironmentVariable
from launch.some_substitutions_type import SomeSubstitutionsType


class SetROSLogDir(SetEnvironmentVariable):
    """
    Set ``ROS_LOG_DIR`` for the nodes that follow, within the same group.

    Parameters
    ----------
    new_log_dir : text with substitutions
        The directory.

    """

    def __init__(self, new_log_dir: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__('ROS_LOG_DIR', new_log_dir, **kwargs)
