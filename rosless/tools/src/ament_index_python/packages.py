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

"""Find packages by name."""

from __future__ import annotations

import os
from pathlib import Path
import re
import sys

from ament_index_python._bundled import bundled_packages
from ament_index_python.resources import get_resource
from ament_index_python.resources import get_resources
from ament_index_python.resources import InvalidResourceNameError
from ament_index_python.search_paths import get_search_paths

PACKAGE_NAME = re.compile(r'[A-Za-z0-9_-]+')


class PackageNotFoundError(KeyError):
    """No prefix holds the package that was asked for."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ''


def get_packages_with_prefixes() -> dict[str, str]:
    """Return every known package and the prefix it is installed under."""
    found = {name: _prefix_of(share) for name, share in bundled_packages().items()}
    found.update(get_resources('packages'))
    return found


def get_package_prefix(package_name: str) -> str:
    """
    Return the prefix a package is installed under.

    Parameters
    ----------
    package_name : str
        Name of the package.

    Returns
    -------
    str
        Prefix directory. Of interfaces that come with rosless: that of rosless; of its tools:
        the prefix of the running Python.

    Raises
    ------
    ValueError
        If the name is not a package name.
    PackageNotFoundError
        If no search path holds the package.

    """
    if not package_name or PACKAGE_NAME.fullmatch(package_name) is None:
        raise ValueError(f"'{package_name}' is not a valid package name")
    try:
        return get_resource('packages', package_name)[1]
    except InvalidResourceNameError as error:
        raise ValueError(f"'{package_name}' is not a valid package name") from error
    except LookupError:
        if package_name in bundled_packages():
            return _prefix_of(bundled_packages()[package_name])
        raise PackageNotFoundError(
            f"package '{package_name}' not found, searching: {get_search_paths()}") from None


def get_package_share_directory(package_name: str, print_warning: bool = True) -> str:
    """
    Return the share directory of a package.

    Parameters
    ----------
    package_name : str
        Name of the package.
    print_warning : bool
        Whether to warn on stderr when that directory does not exist.

    Returns
    -------
    str
        ``<prefix>/share/<package_name>``; of a tool that comes with rosless the directory of its
        module.

    Raises
    ------
    ValueError
        If the name is not a package name.
    PackageNotFoundError
        If no search path holds the package.

    """
    prefix = get_package_prefix(package_name)
    path = os.path.join(prefix, 'share', package_name)
    if not os.path.isdir(path) and package_name in bundled_packages():
        return bundled_packages()[package_name]
    if print_warning and not os.path.exists(path):
        print(f'Share directory for package {package_name} ({path}) does not exist.',
              file=sys.stderr)
    return path


def get_package_share_path(package_name: str, print_warning: bool = True) -> Path:
    """Return the share directory of a package as a ``pathlib.Path``."""
    return Path(get_package_share_directory(package_name, print_warning))


def _prefix_of(share: str) -> str:
    """Return the prefix of a bundled package's directory; of modules that of Python."""
    path = Path(share)
    return str(path.parents[1]) if path.parent.name == 'share' else sys.prefix
