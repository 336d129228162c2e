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

"""``mbd_ros flex``: lets a link bend, by the matrices of a finite-element model."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from mbd_ros.cli.convert import format_by_name, keep_inputs, write_whole, WRITERS
from mbd_ros.cli.robot_file import add_robot, reading
from mbd_ros.description import read
from mbd_ros.description.records.mechanism import FlexibleBody, Mechanism
from mbd_ros.description.write.modal import modal_arrays, write_modal
from mbd_ros.description.xml.arrays import read_arrays
from mbd_ros.errors import DescriptionError, InvalidValueError, UnknownNameError
from mbd_ros.model.flexible.attachment_segments import Seat, seated
from mbd_ros.model.flexible.exported import by_integrals
from mbd_ros.model.flexible.finite_elements import (
    checked, FiniteElements, GEOMETRIC, reduced, ReducedLink)

PREFIX = 'joint_'
"""Of the arrays that say which nodes carry a joint."""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommand to its parser."""
    parser.description = (
        'Reduces mass and stiffness matrices of a link to a few shapes and writes the '
        'robot with them as <mbd:flexible>. The arrays of MATRICES, a file *.npz, are points '
        '(k, 3) [m] in the frame of the link, mass and stiffness (d k, d k) by nodes of d = 3 or '
        '6 degrees of freedom, root: the nodes at the joint that moves the link, and for each '
        'joint on the link joint_NAME: the nodes that carry it. Without MATRICES, and with '
        '--modal, the link, which bends already, is written by its shape integrals.')
    add_robot(parser)
    parser.add_argument('link', metavar='LINK', help='the link')
    parser.add_argument('matrices', metavar='MATRICES', nargs='?', help='*.npz')
    parser.add_argument('-o', '--output', metavar='FILE', required=True,
                        help='*.urdf: the robot with the link that bends')
    parser.add_argument('--modal', metavar='FILE',
                        help='*.npz or *.yaml: shapes, matrices and integrals of the link, which '
                        'the robot names')
    parser.add_argument('--modes', type=int, default=6, help='number of shapes; 6 if left out')
    parser.add_argument('--boundary', choices=('free', 'craig_bampton'), default='free',
                        help='modes of the clamped link, or static shapes of its joints first')
    parser.add_argument('--damping-ratio', type=float, default=0.01,
                        help='of every mode; 0.01 if left out')
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the robot and print how well the shapes stand for the matrices."""
    target = format_by_name(arguments.output)
    if target != 'urdf':
        raise InvalidValueError('--output', arguments.output, '*.urdf: other formats have no '
                                'links that bend')
    inputs = [one for one in (arguments.file, arguments.matrices) if one]
    keep_inputs(arguments.output, *inputs)
    if arguments.modal is not None:
        keep_inputs(arguments.modal, *inputs)
    mechanism = read(arguments.file, **reading(arguments))
    if arguments.matrices is None:
        body, loads = exported(mechanism, arguments.link, arguments.modal), dict[str, Any]()
    else:
        found = reduced(arguments.link, matrices_of(
            arguments.matrices, mechanism, arguments.link, arguments.modal is not None),
            arguments.modes, boundary=arguments.boundary,
            damping_ratio=arguments.damping_ratio, integrals=arguments.modal is not None)
        described = next(one.inertia for one in mechanism.links if one.name == arguments.link)
        mechanism, body, loads = with_inertia(mechanism, found), found.body, dict(found.loads)
    if arguments.modal is not None:
        write_modal(arguments.modal, modal_arrays(body) | loads)
        body = replace(body, file=name_of(arguments.modal, arguments.output))
    write_whole(arguments.output, WRITERS[target](bending(mechanism, body), 'loop_joint'))
    if arguments.matrices is None:
        print(f"link '{arguments.link}' by shape integrals in {arguments.modal}")
        return 0
    before = 0.0 if described is None else described.mass
    number = sum(not one.joint for one in body.points)
    print(f"link '{arguments.link}': {before:.6g} kg as described, {found.inertia.mass:.6g} kg of "
          f'the matrices, in {number} ' + (
              'mass points' if arguments.modal is None else 'nodes, by their integrals'))
    print(f'{"mode":>4}{"matrices [Hz]":>16}{"mass points [Hz]":>18}')
    for count, pair in enumerate(zip(found.frequencies, found.of_points), start=1):
        print(f'{count:4}{pair[0]:16.6g}{pair[1]:18.6g}')
    return 0


def exported(mechanism: Mechanism, link: str, modal: str | None) -> FlexibleBody:
    """
    Return a link that bends already by its shape integrals.

    Raises
    ------
    InvalidValueError, UnknownNameError
        If there is no file for them, or no such link.

    """
    if modal is None:
        raise InvalidValueError('MATRICES', 'none', 'a file *.npz, or --modal FILE to write the '
                                'integrals of a link that bends already')
    bodies = {body.link: body for body in mechanism.flexibles}
    if link not in bodies:
        raise UnknownNameError('link that bends', link, list(bodies))
    places = [*(Seat(one, True) for one in mechanism.joints), *seated(mechanism)[1]]
    return by_integrals(bodies[link], [one for one in places if one.joint.parent == link])


def name_of(modal: str, output: str) -> str:
    """Return how a robot names a file: from its own folder where it is in there."""
    path, folder = Path(modal).resolve(), Path(output).resolve().parent
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path)


def matrices_of(file: str, mechanism: Mechanism, link: str, loads: bool) -> FiniteElements:
    """
    Return the finite-element model in a file, which may hold geometric stiffness for ``loads``.

    Raises
    ------
    DescriptionError
        If it holds no such thing.
    UnknownNameError
        If the link does not exist, or a joint does not sit on it.

    """
    names = [one.name for one in mechanism.links]
    if link not in names:
        raise UnknownNameError('link', link, names)
    what = 'file *.npz with points, mass, stiffness and root'
    arrays: dict[str, Any] = read_arrays(file, what)
    try:
        points, mass, stiffness, root = (
            arrays.pop(name) for name in ('points', 'mass', 'stiffness', 'root'))
    except KeyError as error:
        raise DescriptionError(f'this is no {what}: {error}', file=file) from None
    carried = [joint.name for joint in mechanism.joints if joint.parent == link]
    geometric = {name: arrays.pop(name) for name in (
        GEOMETRIC, *(f'{GEOMETRIC}_{one}' for one in carried)) if name in arrays}
    if geometric and not loads:
        raise InvalidValueError('array', next(iter(geometric)), 'geometric stiffness with --modal '
                                'FILE only: mass points have none')
    for name in arrays:
        if name.removeprefix(PREFIX) not in carried or not name.startswith(PREFIX):
            raise UnknownNameError('array', name, [PREFIX + one for one in carried])
    missing = [name for name in carried if PREFIX + name not in arrays]
    if missing:
        raise DescriptionError(f"the array '{PREFIX}{missing[0]}' is missing: the nodes that "
                               'carry that joint', file=file)
    return checked(points, mass, stiffness, root,
                   {name: arrays[PREFIX + name] for name in carried}, geometric)


def with_inertia(mechanism: Mechanism, found: ReducedLink) -> Mechanism:
    """Return a robot with a link whose inertia is that of its matrices."""
    return replace(mechanism, links=tuple(
        replace(one, inertia=found.inertia) if one.name == found.body.link else one
        for one in mechanism.links))


def bending(mechanism: Mechanism, body: FlexibleBody) -> Mechanism:
    """Return a robot with a link that bends, or bends otherwise."""
    return replace(mechanism, flexibles=(
        *(one for one in mechanism.flexibles if one.link != body.link), body))
