"""Paths, orientations and joint trajectories as functions of time."""
