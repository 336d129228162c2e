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

"""The folders a description may name files in."""

from __future__ import annotations

from collections.abc import Iterable
import os
from pathlib import Path

from mbd_ros.errors import DescriptionError


class Roots:
    """
    The folders a description may name files in, and nothing outside of them.

    These are the package or repository a file belongs to, that is, the nearest folder above it
    with a ``package.xml`` or ``.git``, or else its Python package or the folder above its own; the
    packages it asked for; and those its user named.

    Parameters
    ----------
    file : str or path
        The description.
    max_bytes : int
        Size of the largest file that may be opened.
    folders : iterable of str or path, optional
        Those that its user named.

    """

    def __init__(self, file: str | os.PathLike[str], *, max_bytes: int,
                 folders: Iterable[str | os.PathLike[str]] = ()) -> None:
        self.max_bytes = max_bytes
        self.folders = {around(Path(file)), *(Path(one).expanduser().resolve()
                                              for one in folders)}

    def add(self, folder: str | os.PathLike[str]) -> None:
        """Allow one more folder."""
        self.folders.add(Path(folder).resolve())

    def check(self, file: str | os.PathLike[str]) -> Path:
        """
        Return the true path of a file.

        Raises
        ------
        DescriptionError
            If it lies outside of the folders, is not a regular file, or is too large.

        """
        path = Path(file).resolve()
        if not any(path.is_relative_to(folder) for folder in self.folders):
            raise DescriptionError(
                f'the file {path} is outside of the folders this description may read from: '
                f'{_listed(self.folders)}; folders=[...] of load and --folder of the command '
                'name more')
        if not path.is_file():
            raise DescriptionError(f'there is no file {path}')
        if path.stat().st_size > self.max_bytes:
            raise DescriptionError(f'the file {path} is larger than {self.max_bytes} bytes')
        return path


def around(file: Path) -> Path:
    """
    Return the folder that a file may read from.

    That of its package or repository; else that of the Python package it is installed with, or the
    one above its own if that holds more, unless it holds the home folders of users or the whole
    file system.
    """
    folder = file.resolve().parent
    home = Path(os.path.expanduser('~')).resolve()

    def wide(one: Path) -> bool:
        return home.is_relative_to(one) or one == one.parent

    widest = folder if wide(folder.parent) else folder.parent
    for above in (folder, *folder.parents):
        if wide(above):
            break
        if (above / 'package.xml').is_file() or (above / '.git').exists():
            return above
        if (above / '__init__.py').is_file() and widest.is_relative_to(above):
            widest = above
    return widest


def _listed(folders: Iterable[Path]) -> str:
    return ', '.join(sorted(map(str, folders)))
