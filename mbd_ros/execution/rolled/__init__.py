"""Loops over bodies: one traced step for each species; large subtrees and segments in lanes."""
