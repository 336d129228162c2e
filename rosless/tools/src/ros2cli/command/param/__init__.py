"""``ros2 param``: parameters of nodes."""
