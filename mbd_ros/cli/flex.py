"""``mbd_ros flex``: lets a link bend, by the matrices of a finite-element model."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from mbd_ros.cli.convert import format_by_name, keep_inputs, write_whole, WRITERS
from mbd_ros.description import read
from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.errors import DescriptionError, InvalidValueError, UnknownNameError
from mbd_ros.model.flexible.finite_elements import checked, FiniteElements, reduced, ReducedLink
from mbd_ros.simulation.arrays import read_arrays

PREFIX = 'joint_'
"""Of the arrays that say which nodes carry a joint."""


def add_to(subparsers: Any) -> None:
    """Add the subcommand to the parser of ``mbd_ros``."""
    parser = subparsers.add_parser(
        'flex', help='let a link bend, by finite elements',
        description='Reduces mass and stiffness matrices of a link to a few shapes and writes the '
        'robot with them as <mbd:flexible>. The arrays of MATRICES, a file *.npz, are points '
        '(k, 3) [m] in the frame of the link, mass and stiffness (d k, d k) by nodes of d = 3 or '
        '6 degrees of freedom, root: the nodes at the joint that moves the link, and for each '
        'joint on the link joint_NAME: the nodes that carry it.')
    parser.add_argument('file', metavar='FILE', help='a robot description')
    parser.add_argument('link', metavar='LINK', help='the link')
    parser.add_argument('matrices', metavar='MATRICES', help='*.npz')
    parser.add_argument('-o', '--output', metavar='FILE', required=True,
                        help='*.urdf: the robot with the link that bends')
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
    keep_inputs(arguments.output, arguments.file, arguments.matrices)
    mechanism = read(arguments.file)
    found = reduced(arguments.link, matrices_of(arguments.matrices, mechanism, arguments.link),
                    arguments.modes, boundary=arguments.boundary,
                    damping_ratio=arguments.damping_ratio)
    write_whole(arguments.output, WRITERS[target](bending(mechanism, found), 'loop_joint'))
    described = next(one.inertia for one in mechanism.links if one.name == arguments.link)
    before = 0.0 if described is None else described.mass
    print(f"link '{arguments.link}': {before:.6g} kg as described, {found.inertia.mass:.6g} kg of "
          f'the matrices, in {sum(not one.joint for one in found.body.points)} mass points')
    print(f'{"mode":>4}{"matrices [Hz]":>16}{"mass points [Hz]":>18}')
    for number, pair in enumerate(zip(found.frequencies, found.of_points), start=1):
        print(f'{number:4}{pair[0]:16.6g}{pair[1]:18.6g}')
    return 0


def matrices_of(file: str, mechanism: Mechanism, link: str) -> FiniteElements:
    """
    Return the finite-element model in a file.

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
    for name in arrays:
        if name.removeprefix(PREFIX) not in carried or not name.startswith(PREFIX):
            raise UnknownNameError('array', name, [PREFIX + one for one in carried])
    missing = [name for name in carried if PREFIX + name not in arrays]
    if missing:
        raise DescriptionError(f"the array '{PREFIX}{missing[0]}' is missing: the nodes that "
                               'carry that joint', file=file)
    return checked(points, mass, stiffness, root,
                   {name: arrays[PREFIX + name] for name in carried})


def bending(mechanism: Mechanism, found: ReducedLink) -> Mechanism:
    """Return a robot with a link that bends, its inertia that of the mass points."""
    link = found.body.link
    return replace(
        mechanism,
        links=tuple(replace(one, inertia=found.inertia) if one.name == link else one
                    for one in mechanism.links),
        flexibles=(*(one for one in mechanism.flexibles if one.link != link), found.body))
