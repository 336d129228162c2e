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

"""``mbd_ros view``: a saved run as a page that plays it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
import sys
from typing import Any

import numpy as np

from mbd_ros.cli.convert import keep_inputs
from mbd_ros.cli.robot_file import add_robot, named_folders, reading
from mbd_ros.description.urdf.visuals import read_visuals
from mbd_ros.description.xml.packages import packages_of
from mbd_ros.dynamics.functions.equations_of_motion import link_poses
from mbd_ros.errors import InvalidValueError, MbdError, UnsupportedError
from mbd_ros.export.static_page import static_page
from mbd_ros.model import load
from mbd_ros.simulation.trajectory import load_trajectory, Trajectory

FRAME_RATE = 30.0
"""[1/s]."""
DESCRIPTIONS = ('.urdf', '.xacro', '.xml', '.mjcf', '.sdf', '.world')
"""Ends of names of robot descriptions."""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommand to its parser."""
    parser.description = (
        'Reads a run that Trajectory.save wrote, or a bag of ROS 2 with joint states '
        'and a robot description, and writes a page that plays it in any browser, without a '
        'server; with --static, of a robot description, a page that moves the robot and shows '
        'the effort that holds it, computed in the browser.')
    add_robot(parser, what='a run, *.npz; or a bag, a folder, *.mcap or *.db3; with --static, a '
              'robot description')
    parser.add_argument('--static', metavar='PAGE.html',
                        help='FILE is a robot description; where to write its page')
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='where to write; beside the run, *.html, if left out')
    parser.add_argument('--topic', help='topic of the joint states in a bag; the only one, '
                        '/joint_states, or the only one with a robot_description beside it, if '
                        'left out')
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the page."""
    if arguments.static:
        return _robot(arguments)
    output = Path(arguments.output or Path(arguments.file).with_suffix('.html'))
    keep_inputs(str(output), arguments.file)
    if Path(arguments.file).suffix in DESCRIPTIONS:
        raise InvalidValueError('FILE', arguments.file, 'a run or a bag; of a robot description '
                                'there is a page with --static PAGE.html')
    trajectory = load_trajectory(arguments.file, arguments.topic)
    for finding in trajectory.findings:
        print(finding, file=sys.stderr)
    if trajectory.model is None:
        raise InvalidValueError('FILE', arguments.file, 'a run that was saved with its robot')
    try:
        from mbd_ros.nodes.page.page import Page
    except ImportError as error:
        raise UnsupportedError(f'the page ({error})', 'install viser: pip install viser') from None
    mechanism = replace(trajectory.model.mechanism, packages=tuple(
        named_folders(arguments.packages).items()))
    shapes, remarks = read_visuals(mechanism, find_package=packages_of(mechanism))
    page = Page('127.0.0.1', 0)
    try:
        frames = list(_frames(trajectory))
        remarks += tuple(page.show_robot(shapes, frames[0][1]))
        text = page.recorded(frames)
    finally:
        page.close()
    for remark in remarks:
        print(remark, file=sys.stderr)
    _write(output, text)
    print(f'{output}: {len(frames)} frames, {trajectory.time[-1] - trajectory.time[0]:.3g} s')
    return 0


def _robot(arguments: argparse.Namespace) -> int:
    """Write the page of a robot that computes by itself."""
    output = Path(arguments.static)
    keep_inputs(str(output), arguments.file)
    model = load(arguments.file, **reading(arguments))
    text, remarks = static_page(model)
    for remark in (*(one for one in model.findings if one.severity != 'info'), *remarks):
        print(remark, file=sys.stderr)
    _write(output, text)
    print(f'{output}: {len(text) / 1e6:.1f} MB, opens in any browser without a server')
    return 0


def _write(output: Path, text: str) -> None:
    try:
        output.write_text(text, encoding='utf-8')
    except OSError as error:
        raise MbdError(f'{output} cannot be written: {error.strerror}') from None


def _frames(trajectory: Trajectory) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield how long each picture is shown, and where the links are in it."""
    assert trajectory.model is not None
    time = trajectory.time
    due = np.floor((time - time[0]) * FRAME_RATE)   # of a pause of years one picture, not all
    kept = np.union1d(np.unique(due, return_index=True)[1], len(time) - 1)
    poses = link_poses(trajectory.model, trajectory.q[kept])
    for k, duration in enumerate(np.diff(time[kept], append=time[-1] + 1.0 / FRAME_RATE)):
        yield float(duration), {name: pose[k] for name, pose in poses.items()}
