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

"""``mbd_ros info``: the tree, masses and loops of a robot."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from mbd_ros.cli.robot_file import add_robot, reading
from mbd_ros.dynamics.loops.diagnosis import some_closure
from mbd_ros.errors import MbdError
from mbd_ros.model import load, Model
from mbd_ros.model.tree_text import tree_lines


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommand to its parser."""
    parser.description = 'Prints what a robot description describes.'
    add_robot(parser)
    parser.add_argument('--floating-base', action='store_true',
                        help='the root link moves freely')
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the robot."""
    model = load(arguments.file, **reading(arguments), floating_base=arguments.floating_base,
                 inertia='unchecked')
    print('\n'.join([*_summary(model), '', *tree_lines(model), *_loops(model)]))
    return 0


def _summary(model: Model) -> Iterator[str]:
    mechanism = model.mechanism
    mass = sum(link.inertia.mass for link in mechanism.links if link.inertia is not None)
    yield f'robot {model.name}'
    yield (f'  {len(mechanism.links)} links, {len(mechanism.joints)} joints of which '
           f'{model.nb} move, {len(model.loops)} loops')
    yield f'  {mass:.6g} kg in all, {model.masses.sum():.6g} kg of it move'
    yield f'  {model.nq} configuration and {model.nv} velocity coordinates'
    for number, chain in enumerate(subchains(model.parents), 1):
        first, last = (model.joint_names[i] for i in (chain[0], chain[-1]))
        yield (f'  subchain {number}: {len(chain)} bodies, '
               + (f'{first} to {last}' if len(chain) > 1 else first))


def subchains(parents: tuple[int, ...]) -> list[list[int]]:
    """
    Return the chains of a tree between its base, branches and tips.

    Parameters
    ----------
    parents : tuple of int
        Parent of each body, -1 for the ground.

    Returns
    -------
    list of list of int
        Bodies from the base outwards; each body is in one chain.

    """
    children = [0] * len(parents)
    for parent in parents:
        if parent >= 0:
            children[parent] += 1
    chains: list[list[int]] = []
    chain_of: dict[int, list[int]] = {}
    for body, parent in enumerate(parents):
        if parent >= 0 and children[parent] == 1:
            chain_of[parent].append(body)
            chain_of[body] = chain_of[parent]
        else:
            chain_of[body] = [body]
            chains.append(chain_of[body])
    return chains


def _loops(model: Model) -> Iterator[str]:
    if not model.loops:
        return
    yield ''
    for loop in model.mechanism.loop_joints:
        yield f'loop {loop.name} ({loop.kind}): {loop.link1} ─ {loop.link2}'
    for cut in model.loops:
        where = model.body_names[cut.junction] if cut.junction >= 0 else model.root
        yield f'  cut {cut.name}: {len(cut.rows)} rows, branches meet at {where}'
    rows = sum(len(cut.rows) for cut in model.loops)
    try:
        closure = some_closure(model)
    except MbdError as error:
        yield f'  mobility unknown: {error}'
        return
    yield (f'  mobility {model.nv - closure.rank}: {model.nv} joint rates, {rows} rows of which '
           f'{closure.rank} are independent')
