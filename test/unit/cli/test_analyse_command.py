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

"""The command ``mbd_ros analyse``."""

from pathlib import Path
import sys

from mbd_ros.cli.command import main

ARM = str(Path(__file__).resolve().parents[3] / 'urdf' / 'puma560.urdf')


def test_the_table_and_what_is_fastest(capsys):
    assert main(['analyse', ARM, '--processors', '1,3']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split('  ')[0] == 'formulation'
    assert lines[0].endswith('p = 3')
    assert {line.split('  ')[0] for line in lines[1:-1]} >= {
        'composite bodies', 'recursive', 'jourdain', 'augmented', 'augmented, cyclic'}
    assert lines[-1].startswith("fastest on this machine: '")
    assert lines[-1].endswith('in a batch of 1000')


def test_wrong_words_are_explained(capsys):
    assert main(['analyse', ARM, '--processors', '1;2']) == 1
    assert "--processors is '1;2'; allowed: whole numbers" in capsys.readouterr().err


def test_a_plot_needs_matplotlib(capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, 'matplotlib.figure', None)
    assert main(['analyse', ARM, '--processors', '1', '--plot', str(tmp_path / 'x.png')]) == 1
    assert "pip install 'mbd_ros[docs]'" in capsys.readouterr().err
