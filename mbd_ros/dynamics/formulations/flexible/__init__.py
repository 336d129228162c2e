"""Robots with flexible links: floating frames of reference with shape integrals."""

from dataclasses import replace

from mbd_ros.dynamics.formulations.flexible import recursion
from mbd_ros.dynamics.formulations.flexible.long_trees import rolled, rolls
from mbd_ros.execution.program.sweeps import Program

PROGRAMS: dict[str, Program] = {**recursion.PROGRAMS, 'forward_dynamics': replace(
    recursion.FORWARD_DYNAMICS, rolls=rolls, rolled=rolled)}

__all__ = ['PROGRAMS']
