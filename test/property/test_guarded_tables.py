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

"""Machine code reads and writes its own tables only, whatever body or the ground is its target."""

from pathlib import Path
import subprocess
import sys

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / 'support' / 'guarded.py'


@pytest.mark.parametrize('end', ['low', 'high'])
@pytest.mark.parametrize('seed', range(2))
def test_every_program_under_every_executor_between_guard_pages(seed, end):
    """In a process of its own, which a wrong address ends; random trees and loops."""
    done = subprocess.run([sys.executable, str(SCRIPT), str(seed), end], capture_output=True,
                          text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == 'all tables kept\n'
