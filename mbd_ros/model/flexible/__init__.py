"""Flexible links: modes of beams, shape integrals, and the tree of rigid and elastic segments."""
