"""The kinds of clock."""

from enum import IntEnum


class ClockType(IntEnum):
    """Which clock a time was read from."""

    UNINITIALIZED = 0
    ROS_TIME = 1
    SYSTEM_TIME = 2
    STEADY_TIME = 3
