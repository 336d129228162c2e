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
Other Pythons, oldest and newest dependencies, and aarch64: ``make platforms [ARGS="--short"]``.

Each Python from 3.10 on that is found (on the PATH, of pyenv) gets a virtual environment with
mbd_ros, rosless and its tools in ``build/platforms``; there all modules are imported, values of
calls of every kind compared with stored ones, and nodes started. In the long form the unit tests
of fast calls run as well, once more with the oldest dependencies (``constraints-oldest.txt``), and
on aarch64 by qemu-user where a Debian of that kind is unpacked (``scripts/arm64_root.sh FOLDER``;
the environment variable ARM64_ROOT names the folder, ``build/arm64`` if left out).
Prints one table; exit code 1 if something is wrong.

    python test/platforms [--short] [NAME...]       NAME: 3.10, oldest, aarch64, ...

"""

from __future__ import annotations

import argparse
from importlib.metadata import requires
import os
from pathlib import Path
import shutil
import subprocess
import sys
import time

ROOT = Path(__file__).resolve().parents[2]
HERE = Path('test/platforms')
FOLDER = ROOT / 'build' / 'platforms'
OURS = ('./rosless', './rosless/tools', './interfaces/mbd_msgs', '.')
FOR_TESTS = ('pytest', 'hypothesis', 'pytest-xdist')
NEEDED = ('rosless', 'rosless-tools', 'mbd-msgs', 'mbd_ros[viewer,xacro]', *FOR_TESTS)
MINORS = range(10, 15)
OLDEST = '3.10'
"""The Python that the oldest dependencies have wheels for."""
SHORT = ('3.10', '3.12', '3.13')
"""Those of the short form: 3.11 runs the whole suite, and 3.14 has no DDS wheel."""
TESTS = ('test/unit/execution/test_fast_call.py', 'test/unit/execution/test_fast_batch.py')
ARM64_TESTS = (*TESTS, 'test/unit/execution/test_machine_code.py',
               'test/unit/execution/test_processors.py', 'test/unit/execution/test_sincos.py')
PROCESSOR = 'cortex-a76'
"""Of a Raspberry Pi 5. With SVE, which qemu's own choice has, the BLAS of NumPy is wrong there."""


def pythons() -> dict[str, str]:
    """Return the interpreters that are found, by version."""
    found = {}
    for minor in MINORS:
        pyenv = sorted(Path.home().glob(f'.pyenv/versions/3.{minor}.*/bin/python'))
        path = str(pyenv[-1]) if pyenv else shutil.which(f'python3.{minor}')
        if path and subprocess.run([path, '-c', 'import venv, ensurepip'], check=False,
                                   capture_output=True).returncode == 0:
            found[f'3.{minor}'] = path
    return found


