"""How a formulation is written down: sweeps, ties, records; and the interpreter, its reference."""
