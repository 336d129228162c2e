"""Access to the compiled kernels of a robot, from which control steps are built."""

from __future__ import annotations

from mbd_ros.dynamics import PreparedDynamics

LARGEST_DENSE = 32
"""Entries of v beyond which the general form is used: its work is in matrices, too, by then."""


def has_machine_code(dyn: object) -> bool:
    """Return whether the kernels of a robot are machine code, and it is not too large."""
    if not isinstance(dyn, PreparedDynamics) or not 0 < dyn.model.nv <= LARGEST_DENSE:
        return False
    needed = ('mass_matrix', 'bias_forces', *(('own_loop_rows',) if dyn.model.loops else ()))
    return all(dyn.machine_code(function) is not None for function in needed)


def machine_code(dyn: PreparedDynamics, function: str, link: str = '') -> tuple[int, int]:
    """Return addresses of a kernel and of its world, which are known to be there."""
    code = dyn.machine_code(function, link)
    assert code is not None
    return code


def padded(columns: int) -> int:
    """Return a number of columns that whole vectors hold."""
    return -(-columns // 4) * 4
