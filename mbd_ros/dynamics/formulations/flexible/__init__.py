"""Robots with flexible links: floating frames of reference with shape integrals."""

from dataclasses import replace

from mbd_ros.dynamics.formulations.flexible import recursion
from mbd_ros.dynamics.formulations.flexible.long_trees import rolled, rolls
from mbd_ros.execution.program.array_program import ArrayProgram

PROGRAMS: dict[str, ArrayProgram] = {
    name: replace(program, rolls=rolls, rolled=rolled) if name in (
        'forward_dynamics', 'inverse_dynamics', 'bias_forces') else program
    for name, program in recursion.PROGRAMS.items()}

__all__ = ['PROGRAMS']
