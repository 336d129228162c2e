"""Gaits: rhythms of legs, and the joint targets that follow from them."""
