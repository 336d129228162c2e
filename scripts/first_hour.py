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

"""
Walk docs/tutorials/my_robot.md with four arms that are fetched, and write down what was said.

    mkdir arms && cd arms
    git clone https://github.com/UniversalRobots/Universal_Robots_ROS2_Description
    git clone https://github.com/Kinovarobotics/ros2_kortex
    git clone https://github.com/xArm-Developer/xarm_ros2
    git clone https://github.com/yguel/scara_tutorial_ros2
    cd .. && .venv/bin/python scripts/first_hour.py arms --write docs/first_hour.md

Each arm is launched as the tutorial says, led to a posture by a goal for its joints, and its tool
follows a circle. ``--only NAME`` walks with one of them. Exit code 1: one did not arrive.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import numpy as np

BIN = Path(sys.executable).parent
STARTED, ANSWERED = 900.0, 600.0
"""Seconds to wait for a launch and for an answer, on a machine with other work."""
JOINTS, TOOL = 1e-3, 2e-3
"""Largest error [rad or m] of the joints at their goal, and of the tool [m] on its path."""


class Arm(NamedTuple):
    """An arm: its file below the folder, its arguments, and the posture to begin with."""

    name: str
    file: str
    arguments: str
    link: str
    joints: dict[str, float]
    packages: str = ''


ARMS = (
    Arm('UR5e', 'Universal_Robots_ROS2_Description/urdf/ur.urdf.xacro', 'ur_type:=ur5e name:=ur',
        'tool0', {'shoulder_pan_joint': 0.0, 'shoulder_lift_joint': -1.5, 'elbow_joint': 1.5,
                  'wrist_1_joint': -1.5, 'wrist_2_joint': -1.5, 'wrist_3_joint': 0.0}),
    Arm('Kinova Gen3', 'ros2_kortex/kortex_description/robots/gen3.xacro', 'dof:=7',
        'end_effector_link', {'joint_1': 0.0, 'joint_2': 0.26, 'joint_3': 3.14, 'joint_4': -2.27,
                              'joint_5': 0.0, 'joint_6': 0.96, 'joint_7': 1.57}),
    Arm('xArm6', 'xarm_ros2/xarm_description/urdf/xarm_device.urdf.xacro', 'dof:=6', 'link_eef',
        {'joint1': 0.0, 'joint2': -0.7, 'joint3': -0.7, 'joint4': 0.0, 'joint5': 1.4,
         'joint6': 0.0}, 'xarm_ros2'),
    Arm('SCARA', 'scara_tutorial_ros2/scara_description/config/scara.config.xacro', '', 'tool0',
        {'joint1': 0.6, 'joint2': 0.9, 'joint3': 0.1}),
)
"""``packages``: a folder with other packages that its description asks for."""


class Walk:
    """Commands in a DDS domain of their own, and what is written of them."""

    def __init__(self, folder: Path, packages: str) -> None:
        self.lines: list[str] = []
        self._folder = folder
        self._environment = {**os.environ, 'PATH': f'{BIN}:{os.environ["PATH"]}',
                             'COLUMNS': '100'}
        if packages:
            self._environment['ROS_PACKAGE_PATH'] = str(folder / packages)
            self.lines.append(f'$ export ROS_PACKAGE_PATH=$PWD/{packages}')

    def start(self, command: str, log: Path) -> subprocess.Popen[bytes]:
        """Begin a launch."""
        self.lines.append(f'$ {command}')
        with log.open('wb') as file:
            return subprocess.Popen(
                ['bash', '-c', f'exec {command}'], cwd=self._folder, env=self._environment,
                stdout=file, stderr=subprocess.STDOUT, start_new_session=True)

    def say(self, command: str, shown: str = '', timeout: float = ANSWERED) -> str:
        """Run a command, write down the lines that a pattern finds, and return its output."""
        done = subprocess.run(
            ['timeout', '-s', 'INT', str(timeout), 'bash', '-c', command], cwd=self._folder,
            env=self._environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if shown:
            self.lines += [f'$ {command}', *(line for line in done.stdout.splitlines()
                                             if re.search(shown, line))]
        return done.stdout

    def until(self, command: str, pattern: str, timeout: float) -> str:
        """Run a command again and again until it says something."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            found = self.say(command, timeout=60.0)
            if re.search(pattern, found):
                return found
            time.sleep(1.0)
        raise TimeoutError(f'{command}: no {pattern} within {timeout} s')


def numbers(text: str) -> list[float]:
    """Return the numbers of a text."""
    return [float(one) for one in re.findall(r'-?\d+\.?\d*(?:e[-+]?\d+)?', text)]


def measured(walk: Walk, arm: Arm) -> float:
    """Return how far the joints are from their goal [rad or m]."""
    text = walk.until('ros2 topic echo --once /joint_states --csv', ',', ANSWERED)
    words = text.strip().splitlines()[-1].split(',')
    names = [word for word in words if word in arm.joints]
    first = words.index(names[-1]) + 1
    return max(abs(float(words[first + k]) - arm.joints[name]) for k, name in enumerate(names))


