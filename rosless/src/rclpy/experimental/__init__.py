"""Experimental parts of `rclpy`."""
