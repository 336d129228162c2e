"""Arrays in files ``*.npz``, read within bounds."""

from __future__ import annotations

import os
from typing import Any
from zipfile import BadZipFile, ZipFile
import zlib

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import DescriptionError

LARGEST = 4 * 1024 ** 3
"""Bytes of a file that is read."""


def read_arrays(path: str | os.PathLike[str], what: str) -> dict[str, NDArray[Any]]:
    """
    Return the arrays of a file by their names.

    Parameters
    ----------
    path : str or path
        The file.
    what : str
        What it is to be, for the error: ``saved trajectory``.

    Raises
    ------
    DescriptionError
        If there is no such file, it holds something else, or more than ``LARGEST`` bytes.

    """
    try:
        with ZipFile(path) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > LARGEST:
                raise ValueError(f'it holds more than {LARGEST} bytes')
        with np.load(path, allow_pickle=False) as file:
            found = {name: file[name] for name in file.files}
        for name, array in found.items():
            if not isinstance(array, np.ndarray):
                raise ValueError(f"'{name}' is no array")
    except (OSError, ValueError, TypeError, KeyError, EOFError, RuntimeError, BadZipFile,
            zlib.error, MemoryError, OverflowError) as error:   # whatever a damaged file leads to
        raise DescriptionError(f'this is no {what}: {error}', file=str(path)) from None
    return found
