"""``ros2 lifecycle``: managed nodes."""
