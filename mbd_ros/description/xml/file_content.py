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

"""The bytes of a description file."""

from __future__ import annotations

import os
from pathlib import Path

from mbd_ros.description.records.report import nearest
from mbd_ros.description.xml.xml_tree import MAX_BYTES
from mbd_ros.errors import DescriptionError


def read_content(path: Path) -> bytes:
    """
    Return what is in a file, at most one byte more than readers accept.

    Raises
    ------
    DescriptionError
        If there is no such file or it cannot be read; with a neighbour that may be meant.

    """
    try:
        require_regular(path)
        with path.open('rb') as file:
            return file.read(MAX_BYTES + 1)  # one more than the reader accepts
    except FileNotFoundError:
        raise DescriptionError('there is no such file' + _neighbour(path),
                               file=_short(path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, 'strerror', None) or error
        raise DescriptionError(f'the file cannot be read: {reason}', file=_short(path)) from None


def is_xacro(path: Path, data: bytes | None = None) -> bool:
    """
    Return whether a file is expanded before it is read.

    It is if it is named ``*.xacro``, or named ``*.urdf`` and has elements of xacro all the same; a
    declaration of its namespace alone is left over from an expansion.

    Parameters
    ----------
    path : Path
        The file.
    data : bytes, optional
        What is in it; by default it is read.

    Raises
    ------
    DescriptionError
        If it has to be read, and cannot be.

    """
    if path.suffix != '.urdf':
        return path.suffix == '.xacro'
    data = read_content(path) if data is None else data
    if b'<xacro:' not in data:
        return False
    first, *others = data.split(b'<!--')
    return any(b'<xacro:' in part for part in (first, *(
        part.partition(b'-->')[2] for part in others)))


def require_regular(path: Path) -> None:
    """Raise OSError for a pipe, a device or a folder, which may never end or begin."""
    if path.exists() and not path.is_file():
        raise OSError('it is not a regular file')


def utf8_text(data: bytes, file: str) -> str:
    """Return the text of a file in UTF-8."""
    try:
        return data.decode('utf-8-sig')
    except UnicodeDecodeError as error:
        line = data[:error.start].count(b'\n') + 1
        raise DescriptionError(f'this is not UTF-8 text: {error.reason}', file=file,
                               line=line) from None


def _neighbour(path: Path) -> str:
    """Return the file of the same folder that may be meant."""
    if not path.parent.is_dir():
        return f"; there is no folder '{_short(path.parent)}' either"
    return nearest(path.name, os.listdir(path.parent))


def _short(path: Path) -> str:
    text = str(path)
    return text if len(text) <= 200 else text[:200] + '...'
