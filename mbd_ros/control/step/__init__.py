"""The constrained motion, the nominal model, and a whole control step."""
