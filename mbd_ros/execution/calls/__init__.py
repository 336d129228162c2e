"""The way in from Python: one state, batches, several kernels in one call."""
