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
Install packages into the environment of this Python while programs of it go on.

pip removes a package for seconds before it installs the new one; whoever imports a module or
opens a file of it meanwhile fails. Here pip installs into a folder of its own, from which each
file that is new or differs takes its place in one step. What is there no more is removed last.

    .venv/bin/python scripts/install.py ./rosless .

Packages that they need are not installed.
"""

from __future__ import annotations

import compileall
import filecmp
from importlib.metadata import distributions
from importlib.util import cache_from_source
import os
from pathlib import Path
import shutil
import subprocess
import sys
import sysconfig
import tempfile

PIP = (sys.executable, '-m', 'pip', 'install', '--quiet', '--no-deps', '--ignore-installed',
       '--no-compile', '--use-pep517', '--no-build-isolation', '--no-warn-script-location')


def files_of(site: Path, names: set[str] | None = None) -> set[Path]:
    """
    Return the files of packages.

    Parameters
    ----------
    site : Path
        Folder that they are installed in.
    names : set of str, optional
        Their names; all if left out.

    Returns
    -------
    set of Path
        By their lists of files, links on the way not followed.

    """
    return {Path(os.path.normpath(str(one.locate_file(file))))
            for one in distributions(path=[str(site)]) if names is None or one.name in names
            for file in one.files or ()}


def take_over(staged: Path, prefix: Path, site: Path) -> None:
    """
    Make the packages of an environment those that were installed into another folder.

    Modules without bytecode get it, new or not: it halves the start of a node, and programs that
    must not write it (PYTHONDONTWRITEBYTECODE, as in many containers) compile all anew each time.

    Parameters
    ----------
    staged : Path
        That folder.
    prefix : Path
        The environment; paths in both are the same.
    site : Path
        Folder of packages in the environment, relative to it.

    """
    names = {one.name for one in distributions(path=[str(staged / site)])}
    before = files_of(prefix / site, names)
    now = {prefix / file.relative_to(staged) for file in files_of(staged / site)}
    for file in sorted(now):
        source = staged / file.relative_to(prefix)
        if file.is_file() and filecmp.cmp(source, file, shallow=False):
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_name(f'.{file.name}.{os.getpid()}')
        shutil.copy2(source, beside)
        os.replace(beside, file)
    for file in before - now:
        remove(file)
    for file in now:
        if file.suffix == '.py':
            compileall.compile_file(file, quiet=2)


def remove(file: Path) -> None:
    """Remove a file, what Python made of it, and folders that are empty then."""
    file.unlink(missing_ok=True)
    if file.suffix == '.py':
        Path(cache_from_source(str(file))).unlink(missing_ok=True)
    for folder in (file.parent / '__pycache__', *file.parents):
        try:
            folder.rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            if folder.name != '__pycache__':
                return


def main(packages: list[str]) -> int:
    """Install packages, by the paths of their folders; return the exit status."""
    wrong = [one for one in packages if not Path(one).is_dir()]
    if wrong or not packages:
        print(f'install: {wrong[0] if wrong else "nothing"} is no folder of a package',
              file=sys.stderr)
        return 2
    prefix = Path(sys.prefix)
    with tempfile.TemporaryDirectory() as root:
        status = subprocess.run([*PIP, '--root', root, *packages], check=False).returncode
        if status:
            return status
        take_over(Path(root, *prefix.parts[1:]), prefix,
                  Path(sysconfig.get_path('purelib')).relative_to(prefix))
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
