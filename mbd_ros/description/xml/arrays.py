# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

"""Arrays in files ``*.npz``, read within bounds."""

from __future__ import annotations

from io import BytesIO
import os
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.xml.file_content import require_regular
from mbd_ros.errors import DescriptionError

LARGEST = 4 * 1024 ** 3
"""Bytes of a file that is read."""


def read_arrays(path: str | os.PathLike[str], what: str, *, data: bytes | None = None,
                largest: int | None = None) -> dict[str, NDArray[Any]]:
    """
    Return the arrays of a file by their names.

    Parameters
    ----------
    path : str or path
        The file.
    what : str
        What it is to be, for the error: ``saved trajectory``.
    data : bytes, optional
        Its content, if it was read already.
    largest : int, optional
        Bytes of its arrays together; ``LARGEST`` if left out.

    Raises
    ------
    DescriptionError
        If there is no such file, it holds something else, or more than ``largest`` bytes.

    """
    most = LARGEST if largest is None else largest
    try:
        if data is None:
            require_regular(Path(path))
        with ZipFile(path if data is None else BytesIO(data)) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > most:
                raise ValueError(f'it holds more than {most} bytes')
        with np.load(path if data is None else BytesIO(data), allow_pickle=False) as file:
            found = {name: file[name] for name in file.files}
        for name, array in found.items():
            if not isinstance(array, np.ndarray):
                raise ValueError(f"'{name}' is no array")
    except FileNotFoundError:
        raise DescriptionError('there is no such file', file=str(path)) from None
    except Exception as error:   # a damaged file can raise anything
        said = ' '.join((getattr(error, 'strerror', None) or str(error)).split())
        raise DescriptionError(f'this is no {what}: {said}', file=str(path)) from None
    return found
