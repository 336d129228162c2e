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

"""Records of a robot made of modules: types, instances, connections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Literal

from mbd_ros.description.records.finding import Finding, Source
from mbd_ros.description.records.mechanism import (
    ContactBody, Dynamics, FlexibleBody, FluidBody, Inertia, Joint, JointKind, Limits, Pose,
    SpringDamper, Vector3)
from mbd_ros.description.records.thruster import ThrusterBody

Gender = Literal['male', 'female', 'any']
Motion = Literal['fixed', 'floating']
VisualKind = Literal['box', 'cylinder', 'sphere', 'capsule', 'mesh']


@dataclass(frozen=True, slots=True)
class Visual:
    """
    One visible shape of a body.

    Attributes
    ----------
    kind : str
        ``'box'``, ``'cylinder'``, ``'sphere'``, ``'capsule'`` (both along z) or ``'mesh'``.
    size : tuple of float
        Box: x, y, z; cylinder and capsule: radius, length; sphere: radius [m]; mesh: scale.
    pose : Pose
        Shape in the frame of its body.
    color : tuple of float, optional
        Red, green, blue, opacity, 0 to 1.
    file : str
        Of a mesh: its path or ``package://`` name.

    """

    kind: VisualKind
    size: tuple[float, ...]
    pose: Pose = Pose()
    color: tuple[float, float, float, float] | None = None
    file: str = ''


@dataclass(frozen=True, slots=True)
class Body:
    """
    A part of a module.

    Attributes
    ----------
    name : str
        Its name, which is also the ``link`` of what follows.
    inertia : Inertia, optional
        None: no mass.
    visuals : tuple of Visual
        Its shapes.
    source : Source
        Where it was written.
    fluid, contact, flexible, thrusters
        As of a link of a ``Mechanism``.
    gravity_compensation : float
        The share of its weight that is taken off.

    """

    name: str
    inertia: Inertia | None = None
    visuals: tuple[Visual, ...] = ()
    source: Source = Source()
    fluid: FluidBody | None = None
    contact: ContactBody | None = None
    flexible: FlexibleBody | None = None
    thrusters: tuple[ThrusterBody, ...] = ()
    gravity_compensation: float = 0.0


@dataclass(frozen=True, slots=True)
class PortJoint:
    """
    What moves where a port is docked.

    Attributes
    ----------
    kind : str
        As of a joint between links, but not ``'floating'``.
    axis : (3,) tuple
        Unit vector in the frame of the port; a positive position turns or shifts the outboard
        module along it.
    limits : Limits
        What the joint can do.
    dynamics : Dynamics
        What resists its motion.

    """

    kind: JointKind = 'fixed'
    axis: Vector3 = (0.0, 0.0, 1.0)
    limits: Limits = Limits()
    dynamics: Dynamics = Dynamics()


RIGID = PortJoint()


@dataclass(frozen=True, slots=True)
class Port:
    """
    A place where modules can be docked to each other.

    Attributes
    ----------
    name : str
        Its name.
    body : str
        The body it is fixed to.
    pose : Pose
        Pose of the port's frame in the body: x points out of the module, z to its mark.
    gender : str
        ``'male'``, ``'female'``, or ``'any'``, which fits to every gender.
    connector : str
        Make of the port; only ports of the same make fit.
    angles : tuple of float, optional
        The angles about x at which a module can be docked [rad]; None: any.
    joint : PortJoint
        What moves where the port is docked.
    source : Source
        Where it was written.

    """

    name: str
    body: str
    pose: Pose = Pose()
    gender: Gender = 'any'
    connector: str = ''
    angles: tuple[float, ...] | None = None
    joint: PortJoint = RIGID
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class ModuleType:
    """
    A kind of module.

    Attributes
    ----------
    name : str
        Its name.
    bodies : mapping of str to Body
        In the order of the file; the first is the module's own root.
    joints : mapping of str to Joint
        Between its bodies, which they connect to a tree; names are those within the module.
    ports : mapping of str to Port
        Where it can be docked.
    part : str
        The URDF or xacro file that bodies and joints were imported from; empty: none.
    source : Source
        Where it was written.
    springs : tuple of SpringDamper
        Between its bodies.

    """

    name: str
    bodies: Mapping[str, Body]
    joints: Mapping[str, Joint]
    ports: Mapping[str, Port]
    part: str = ''
    source: Source = Source()
    springs: tuple[SpringDamper, ...] = ()


@dataclass(frozen=True, slots=True)
class Connection:
    """
    Two ports docked to each other.

    Attributes
    ----------
    parent, parent_port : str
        The inboard module and its port.
    child, child_port : str
        The outboard module and its port.
    angle : float
        Of the child's mark against the parent's, about the x axis of the parent's port [rad].
    closes_loop : bool
        Whether it closes a ring: it then becomes a loop joint and carries no module.
    source : Source
        Where it was written.

    """

    parent: str
    parent_port: str
    child: str
    child_port: str
    angle: float = 0.0
    closes_loop: bool = False
    source: Source = Source()

    @property
    def ends(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Return module and port of both ends."""
        return (self.parent, self.parent_port), (self.child, self.child_port)

    def __str__(self) -> str:
        """Return ``parent.port to child.port``."""
        return f'{self.parent}.{self.parent_port} to {self.child}.{self.child_port}'


@dataclass(frozen=True, slots=True)
class Base:
    """
    How the robot stands in the world.

    Attributes
    ----------
    module : str
        The module that no other carries.
    motion : str
        ``'fixed'`` to the ground or ``'floating'``.
    pose : Pose
        Of its root body in the world; where a floating base begins.
    source : Source
        Where it was written.

    """

    module: str
    motion: Motion = 'fixed'
    pose: Pose = Pose()
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class Instance:
    """A module of a robot, of one of the types."""

    name: str
    type: str
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class ModuleGraph:
    """
    A robot made of modules. Nothing changes it: operations give a new one.

    Attributes
    ----------
    name : str
        Name of the robot.
    types : mapping of str to ModuleType
        The kinds of modules there are.
    instances : mapping of str to Instance
        The modules of this robot.
    connections : tuple of Connection
        What is docked to what; those that close no loop make the modules a tree.
    base : Base
        The module at its root, and whether it is fixed.
    findings : tuple of Finding
        What the reader remarked.
    file : str or None
        Where it was read from.

    """

    name: str
    types: Mapping[str, ModuleType]
    instances: Mapping[str, Instance]
    connections: tuple[Connection, ...]
    base: Base
    findings: tuple[Finding, ...] = field(default=(), compare=False)
    file: str | None = field(default=None, compare=False)

    def port(self, module: str, port: str) -> Port:
        """Return a port of a module; both must exist."""
        return self.types[self.instances[module].type].ports[port]


FREE = Limits(-inf, inf)
"""Of a joint without limits."""
