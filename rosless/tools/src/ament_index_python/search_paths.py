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
