"""Straight-line code of one robot; subtrees of equal shape in lanes."""
