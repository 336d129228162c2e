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

"""The manifests agree with each other and with what is in the repository."""

import ast
from pathlib import Path
import re
import shlex
import subprocess
from unittest import mock
import xml.etree.ElementTree as ElementTree

from packaging.requirements import Requirement
from parsed import nodes_of
import pytest
import yaml

import mbd_ros

ROOT = Path(__file__).resolve().parents[3]
MSGS = ROOT / 'interfaces' / 'mbd_msgs'

# Python packages whose rosdep key is not their name after python3-, and those without a key.
ROSDEP_KEYS = {'pyyaml': 'python3-yaml'}
NO_ROSDEP_KEY = {'llvmlite', 'setuptools', 'trimesh', 'yourdfpy'}
EXTRAS_OF_USERS = ('viewer', 'xacro', 'bag', 'plot', 'ray')   # the others are of developers


def setup_arguments(folder: Path) -> dict[str, object]:
    """Return the keyword arguments of ``setup(...)`` that are plain values."""
    tree = ast.parse((folder / 'setup.py').read_text(encoding='utf-8'))
    call = next(
        node for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == 'setup')
    values = {}
    for keyword in call.keywords:
        try:
            values[keyword.arg] = ast.literal_eval(keyword.value)
        except ValueError:
            values[keyword.arg] = ast.unparse(keyword.value)
    return values


def dependencies(folder: Path) -> list[str]:
    """Return the dependencies in a ``pyproject.toml``, whose lines of text Python 3.10 reads."""
    text = (folder / 'pyproject.toml').read_text(encoding='utf-8')
    listed = re.search(r'^dependencies = (\[.*?^\])', text, re.MULTILINE | re.DOTALL)
    return list(ast.literal_eval(listed[1]))


def console_scripts(commands: list[str]) -> list[str]:
    """Return the entry points that ``setup.py`` gives for commands of setuptools."""
    source = (ROOT / 'setup.py').read_text(encoding='utf-8')
    found: dict[str, object] = {}
    with mock.patch('setuptools.setup'):
        exec(compile(source, 'setup.py', 'exec'), found)
    return found['console_scripts'](commands)


def manifest(folder: Path) -> ElementTree.Element:
    """Return the root of a package.xml."""
    return ElementTree.parse(folder / 'package.xml').getroot()


@pytest.mark.parametrize('folder', [ROOT, MSGS], ids=['mbd_ros', 'mbd_msgs'])
def test_package_xml_is_format_3_and_agrees_with_setup_py(folder):
    package = manifest(folder)
    setup = setup_arguments(folder)
    assert package.get('format') == '3'
    assert package.findtext('version') == setup['version']
    assert package.findtext('license') == setup['license'] == 'Apache-2.0'
    assert f"NAME = '{package.findtext('name')}'" in (folder / 'setup.py').read_text()


def test_both_packages_have_one_version():
    assert manifest(ROOT).findtext('version') == manifest(MSGS).findtext('version')


def test_changelog_starts_with_the_version():
    changelog = (ROOT / 'CHANGELOG.rst').read_text()
    first = re.search(r'^(\d+\.\d+\.\d+|Forthcoming)', changelog, re.MULTILINE)
    assert first is not None
    assert first.group() in ('Forthcoming', manifest(ROOT).findtext('version'))


def test_citation_workflow_and_hooks_agree_with_the_rest():
    citation = yaml.safe_load((ROOT / 'CITATION.cff').read_text(encoding='utf-8'))
    assert citation['version'] == manifest(ROOT).findtext('version')
    assert citation['license'] == manifest(ROOT).findtext('license')
    changelog = (ROOT / 'CHANGELOG.rst').read_text(encoding='utf-8')
    assert f"{citation['version']} ({citation['date-released']})" in changelog
    workflow = yaml.safe_load((ROOT / '.github/workflows/ci.yml').read_text(encoding='utf-8'))
    assert workflow['jobs']['run']['steps'][-1] == {'run': '.ci/run'}
    matrix = workflow['jobs']['run']['strategy']['matrix']
    assert matrix['python'] == [f'3.{minor}' for minor in range(10, 15)]   # the classifiers
    assert 'in range(10, 15)' in setup_arguments(ROOT)['classifiers']
    assert [one['machine'] for one in matrix['include']] == ['ubuntu-24.04-arm']
    on_ros = yaml.safe_load((ROOT / '.github/workflows/ros.yml').read_text(encoding='utf-8'))
    assert '-f .ci/Dockerfile' in on_ros['jobs']['run']['steps'][1]['run']
    hooks = yaml.safe_load((ROOT / '.pre-commit-config.yaml').read_text(encoding='utf-8'))
    (subject,) = (one['entry'] for one in hooks['repos'][0]['hooks'] if one['id'] == 'subject')
    for length, allowed in ((72, True), (73, False)):
        done = subprocess.run([*shlex.split(subject), '/dev/stdin'], input='x' * length + '\nbody',
                              text=True, check=False)
        assert (done.returncode == 0) == allowed


