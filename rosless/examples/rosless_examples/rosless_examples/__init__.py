"""Programs from the tutorials of ROS 2."""
