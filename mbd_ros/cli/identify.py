"""``mbd_ros identify``: masses of a robot from recorded joint states and efforts."""

from __future__ import annotations

import argparse
from pathlib import Path
import sys
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from mbd_ros.cli.convert import format_by_name, write_whole, WRITERS
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
    parser.add_argument('file', metavar='FILE', help='a robot description')
    parser.add_argument('recording', metavar='RECORDING', help='a bag, or *.npz')
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='write the robot that was found: *.urdf, or what `mbd_ros convert` '
                        'writes')
    parser.add_argument('--topic', help='topic of the joint states; the only one, or '
                        '/joint_states, if left out')
    parser.add_argument('--joints', action='store_true',
                        help='find damping, dry friction and rotor inertias as well')
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what was found, and write it."""
    target = arguments.output and format_by_name(arguments.output)
    model = load(arguments.file)
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
    Return evenly spaced times [s], q, v and efforts of a recording.

    Raises
    ------
    DescriptionError
        If the file holds no such thing.
    InvalidValueError
        If efforts are missing, or states for longer than ``GAP`` steps.

    """
    if is_bag(path):
        recording = read_bag(path, topic)
        q, v, tau = states_in(recording, model)
        time = recording.time
        if tau is None:
            raise InvalidValueError('RECORDING', str(path), 'joint states with efforts')
    else:
        try:
            with np.load(path, allow_pickle=False) as file:
                time, q, v, tau = (np.asarray(file[name], np.float64) for name in (
                    'time', 'q', 'v', 'tau'))
        except (OSError, ValueError, TypeError, KeyError, BadZipFile) as error:
            raise DescriptionError('this is neither a bag nor a file *.npz with time, q, v and '
                                   f'tau: {error}', file=str(path)) from None
        if time.ndim != 1 or any(len(one) != len(time) or one.ndim != 2 for one in (q, v, tau)):
            raise DescriptionError('its arrays are not of as many states', file=str(path))
    return evenly(time, q, v, tau)


def evenly(time: Array, *arrays: Array) -> tuple[Array, Array, Array, Array]:
    """Return states at even times, between those that were recorded where these are not even."""
    steps = np.diff(time)
    if not len(steps) or not (steps > 0.0).all() or steps.max() > GAP * np.median(steps):
        raise InvalidValueError('RECORDING', f'steps of time up to {steps.max(initial=0.0):.3g} s',
                                'a recording without interruption')
    if np.abs(steps - steps.mean()).max() > EVEN * steps.mean():
        even = np.linspace(time[0], time[-1], len(time))
        arrays = tuple(np.stack([np.interp(even, time, column) for column in array.T], axis=1)
                       for array in arrays)
        time = even
    q, v, tau = arrays
    return time, q, v, tau
