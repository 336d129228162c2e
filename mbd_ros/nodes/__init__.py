"""The nodes: they wire messages to numbers and hold no arithmetic."""
