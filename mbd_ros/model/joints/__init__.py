"""Joints: their types, their configuration manifolds, and the poses that their coordinates say."""
