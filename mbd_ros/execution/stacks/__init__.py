"""Formulations in NumPy: scans, systems of blocks, and the same text as machine code."""
