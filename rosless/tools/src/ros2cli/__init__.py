"""The command ``ros2``."""

import rosless  # noqa: F401  makes interface packages importable
