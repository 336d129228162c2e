"""Help with messages of `sensor_msgs`: point clouds as NumPy arrays."""

import rosless  # noqa: F401  makes interface packages importable
