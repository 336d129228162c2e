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

    These are the package a file belongs to, that is, the nearest folder above it with a
    ``package.xml``, or else the file's own folder; and the packages it asked for.

    Parameters
    ----------
    file : str or path
        The description.
    max_bytes : int
        Size of the largest file that may be opened.

    """

    def __init__(self, file: str | os.PathLike[str], *, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.folders = {package_of(Path(file))}

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
                f'{_listed(self.folders)}')
        if not path.is_file():
            raise DescriptionError(f'there is no file {path}')
        if path.stat().st_size > self.max_bytes:
            raise DescriptionError(f'the file {path} is larger than {self.max_bytes} bytes')
        return path


def package_of(file: Path) -> Path:
    """Return the folder of the package a file belongs to, or its own folder."""
    folder = file.resolve().parent
    for above in (folder, *folder.parents):
        if (above / 'package.xml').is_file():
            return above
    return folder


def _listed(folders: Iterable[Path]) -> str:
    return ', '.join(sorted(map(str, folders)))
