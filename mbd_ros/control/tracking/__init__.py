"""The tracking law and what it needs to know of the robot."""
