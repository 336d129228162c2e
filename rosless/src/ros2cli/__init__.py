"""The command ``ros2``."""
