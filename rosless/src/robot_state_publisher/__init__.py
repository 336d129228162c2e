"""Publish the robot description and the frames of its links, from joint states."""
