"""Stamps and nanoseconds; a double cannot hold the nanoseconds since 1970."""

from __future__ import annotations

from builtin_interfaces.msg import Time

SECOND = 1_000_000_000
"""Nanoseconds in a second."""


def to_nanoseconds(stamp: Time) -> int:
    """Return a stamp in nanoseconds."""
    return int(stamp.sec) * SECOND + int(stamp.nanosec)


def to_stamp(nanoseconds: int) -> Time:
    """Return nanoseconds as a stamp."""
    sec, nanosec = divmod(nanoseconds, SECOND)
    return Time(sec=sec, nanosec=nanosec)
