"""Not in this version."""

raise ImportError(
    'rclpy.lifecycle is not in this version of rosless (0.1); its README lists what is there'
)
