"""Tools for coordinate frames."""
