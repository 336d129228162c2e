"""Records of a robot as its author wrote it, and the tools of all readers."""
