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

"""What ``mbd_ros.torch`` says where PyTorch is not installed, or cannot do."""

from pathlib import Path
import subprocess
import sys

import pytest
from robots import model_of

import mbd_ros
from mbd_ros.errors import InvalidValueError, MachineError, UnsupportedError

ARM = Path(__file__).resolve().parents[3] / 'urdf' / 'three_link_arm.urdf'


def test_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'torch', None)
    with pytest.raises(MachineError, match=r"pip install 'mbd_ros\[torch\]'"):
        mbd_ros.torch(mbd_ros.load(ARM), 'forward_dynamics')


def test_robots_and_functions_that_it_has_not():
    with pytest.raises(InvalidValueError, match="'forward_dynamics' or 'inverse_dynamics'"):
        mbd_ros.torch(mbd_ros.load(ARM), 'mass_matrix')
    with pytest.raises(UnsupportedError, match='revolute or prismatic'):
        mbd_ros.torch(model_of([0], ['floating'], 1), 'forward_dynamics')


def test_it_is_not_imported_before_it_is_used():
    code = "import sys, mbd_ros; mbd_ros.torch; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                          check=True)
    assert done.stdout == 'False\n'
