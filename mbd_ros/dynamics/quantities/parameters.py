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
Programs that read numbers of a robot with the state: masses, payloads, friction, gravity.

The tree of bodies that a trace runs over holds symbols in place of these numbers, so that a
program of sweeps serves as it stands. What is named acts: damping and dry friction of joints
are no part of the dynamics of a robot unless they are asked for.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.quantities.joint_friction import viscous_friction
from mbd_ros.errors import InvalidValueError, UnknownNameError, UnsupportedError
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.driver import run
from mbd_ros.execution.program.records import filled
from mbd_ros.execution.program.sweeps import Body, Layout, Program, Tree
from mbd_ros.execution.program.ties import frame_record
from mbd_ros.execution.program.tree import joints_of, Sized, tree_of, world_of
from mbd_ros.model import Model
from mbd_ros.spatial import RigidInertia, step, Symmetric3, Vector3

Array = NDArray[np.float64]
Inputs = Mapping[str, Array]
LARGEST = 64
"""Bodies up to which there is straight-line code for parameters."""
KINDS = {
    'masses': 'mass of each body [kg]; mass centres stay, inertias go with the masses',
    'inertial': 'ten of each body: mass, first moment, inertia about the origin xx xy yy xz yz zz',
    'payload': 'of a body on a link, payload:link: mass [kg], mass centre [m], inertia about it '
               '[kg m^2] xx xy yy xz yz zz, all in the axes of the link',
    'armature': 'of each entry of v [kg m^2, kg]', 'damping': 'of each entry of v [N m s/rad]',
    'friction': 'dry, of each entry of v [N m]', 'gravity': 'in world axes [m/s^2]'}
"""Kinds of parameters."""


class Block(NamedTuple):
    """
    Parameters of one kind among all.

    Attributes
    ----------
    name : str
        As it was asked for.
    kind, link : str
        Of ``KINDS``; of a payload the link.
    first, size : int
        Its entries.

    """

    name: str
    kind: str
    link: str
    first: int
    size: int

    def of(self, values: Sequence[Any]) -> list[Any]:
        """Return its entries."""
        return list(values[self.first:self.first + self.size])


def blocks_of(model: Model, names: Sequence[str]) -> tuple[Block, ...]:
    """
    Return where parameters are.

    Parameters
    ----------
    model : Model
        The robot.
    names : sequence of str
        Of ``KINDS``; ``'payload:tool'`` is one on the link ``tool``.

    Returns
    -------
    tuple of Block
        In the order of the names.

    Raises
    ------
    InvalidValueError, UnknownNameError
        If there is no such kind or link, or one is named twice.
    UnsupportedError
        For closed loops, flexible links and more than ``LARGEST`` bodies.

    """
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise InvalidValueError('parameters', names, f'a list of {", ".join(KINDS)}')
    if model.loops or model.elastic is not None or model.nb > LARGEST:
        raise UnsupportedError(
            f"parameters as arguments, for robot '{model.name}'",
            f'it takes a rigid tree of at most {LARGEST} bodies')
    found: list[Block] = []
    for name in names:
        kind, _, link = name.partition(':')
        if kind not in KINDS or (kind != 'payload' and link) or name in {
                block.name for block in found}:
            raise InvalidValueError('parameters', name, f'each once, of {", ".join(KINDS)}')
        if kind == 'payload':
            link = link or _tip(model)
            if link not in model.links:
                raise UnknownNameError('link', link, list(model.links))
        if kind == 'inertial' and any(block.kind == 'masses' for block in found) or (
                kind == 'masses' and any(block.kind == 'inertial' for block in found)):
            raise InvalidValueError('parameters', list(names), 'masses or inertial, not both')
        size = {'masses': model.nb, 'inertial': 10 * model.nb, 'payload': 10, 'gravity': 3}.get(
            kind, model.nv)
        found.append(Block(name, kind, link, sum(block.size for block in found), size))
    return tuple(found)


def _tip(model: Model) -> str:
    inner = set(model.parents)
    last = {frame.body: name for name, frame in model.links.items() if frame.body >= 0}
    tips = [name for body, name in last.items() if body not in inner]
    if len(tips) != 1:
        raise InvalidValueError('parameters', 'payload', "'payload:' and a link: "
                                + ', '.join(tips))
    return tips[0]


def values_of(model: Model, block: Block) -> Array:
    """Return the parameters of a block as the description has them; no payload."""
    if block.kind == 'inertial':
        bodies = tree_of(model).bodies
        return np.array([[one.inertia.mass, *one.inertia.first_moment, *(
            getattr(one.inertia.rotational, key) for key in ORDER)] for one in bodies]).ravel()
    found = {'masses': model.masses, 'payload': np.zeros(10), 'armature': model.armature,
             'damping': model.damping, 'friction': model.friction,
             'gravity': np.array(model.gravity)}[block.kind]
    return np.array(found, np.float64)


ORDER = ('xx', 'xy', 'yy', 'xz', 'yz', 'zz')
"""Of the entries of an inertia among parameters, as ``mbd_ros.inertial_parameters`` has them."""


