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

"""What colcon build and pip install put where: everything that ros2 launch and run look for."""

import os
from pathlib import Path
import shutil
import subprocess
import sys
import tarfile

import pytest

ROOT = Path(__file__).resolve().parents[3]
EXECUTABLES = (
    'composed', 'controller', 'dynamics_server', 'gait', 'module_manager', 'simulator', 'viewer')
SHIPPED = ('launch', 'urdf', 'config')
NOT_COPIED = shutil.ignore_patterns('.*', 'build', 'install', 'log', '__pycache__', '*.egg-info')
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get('PATH', os.defpath)])


def run(command, **options):
    """Run a command to its end and show what it said if it failed."""
    options.setdefault('env', {**os.environ, 'PATH': PATH})
    done = subprocess.run(
        [str(part) for part in command], text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False, **options)
    assert done.returncode == 0, done.stdout
    return done.stdout


def data_of(folder: Path, names) -> set[str]:
    """Return the data files in the given folders, relative to ``folder``."""
    return {
        path.relative_to(folder).as_posix()
        for name in names for path in (folder / name).rglob('*')
        if path.is_file() and '__pycache__' not in path.parts}


@pytest.fixture(scope='module')
def colcon_install(tmp_path_factory):
    """Return the install base of a colcon build in a folder of its own."""
    colcon = shutil.which('colcon', path=PATH)
    if colcon is None:
        pytest.skip('colcon is not installed; make test installs it')
    base = tmp_path_factory.mktemp('colcon')
    run([colcon, '--log-base', base / 'log', 'build',
         '--base-paths', ROOT, ROOT / 'interfaces',
         '--build-base', base / 'build', '--install-base', base / 'install'], cwd=base)
    return base / 'install'


@pytest.fixture(scope='module')
def pip_prefix(tmp_path_factory):
    """Return the prefix of a pip install of copies, so that the sources stay as they are."""
    base = tmp_path_factory.mktemp('pip')
    copies = (base / 'mbd_ros', base / 'mbd_msgs')
    for source, copy in zip((ROOT, ROOT / 'interfaces' / 'mbd_msgs'), copies, strict=True):
        shutil.copytree(source, copy, ignore=NOT_COPIED)
    run([sys.executable, '-m', 'pip', 'install', '--quiet', '--no-deps', '--ignore-installed',
         '--use-pep517', '--no-build-isolation', '--prefix', base / 'prefix', *copies])
    return base / 'prefix'


def check_share(prefix: Path, package: str, sources: Path, folders) -> None:
    """Check the marker, the manifest and the data files of one package under a prefix."""
    marker = prefix / 'share' / 'ament_index' / 'resource_index' / 'packages' / package
    assert marker.is_file()
    share = prefix / 'share' / package
    assert (share / 'package.xml').read_text() == (sources / 'package.xml').read_text()
    assert data_of(share, folders) == data_of(sources, folders)


def test_colcon_installs_all_of_mbd_ros(colcon_install):
    prefix = colcon_install / 'mbd_ros'
    check_share(prefix, 'mbd_ros', ROOT, SHIPPED)
    for name in EXECUTABLES:
        assert os.access(prefix / 'lib' / 'mbd_ros' / name, os.X_OK), name
    assert list(prefix.glob('lib/python3*/site-packages/mbd_ros/py.typed'))


def test_colcon_installs_the_definitions(colcon_install):
    check_share(colcon_install / 'mbd_msgs', 'mbd_msgs', ROOT / 'interfaces' / 'mbd_msgs', [])
    installed = data_of(colcon_install / 'mbd_msgs' / 'share' / 'mbd_msgs', ('msg', 'srv'))
    # On ROS 2 the generated .idl files lie beside them.
    assert data_of(ROOT / 'interfaces' / 'mbd_msgs', ('msg', 'srv')) <= installed


def test_the_setup_script_of_colcon_finds_both_packages(colcon_install):
    said = run(
        ['sh', '-c', '. ./setup.sh && echo "=$AMENT_PREFIX_PATH"'], cwd=colcon_install,
        env={'PATH': PATH, 'COLCON_PYTHON_EXECUTABLE': sys.executable})
    prefixes = said.strip().splitlines()[-1].lstrip('=').split(':')
    assert {str(colcon_install / 'mbd_ros'), str(colcon_install / 'mbd_msgs')} <= set(prefixes)
    assert 'not found' not in said


def test_pip_makes_an_ament_prefix(pip_prefix):
    check_share(pip_prefix, 'mbd_ros', ROOT, SHIPPED)
    check_share(pip_prefix, 'mbd_msgs', ROOT / 'interfaces' / 'mbd_msgs', ('msg', 'srv'))
    programs = {path.name for path in (pip_prefix / 'bin').iterdir()}
    assert programs == {'mbd_ros', *(f'mbd_{name}' for name in EXECUTABLES)}
    assert list(pip_prefix.glob('lib/python3*/site-packages/mbd_ros/py.typed'))


def test_pip_installs_the_package_and_nothing_else(pip_prefix):
    installed = {path.name for path in pip_prefix.glob('lib/python3*/site-packages/*')}
    assert {name for name in installed if not name.endswith('.dist-info')} == {'mbd_ros'}


@pytest.mark.parametrize(('folder', 'others'), [
    ('rosless', ('setup.py', 'MANIFEST.in')), ('rosless/tools', ())])
def test_the_source_archives_of_rosless_have_all_that_they_are_built_from(
        folder, others, tmp_path):
    sources = shutil.copytree(ROOT / folder / 'src', tmp_path / 'rosless' / 'src',
                              ignore=NOT_COPIED)
    for name in ('pyproject.toml', 'README.md', 'LICENSE', *others):
        shutil.copy(ROOT / folder / name, sources.parent)
    run([sys.executable, '-c', 'from setuptools import build_meta\n'
         f'build_meta.build_sdist({str(tmp_path)!r})'], cwd=sources.parent)
    (archive,) = tmp_path.glob('*.tar.gz')
    with tarfile.open(archive) as opened:
        packed = {name.partition('/')[2] for name in opened.getnames()}
    assert {f'src/{name}' for name in data_of(sources, ['.'])
            if '.egg-info' not in name} <= packed
