"""``ros2 bag``."""
