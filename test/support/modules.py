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

"""Robots made of modules as YAML text, for tests."""

from __future__ import annotations

import itertools

from hypothesis import strategies as st

CUBE = """\
  cube:
    bodies:
      hull: {mass: 2, center: [0.1, 0, 0], inertia: [0.02, 0.03, 0.04]}
    ports:
      start: {orientation: [0, 0, 180 deg], joint: {type: continuous}}
      swing: {orientation: [0, 0, 180 deg], joint: {type: continuous, axis: [0.6, 0, 0.8]}}
      rigid: {orientation: [0, 0, 180 deg]}
      front: {position: [0.2, 0, 0]}
      left: {position: [0.1, 0.1, 0], orientation: [0, 0, 90 deg], angles: [0, 90 deg]}
      right: {position: [0.1, -0.1, 0], orientation: [0, 0, -90 deg]}
      top: {position: [0.1, 0, 0.1], orientation: [0, -90 deg, 0]}
"""
"""A type with one body, in 9 lines."""

ARM = """\
  arm:
    bodies:
      lower: {mass: 1, center: [0.1, 0, 0], inertia: [0.01, 0.02, 0.02]}
      upper: {mass: 1.5, center: [0.1, 0.02, 0], inertia: [0.01, 0.02, 0.025, 0.001, 0, 0]}
    joints:
      elbow:
        {type: revolute, parent: lower, child: upper, position: [0.2, 0, 0], axis: [0, 1, 0],
         limits: {lower: -2, upper: 100 deg, velocity: 3, effort: 20},
         dynamics: {damping: 0.1, friction: 0.05, armature: 0.01}}
    ports:
      foot: {body: lower, orientation: [0, 0, 180 deg]}
      hand: {body: upper, position: [0.25, 0, 0.05], joint: {type: continuous, axis: [1, 0, 0]}}
"""
"""A type with a joint inside and a port at each end."""

PORTS = ('front', 'left', 'right', 'top')
STARTS = ('start', 'swing', 'rigid')


def document(instances: str, *connections: str, base: str = 'a', motion: str = 'fixed',
             types: str = CUBE) -> str:
    """Return a document; ``instances`` as in ``a: cube, b: cube``, connections as mappings."""
    listed = ''.join(f'\n  - {{{one}}}' for one in connections) or ' []'
    return (f'module_graph: 1\nname: robot\ntypes:\n{types}instances: {{{instances}}}\n'
            f'connections:{listed}\nbase: {{module: {base}, motion: {motion}}}\n')


def docked(parent: str, child: str, angle: str = '0') -> str:
    """Return a connection between two ``module.port``."""
    return f'parent: {parent}, child: {child}, angle: {angle}'


@st.composite
def cubes(draw: st.DrawFn, least: int = 2, most: int = 9) -> str:
    """Draw a robot of cubes, docked to each other at random."""
    count = draw(st.integers(least, most))
    free = [('m0', port) for port in PORTS]
    connections = []
    for index in range(1, count):
        parent, port = free.pop(draw(st.integers(0, len(free) - 1)))
        start = draw(st.sampled_from(STARTS))
        angle = draw(st.sampled_from(('0', '90 deg')))
        connections.append(docked(f'{parent}.{port}', f'm{index}.{start}', angle))
        free.extend(itertools.product([f'm{index}'], PORTS))
    return document(', '.join(f'm{index}: cube' for index in range(count)), *connections,
                    base='m0', motion='floating')
