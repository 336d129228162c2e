"""``ros2 service``: services."""
