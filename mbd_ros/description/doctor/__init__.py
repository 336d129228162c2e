"""What is suspicious about a robot that can be read."""
