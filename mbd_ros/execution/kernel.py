"""What an executor makes of a program and a model."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.sweeps import Program
from mbd_ros.model import Model


class Kernel(Protocol):
    """
    A program made ready for one model.

    Attributes
    ----------
    program : Program
        What it runs.
    model : Model
        For which model.
    shape : tuple of int
        Shape of the result for one state.
    address : int or None
        Address of ``void kernel(argument..., gravity, result)``, where there is machine code.

    """

    program: Program
    model: Model
    shape: tuple[int, ...]
    address: int | None

    def run(self, arguments: list[NDArray[np.float64]], gravity: NDArray[np.float64],
            out: NDArray[np.float64]) -> None:
        """
        Run on N states.

        Parameters
        ----------
        arguments : list of array
            One (N, size) array for each input of the program; C-contiguous, finite.
        gravity : array
            (3,) [m/s^2], world axes.
        out : array
            (N, *shape), C-contiguous; is filled.

        """
        ...


class Executor(Protocol):
    """Makes kernels."""

    name: str

    def kernel(self, program: Program, model: Model) -> Kernel:
        """Return the kernel of a program for a model."""
        ...
