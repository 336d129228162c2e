"""Read a robot description, whatever its form."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from mbd_ros.description.mechanism import Mechanism
from mbd_ros.description.urdf import read_urdf
from mbd_ros.errors import DescriptionError


def read(path_or_text: str | os.PathLike[str], *, mimic: bool = False,
         inertia: Literal['checked', 'unchecked'] = 'checked') -> Mechanism:
    """Read."""
    if isinstance(path_or_text, str) and path_or_text.lstrip().startswith('<'):
        return read_urdf(path_or_text.encode(), '<string>')
    path = Path(path_or_text)
    if not path.is_file():
        raise DescriptionError('there is no such file', file=str(path))
    return read_urdf(path.read_bytes(), str(path))
