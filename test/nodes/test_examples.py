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

"""The examples of the tutorial on services, as a user runs them; the page quotes them."""

from pathlib import Path
import shutil
import subprocess
import sys

import numpy as np
from processes import PATH
import pytest

import mbd_ros

ROOT = Path(__file__).resolve().parents[2]
ASK, SEND = (ROOT / 'examples' / f'{name}.py' for name in ('ask_dynamics_server', 'send_goal'))
REASON = ('trajectory rejected: the trajectory cannot be followed ',
          "rad/s of joint 'joint1' is beyond")
pytestmark = pytest.mark.nodes


def finish(*words):
    """Run a command to its end, and return what it wrote."""
    done = subprocess.run(words, text=True, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize('example', [ASK, SEND], ids=lambda path: path.stem)
def test_the_page_quotes_the_example(example):
    page = (ROOT / 'docs' / 'tutorials' / 'services.md').read_text(encoding='utf-8')
    program = example.read_text(encoding='utf-8').partition('\n\n')[2]   # below the licence
    assert f'```python\n{program}```' in page


def test_the_example_prints_what_holds_the_arm(launch, urdf):
    launch('dynamics_server.launch.py', 'robot:=three_link_arm')
    model = mbd_ros.load(urdf('three_link_arm'))
    tau = mbd_ros.gravity_forces(model, np.array([0.0, -0.5, 1.0]))
    expected = f'{dict(zip(model.joint_names, tau.tolist()))}\n'
    assert finish(sys.executable, str(ASK)).stdout == expected


def test_why_a_goal_is_rejected_reaches_who_sent_it(launch):
    running = launch('track.launch.py', 'viewer:=false')
    running.wait_for('\\[controller\\]: .*generation 1')
    told = finish(sys.executable, str(SEND)).stderr
    said = finish(shutil.which('ros2', path=PATH), 'action', 'send_goal',
                  '/controller/follow_joint_trajectory',
                  'control_msgs/action/FollowJointTrajectory',
                  '{trajectory: {joint_names: [joint1, joint2, joint3], points: ['
                  '{positions: [3.0, 0.0, 0.0], time_from_start: {nanosec: 100000000}}]}}').stdout
    assert 'Goal was rejected.\n[ERROR] [controller]: ' in said
    assert all(part in text for part in REASON for text in (told, said))
