"""The Udwadia-Kalaba equation and the elimination of constraint violations."""
