"""``ros2 pkg``: packages."""
