"""Threads that wait for work in native code; shares of a batch, subtrees of one state."""
