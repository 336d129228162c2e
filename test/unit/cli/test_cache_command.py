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

"""The command ``mbd_ros cache``."""

import os
import subprocess
import sys

import pytest

from mbd_ros.cli.command import main
from mbd_ros.execution.ir.object_cache import ObjectCache


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv('MBD_ROS_CACHE', str(tmp_path / 'code'))
    return tmp_path / 'code'


def test_show_and_clear(folder, capsys):
    assert main(['cache', 'show']) == 0
    assert capsys.readouterr().out.splitlines() == [
        f'folder: {folder}', 'files:  0, 0.0 MB; the oldest go beyond 268 MB']
    ObjectCache(folder).store('a', bytes(150_000))
    (folder / 'mine.txt').write_text('not a file of the cache')
    main(['cache', 'show'])
    assert 'files:  1, 0.2 MB;' in capsys.readouterr().out
    assert main(['cache', 'clear']) == 0
    assert capsys.readouterr().out == '1 files removed\n'
    assert [path.name for path in folder.iterdir()] == ['mine.txt']


@pytest.mark.parametrize('value', ['', 'off'])
def test_off(value, monkeypatch, capsys):
    monkeypatch.setenv('MBD_ROS_CACHE', value)
    main(['cache', 'show'])
    assert capsys.readouterr().out == (
        'off (MBD_ROS_CACHE is empty or "off", or this user has no home)\n')
    main(['cache', 'clear'])
    assert capsys.readouterr().out == '0 files removed\n'


@pytest.mark.skipif(os.name != 'posix', reason='access rights are those of POSIX')
def test_a_folder_that_others_may_write(folder, capsys):
    folder.mkdir()
    folder.chmod(0o777)
    main(['cache', 'show'])
    assert 'not used: others than you may write there; chmod go-w' in capsys.readouterr().out


def test_wrong_words(capsys):
    with pytest.raises(SystemExit):
        main(['cash'])
    assert "invalid choice: 'cash' (choose from" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(['cache'])
    assert 'the following arguments are required: ACTION' in capsys.readouterr().err


def test_as_a_module(folder):
    answer = subprocess.run([sys.executable, '-m', 'mbd_ros', 'cache', 'show'], timeout=60,
                            capture_output=True, text=True, check=True)
    assert answer.stdout.startswith(f'folder: {folder}\n')