def tree_with(model: Model, blocks: Sequence[Block], values: Sequence[Any]) -> Tree:
    """Return the tree of a robot with other numbers, floats or symbols."""
    tree = tree_of(model)
    bodies: list[Body] = list(tree.bodies)
    for block in blocks:
        own = block.of(values)
        if block.kind == 'masses':
            bodies = [body._replace(inertia=_scaled(body.inertia, mass))
                      for body, mass in zip(bodies, own)]
        elif block.kind == 'inertial':
            bodies = [body._replace(inertia=_inertia(own[10 * i:10 * i + 10]))
                      for i, body in enumerate(bodies)]
        elif block.kind == 'armature':
            bodies = [body._replace(armature=tuple(own[first:first + len(body.armature)]))
                      for body, first in zip(bodies, tree.v_offsets)]
    for block in blocks:   # on top of what bodies are
        frame = model.links[block.link] if block.kind == 'payload' else None
        if frame is not None and frame.body >= 0:
            place = frame_record(frame)
            mass, center, *inertia = (own := block.of(values))[0], Vector3(*own[1:4]), *own[4:]
            turned = Symmetric3(**dict(zip(ORDER, inertia))).rotated(place.rotation)
            point = place.translation + place.rotation.apply(center)
            body = bodies[frame.body]
            bodies[frame.body] = body._replace(inertia=body.inertia + RigidInertia(
                mass, point * mass, turned + _about(mass, point)))
    return replace(tree, bodies=tuple(bodies))


def _scaled(inertia: RigidInertia, mass: Any) -> RigidInertia:
    """Return the inertia of the same body of another density; of none, a point at its origin."""
    if not inertia.mass:
        return inertia._replace(mass=mass)
    factor = mass * (1.0 / inertia.mass)
    return RigidInertia(mass, inertia.first_moment * factor, Symmetric3(
        *(entry * factor for entry in inertia.rotational)))


def _inertia(ten: Sequence[Any]) -> RigidInertia:
    return RigidInertia(ten[0], Vector3(*ten[1:4]), Symmetric3(**dict(zip(ORDER, ten[4:]))))


def _about(mass: Any, point: Vector3) -> Symmetric3:
    """Return the inertia of a point mass about the origin."""
    x, y, z = point
    return Symmetric3(xx=mass * (y * y + z * z), xy=-(mass * x * y), xz=-(mass * x * z),
                      yy=mass * (x * x + z * z), yz=-(mass * y * z), zz=mass * (x * x + y * y))


def with_parameters(model: Model, function: str, program: Program, blocks: tuple[Block, ...]
                    ) -> ArrayProgram:
    """
    Return a program of sweeps that reads parameters after its other inputs.

    Parameters
    ----------
    model : Model
        The robot.
    function : str
        Which function it is, of ``FUNCTIONS``.
    program : Program
        The sweeps.
    blocks : tuple of Block
        The parameters.

    Returns
    -------
    ArrayProgram
        Of the same result.

    """
    if isinstance(program, ArrayProgram):
        raise UnsupportedError(f'{function} with parameters', 'it takes a formulation of sweeps, '
                               "'recursive'")
    size = sum(block.size for block in blocks)
    return ArrayProgram(
        f'{function} with {[block.name for block in blocks]}',
        (*program.inputs, Sized('parameters', size)), layout=Layout.ONE_BODY,
        extent=program.shape(model.nb, model.nv), evaluate=partial(
            _evaluated, program, function, blocks), traces=_traces)


FUNCTIONS = ('forward_dynamics', 'inverse_dynamics', 'bias_forces', 'mass_matrix', 'energies')
"""What takes parameters."""


def _traces(model: Model) -> bool:
    return model.nb <= LARGEST


def _evaluated(program: Program, function: str, blocks: tuple[Block, ...], model: Model,
               inputs: Inputs, world: Array, executor: Any) -> Array:
    """Return the result of N states, one after the other, of numbers or of symbols."""
    found = [_of_state(program, function, blocks, model,
                       {name: one[k].tolist() for name, one in inputs.items()}, world.tolist())
             for k in range(len(inputs['q']))]
    shape = (len(found), *program.shape(model.nb, model.nv))
    result = np.empty(shape, inputs['q'].dtype)
    result.reshape(len(found), -1)[...] = found
    return result


def _of_state(program: Program, function: str, blocks: tuple[Block, ...], model: Model,
              inputs: Mapping[str, list[Any]], world: list[Any]) -> list[Any]:
    values, world = inputs['parameters'], list(world)
    resisting: list[Any] = [0.0] * model.nv
    for block in blocks:
        own = block.of(values)
        if block.kind == 'gravity':
            world[:3] = own
        elif block.kind == 'damping' and 'v' in inputs:
            resisting = [total + one for total, one in zip(resisting, viscous_friction(
                model, np.array(inputs['v'], object), np.array(own, object)))]
        elif block.kind == 'friction' and 'v' in inputs:
            resisting = [total + factor * (step(one) - step(-one)) for total, factor, one in zip(
                resisting, own, inputs['v'])]
    coordinates = dict(inputs)
    if function == 'forward_dynamics':
        coordinates['tau'] = [one - other for one, other in zip(inputs['tau'], resisting)]
    around = filled(world_of(model), world.__getitem__)
    found = run(program, tree_with(model, blocks, values).within(around),
                joints_of(model, coordinates), around)
    if function in ('inverse_dynamics', 'bias_forces'):
        found = [one + other for one, other in zip(found, resisting)]
    return found
