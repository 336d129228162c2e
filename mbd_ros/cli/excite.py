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

"""``mbd_ros excite``: a trajectory from which ``mbd_ros identify`` learns much."""

from __future__ import annotations

import argparse
import json

import numpy as np

from mbd_ros.cli.convert import keep_inputs, write_whole
from mbd_ros.cli.robot_file import add_robot, reading
from mbd_ros.dynamics.identification.excitation import Excitation, excitation_trajectory
from mbd_ros.errors import InvalidValueError
from mbd_ros.model import load, Model

NANO = 10 ** 9
DIGITS = 6
"""Of positions, velocities and accelerations: micrometres and microradians."""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommand to its parser."""
    parser.description = (
        'Plans a Fourier series for each joint, from rest to rest, within limits of '
        'position, velocity and effort, by the condition number of the regressor, and writes it '
        'as a goal of FollowJointTrajectory. Collisions are not looked for: see it in a simulator '
        'first.')
    add_robot(parser)
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='the goal: *.yaml, for `ros2 action send_goal`; or *.npz with time, '
                        'q, v, qdd and tau')
    parser.add_argument('--duration', type=float, default=20.0, metavar='S',
                        help='of the motion (default: 20); longer where efforts are too large')
    parser.add_argument('--harmonics', type=int, default=5, help='default: 5')
    parser.add_argument('--margin', type=float, default=0.8,
                        help='part of the limits that is used (default: 0.8)')
    parser.add_argument('--approach', type=float, default=5.0, metavar='S',
                        help='time to reach the beginning (default: 5)')
    parser.add_argument('--candidates', type=int, default=200,
                        help='series that are tried (default: 200)')
    parser.add_argument('--seed', type=int, default=0)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what was planned, and write it."""
    keep_inputs(arguments.output, arguments.file)
    name = arguments.output or ''
    if name and not name.endswith(('.yaml', '.npz')):
        raise InvalidValueError('--output', name, '*.yaml or *.npz')
    if not 0.0 < arguments.approach < 1e6:
        raise InvalidValueError('--approach', arguments.approach, 'a positive time [s]')
    model = load(arguments.file, **reading(arguments))
    found = excitation_trajectory(
        model, period=arguments.duration, harmonics=arguments.harmonics, margin=arguments.margin,
        candidates=arguments.candidates, seed=arguments.seed)
    print(f'{found.period:.4g} s, condition number of the regressor {found.condition:.4g}; '
          'collisions were not looked for')
    print(f'{"joint":24}{"from":>12}{"to":>12}{"speed":>12}{"effort":>12}')
    for k, joint in enumerate(model.coordinate_names):
        print(f'{joint:24}{found.q[:, k].min():12.4g}{found.q[:, k].max():12.4g}'
              f'{np.abs(found.v[:, k]).max():12.4g}{np.abs(found.tau[:, k]).max():12.4g}')
    if name.endswith('.npz'):
        np.savez(name, time=found.time, q=found.q, v=found.v, qdd=found.qdd, tau=found.tau)
    elif name:
        write_whole(name, goal_text(model, found, arguments.approach))
    return 0


def goal_text(model: Model, found: Excitation, approach: float) -> str:
    """Return a goal of FollowJointTrajectory as YAML, a point a line."""
    lines = ['trajectory:', f'  joint_names: {json.dumps(list(model.coordinate_names))}',
             '  points:']
    for time, *values in zip(found.time, found.q, found.v, found.qdd):
        seconds, rest = divmod(round((time + approach) * NANO), NANO)
        fields = ', '.join(f'{field}: {json.dumps(np.round(value, DIGITS).tolist())}'
                           for field, value in zip(
                               ('positions', 'velocities', 'accelerations'), values))
        lines.append(f'  - {{{fields}, time_from_start: {{sec: {seconds}, nanosec: {rest}}}}}')
    return '\n'.join(lines) + '\n'
