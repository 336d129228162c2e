"""The controller's goals and state as messages: trajectories, paths, way points."""
