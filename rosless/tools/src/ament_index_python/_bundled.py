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

"""Packages that come inside rosless itself and are therefore in no index on disk."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path

TOOL_PACKAGES = (
    'ament_index_python',
    'launch',
    'launch_pytest',
    'launch_ros',
    'launch_testing',
    'launch_xml',
    'launch_yaml',
    'message_filters',
    'rclpy',
    'robot_state_publisher',
    'ros2cli',
    'rosidl_runtime_py',
    'sensor_msgs_py',
    'tf2_geometry_msgs',
    'tf2_py',
    'tf2_ros',
    'tf2_tools',
)


@functools.lru_cache(maxsize=1)
def bundled_packages() -> dict[str, str]:
    """
    Return the share directory of every package that rosless brings along.

    Returns
    -------
    dict
        Package name to directory; of an interface package the directory that holds ``msg``,
        ``srv`` and ``action``.

    """
    from rosless import interfaces

    found = {name: str(interfaces.share_directory(name)) for name in interfaces.package_names()}
    for name in TOOL_PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            found[name] = str(Path(spec.origin).parent)
    return found
