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

"""From the name of an interface to its Python class, made once, when first asked for."""

from __future__ import annotations

from collections.abc import Callable
import threading
from typing import Any

_lock = threading.RLock()
_classes: dict[str, Any] = {}
_builders: list[Callable[[str], dict[str, Any]]] = []


def interface_class(name: str) -> Any:
    """
    Return the class of a message, service or action.

    Parameters
    ----------
    name : str
        Full name: ``'std_msgs/msg/String'``, ``'std_srvs/srv/SetBool'``, or one of the messages a
        service or action consists of, ``'std_srvs/srv/SetBool_Request'``.

    Raises
    ------
    InterfaceNotFound
        If no text of that name is on the search path.

    """
    try:
        return _classes[name]
    except KeyError:
        pass
    with _lock:
        if name not in _classes:
            _classes.update(_builders[0](name))
        return _classes[name]


def set_builder(build: Callable[[str], dict[str, Any]]) -> None:
    """Have classes made by a function; for `build`, which needs them itself."""
    _builders[:] = [build]


message_class = interface_class
