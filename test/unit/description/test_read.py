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

"""Paths, texts, and what they are mistaken for."""

import subprocess
import sys

from described import bare, robot
import pytest

from mbd_ros.description import Link, read, Source
from mbd_ros.description.xml.xml_tree import MAX_BYTES
from mbd_ros.errors import DescriptionError

TEXT = robot(bare('a'))


def test_path_and_text_give_the_same(tmp_path):
    path = tmp_path / 'robot.urdf'
    path.write_text(TEXT)
    assert read(path).root == read(str(path)).root == read(TEXT).root == 'a'
    assert read(TEXT).file == '<string>'


@pytest.mark.parametrize('before', ['\n  ', '\ufeff', '\n<?xml version="1.0"?>', '<!-- x -->'])
def test_what_may_stand_before_the_robot(before):
    assert read(before + TEXT).root == 'a'


def test_a_missing_file_names_its_neighbour(tmp_path):
    (tmp_path / 'robot.urdf').write_text(TEXT)
    path = tmp_path / 'robto.urdf'
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: there is no such file; did you mean 'robot.urdf'?"


def test_a_missing_folder_is_named(tmp_path):
    path = tmp_path / 'no' / 'robot.urdf'
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value) == (f'{path}: there is no such file; there is no folder '
                                 f"'{tmp_path / 'no'}' either")


@pytest.mark.parametrize('path', ['/', '/dev/zero'])
def test_what_is_no_file(path):
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value) == f'{path}: the file cannot be read: it is not a regular file'


def test_a_file_that_is_too_large(tmp_path):
    path = tmp_path / 'large.urdf'
    with path.open('wb') as file:
        file.truncate(10 * MAX_BYTES)  # takes no space on the disk
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value) == (
        f'{path}: the description is larger than {MAX_BYTES} bytes, which no robot is')


@pytest.mark.parametrize('path', ['a\0b', 'x' * 5000])
def test_what_cannot_be_a_path(path):
    with pytest.raises(DescriptionError, match=r'the file cannot be read|there is no such file'):
        read(path)


def test_a_module_graph(tmp_path):
    file = tmp_path / 'robot.yaml'
    file.write_text('module_graph: 1\nname: one\ntypes: {cube: {bodies: {hull: {}}}}\n'
                    'instances: {a: cube}\nbase: {module: a}\n')
    mechanism = read(file)
    assert (mechanism.name, mechanism.root, mechanism.file) == ('one', 'a/hull', str(file))
    assert read(mechanism.text).links == (Link('a/hull', None, Source('<string>', 2)),)


def test_the_readers_are_imported_only_when_needed():
    # yourdfpy brings trimesh with it, half a second that a node without a robot need not wait.
    code = ('import sys, mbd_ros.model; '
            'print([name for name in ("yourdfpy", "trimesh", "xacro") if name in sys.modules])')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=60,
                          check=True)
    assert done.stdout == '[]\n'
