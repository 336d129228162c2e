"""The public functions of dynamics."""
