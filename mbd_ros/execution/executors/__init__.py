"""What users name, and the rule that chooses among them."""
