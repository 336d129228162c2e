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

"""Imports all modules of mbd_ros, rosless and its tools: one line, exit code 1 if one fails."""

from __future__ import annotations

import importlib
from importlib.metadata import distribution, PackageNotFoundError
import platform
import sys

PROGRAMS = ('__main__', '_guard')
"""Modules that run as they are imported."""
PEERS = ('mujoco', 'pinocchio', 'pydrake')
"""Engines that no user needs; the modules of ``mbd_ros check --compare`` import them."""


def modules(name: str) -> list[str]:
    """Return the modules of a distribution by its list of files."""
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:
        return []
    dotted = ['.'.join(file.with_suffix('').parts) for file in files
              if file.suffix == '.py' and '..' not in file.parts]
    return [one.removesuffix('.__init__') for one in dotted
            if one.rpartition('.')[2] not in PROGRAMS]


def main(names: list[str]) -> int:
    """Import all of the distributions, or of those named."""
    wrong, count, without = [], 0, 0
    for name in names or ['mbd_ros', 'rosless', 'rosless-tools']:
        for module in modules(name):
            count += 1
            try:
                importlib.import_module(module)
            except Exception as error:   # whatever a module raises
                if isinstance(error, ModuleNotFoundError) and error.name in PEERS:
                    without += 1
                    continue
                wrong.append(f'{module} ({type(error).__name__}: {error})')
    right = count - len(wrong) - without
    print(f'Python {platform.python_version()}: {right} of {count} modules imported'
          + (f', {without} without the engines they compare with' if without else '')
          + ''.join(f'\n  {one}' for one in wrong))
    return 1 if wrong or not count else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
