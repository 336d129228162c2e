"""Have the nodes that follow use simulated time, or not."""

from __future__ import annotations

from typing import Any

from launch_ros.actions.set_parameter import SetParameter


class SetUseSimTime(SetParameter):
    """
    Set the parameter ``use_sim_time`` for the nodes that follow, within the same group.

    Parameters
    ----------
    value : bool, or text with substitutions
        Whether to use simulated time.

    """

    def __init__(self, value: Any, **kwargs: Any) -> None:
        super().__init__('use_sim_time', value, **kwargs)
