"""Parts of `rclpy` that programs sometimes name in type annotations."""
