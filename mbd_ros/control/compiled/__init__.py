"""The parts of a control step as machine code."""
