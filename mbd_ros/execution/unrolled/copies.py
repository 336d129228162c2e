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
Swarms: many equal robots in one model, run as a batch of the states of one of them.

Their coordinates follow each other, so that those of all in one state are laid out as those of one
in many states: the straight-line code of one robot runs in the lanes of vector registers, without
tables, and costs the same for each however many there are.

"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.sweeps import Layout, Program
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.model import Model
from mbd_ros.model.caches import owned


class Copies(NamedTuple):
    """One robot of a swarm, and how many of them there are."""

    one: Model
    number: int


@owned(1)
def copies_of(program: Program, model: Model) -> Copies | None:
    """Return the robot that a model is a swarm of; None where it is not, or too large for it."""
    if (isinstance(program, ArrayProgram) or program.layout is not Layout.JOINTS
            or not set(program.inputs) <= {'q', 'v', 'tau', 'qdd'} or model.loops
            or model.springs or model.elastic is not None or -1 not in model.parents[1:]):
        return None
    size = model.parents.index(-1, 1)
    bodies, kinds = tree_of(model).bodies, model.joint_types
    if size > program.largest_unrolled or model.nb % size or not all(
            bodies[i] == bodies[i - size] and kinds[i] == kinds[i - size]
            and model.parents[i] == (model.parents[i - size] + size if i % size else -1)
            for i in range(size, model.nb)):
        return None
    nv = model.v_offsets[size]
    of_bodies: dict[str, Any] = {name: getattr(model, name)[:size] for name in (
        'parents', 'joint_types', 'joint_names', 'body_names', 'q_offsets', 'v_offsets',
        'rotations', 'translations', 'masses', 'mass_centers', 'inertias')}
    of_axes: dict[str, Any] = {name: getattr(model, name)[:nv] for name in (
        'armature', 'damping', 'friction', 'lower', 'upper', 'velocity_limits', 'effort_limits')}
    carried: dict[str, Any] = {
        name: tuple(one for one in getattr(model, name) if one.body < size)
        for name in ('fluids', 'contacts', 'joint_springs', 'lifted')}
    one = replace(
        model, nq=model.q_offsets[size], nv=nv, nb=size, thrusters=(), **of_bodies, **of_axes,
        **carried, links={name: frame for name, frame in model.links.items()
                          if frame.body < size})
    if tree_of(one).bodies != bodies[:size]:   # a law looks at more than the body
        return None
    return Copies(one, model.nb // size)
