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

"""Speed factors: ``control_msgs/SpeedScalingFactor``, which distributions before 2025 lack."""

from __future__ import annotations

from typing import Any

import control_msgs.msg
from std_msgs.msg import Float64

from mbd_ros.errors import InvalidValueError

SpeedScaling: Any = getattr(control_msgs.msg, 'SpeedScalingFactor', Float64)
"""The type of ``~/speed_scaling_input``: ``std_msgs/Float64`` where the other is not there."""

SLOWEST = 0.001
"""Least factor but 0: a second takes a quarter of an hour."""


def read_factor(message: Any) -> float:
    """
    Return the factor in a message.

    Raises
    ------
    InvalidValueError
        If it is neither 0 nor from ``SLOWEST`` to 1: paths are checked at their own pace, and
        would be too fast, or last longer than numbers tell.

    """
    factor = float(getattr(message, 'factor', getattr(message, 'data', 1.0)))
    if factor != 0.0 and not SLOWEST <= factor <= 1.0:
        raise InvalidValueError('factor', factor, f'0, a pause, and from {SLOWEST} to 1')
    return factor
