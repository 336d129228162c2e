"""The ROS graph: telling others about our nodes, and asking who is there."""
