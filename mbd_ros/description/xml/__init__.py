"""Text to checked trees: XML, YAML and xacro, with bounds, and the files they may be in."""
