"""What several of the tools share; no part of ROS 2."""