class Platform:
    """An environment, and what is run in it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.folder = FOLDER / name
        self.python = self.folder / 'bin' / 'python'
        self.results: dict[str, str] = {}
        self.failed = False
        self.within: tuple[str, ...] = ()   # goes before all that is run
        self._log = FOLDER / f'{name}.log'
        self._log.parent.mkdir(parents=True, exist_ok=True)
        self._log.write_text('')

    def run(self, what: str, *words: str) -> bool:
        """Run a command, keep what it says in the log and its last line as the result."""
        begin = time.monotonic()
        with self._log.open('a', encoding='utf-8') as log:
            log.write(f'$ {" ".join(words)}\n')
            done = subprocess.run(
                [*self.within, *words], cwd=ROOT, text=True, check=False, errors='replace',
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env={**os.environ, 'PYTHONPATH': '', 'PIP_DISABLE_PIP_VERSION_CHECK': '1'})
            log.write(done.stdout)
        good = done.returncode == 0
        lines = [line for line in done.stdout.splitlines() if line.strip()] or ['']
        result = lines[-1 if what == 'tests' else 0].strip('= ') if what != 'installs' else 'yes'
        self.results[what] = result if good else f'NO ({result}; {self._log.relative_to(ROOT)})'
        self.failed |= not good
        print(f'{self.name}: {what}: {self.results[what]} [{time.monotonic() - begin:.0f} s]',
              flush=True)
        return good

    def install(self, python: str, constraints: Path | None) -> bool:
        """Make the environment, or bring it up to date; pip takes wheels from its cache."""
        if not self.python.exists() and not self.run(
                'installs', 'scripts/make_venv.sh', python, str(self.folder)):
            return False
        bound = () if constraints is None else ('--constraint', str(constraints))
        pip = (str(self.python), '-m', 'pip', 'install', '--quiet', '--prefer-binary')
        return (self.run('installs', *pip, 'setuptools>=70.1,<80')
                and self.run('installs', str(self.python), 'scripts/install.py', *OURS)
                and self.run('installs', *pip, '--no-build-isolation', *bound, *NEEDED))

    def check(self, short: bool, nodes: bool = True) -> None:
        """Run what every platform has to pass."""
        python = str(self.python)
        self.run('modules', python, str(HERE / 'imports.py'))
        self.run('values', python, str(HERE / 'values.py'))
        if nodes:
            self.run('node', python, str(HERE / 'node.py'), 'one')
        if not short:
            if nodes:
                self.run('page', python, str(HERE / 'node.py'), 'page')
            self.run('tests', python, '-m', 'pytest', '-q', '-n', '0', '-p', 'no:cacheprovider',
                     *TESTS)


def aarch64(root: Path) -> Platform:
    """Run values and unit tests of execution in a Debian for aarch64, by qemu-user."""
    here, wheels = root / 'mbd_ros', 'build/wheels'
    here.mkdir(exist_ok=True)
    platform = Platform('aarch64')
    copy = ['tar', '--exclude=./.venv', '--exclude=./build', '--exclude=./.git', '-c', '.']
    with subprocess.Popen(copy, cwd=ROOT, stdout=subprocess.PIPE) as packed:
        subprocess.run(['tar', '-x'], cwd=here, stdin=packed.stdout, check=True)
    inside = ('chroot', str(root), 'env', f'QEMU_CPU={PROCESSOR}',
              f'PYTHONPATH=/mbd_ros:/mbd_ros/{wheels}', 'sh', '-c', 'cd /mbd_ros && exec "$@"',
              'sh')
    version = subprocess.run(
        [*inside, 'python3', '-c', 'import platform; print(platform.python_version())'],
        check=True, capture_output=True, text=True).stdout.strip()
    # The pip of this machine unpacks the wheels: under qemu it takes ten times as long.
    needed = [one for one in requires('mbd_ros') or () if 'extra ==' not in one]
    systems = [f'--platform=manylinux_2_{minor}_aarch64' for minor in range(17, 40)]
    if platform.run('installs', sys.executable, '-m', 'pip', 'install', '--quiet', '--upgrade',
                    '--target', str(here / wheels), '--only-binary=:all:', *systems,
                    '--platform=manylinux2014_aarch64', f'--python-version={version}',
                    *needed, *FOR_TESTS):
        platform.within = inside
        platform.run('values', 'python3', str(HERE / 'values.py'))
        platform.run('tests', 'python3', '-m', 'pytest', '-q', '-n', '0', '-p',
                     'no:cacheprovider', *ARM64_TESTS)
    return platform


def table(platforms: list[Platform]) -> str:
    """Return the results as a table in Markdown."""
    columns = ('installs', 'modules', 'values', 'node', 'page', 'tests')
    lines = [('platform', *columns), ('---',) * (len(columns) + 1)]
    lines += [(one.name, *(one.results.get(column, 'not run') for column in columns))
              for one in platforms]
    return '\n'.join(f'| {" | ".join(line)} |' for line in lines)


def main() -> int:
    """Run what is there, or what is named."""
    parser = argparse.ArgumentParser(description='Other Pythons, dependencies and processors.')
    parser.add_argument('--short', action='store_true', help='as .ci/run: a minute each')
    parser.add_argument('names', nargs='*', metavar='NAME', help='3.10, ..., oldest, aarch64')
    arguments = parser.parse_args()
    found, short = pythons(), arguments.short
    known = {version: (path, None) for version, path in found.items()
             if not short or version in SHORT}
    if OLDEST in found and not short:
        known['oldest'] = (found[OLDEST], Path('constraints-oldest.txt'))
    root = Path(os.environ.get('ARM64_ROOT', ROOT / 'build' / 'arm64'))
    arm = not short and (root / 'usr/bin/python3').exists()
    absent = [name for name in arguments.names
              if name not in known and not (name == 'aarch64' and arm)]
    if absent:
        parser.error(f'not found: {", ".join(absent)}; there are: '
                     f'{", ".join([*known, *(["aarch64"] if arm else [])])}')
    done = []
    for name, (path, constraints) in known.items():
        if arguments.names and name not in arguments.names:
            continue
        platform = Platform(name)
        done.append(platform)
        if platform.install(path, constraints):
            platform.check(short)
    if arm and (not arguments.names or 'aarch64' in arguments.names):
        done.append(aarch64(root))
    absent = [f'3.{minor}' for minor in MINORS if f'3.{minor}' not in found]
    print(f'\n{table(done)}\n\nnot on this machine: {", ".join(absent) or "none"}'
          + ('' if arm or short else ', aarch64 (scripts/arm64_root.sh)'))
    return 1 if any(one.failed for one in done) else 0


if __name__ == '__main__':
    sys.exit(main())
