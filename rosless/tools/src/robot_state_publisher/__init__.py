"""Publish the robot description and the frames of its links, from joint states."""

import rosless  # noqa: F401  makes interface packages importable
