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

"""Where ROS packages are, without ROS."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
import os
from pathlib import Path
import re
import sys

from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.errors import DescriptionError

_NAME = re.compile(r'[A-Za-z0-9_-]+', re.ASCII)
"""A name with dots or slashes in it would lead out of the folders of packages."""


_INDEX = Path('share', 'ament_index', 'resource_index', 'packages')
SCHEME = 'package://'


Folders = Mapping[str, 'str | os.PathLike[str]']
"""Folders of packages by name."""

_PACKAGE_NAME = re.compile(rb'<name>\s*([^<>\s]+)\s*</name>')
_COMMENT = re.compile(rb'<!--.*?-->', re.DOTALL)
MOST_BYTES = 256 * 1024
"""Of a package.xml."""
DEPTH, MOST_FOLDERS = 4, 5000
"""How far packages are looked for below a folder of ``ROS_PACKAGE_PATH``."""


def file_path(name: str | os.PathLike[str], packages: Folders | None = None,
              near: Iterable[str | os.PathLike[str]] = ()) -> Path:
    """
    Return the path of a file that may begin with ``~`` or ``package://``.

    Parameters
    ----------
    name : str or path
        ``'robot.urdf'``, ``'~/robot.urdf'`` or ``'package://NAME/urdf/robot.urdf'``.
    packages, near : optional
        As for ``find_package``.

    Returns
    -------
    Path
        The path; whether there is such a file is not looked at.

    Raises
    ------
    DescriptionError
        If there is no such package, or no such user.

    """
    text = os.fspath(name)
    try:
        if text.startswith(SCHEME):
            package, _, rest = text.removeprefix(SCHEME).partition('/')
            return Path(find_package(package, packages=packages, near=near), rest)
        return Path(text).expanduser()
    except (LookupError, RuntimeError) as error:
        raise DescriptionError(str(error), file=text[:200]) from None


def find_package(name: str, index: Callable[[str], str] | None = None, *,
                 packages: Folders | None = None,
                 near: Iterable[str | os.PathLike[str]] = ()) -> str:
    """
    Return the share folder of a package.

    A package has the name that its ``package.xml`` says, whatever its folder is called. Looked for
    in the folders given, then above the files that ask, in the ament index (by ``index``, then
    below ``AMENT_PREFIX_PATH`` and Python's own prefix), and in the folders of
    ``ROS_PACKAGE_PATH``, each of which is a package or holds packages. A folder without
    ``package.xml`` has its own name.

    Parameters
    ----------
    name : str
        Name of the package.
    index : callable, optional
        Looks a name up in the ament index and raises if it cannot.
    packages : mapping, optional
        Folders by name.
    near : iterable of str or path
        Files whose own package may be meant.

    Returns
    -------
    str
        Its path.

    Raises
    ------
    LookupError
        If there is no such package.

    """
    if not _NAME.fullmatch(name):
        raise LookupError(f"'{name[:100]}' is no name of a package; allowed: letters, digits, _ "
                          'and -')
    if packages is not None and name in packages:
        return os.fspath(packages[name])
    for file in near:
        for folder in Path(file).resolve().parents:
            if package_name(folder) == name:
                return str(folder)
    if index is not None:
        try:
            return index(name)
        except (ImportError, LookupError, ValueError):
            pass  # there is no index, or the package is not in it
    prefixes = (*os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep), sys.prefix)
    for prefix in filter(None, prefixes):
        folder = Path(prefix, 'share', name)
        if (prefix / _INDEX / name).is_file() or package_name(folder) == name:
            return str(folder)
    folders = [Path(entry) for entry in os.environ.get('ROS_PACKAGE_PATH', '').split(os.pathsep)
               if entry]
    for folder in folders:
        for plain in (folder, folder / name):   # where it is most often, before all are looked at
            if plain.name == name and plain.is_dir() and package_name(plain) in (name, None):
                return str(plain)
        for inner in _packages_below(folder):
            if package_name(inner) == name:
                return str(inner)
    looked = ', '.join(map(str, folders)) or 'which is not set'
    raise LookupError(f"package '{name}' is neither in the ament index nor in the folders of "
                      f'ROS_PACKAGE_PATH ({looked}), nor is it that of the file; allowed, too: '
                      f"load(..., packages={{'{name}': FOLDER}})")


def packages_of(mechanism: Mechanism, index: Callable[[str], str] | None = None
                ) -> Callable[[str], str]:
    """
    Return what finds the packages that a robot names, by ``package://`` and otherwise.

    Parameters
    ----------
    mechanism : Mechanism
        The robot: its own package is known if it came from a file, and those it was read with.
    index : callable, optional
        As for ``find_package``.

    Returns
    -------
    callable
        ``find_package`` of a name.

    """
    near = () if mechanism.came_as_text else (str(mechanism.file).removesuffix(' (expanded)'),)
    return partial(find_package, index=index, packages=dict(mechanism.packages), near=near)


def package_name(folder: Path) -> str | None:
    """Return the name in the ``package.xml`` of a folder, None where there is none."""
    if not (folder / 'package.xml').is_file():   # a pipe, too, is none
        return None
    try:
        with (folder / 'package.xml').open('rb') as file:
            match = _PACKAGE_NAME.search(_COMMENT.sub(b'', file.read(MOST_BYTES)))
    except OSError:
        return None
    return None if match is None else match[1].decode('utf-8', errors='replace')


def _packages_below(folder: Path) -> Iterator[Path]:
    """Yield the packages in a folder, those nearest to it first; there are none in a package."""
    waiting, seen = [(folder, 0)], 0
    while waiting and seen < MOST_FOLDERS:
        current, depth = waiting.pop(0)
        seen += 1
        if (current / 'package.xml').is_file():
            yield current
        elif depth < DEPTH:
            try:
                inner = sorted(entry.path for entry in os.scandir(current)
                               if entry.is_dir() and not entry.name.startswith('.'))
            except OSError:
                continue
            waiting.extend((Path(path), depth + 1) for path in inner)
