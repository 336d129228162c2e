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

"""Lists of interfaces."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ament_index_python.packages import (
    get_package_prefix,
    get_package_share_path,
    get_packages_with_prefixes,
    PackageNotFoundError,
)

KINDS = ('msg', 'srv', 'action')


def get_interface_packages() -> list[str]:
    """Return the names of the packages that have interfaces."""
    return sorted(_packages())


def get_interfaces(
    package_names: Iterable[str] = (), kind: str | None = None,
) -> dict[str, list[str]]:
    """
    Return the interfaces of packages.

    Parameters
    ----------
    package_names : iterable of str
        The packages; all if empty.
    kind : str, optional
        ``'msg'``, ``'srv'`` or ``'action'``.

    Returns
    -------
    dict
        Package name to names such as ``'msg/String'``.

    Raises
    ------
    LookupError
        If there is no such package.

    """
    known, found = _packages(), {}
    for package in list(package_names) or sorted(known):
        if package not in known:
            raise LookupError(f"Unknown package '{package}'")
        names = sorted(f'{each}/{path.stem}' for each in ((kind,) if kind else KINDS)
                       for path in (known[package] / each).glob(f'*.{each}'))
        if names:
            found[package] = names
    return found


def get_message_interfaces(package_names: Iterable[str] = ()) -> dict[str, list[str]]:
    """Return the messages of packages."""
    return get_interfaces(package_names, 'msg')


def get_service_interfaces(package_names: Iterable[str] = ()) -> dict[str, list[str]]:
    """Return the services of packages."""
    return get_interfaces(package_names, 'srv')


def get_action_interfaces(package_names: Iterable[str] = ()) -> dict[str, list[str]]:
    """Return the actions of packages."""
    return get_interfaces(package_names, 'action')


def get_interface_path(interface_name: str) -> str:
    """
    Return the path of the file that defines an interface.

    Parameters
    ----------
    interface_name : str
        Such as ``'std_msgs/msg/Header'``, with or without ``.msg``.

    Raises
    ------
    ValueError
        If it does not have that form.
    LookupError
        If there is no such package or interface.

    """
    parts = interface_name.split('/')
    if len(parts) < 2 or not all(parts) or '..' in parts:
        raise ValueError(f"Invalid name '{interface_name}'. Expected at least two parts separated "
                         "by '/', none of them empty or '..'")
    try:
        path = Path(get_package_prefix(parts[0]), 'share', *parts)
    except (PackageNotFoundError, ValueError):
        raise LookupError(f"Unknown package '{parts[0]}'") from None
    if '.' not in parts[-1]:
        path = path.with_name(f'{parts[-1]}.{parts[-2]}')
    if not path.is_file():
        raise LookupError(f"Could not find the interface '{path}'")
    return str(path)


def _packages() -> dict[str, Path]:
    """Return the share directories of the packages that have interfaces."""
    shares = {name: get_package_share_path(name, print_warning=False)
              for name in get_packages_with_prefixes()}
    return {name: share for name, share in shares.items()
            if any((share / kind).is_dir() for kind in KINDS)}
