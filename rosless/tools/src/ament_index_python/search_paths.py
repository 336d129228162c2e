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

"""The prefixes that are searched, in order."""

from __future__ import annotations

import os
from pathlib import Path
import sys

from ament_index_python.constants import AMENT_PREFIX_PATH_ENV_VAR
from ament_index_python.constants import RESOURCE_INDEX_SUBFOLDER


def get_search_paths() -> list[str]:
    """
    Return the existing prefixes to search.

    First those of ``AMENT_PREFIX_PATH``, then the prefix of the running Python: there, in a
    virtual environment, pip puts the ``data_files`` of a ROS package.

    Returns
    -------
    list of str
        Prefixes in the order of their precedence; possibly empty.

    """
    listed = os.environ.get(AMENT_PREFIX_PATH_ENV_VAR, '').split(os.pathsep)
    paths = [path for path in listed if path and os.path.exists(path)]
    if (Path(sys.prefix) / RESOURCE_INDEX_SUBFOLDER).is_dir() and sys.prefix not in paths:
        paths.append(sys.prefix)
    return paths
