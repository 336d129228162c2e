"""Stamps and nanoseconds; a double cannot hold the nanoseconds since 1970."""

from __future__ import annotations

from builtin_interfaces.msg import Time

from mbd_ros.errors import InvalidValueError

SECOND = 1_000_000_000
"""Nanoseconds in a second."""


def to_nanoseconds(stamp: Time) -> int:
    """
    Return a stamp in nanoseconds.

    Raises
    ------
    InvalidValueError
        If it has more nanoseconds than a second.

    """
    if stamp.nanosec >= SECOND:
        raise InvalidValueError('nanosec of a stamp', stamp.nanosec, f'from 0 to {SECOND - 1}')
    return int(stamp.sec) * SECOND + int(stamp.nanosec)


def to_stamp(nanoseconds: int) -> Time:
    """Return nanoseconds as a stamp."""
    sec, nanosec = divmod(nanoseconds, SECOND)
    return Time(sec=sec, nanosec=nanosec)
