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

"""An installation beside running programs: files change in one step, and only where they must."""

import os
from pathlib import Path
import re
import runpy
import shutil
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[3]
SITE = Path('lib/site-packages')
INSTALL = runpy.run_path(str(ROOT / 'scripts' / 'install.py'))
FIRST = {'lib/site-packages/robot/__init__.py': 'one', 'lib/site-packages/robot/same.py': 'same',
         'lib/site-packages/robot/old/gone.py': 'gone', 'share/robot/robot.yaml': 'one',
         'bin/robot': 'one'}
SECOND = {'lib/site-packages/robot/__init__.py': 'two', 'lib/site-packages/robot/same.py': 'same',
          'lib/site-packages/robot/new.py': 'new', 'share/robot/robot.yaml': 'two',
          'bin/robot': 'two'}


def install(prefix, files, version):
    """Write files of a package and what pip notes of them."""
    notes = f'lib/site-packages/robot-{version}.dist-info'
    files = {**files, f'{notes}/METADATA': f'Name: robot\nVersion: {version}\n'}
    files[f'{notes}/RECORD'] = ''.join(
        f'{os.path.relpath(name, SITE)},,\n' for name in (*files, f'{notes}/RECORD'))
    for name, text in files.items():
        (prefix / name).parent.mkdir(parents=True, exist_ok=True)
        (prefix / name).write_text(text)


def found(prefix):
    return {str(file.relative_to(prefix)) for file in prefix.rglob('*') if file.is_file()}


def test_no_file_is_missing_or_half_written_at_any_time(tmp_path, monkeypatch):
    """Looked at before and after every step that changes what a program finds."""
    staged, prefix = tmp_path / 'staged', tmp_path / 'prefix'
    install(prefix, FIRST, 1)
    install(staged, SECOND, 2)
    cache = Path(INSTALL['cache_from_source'](str(prefix / SITE / 'robot' / 'old' / 'gone.py')))
    cache.parent.mkdir()
    cache.touch()
    theirs = prefix / SITE / 'another.py'
    theirs.write_text('of another package')
    steps = []

    def look():
        for name in set(FIRST) & set(SECOND):
            assert (prefix / name).read_text() in (FIRST[name], SECOND[name]), name
        steps.append(found(prefix))

    def with_a_look(step):
        def looking(*arguments, **options):
            look()
            step(*arguments, **options)
            look()
        return looking

    for name in ('replace', 'unlink', 'rmdir', 'rename'):
        monkeypatch.setattr(os, name, with_a_look(getattr(os, name)))
    inode = (prefix / SITE / 'robot' / 'same.py').stat().st_ino
    INSTALL['take_over'](staged, prefix, SITE)
    monkeypatch.undo()
    assert len(steps) > 8
    compiled = {INSTALL['cache_from_source'](name)   # also of those that did not change
                for name in found(staged) if name.endswith('.py')}
    assert found(prefix) == found(staged) | compiled | {str(theirs.relative_to(prefix))}
    assert all((prefix / name).read_text() == text for name, text in SECOND.items())
    assert not (prefix / SITE / 'robot' / 'old').exists()
    assert (prefix / SITE / 'robot' / 'same.py').stat().st_ino == inode   # it was left alone


def test_what_installs_nothing_removes_nothing(tmp_path, capsys):
    # install.py --help emptied the environment: pip ended well and had installed no package.
    staged, prefix = tmp_path / 'staged', tmp_path / 'prefix'
    install(prefix, FIRST, 1)
    (staged / SITE).mkdir(parents=True)
    before = found(prefix)
    INSTALL['take_over'](staged, prefix, SITE)
    assert found(prefix) == before
    for words in ([], ['--help'], [str(tmp_path / 'absent')]):
        assert INSTALL['main'](words) == 2
    assert 'install: --help is no folder of a package' in capsys.readouterr().err


PIP = """#!/bin/sh
cat <<X
Looking in links: /wheels
Collecting llvmlite>=0.45 (from mbd_ros)
  Downloading llvmlite-0.50.0-cp313-manylinux.whl (56.4 MB)
Collecting trimesh[easy]>=3 (from yourdfpy)
  Downloading trimesh-5.2.0-py3-none-any.whl.metadata (2.1 kB)
  Using cached trimesh-5.2.0-py3-none-any.whl (741 kB)
Collecting big
  Downloading big.whl (102.0 MB)
Installing collected packages: big, llvmlite, trimesh
X
exit {code}
"""


@pytest.mark.parametrize('code', [0, 3])
def test_pip_says_what_it_fetches_and_how_much_it_unpacks(tmp_path, code):
    pip = tmp_path / 'pip'
    pip.write_text(PIP.format(code=code))
    pip.chmod(0o755)
    (tmp_path / 'python').symlink_to(shutil.which('true'))
    done = subprocess.run([ROOT / 'scripts' / 'pip_install.sh', pip, 'mbd_ros'], check=False,
                          capture_output=True, text=True)
    assert done.returncode == code
    assert done.stdout.splitlines() == [
        '  llvmlite (56.4 MB)', '  trimesh', '  big (102.0 MB)',
        '  unpacking 3 packages of 159 MB, which takes longest ...']
    assert ('Looking in links' in done.stderr) == (code != 0)   # after an error, all that it said


