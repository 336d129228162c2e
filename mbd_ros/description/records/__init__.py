"""What a robot is, as its author wrote it, and what every reader needs."""
