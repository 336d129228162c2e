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


"""``mbd_ros identify``: masses, friction and offsets of a robot from recorded joint states."""

from __future__ import annotations

import argparse
from pathlib import Path
import sys

import numpy as np
from numpy.typing import NDArray

from mbd_ros.cli.convert import format_by_name, keep_inputs, write_whole, WRITERS
from mbd_ros.cli.robot_file import add_robot, reading
from mbd_ros.dynamics.identification.identify import FRICTION, identify
from mbd_ros.dynamics.identification.recording import recording
from mbd_ros.dynamics.identification.result import Identification
from mbd_ros.dynamics.loops.efforts import driven_entries
from mbd_ros.errors import InvalidValueError
from mbd_ros.model import load, Model
from mbd_ros.simulation.recordings import KINDS, MotionRecord, read_motion

Array = NDArray[np.float64]


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommand to its parser."""
    parser.description = (
        'Reads joint states with efforts from bags of ROS 2 (a folder, *.mcap, '
        '*.db3), *.csv with names of columns such as tau_joint1, or arrays time, q, v and tau '
        'from *.npz, and finds masses, mass centres, inertias, friction, rotors and offsets that '
        'explain the efforts, with their standard deviations. What the motion leaves open stays '
        'as described.')
    add_robot(parser)
    parser.add_argument('recording', metavar='RECORDING', nargs='+',
                        help='a bag, *.csv or *.npz; several are several runs')
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='write the robot that was found: *.urdf, or what `mbd_ros convert` '
                        'writes')
    parser.add_argument('--validate', metavar='RECORDING', action='append', default=[],
                        help='print how well efforts of another recording are predicted; may be '
                        'said again')
    parser.add_argument('--topic', help='topic of the joint states in a bag; the only one, '
                        '/joint_states, or the only one with a robot_description beside it, if '
                        'left out')
    parser.add_argument('--columns', metavar='KIND=NAME', nargs='+', default=[],
                        help='which array is which, for names that are not usual; KIND is one of '
                        + ', '.join(KINDS))
    parser.add_argument('--joints', action=argparse.BooleanOptionalAction, default=True,
                        help='find friction, rotor inertias, offsets and a tilt of the base as '
                        'well (default)')
    parser.add_argument('--friction', choices=FRICTION, default='coulomb',
                        help='stribeck: dry friction that is larger at low speed')
    parser.add_argument('--level', action='store_true', help='the base is known to be level')
    parser.add_argument('--currents', action='store_true',
                        help='efforts are motor currents, whose constants are found, too')
    parser.add_argument('--payload', metavar='LINK',
                        help='find only what this link carries (ten parameters of a tool)')
    parser.add_argument('--actuated', metavar='JOINT', nargs='+',
                        help='driven joints of a robot with closed loops')
    parser.add_argument('--cutoff', type=float, metavar='HZ',
                        help='of the filter of velocities; proposed and printed if left out')
    parser.add_argument('--prior', type=float, metavar='WEIGHT',
                        help='of the description; by cross-validation if left out')
    parser.add_argument('--mimic', action='store_true', help='mimic joints are coupled')
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what was found, and write it."""
    target = arguments.output and format_by_name(arguments.output)
    keep_inputs(arguments.output, arguments.file, *arguments.recording, *arguments.validate)
    model = load(arguments.file, **reading(arguments), mimic=arguments.mimic)
    columns = _columns(arguments.columns)
    runs = [_read(Path(name), model, arguments.topic, columns) for name in arguments.recording]
    others = [_read(Path(name), model, arguments.topic, columns) for name in arguments.validate]

    def of_all(field: str) -> list[Array] | None:
        values = [getattr(one, field) for one in runs]
        return None if any(value is None for value in values) else values
    found = identify(
        model, of_all('q') or [], of_all('v'), of_all('tau'), qdd=of_all('qdd'),
        time=of_all('time'), joints=arguments.joints, friction=arguments.friction,
        level=arguments.level, currents=arguments.currents, payload=arguments.payload,
        actuated=arguments.actuated, cutoff=arguments.cutoff, prior=arguments.prior)
    for finding in found.findings:
        print(finding, file=sys.stderr)
    _print_motion(runs, found)
    _print_bodies(model, found, arguments.payload)
    _print_joints(model, found)
    for name, one in zip(arguments.validate, others):
        print(f'{name}: efforts predicted with a relative error of '
              f'{100.0 * _error(model, one, found):.3g} %')
    if target:
        write_whole(arguments.output, WRITERS[target](found.model.mechanism, 'loop_joint'))
    return 0


