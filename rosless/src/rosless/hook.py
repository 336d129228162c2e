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
The finder that makes interface packages importable: ``from sensor_msgs.msg import JointState``.

`rosless.pth` installs it when the interpreter starts, and `import rclpy` does so too; hence it
needs nothing but `os` and `sys` until an interface package is asked for.

"""

from __future__ import annotations

import os
import sys

from .roots import has_interfaces, KINDS, search_roots

TYPE_CHECKING = False  # as `typing` has it, without importing that

if TYPE_CHECKING:
    from collections.abc import Sequence  # noqa: I300
    from typing import Any


class InterfaceFinder:
    """
    Finds `pkg`, `pkg.msg`, `pkg.srv` and `pkg.action` of packages that have interface texts.

    A Python package of the same name is left alone (only the sub-module it lacks is provided); a
    plain folder of that name on the path is not mistaken for it.

    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: Any = None
    ) -> Any:
        """Return the spec of an interface package or of its `msg`, `srv` or `action` module."""
        package, _, kind = fullname.partition('.')
        if kind and kind not in KINDS:
            return None
        if not any(has_interfaces(os.path.join(root, package)) for root in search_roots()):
            return None
        from .idl.importer import make_spec

        return make_spec(fullname, path)


def install() -> None:
    """Put the finder in front of `sys.meta_path`, once."""
    if not any(type(finder).__name__ == 'InterfaceFinder' for finder in sys.meta_path):
        sys.meta_path.insert(0, InterfaceFinder())
