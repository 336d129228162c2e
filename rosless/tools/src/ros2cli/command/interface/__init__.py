"""``ros2 interface``: messages, services and actions."""
