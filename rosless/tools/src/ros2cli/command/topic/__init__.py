"""``ros2 topic``: topics and their messages."""
