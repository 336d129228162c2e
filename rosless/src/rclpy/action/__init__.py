"""Not in this version."""

raise ImportError(
    'rclpy.action is not in this version of rosless (0.1); its README lists what is there'
)
