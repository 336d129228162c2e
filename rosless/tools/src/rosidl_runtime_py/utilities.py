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

"""Classes of interfaces by name."""

from __future__ import annotations

import importlib
from typing import Any

from ament_index_python.packages import get_package_share_path
from ament_index_python.packages import PackageNotFoundError
from rosidl_runtime_py.get_interfaces import KINDS


def get_interface(identifier: str) -> Any:
    """
    Return the class of an interface.

    Names come from bags and other machines, too: modules that are no interfaces are not imported.

    Parameters
    ----------
    identifier : str
        ``package/msg/Name``, or the same with ``srv`` or ``action``.

    Raises
    ------
    ValueError
        If the name does not have that form.
    ModuleNotFoundError
        If there is no such package.
    AttributeError
        If the package has no such interface.

    """
    parts = identifier.split('/')
    if len(parts) != 3 or not all(parts):
        raise ValueError(f"Expected the full name of an interface such as 'std_msgs/msg/String', "
                         f"got '{identifier}'")
    if not _has_interfaces(*parts[:2]):
        raise ModuleNotFoundError(f"No package '{parts[0]}' has interfaces of kind '{parts[1]}'")
    return getattr(importlib.import_module('.'.join(parts[:2])), parts[2])


def _has_interfaces(package: str, kind: str) -> bool:
    """Tell whether a package has a folder of interfaces of a kind."""
    if kind not in KINDS:
        return False
    try:
        return (get_package_share_path(package, print_warning=False) / kind).is_dir()
    except (PackageNotFoundError, ValueError):
        return False


def _of_kind(identifier: str, kind: str, member: str) -> Any:
    parts = identifier.split('/')
    name = f'{parts[0]}/{kind}/{parts[1]}' if len(parts) == 2 else identifier
    interface = get_interface(name)
    if not hasattr(interface, member):
        raise ValueError(f"Expected '{identifier}' to be a {kind}")
    return interface


def get_message(identifier: str) -> Any:
    """Return the class of a message by its name, ``package/msg/Name`` or ``package/Name``."""
    return _of_kind(identifier, 'msg', 'get_fields_and_field_types')


def get_service(identifier: str) -> Any:
    """Return the class of a service by its name, ``package/srv/Name`` or ``package/Name``."""
    return _of_kind(identifier, 'srv', 'Request')


def get_action(identifier: str) -> Any:
    """Return the class of an action by its name, ``package/action/Name`` or ``package/Name``."""
    return _of_kind(identifier, 'action', 'Goal')


def is_message(interface: Any) -> bool:
    """Tell whether this is the class of a message."""
    return hasattr(interface, 'get_fields_and_field_types')


def is_service(interface: Any) -> bool:
    """Tell whether this is the class of a service."""
    return hasattr(interface, 'Request') and hasattr(interface, 'Response')


def is_action(interface: Any) -> bool:
    """Tell whether this is the class of an action."""
    return hasattr(interface, 'Goal') and hasattr(interface, 'Feedback')
