"""URDF to Mechanism, with loop joints in every dialect."""