def go(arm: Arm, folder: Path) -> tuple[list[str], str, bool]:
    """Walk with one arm; return the transcript, a row of the table, and whether it arrived."""
    walk = Walk(folder, arm.packages)
    arguments = f' {arm.arguments}' if arm.arguments else ''
    walk.say(f'mbd_ros info {arm.file}{arguments}', r'\S')
    quoted = f' xacro_args:="{arm.arguments}"' if arm.arguments else ''
    with tempfile.TemporaryDirectory() as logs:
        log = Path(logs, 'launch')
        launch = walk.start(
            f'ros2 launch mbd_ros track.launch.py description:=$PWD/{arm.file}{quoted} '
            f'link:={arm.link} viewer:=false rviz:=false', log)
        try:
            walk.until('ros2 action list', '/controller/follow_path', STARTED)
            walk.until('ros2 topic echo --once /joint_states --csv', ',', STARTED)
            goal = (f'{{joint_names: [{", ".join(arm.joints)}], points: [{{positions: '
                    f'{list(arm.joints.values())}, time_from_start: {{sec: 4}}}}]}}')
            said = walk.say(
                'ros2 action send_goal /controller/follow_joint_trajectory '
                f'control_msgs/action/FollowJointTrajectory "{{trajectory: {goal}}}"',
                r'accepted|rejected|finished|error_string: \S')
            arrived = 'SUCCEEDED' in said
            joints = measured(walk, arm)
            text = walk.until(f'timeout -s INT 20 ros2 run tf2_ros tf2_echo world {arm.link}',
                              'Translation', ANSWERED)
            here = numbers(next(line for line in text.splitlines() if 'Translation' in line))
            walk.lines += [f'$ ros2 run tf2_ros tf2_echo world {arm.link}',
                           f'- Translation: {here}']
            states = subprocess.Popen(
                ['bash', '-c', 'exec ros2 topic echo /controller/state --field tool_error --csv'],
                cwd=folder, env={**os.environ, 'PATH': f'{BIN}:{os.environ["PATH"]}'}, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            center = [round(one, 3) for one in (here[0] - 0.05, here[1], here[2])]
            task = (f'{{link: {arm.link}, path: {{kind: circle, center: {center}, radius: 0.05, '
                    'normal: [0, 0, 1], period: 4}}')
            said = walk.say(
                'ros2 action send_goal /controller/follow_path mbd_msgs/action/FollowPath '
                f'"{{task: \'{task}\', duration: {{sec: 8}}}}"',
                r'accepted|rejected|finished|message: .*\S|largest|error')
            arrived = arrived and 'SUCCEEDED' in said
            states.send_signal(signal.SIGINT)
            errors = np.array([float(one) for one in re.findall(
                r'^[\d.e+-]+$', states.communicate()[0], flags=re.MULTILINE)])
            # The second half is on the circle for sure: an approach takes less than half.
            tool = float(errors[len(errors) // 2:].max()) if len(errors) else float('nan')
        except (TimeoutError, StopIteration, ValueError, IndexError) as error:
            text = log.read_text(errors='replace')
            return [*walk.lines, f'# {error}', *text.splitlines()[-15:]], (
                f'| {arm.name} | did not arrive: {error} | | |'), False
        finally:
            os.killpg(launch.pid, signal.SIGINT)
            try:
                launch.wait(60.0)
            except subprocess.TimeoutExpired:
                os.killpg(launch.pid, signal.SIGKILL)
                launch.wait()
        walk.lines += [line for line in log.read_text(errors='replace').splitlines()
                       if 'ERROR' in line or 'died' in line]
    good = arrived and joints < JOINTS and tool < TOOL
    return walk.lines, (f'| {arm.name} | {"yes" if good else "no"} | {joints:.1g} | '
                        f'{1e3 * tool:.2g} |'), good


def main() -> int:
    """Walk with all arms, and write the page."""
    parser = argparse.ArgumentParser(description='Walk the tutorial with arms that are fetched.')
    parser.add_argument('folder', type=Path, help='with the four repositories')
    parser.add_argument('--only', help='the name of one arm')
    parser.add_argument('--write', type=Path, metavar='PAGE', help='write the page, too')
    given = parser.parse_args()
    parts, rows, good = [], [], True
    for arm in ARMS:
        if given.only in (None, arm.name):
            lines, row, arrived = go(arm, given.folder.resolve())
            print('\n'.join([f'## {arm.name}', *lines, row]), flush=True)
            parts.append('\n'.join([f'## {arm.name}', '', '```text', *lines, '```', '']))
            rows.append(row)
            good &= arrived
    if given.write is not None:
        given.write.write_text('\n'.join([PAGE, *rows, '', *parts]).rstrip() + '\n')
    return 0 if good else 1


PAGE = """# The first hour with four arms

What [the tutorial](tutorials/my_robot.md) gives with arms that are not part of this package, their
descriptions as their makers publish them: written by `scripts/first_hour.py`, which says where
they are cloned from and runs again on any machine. Each arm is launched, led to a posture by a
goal for its joints in 4 s, and its tool follows two rounds of a circle with a radius of 50 mm, 4 s
each. The page in the browser is switched off here.

| arm | arrived | largest error of a joint [rad, m] | largest error of the tool [mm] |
|---|---|---|---|"""


if __name__ == '__main__':
    sys.exit(main())