def test_build_types():
    assert manifest(ROOT).findtext('export/build_type') == 'ament_python'
    assert manifest(MSGS).findtext('export/build_type') == 'ament_cmake'
    assert manifest(MSGS).findtext('member_of_group') == 'rosidl_interface_packages'


def test_every_python_dependency_is_in_package_xml():
    declared = {node.text for node in manifest(ROOT).iter('exec_depend')}
    for requirement in setup_arguments(ROOT)['install_requires']:
        name = re.match(r'[\w-]+', requirement).group()
        if name not in NO_ROSDEP_KEY:
            assert ROSDEP_KEYS.get(name, f'python3-{name}') in declared
        elif name != 'setuptools':   # the README and the image for ROS 2 say how else
            for file in ('README.md', '.ci/Dockerfile'):
                assert name in (ROOT / file).read_text(encoding='utf-8'), (file, name)
    assert not [key for key in declared if key.endswith('-pip')]   # they block a release


def test_the_oldest_dependencies_are_those_that_are_allowed():
    # What make platforms runs as the oldest: a pin for all that users install, at its lower bound.
    setup = setup_arguments(ROOT)
    ours = {'mbd_ros', 'rosless', 'rosless-tools'}
    allowed = [Requirement(line) for line in (
        *setup['install_requires'],
        *(line for extra in EXTRAS_OF_USERS for line in setup['extras_require'][extra]),
        *dependencies(ROOT / 'rosless'), *dependencies(ROOT / 'rosless' / 'tools'))]
    allowed = [one for one in allowed if one.name not in ours
               and (one.marker is None or one.marker.evaluate({'python_version': '3.10'}))]
    pins = {one.name.lower(): str(one.specifier).removeprefix('==') for one in (
        Requirement(line) for line in
        (ROOT / 'constraints-oldest.txt').read_text(encoding='utf-8').splitlines()
        if not line.startswith('#'))}
    assert {one.name.lower() for one in allowed} == set(pins)
    for one in allowed:
        pin = pins[one.name.lower()]
        assert pin in one.specifier
        for bound in one.specifier:
            if bound.operator == '>=':   # its numbers, and others only behind them
                assert f'{pin}.'.startswith(f'{bound.version}.'), one


def test_every_ros_package_imported_is_in_package_xml():
    declared = {node.text for node in manifest(ROOT).iter('exec_depend')}
    known = declared | {
        'rclpy', 'launch', 'launch_ros', 'ament_index_python', 'tf2_ros', 'tf2_msgs',
        'sensor_msgs', 'std_msgs', 'std_srvs', 'nav_msgs', 'geometry_msgs', 'trajectory_msgs',
        'visualization_msgs', 'rosgraph_msgs', 'builtin_interfaces', 'diagnostic_msgs',
        'control_msgs', 'rcl_interfaces', 'lifecycle_msgs', 'action_msgs', 'mbd_msgs'}
    used = set()
    for folder in ('mbd_ros', 'launch'):
        for path in (ROOT / folder).rglob('*.py'):
            for node in nodes_of(path):
                if isinstance(node, ast.Import):
                    used.update(alias.name.split('.')[0] for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    used.add(node.module.split('.')[0])
    assert used & known <= declared


def test_colcon_marker_files():
    assert (ROOT / 'resource' / 'mbd_ros').is_file()
    assert (MSGS / 'resource' / 'mbd_msgs').is_file()
    assert (ROOT / 'rosless' / 'COLCON_IGNORE').is_file()
    assert (ROOT / 'mbd_ros' / 'py.typed').is_file()


def test_executables_go_where_ros2_run_looks():
    settings = (ROOT / 'setup.cfg').read_text()
    assert 'script_dir=$base/lib/mbd_ros' in settings
    assert 'install_scripts=$base/lib/mbd_ros' in settings


def test_every_executable_has_its_node():
    for line in console_scripts(['install']):
        name, target = (part.strip() for part in line.split('='))
        module, function = target.split(':')
        assert target == ('mbd_ros.cli.command:main' if name == 'mbd_ros' else
                          f'mbd_ros.nodes.executables:{name}')
        source = (ROOT / (module.replace('.', '/') + '.py')).read_text(encoding='utf-8')
        assert function in {
            node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}


def test_executables_have_names_of_their_own_on_the_path():
    """A wheel's are on the PATH of everybody; those of colcon are in a folder of the package."""
    def names(*commands):
        return {line.partition(' = ')[0] for line in console_scripts(list(commands))}
    ours = names('install') - {'mbd_ros'}
    assert ours == names('develop') - {'mbd_ros'} and 'controller' in ours
    for command in ('bdist_wheel', 'dist_info', 'editable_wheel', 'egg_info'):
        assert names(command) == {'mbd_ros', *(f'mbd_{name}' for name in ours)}


def test_the_version_is_the_same_everywhere():
    found = {ElementTree.parse(ROOT / 'package.xml').findtext('version'),
             setup_arguments(ROOT)['version']}
    assert found == {mbd_ros.__version__}
    assert f'version: {mbd_ros.__version__}' in (ROOT / 'CITATION.cff').read_text()
