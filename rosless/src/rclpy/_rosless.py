"""Marks this `rclpy` as that of rosless."""
