"""What controllers are asked for and report: trajectories, paths, way points, goals."""
