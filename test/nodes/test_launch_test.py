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
