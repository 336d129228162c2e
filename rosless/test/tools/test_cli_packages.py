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

"""Packages and interfaces by the ros2 command, and a package that a user makes."""

import argparse
import os
from pathlib import Path
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from ros2cli.command.pkg import create
import yaml


@pytest.fixture
def said(ros2):
    """Run a command to its end and return what it wrote."""
    def run(*words, status=0, env=None):
        command = ros2(*words, env=env)
        found = command.finish()
        assert found == status, command.text
        return command.text
    return run


def test_interfaces(said):
    assert said('interface', 'show', 'geometry_msgs/msg/Twist', '--no-comments') == (
        'Vector3 linear\n\tfloat64 x\n\tfloat64 y\n\tfloat64 z\n'
        'Vector3 angular\n\tfloat64 x\n\tfloat64 y\n\tfloat64 z')
    assert '---' in said('interface', 'show', 'std_srvs/srv/SetBool').splitlines()
    assert '    std_msgs/msg/String' in said('interface', 'list', '-m').splitlines()
    assert "no interface 'std_msgs/msg/Strin'" in said(
        'interface', 'show', 'std_msgs/msg/Strin', status=1)


def test_interface_proto(said):
    text = said('interface', 'proto', 'geometry_msgs/msg/PointStamped')
    assert text.startswith('"') and text.endswith('"')
    assert yaml.safe_load(text.strip('"')) == {
        'header': {'stamp': {'sec': 0, 'nanosec': 0}, 'frame_id': ''},
        'point': {'x': 0.0, 'y': 0.0, 'z': 0.0}}
    assert said('interface', 'proto', '--no-quotes', 'std_srvs/srv/SetBool') == 'data: false\n'
    assert said('interface', 'proto', 'no_pkg/msg/X', status=1).startswith(
        "The passed interface type is invalid: 'no_pkg/msg/X'")


def test_interface_packages_and_package(said):
    assert {'std_msgs', 'std_srvs', 'example_interfaces'} <= set(
        said('interface', 'packages').splitlines())
    assert 'std_msgs' not in said('interface', 'packages', '-a').splitlines()
    assert 'std_srvs/srv/SetBool' in said('interface', 'package', 'std_srvs').splitlines()


@pytest.fixture(scope='module')
def made(tmp_path_factory, environment):
    """Make a package by the command, and install it as colcon does; return its prefix."""
    folder = tmp_path_factory.mktemp('source')
    done = subprocess.run(
        [sys.executable, '-m', 'ros2cli', 'pkg', 'create', '--build-type', 'ament_python',
         '--destination-directory', folder, '--node-name', 'greet', '--description', 'A <test>',
         '--maintainer-name', 'Me', '--maintainer-email', 'me@here.org', '--license', 'MIT',
         '--dependencies', 'rclpy', '--', 'my_pkg'],
        env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith('going to create a new package\npackage name: my_pkg\n')
    assert f'creating {folder}/my_pkg/my_pkg/greet.py\n' in done.stdout
    prefix = tmp_path_factory.mktemp('install')
    base = str(prefix)
    # The call that colcon makes of an ament_python package.
    site = f'{base}/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages'
    os.makedirs(site)
    subprocess.run(
        [sys.executable, 'setup.py', '-q', 'install', '--prefix', base,
         '--single-version-externally-managed', '--record', f'{base}/record'],
        cwd=folder / 'my_pkg', env={**environment, 'PYTHONPATH': site}, check=True,
        capture_output=True)
    return prefix, site, folder / 'my_pkg'


def test_a_package_that_was_made_is_found_and_runs(said, made):
    prefix, site, _ = made
    env = {'AMENT_PREFIX_PATH': str(prefix),
           'PYTHONPATH': os.pathsep.join([site, *sys.path])}
    assert said('run', 'my_pkg', 'greet', env=env) == 'Hi from my_pkg.'
    assert said('pkg', 'executables', 'my_pkg', env=env) == 'my_pkg greet'
    assert said('pkg', 'xml', '-t', 'description', 'my_pkg', env=env) == 'A <test>'
    assert said('pkg', 'xml', '-t', 'depend', 'my_pkg', env=env) == 'rclpy'
    root = ElementTree.fromstring(said('pkg', 'xml', 'my_pkg', env=env))
    assert root.find('maintainer').get('email') == 'me@here.org'
    assert said('pkg', 'xml', '-t', 'nothing', 'my_pkg', env=env, status=1) == 'XML tag not found'


def test_pkg_xml_errors(said):
    assert said('pkg', 'xml', 'nothing', status=1) == 'Package not found'
    assert said('pkg', 'xml', 'std_msgs', status=1) == 'Package xml manifest not found'


@pytest.mark.parametrize(('words', 'text'), [
    (['my_pkg'], '--build-type ament_cmake is not available in rosless'),
    (['--build-type', 'ament_python', 'My-Pkg'], "'My-Pkg' is not a valid package name"),
    (['--build-type', 'ament_python', 'test'], "'ament_python' packages can't be named 'test'"),
])
def test_packages_that_cannot_be_made(said, tmp_path, words, text):
    assert text in said('pkg', 'create', '--destination-directory', tmp_path, *words, status=1)
    assert list(tmp_path.iterdir()) == []


def test_a_package_is_not_written_over(said, made):
    folder = made[2]
    text = said('pkg', 'create', '--build-type', 'ament_python', '--destination-directory',
                folder.parent, 'my_pkg', status=1)
    assert f'The directory already exists: {folder}' in text
    assert Path(folder, 'my_pkg', 'greet.py').is_file()


def test_a_user_without_a_name(monkeypatch):
    def unknown() -> str:
        raise KeyError('getpwuid(): uid not found: 1234')

    monkeypatch.setattr('getpass.getuser', unknown)
    parser = argparse.ArgumentParser()
    create.add_arguments(parser)
    assert parser.parse_args(['thing']).maintainer_name == 'user'
