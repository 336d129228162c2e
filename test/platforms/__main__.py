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
in each Debian that is unpacked in ``build/roots`` (``scripts/debian_root.sh``; the environment
variable PLATFORM_ROOTS names another folder): aarch64 by qemu-user, and the Python of the newest.
Where PyPI has no wheel of the DDS library, it is built (CYCLONE: a folder with its C sources).
Prints one table; exit code 1 if something is wrong.

    python test/platforms [--short] [NAME...]       NAME: 3.10, oldest, aarch64, ...

"""

from __future__ import annotations

import argparse
from importlib.metadata import requires
import os
from pathlib import Path
import platform
import shutil
import subprocess
import sys
import time

ROOT = Path(__file__).resolve().parents[2]
HERE = Path('test/platforms')
FOLDER = ROOT / 'build' / 'platforms'
ROOTS = Path(os.environ.get('PLATFORM_ROOTS', ROOT / 'build' / 'roots'))
OURS = ('./rosless', './rosless/tools', './interfaces/mbd_msgs', '.')
FOR_TESTS = ('pytest', 'hypothesis', 'pytest-xdist')
NEEDED = ('mbd-msgs', 'mbd_ros[viewer,xacro]', *FOR_TESTS)
OLDEST_NEEDED = ('mbd-msgs', 'mbd_ros[viewer,xacro,bag,plot]', *FOR_TESTS)
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
        if not os.path.lexists(self.python) and not self.run(
                'installs', 'scripts/make_venv.sh', python, str(self.folder)):
            return False
        needed = NEEDED
        bound: tuple[str, ...] = ()
        if constraints is not None:
            needed, bound = OLDEST_NEEDED, ('env', f'PIP_CONSTRAINT={ROOT / constraints}')
        pip = (str(self.python), '-m', 'pip', 'install', '--quiet', '--prefer-binary')
        return (self.run('installs', *pip, 'setuptools>=70.1,<80')
                and self.run('installs', str(self.python), 'scripts/install.py', *OURS)
                and self.run('installs', *bound, 'scripts/pip_install.sh',
                             str(self.folder / 'bin' / 'pip'), '--prefer-binary', *needed)
                and self.run('installs', *bound, 'scripts/install_rosless.sh',
                             str(self.folder / 'bin' / 'pip')))

    def wire(self) -> bool:
        """Return whether there is a DDS library; build it where PyPI has no wheel."""
        there = (str(self.python), '-c', 'import cyclonedds.core; print("yes")')
        sources = os.environ.get('CYCLONE')
        found = subprocess.run([*self.within, *there], cwd=ROOT, check=False, capture_output=True)
        return (found.returncode == 0 or self.run(
            'DDS', 'scripts/cyclone.sh', str(self.folder), *((sources,) if sources else ()))
        ) and self.run('DDS', *there)

    def check(self, short: bool) -> None:
        """Run what every platform has to pass."""
        python, nodes = str(self.python), self.wire()
        self.run('modules', python, str(HERE / 'imports.py'))
        self.run('values', python, str(HERE / 'values.py'))
        if nodes:
            self.run('node', python, str(HERE / 'node.py'), 'one')
        if not short:
            if nodes:
                self.run('page', python, str(HERE / 'node.py'), 'page')
            self.run('tests', python, '-m', 'pytest', '-q', '-n', '0', '-p', 'no:cacheprovider',
                     *TESTS)


def roots() -> dict[str, tuple[Path, str]]:
    """Return the systems that are unpacked, by architecture, each with its Python."""
    found = {}
    for root in sorted(ROOTS.glob('*/usr/bin/python3')):
        library = next(iter(sorted(root.parents[1].glob('lib/*-linux-gnu'))))
        version = root.readlink().name.removeprefix('python')
        name = library.name.removesuffix('-linux-gnu')
        name = version if name == platform.machine() else name
        found[name] = root.parents[2], f'python{version}'
    return found


def aarch64(root: Path) -> Platform:
    """Run values and unit tests of execution in a Debian for aarch64, by qemu-user."""
    emulated = Platform('aarch64')
    wheels = emulated.folder
    inside = ('env', f'QEMU_CPU={PROCESSOR}', f'PYTHONPATH={ROOT}:{wheels}',
              'scripts/in_root.sh', str(root))
    version = subprocess.run(
        [*inside, 'python3', '-c', 'import platform; print(platform.python_version())'],
        check=True, capture_output=True, text=True, cwd=ROOT).stdout.strip()
    # The pip of this machine unpacks the wheels: under qemu it takes ten times as long.
    needed = [one for one in requires('mbd_ros') or () if 'extra ==' not in one]
    systems = [f'--platform=manylinux_2_{minor}_aarch64' for minor in range(17, 40)]
    if emulated.run('installs', sys.executable, '-m', 'pip', 'install', '--quiet', '--upgrade',
                    '--target', str(wheels), '--only-binary=:all:', *systems,
                    '--platform=manylinux2014_aarch64', f'--python-version={version}',
                    *needed, *FOR_TESTS):
        emulated.within = inside
        emulated.run('values', 'python3', str(HERE / 'values.py'))
        emulated.run('tests', 'python3', '-m', 'pytest', '-q', '-n', '0', '-p',
                     'no:cacheprovider', *ARM64_TESTS)
    return emulated


def table(platforms: list[Platform]) -> str:
    """Return the results as a table in Markdown."""
    columns = ('installs', 'DDS', 'modules', 'values', 'node', 'page', 'tests')
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
    known: dict[str, tuple[str, Path | None]] = {
        version: (path, None) for version, path in found.items()
        if not short or version in SHORT}
    if OLDEST in found and not short:
        known['oldest'] = (found[OLDEST], Path('constraints-oldest.txt'))
    unpacked = {} if short else roots()
    arm = unpacked.pop('aarch64', None)
    known |= {version: (python, None) for version, (_, python) in unpacked.items()}
    names = [*known, *(['aarch64'] if arm else [])]
    absent = [name for name in arguments.names if name not in names]
    if absent:
        parser.error(f'not found: {", ".join(absent)}; there are: {", ".join(names)}')
    done = []
    for name, (path, constraints) in known.items():
        if arguments.names and name not in arguments.names:
            continue
        one = Platform(name)
        if name in unpacked:
            one.within = ('scripts/in_root.sh', str(unpacked[name][0]))
        done.append(one)
        if one.install(path, constraints):
            one.check(short)
    if arm and (not arguments.names or 'aarch64' in arguments.names):
        done.append(aarch64(arm[0]))
    absent = [f'3.{minor}' for minor in MINORS if f'3.{minor}' not in {**found, **unpacked}]
    absent += [] if arm or short else ['aarch64']
    print(f'\n{table(done)}\n\nnot on this machine: {", ".join(absent) or "none"}'
          + (' (scripts/debian_root.sh)' if absent else ''))
    return 1 if any(one.failed for one in done) else 0


if __name__ == '__main__':
    sys.exit(main())
