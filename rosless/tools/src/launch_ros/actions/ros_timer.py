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

"""Do something later, by the clock of ROS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from launch.actions import TimerAction
from launch_ros.actions.set_parameter import GLOBAL_PARAMETERS
from launch_ros.ros_adapters import get_ros_node

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

SIM_TIME = 'use_sim_time'


class ROSTimer(TimerAction):
    """
    Visit entities after some time by the clock of ROS.

    That is simulated time where ``SetUseSimTime(True)`` holds, else that of the machine.

    Parameters
    ----------
    **kwargs
        See ``launch.actions.TimerAction``.

    """

    def _call_later(
        self, context: LaunchContext, period: float, fire: Callable[[], None],
    ) -> Callable[[], None]:
        from rclpy.parameter import Parameter

        node = get_ros_node(context)
        loop = context.running_loop
        settings: dict[str, Any] = dict(
            item for item in context.launch_configurations.get(GLOBAL_PARAMETERS, ())
            if isinstance(item, tuple))
        node.set_parameters([Parameter(SIM_TIME, value=bool(settings.get(SIM_TIME, False)))])

        def due() -> None:
            timer.cancel()
            if not loop.is_closed():
                loop.call_soon_threadsafe(fire)

        timer = node.create_timer(period, due)
        return lambda: timer.cancel()


RosTimer = ROSTimer
