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

"""Nodes leave the processors to each other."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(('said', 'threads'), [({}, '1'), ({'OPENBLAS_NUM_THREADS': '3'}, '3')])
def test_matrices_take_one_thread_unless_somebody_says_so(said, threads):
    """Threads of OpenBLAS that wait take processor time of the nodes beside them."""
    script = 'import os, mbd_ros.nodes; print(os.environ["OPENBLAS_NUM_THREADS"])'
    known = {name: value for name, value in os.environ.items() if name != 'OPENBLAS_NUM_THREADS'}
    assert subprocess.run([sys.executable, '-c', script], check=True, capture_output=True,
                          text=True, env=known | said).stdout.strip() == threads
