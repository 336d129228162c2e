"""Constraints as controllers: references, servo constraints, Udwadia-Kalaba, elimination."""
