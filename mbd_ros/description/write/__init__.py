"""A Mechanism as URDF, MJCF, SDFormat or a file of loops."""
