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

"""Where interface packages are looked for; needs nothing but `os` and `sys`."""

from __future__ import annotations

import os
import sys

KINDS = ('msg', 'srv', 'action')
BUNDLED = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'share')


def search_roots() -> list[str]:
    """Return the directories that hold one directory per package with interfaces."""
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    roots = [os.path.join(prefix, 'share') for prefix in prefixes if prefix]
    return [*roots, os.path.join(sys.prefix, 'share'), BUNDLED]


def has_interfaces(directory: str) -> bool:
    """Tell whether a package's directory has a folder with interfaces."""
    return os.path.isdir(directory) and any(
        os.path.isdir(os.path.join(directory, kind)) for kind in KINDS
    )