def _columns(words: list[str]) -> dict[str, str]:
    found = {}
    for word in words:
        kind, equals, name = word.partition('=')
        if not equals or kind not in KINDS:
            raise InvalidValueError('--columns', word, f"KIND=NAME with {', '.join(KINDS)}")
        found[kind] = name
    return found


def _read(path: Path, model: Model, topic: str | None, columns: dict[str, str]) -> MotionRecord:
    """Return a recording with efforts; print what it passes over."""
    found = read_motion(path, model, topic, columns)
    for finding in found.findings:
        print(finding, file=sys.stderr)
    if found.tau is None:
        raise InvalidValueError('RECORDING', str(path), 'joint states with efforts')
    return found


def _error(model: Model, one: MotionRecord, found: Identification) -> float:
    """Return the relative error of predicted efforts, in the 2-norm."""
    ready = recording(model, one.q, one.v, one.tau, one.qdd, one.time, None, found.cutoff)
    left = size = 0.0
    driven = driven_entries(model, found.actuated) if model.loops else slice(None)
    for part in ready.runs:
        measured = (part.tau * found.constants)[:, driven]
        predicted = found.predict(part.q, part.v, part.qdd)[:, driven]
        left += float(((measured - predicted) ** 2).sum())
        size += float((measured ** 2).sum())
    return float(np.sqrt(left / max(size, 1e-300)))


def _print_motion(runs: list[MotionRecord], found: Identification) -> None:
    count = sum(len(one.q) for one in runs)
    span = sum(float(one.time[-1] - one.time[0]) for one in runs if one.time is not None)
    print(f'{count} states in {span:.4g} s; the motion excites {found.rank} of {found.base} '
          'combinations of parameters')
    if found.cutoff is not None:
        print(f'velocities and accelerations are filtered below {found.cutoff:.3g} Hz '
              '(--cutoff)')
    print(f'efforts are explained with a relative error of {100.0 * found.error:.3g} %; weight of '
          f'the description {found.prior:.3g}')


def _print_bodies(model: Model, found: Identification, payload: str | None) -> None:
    print(f'{"link":24}{"described [kg]":>16}{"found [kg]":>16}{"deviation":>12}')
    names = model.body_names if payload is None else (f'carried by {payload}',)
    masses = model.masses if payload is None else np.zeros(1)
    for name, described, mass, sure in zip(names, masses, found.parameters[:, 0],
                                           found.deviations.parameters[:, 0]):
        print(f'{name:24}{described:16.6g}{mass:16.6g}{sure:12.2g}')


def _print_joints(model: Model, found: Identification) -> None:
    sure = found.deviations
    print(f'{"joint":24}{"damping":>20}{"dry friction":>20}{"rotor inertia":>20}{"offset":>20}'
          f'{"constant":>20}{"rms residual":>16}')
    for k, name in enumerate(model.coordinate_names):
        pairs = ((found.damping, sure.damping), (found.friction, sure.friction),
                 (found.armature, sure.armature), (found.offset, sure.offset),
                 (found.constants, sure.constants))
        print(f'{name:24}' + ''.join(f'{f"{value[k]:.4g} +- {spread[k]:.2g}":>20}'
                                     for value, spread in pairs) + f'{found.residual[k]:16.6g}')
    if len(sure.tilt):
        print(f'gravity {np.array2string(found.gravity, precision=4)} m/s^2, tilt known to '
              f'{np.degrees(sure.tilt.max()):.2g} degrees')
