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

"""The demo passes a launch test of a kind that users of ROS 2 write."""

from pathlib import Path
import sys

import pytest

pytestmark = pytest.mark.nodes
TEST = Path(__file__).resolve().with_name('track_launch_testing.py')


def test_the_demo_passes_a_launch_test(start):
    # A real rclpy from PyPI comes without the tools; here rosless-tools has it.
    pytest.importorskip('launch_testing')
    running = start(sys.executable, '-m', 'launch_testing.launch_test', TEST)
    running.process.wait(280.0)   # the test's own limits, and time to start and to end
    assert running.process.returncode == 0, running.output
    assert running.output.count('\nOK') == 2   # beside the processes, and afterwards
