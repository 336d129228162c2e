"""Timings against peers, as ratios measured in one run; see docs/benchmarks.md."""
