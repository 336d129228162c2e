"""Poses, velocities, energies, derivatives and rows of loops, each as a program."""
