"""Formulations of the equations of motion, a file each, and the registry of their names."""
