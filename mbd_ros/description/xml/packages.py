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

from collections.abc import Callable
import os
from pathlib import Path
import re
import sys

from mbd_ros.errors import DescriptionError

_NAME = re.compile(r'[A-Za-z0-9_-]+', re.ASCII)
"""A name with dots or slashes in it would lead out of the folders of packages."""


_INDEX = Path('share', 'ament_index', 'resource_index', 'packages')
SCHEME = 'package://'


def file_path(name: str | os.PathLike[str]) -> Path:
    """
    Return the path of a file that may begin with ``~`` or ``package://``.

    Parameters
    ----------
    name : str or path
        ``'robot.urdf'``, ``'~/robot.urdf'`` or ``'package://NAME/urdf/robot.urdf'``.

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
            return Path(find_package(package), rest)
        return Path(text).expanduser()
    except (LookupError, RuntimeError) as error:
        raise DescriptionError(str(error), file=text[:200]) from None


def find_package(name: str, index: Callable[[str], str] | None = None) -> str:
    """
    Return the share folder of a package.

    Looked for in the ament index (by ``index``, then below ``AMENT_PREFIX_PATH`` and Python's own
    prefix), then in the folders of ``ROS_PACKAGE_PATH``, each of which is a package or holds
    packages.

    Parameters
    ----------
    name : str
        Name of the package.
    index : callable, optional
        Looks a name up in the ament index and raises if it cannot.

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
    if index is not None:
        try:
            return index(name)
        except (ImportError, LookupError, ValueError):
            pass  # there is no index, or the package is not in it
    for prefix in (*os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep), sys.prefix):
        if prefix and (prefix / _INDEX / name).is_file():
            return str(Path(prefix, 'share', name))
    folders = [Path(entry) for entry in os.environ.get('ROS_PACKAGE_PATH', '').split(os.pathsep)
               if entry]
    for folder in folders:
        if folder.name == name and folder.is_dir():
            return str(folder)
        if (folder / name).is_dir():
            return str(folder / name)
    looked = ', '.join(map(str, folders)) or 'which is not set'
    raise LookupError(f"package '{name}' is neither in the ament index nor in the folders of "
                      f'ROS_PACKAGE_PATH ({looked})')
