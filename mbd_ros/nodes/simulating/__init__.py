"""The simulator's loop, its pace and its controls."""