def test_pip_is_not_asked_for_our_packages_by_name():
    # PyPI has a package rosless of others, which pip tried where a wheel of ours was missing.
    names = 'rosless[test] rosless-tools mbd_ros[viewer,xacro] mbd-msgs colcon>=1'
    done = subprocess.run([sys.executable, ROOT / 'scripts' / 'needed.py'], input=names,
                          capture_output=True, text=True, check=True)
    found = {re.match(r'[\w.-]+', line)[0].lower(): line for line in done.stdout.split('\n')
             if line}
    assert not {'rosless', 'rosless-tools', 'mbd-msgs', 'mbd-ros', 'mbd_ros'} & set(found)
    assert {'numpy', 'pytest', 'lxml', 'viser', 'xacro', 'rosbags', 'colcon'} <= set(found)
    assert not {'mujoco', 'ray', 'sphinx'} & set(found)   # of extras that nobody asked for
    assert ';' not in done.stdout and found['colcon'] == 'colcon>=1'


@pytest.fixture
def make(tmp_path):
    """Return a function that runs make install, without pip; it tells what was installed."""
    if shutil.which('make') is None:
        pytest.skip('there is no make')
    shutil.copy(ROOT / 'Makefile', tmp_path)
    for name in ('mbd_ros/a.py', 'mbd_ros/b.py', 'rosless/src/a.py', 'rosless/tools/src/a.py',
                 'interfaces/a.msg', 'launch/a.py', 'urdf/a.urdf', 'config/a.yaml', 'resource/a',
                 'package.xml', 'setup.py', 'setup.cfg', 'rosless/setup.py',
                 'rosless/pyproject.toml', 'rosless/tools/pyproject.toml', 'scripts/install.py',
                 'scripts/install_rosless.sh', 'venv/stamps/venv'):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()

    def run():
        done = subprocess.run(
            ['make', 'install', 'VENV=venv', 'BIN=: #', 'PIP_INSTALL=:', 'INSTALL_ROSLESS=:'],
            cwd=tmp_path, env={'PATH': os.environ['PATH']}, capture_output=True, text=True,
            timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        for file in tmp_path.rglob('*'):   # long ago, whatever the resolution of the clock
            age = 2.0 if file.name == 'installed' else 1.0
            os.utime(file, (age, age))
        return 'installing' in done.stdout
    return run


def test_it_is_installed_anew_for_sources_and_not_for_caches(make, tmp_path):
    assert make()
    assert not make()
    cache = tmp_path / 'mbd_ros' / '__pycache__'
    cache.mkdir()   # as Python does: the time of the folder around it changes
    (cache / 'a.pyc').touch()
    assert not make()
    (tmp_path / 'mbd_ros' / 'b.py').unlink()
    assert make()
    assert not make()
    (tmp_path / 'mbd_ros' / 'a.py').write_text('# changed')
    assert make()
    assert not make()


NO_WHEEL = ('ERROR: Could not find a version that satisfies the requirement cyclonedds<12\n'
            'ERROR: No matching distribution found for cyclonedds<12,>=11.0.1\n')


@pytest.mark.parametrize(('said', 'status', 'expected'), [
    ('', 0, None), (NO_WHEEL, 1, 'no wheel'),
    ('ERROR: No matching distribution found for rosbags\n', 1, 'an error'),
    ('WARNING: Retrying (Retry(total=4)) after connection broken\n' + NO_WHEEL, 1, 'an error')])
def test_where_no_wheel_of_the_dds_library_fits_two_lines_say_so(tmp_path, said, status, expected):
    (tmp_path / 'said').write_text(said)
    for name, text in (('pip', f'echo "$@" > {tmp_path}/asked; cat {tmp_path}/said; '
                        f'exit {status}'), ('python', 'echo Python 3.14.1')):
        (tmp_path / name).write_text(f'#!/bin/sh\n{text}\n')
        (tmp_path / name).chmod(0o755)
    done = subprocess.run(['scripts/install_rosless.sh', str(tmp_path / 'pip')], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    asked = (tmp_path / 'asked').read_text()
    assert '--prefer-binary --only-binary=cyclonedds,cyclonedds-nightly' in asked
    assert done.returncode == (1 if expected == 'an error' else 0)
    assert done.stderr == (said if expected == 'an error' else '')
    lines = done.stdout.splitlines()
    assert len(lines) == (2 if expected == 'no wheel' else 0)
    if lines:
        assert 'Python 3.14.1' in lines[0] and 'make cyclone' in lines[1]


def test_the_demo_needs_no_dds_library(tmp_path):
    """A run as a page, which is what ``make demo`` shows where there is none."""
    script = runpy.run_path(str(ROOT / 'scripts' / 'demo_without_nodes.py'))
    run = script['run_of']('three_link_arm')
    assert run.violation[-1] < 1e-3 < run.violation[0]   # pulled onto the path [m], and on it
    with pytest.raises(SystemExit, match="no robot 'nobody'"):
        script['run_of']('nobody')
