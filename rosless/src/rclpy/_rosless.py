"""Marks this `rclpy` as that of rosless, and refuses to load beside a real one."""

import rosless.guard

rosless.guard.refuse_beside_ros(__file__)
