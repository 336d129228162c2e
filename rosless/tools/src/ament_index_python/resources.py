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

"""Look up resources: small files ``<prefix>/share/ament_index/resource_index/<type>/<name>``."""

from __future__ import annotations

import os
from pathlib import Path

from ament_index_python.constants import RESOURCE_INDEX_SUBFOLDER
from ament_index_python.search_paths import get_search_paths


class InvalidResourceTypeNameError(ValueError):
    """The resource type contains a path separator."""


class InvalidResourceNameError(ValueError):
    """The resource name contains a path separator."""


def _folders(resource_type: str) -> list[tuple[str, Path]]:
    if not resource_type or os.sep in resource_type:
        raise InvalidResourceTypeNameError(
            f"resource type '{resource_type}' is empty or contains a path separator")
    return [(prefix, Path(prefix) / RESOURCE_INDEX_SUBFOLDER / resource_type)
            for prefix in get_search_paths()]


def _check_name(resource_name: str) -> None:
    if not resource_name or os.sep in resource_name:
        raise InvalidResourceNameError(
            f"resource name '{resource_name}' is empty or contains a path separator")


def get_resource(resource_type: str, resource_name: str) -> tuple[str, str]:
    """
    Return the content of a resource and the prefix it was found under.

    Parameters
    ----------
    resource_type, resource_name : str
        Folder and file name in the index.

    Returns
    -------
    tuple of str
        Content and prefix.

    Raises
    ------
    LookupError
        If no prefix holds the resource.
    OSError
        If the resource cannot be read.

    """
    _check_name(resource_name)
    for prefix, folder in _folders(resource_type):
        path = folder / resource_name
        if path.is_file():
            return path.read_text(encoding='utf-8'), prefix
    raise LookupError(
        f"Could not find the resource '{resource_name}' of type '{resource_type}'")


def get_resources(resource_type: str) -> dict[str, str]:
    """Return the names of all resources of a type and the prefix of the first find of each."""
    found: dict[str, str] = {}
    for prefix, folder in _folders(resource_type):
        if folder.is_dir():
            for path in folder.iterdir():
                if path.is_file() and not path.name.startswith('.'):
                    found.setdefault(path.name, prefix)
    return found


def get_resource_types() -> set[str]:
    """Return the types of which there is at least a folder in one of the prefixes."""
    roots = [Path(prefix) / RESOURCE_INDEX_SUBFOLDER for prefix in get_search_paths()]
    return {folder.name for root in roots if root.is_dir()
            for folder in root.iterdir() if folder.is_dir()}


def has_resource(resource_type: str, resource_name: str) -> str | bool:
    """Return the prefix that holds the resource, or False."""
    _check_name(resource_name)
    for prefix, folder in _folders(resource_type):
        if (folder / resource_name).is_file():
            return prefix
    return False
