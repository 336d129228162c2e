"""``ros2 node``: nodes."""
