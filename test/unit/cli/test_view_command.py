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

"""A saved run becomes one HTML file."""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.cli.command import main

URDF = Path(__file__).resolve().parents[3] / 'urdf'


def test_a_run_becomes_a_page(tmp_path, capsys):
    model = mbd_ros.load(URDF / 'three_link_arm.urdf')
    mbd_ros.simulate(model, np.full(3, 0.2), np.zeros(3), 0.5).save(tmp_path / 'run.npz')
    assert main(['view', str(tmp_path / 'run.npz')]) == 0
    text = (tmp_path / 'run.html').read_text(encoding='utf-8')
    assert '__VISER_EMBED_DATA__="' in text and 'http-equiv="refresh"' not in text
    assert capsys.readouterr().out == f'{tmp_path / "run.html"}: 16 frames, 0.5 s\n'


@pytest.mark.parametrize(('robot', 'output', 'message'), [
    (False, 'run.html', 'saved with its robot'), (True, 'no/run.html', 'cannot be written')])
def test_what_cannot_be_shown(robot, output, message, tmp_path, capsys):
    model = mbd_ros.load(URDF / 'three_link_arm.urdf')
    run = mbd_ros.simulate(model, np.zeros(3), np.zeros(3), 0.01)
    run._replace(model=model if robot else None).save(tmp_path / 'run.npz')
    assert main(['view', str(tmp_path / 'run.npz'), '-o', str(tmp_path / output)]) == 1
    assert message in capsys.readouterr().err


def test_a_bag_becomes_a_page(tmp_path, capsys):
    model = mbd_ros.load(URDF / 'three_link_arm.urdf')
    mbd_ros.simulate(model, np.full(3, 0.2), np.zeros(3), 0.5).save(tmp_path / 'run')
    assert main(['view', str(tmp_path / 'run')]) == 0
    assert capsys.readouterr().out == f'{tmp_path / "run.html"}: 16 frames, 0.5 s\n'
