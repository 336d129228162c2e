"""``ros2 action``: actions."""
