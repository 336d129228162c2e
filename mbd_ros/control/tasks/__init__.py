"""Tasks as plain data, and what a controller does with them."""
