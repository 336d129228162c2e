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

"""
Where the texts of interfaces are: `.msg`, `.srv` and `.action` files of packages.

Searched, in this order: ``share/<package>`` under each entry of ``AMENT_PREFIX_PATH``, the same
under the prefix of the running Python, and the texts that come with rosless.

"""

from __future__ import annotations

from pathlib import Path

from . import roots as places
from .idl.errors import InterfaceError, InterfaceNotFound

KINDS = places.KINDS
BUNDLED = Path(places.BUNDLED)


def search_path() -> list[Path]:
    """Return the directories that hold one directory per package."""
    return [Path(root) for root in places.search_roots()]


def package_names() -> list[str]:
    """Return the names of all packages that have interfaces, sorted."""
    found: set[str] = set()
    for root in search_path():
        if root.is_dir():
            found.update(entry.name for entry in root.iterdir() if _has_interfaces(entry))
    return sorted(found)


def bundled_package_names() -> list[str]:
    """Return the names of the interface packages that come with rosless, sorted."""
    return sorted(entry.name for entry in BUNDLED.iterdir() if _has_interfaces(entry))


def has_package(package: str) -> bool:
    """Tell whether a package of that name has interfaces on the search path."""
    return any(_has_interfaces(root / package) for root in search_path())


def share_directory(package: str) -> Path:
    """
    Return the directory with the folders `msg`, `srv` and `action` of a package.

    Raises
    ------
    InterfaceNotFound
        If no package of that name has interfaces on the search path.

    """
    for root in search_path():
        if _has_interfaces(root / package):
            return root / package
    raise InterfaceNotFound(
        f'no package {package!r} with interfaces; searched: '
        + ', '.join(str(root) for root in search_path())
    )


def interface_names(package: str, kind: str | None = None) -> list[str]:
    """
    Return the names of a package's interfaces, as ``'msg/Header'``, sorted.

    Parameters
    ----------
    package : str
        Name of the package.
    kind : str, optional
        ``'msg'``, ``'srv'`` or ``'action'``; all three if omitted.

    """
    share = share_directory(package)
    return sorted(
        f'{each}/{path.stem}'
        for each in ((kind,) if kind else KINDS)
        for path in (share / each).glob(f'*.{each}')
    )


def split_name(name: str) -> tuple[str, str, str]:
    """
    Split ``'pkg/srv/Name'`` into its three parts; ``'pkg/Name'`` means a message.

    Raises
    ------
    InterfaceError
        If the name does not have that form.

    """
    parts = name.split('/')
    if len(parts) == 2:
        parts.insert(1, 'msg')
    if len(parts) != 3 or parts[1] not in KINDS or not all(parts):
        raise InterfaceError(
            f"{name!r} is not the name of an interface; expected 'package/msg/Name', "
            "'package/srv/Name' or 'package/action/Name'"
        )
    return parts[0], parts[1], parts[2]


def interface_path(name: str) -> Path:
    """
    Return the path of the file that defines an interface.

    Parameters
    ----------
    name : str
        ``'pkg/msg/Name'``, ``'pkg/srv/Name'`` or ``'pkg/action/Name'``.

    Raises
    ------
    InterfaceNotFound
        If no such file is on the search path; the message names what was searched.

    """
    package, kind, base = split_name(name)
    tail = Path(package, kind, f'{base}.{kind}')
    for root in search_path():
        if (root / tail).is_file():
            return root / tail
    if not has_package(package):
        share_directory(package)
    known = ', '.join(name.split('/')[1] for name in interface_names(package, kind)) or 'none'
    raise InterfaceNotFound(f'no interface {name!r}; package {package!r} has: {known}')


def exists(name: str) -> bool:
    """Tell whether a file defines that interface."""
    try:
        interface_path(name)
    except InterfaceError:
        return False
    return True


def interface_text(name: str) -> str:
    """Return the text that defines an interface; see `interface_path`."""
    return interface_path(name).read_text(encoding='utf-8')


def _has_interfaces(directory: Path) -> bool:
    return places.has_interfaces(str(directory))
