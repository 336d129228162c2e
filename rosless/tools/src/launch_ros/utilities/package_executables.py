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
The programs of a package.

A package built by colcon has them in ``<prefix>/lib/<package>``. One installed by pip has its
console scripts beside the Python interpreter; they belong to the distribution, or to the module,
that is called like the package. Such a script is also known by the name of the function that it
runs: on a PATH that all programs share it may need a longer one.

"""

from __future__ import annotations

import difflib
import importlib.metadata
import os
from pathlib import Path
import sysconfig

from ament_index_python.packages import get_package_prefix
from ament_index_python.packages import PackageNotFoundError

GROUP = 'console_scripts'


def get_executables(package_name: str) -> dict[str, str]:
    """
    Return the programs of a package and their paths.

    Parameters
    ----------
    package_name : str
        Name of the package.

    Raises
    ------
    PackageNotFoundError
        If there is neither such a package nor a Python distribution with programs of that name.

    """
    found = _console_scripts(package_name)
    try:
        folder = Path(get_package_prefix(package_name)) / 'lib' / package_name
    except PackageNotFoundError:
        if not found:
            raise
        return found
    if folder.is_dir():
        for path in folder.rglob('*'):
            if path.is_file() and os.access(path, os.X_OK):
                found[path.name] = str(path)
    return found


def get_executable_path(package_name: str, executable_name: str) -> str:
    """
    Return the path of a program of a package.

    Parameters
    ----------
    package_name, executable_name : str
        Names of the package and of the program.

    Raises
    ------
    PackageNotFoundError
        If there is no such package.
    LookupError
        If the package has no such program; the message lists those it has.

    """
    known = get_executables(package_name)
    if executable_name not in known:
        near = difflib.get_close_matches(executable_name, known, n=1)
        hint = f", did you mean '{near[0]}'?" if near else ''
        raise LookupError(f"executable '{executable_name}' not found in package "
                          f"'{package_name}'{hint} (it has: {', '.join(sorted(known)) or 'none'})")
    return known[executable_name]


def _console_scripts(package_name: str) -> dict[str, str]:
    scripts = Path(sysconfig.get_path('scripts'))
    points = [point for point in importlib.metadata.entry_points(group=GROUP)
              if point.value.partition(':')[0].partition('.')[0] == package_name]
    try:
        points += importlib.metadata.distribution(package_name).entry_points.select(group=GROUP)
    except importlib.metadata.PackageNotFoundError:
        pass  # the program may yet be in a module of that name
    installed = [point for point in points if (scripts / point.name).is_file()]
    named = {point.value.partition(':')[2]: point.name for point in installed}
    named.pop('main', None)
    named.update({point.name: point.name for point in installed})
    return {name: str(scripts / program) for name, program in named.items()}
