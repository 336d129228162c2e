"""Time stamps, plain data, codes and texts: what all other messages are made of."""
