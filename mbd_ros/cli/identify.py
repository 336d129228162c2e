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

"""``mbd_ros identify``: masses of a robot from recorded joint states and efforts."""

from __future__ import annotations

import argparse
from pathlib import Path
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.cli.convert import format_by_name, keep_inputs, write_whole, WRITERS
from mbd_ros.cli.robot_file import add_robot, reading
from mbd_ros.description.xml.arrays import read_arrays
from mbd_ros.dynamics.api.identification import identify
from mbd_ros.errors import DescriptionError, InvalidValueError
from mbd_ros.model import load, Model
from mbd_ros.simulation.bags import is_bag, read_bag, states_in

Array = NDArray[np.float64]
EVEN = 0.005
"""Part of a step by which stamps of even states may be off; ``identify`` takes twice of it."""
GAP = 10.0
"""Median steps without a state: more is an interruption, over which no polynomial goes."""


def add_to(subparsers: Any) -> None:
    """Add the subcommand to the parser of ``mbd_ros``."""
    parser = subparsers.add_parser(
        'identify', help='find masses and inertias from a recorded motion',
        description='Reads joint states with efforts from a bag of ROS 2 (a folder, *.mcap, '
        '*.db3), or arrays time, q, v and tau from *.npz, and finds masses, mass centres and '
        'inertias that explain the efforts. What the motion leaves open stays as described.')
    add_robot(parser)
    parser.add_argument('recording', metavar='RECORDING', help='a bag, or *.npz')
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='write the robot that was found: *.urdf, or what `mbd_ros convert` '
                        'writes')
    parser.add_argument('--topic', help='topic of the joint states in a bag; the only one, '
                        '/joint_states, or the only one with a robot_description beside it, if '
                        'left out')
    parser.add_argument('--joints', action='store_true',
                        help='find damping, dry friction and rotor inertias as well')
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what was found, and write it."""
    target = arguments.output and format_by_name(arguments.output)
    keep_inputs(arguments.output, arguments.file, arguments.recording)
    model = load(arguments.file, **reading(arguments))
    time, q, v, tau = recorded(Path(arguments.recording), model, arguments.topic)
    found = identify(model, q, v, tau, time=time, joints=arguments.joints)
    for finding in found.findings:
        print(finding, file=sys.stderr)
    print(f'{len(time)} states in {time[-1] - time[0]:.4g} s; the motion excites {found.rank} of '
          f'{found.base} combinations of parameters')
    print(f'{"link":24}{"described [kg]":>16}{"found [kg]":>16}')
    for name, described, mass in zip(model.body_names, model.masses, found.parameters[:, 0]):
        print(f'{name:24}{described:16.6g}{mass:16.6g}')
    print(f'{"joint":24}{"rms effort":>16}{"rms residual":>16}')
    for name, values, left in zip(model.coordinate_names, tau.T, found.residual):
        print(f'{name:24}{np.sqrt((values * values).mean()):16.6g}{left:16.6g}')
    if target:
        write_whole(arguments.output, WRITERS[target](found.model.mechanism, 'loop_joint'))
    return 0


def recorded(path: Path, model: Model, topic: str | None = None
             ) -> tuple[Array, Array, Array, Array]:
    """
    Return evenly spaced times [s], q, v and efforts of a recording; print what it passes over.

    Raises
    ------
    DescriptionError
        If the file holds no such thing.
    InvalidValueError
        If efforts are missing, or states for longer than ``GAP`` steps; if times are uneven and
        joints have quaternions, or a topic is named without a bag.

    """
    if is_bag(path):
        recording = read_bag(path, topic)
        for finding in recording.findings:
            print(finding, file=sys.stderr)
        q, v, tau = states_in(recording, model)
        time = recording.time
        if tau is None:
            raise InvalidValueError('RECORDING', str(path), 'joint states with efforts')
    else:
        if topic is not None:
            raise InvalidValueError('--topic', topic, 'none without a bag')
        what = 'bag, and no file *.npz with time, q, v and tau'
        arrays = read_arrays(path, what)
        try:
            time, q, v, tau = (np.asarray(arrays[name], np.float64) for name in (
                'time', 'q', 'v', 'tau'))
        except (ValueError, TypeError, KeyError) as error:
            raise DescriptionError(f'this is no {what}: {error}', file=str(path)) from None
        for name, one, width in (('q', q, model.nq), ('v', v, model.nv), ('tau', tau, model.nv)):
            if time.ndim != 1 or one.shape != (len(time), width):
                raise DescriptionError(
                    f"its arrays are not of as many states: '{name}' has shape {one.shape}, "
                    f"'time' {time.shape}; the robot has {width} entries of '{name}'",
                    file=str(path))
    return evenly(time, q, v, tau)


def evenly(time: Array, *arrays: Array) -> tuple[Array, Array, Array, Array]:
    """Return states at even times, between those that were recorded where these are not even."""
    steps = np.diff(time)
    if not len(steps) or not (steps > 0.0).all():
        raise InvalidValueError('RECORDING', f'{len(time)} times, not all of them later than the '
                                'one before', 'two or more in their order')
    if steps.max() > GAP * np.median(steps):
        raise InvalidValueError(
            'RECORDING', f'nothing for {steps.max():.3g} s, {time[np.argmax(steps)] - time[0]:.3f}'
            ' s after its beginning', 'a recording without gaps (on a busy machine one of '
            'joint_states and robot_description alone loses less)')
    if not np.abs(steps - steps.mean()).max() <= EVEN * steps.mean():
        q, v, _ = arrays
        if q.shape[1] > v.shape[1]:   # between two quaternions there is no straight line
            raise InvalidValueError('RECORDING', f'steps of time from {steps.min():.6g} to '
                                    f'{steps.max():.6g} s', 'even times of a robot whose joints '
                                    'have quaternions')
        even = np.linspace(time[0], time[-1], len(time))
        arrays = tuple(np.reshape([np.interp(even, time, column) for column in array.T],
                                  (-1, len(even))).T for array in arrays)
        time = even
    q, v, tau = arrays
    return time, q, v, tau
