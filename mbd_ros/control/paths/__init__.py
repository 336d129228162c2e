"""Paths and orientations in time, and the ways onto them."""
