"""Plausibility checks of robots that can be read."""
