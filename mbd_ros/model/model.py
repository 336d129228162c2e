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

"""The frozen numbers of a robot that every algorithm reads and none changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
import html
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.finding import Finding
from mbd_ros.description.records.mechanism import Mechanism, STANDARD_GRAVITY
from mbd_ros.errors import InvalidValueError, UnknownNameError, UnsupportedError
from mbd_ros.model.attachments.contacts import ContactPoint
from mbd_ros.model.attachments.fluids import SubmergedLink
from mbd_ros.model.attachments.joint_springs import SprungJoint
from mbd_ros.model.attachments.lifted_links import LiftedLink
from mbd_ros.model.attachments.thrusters import Thruster
from mbd_ros.model.caches import owned
from mbd_ros.model.flexible.segments import ElasticTree
from mbd_ros.model.joints.joint_type import JointType
from mbd_ros.model.link_frame import LinkFrame
from mbd_ros.model.loops import Loop, Spring
from mbd_ros.model.sameness import is_same
from mbd_ros.model.tree_text import tree_lines

Array = NDArray[np.float64]
SHOWN = 40
"""Joints that ``print`` shows."""


class _WeaklyReferable:
    """Lets models be keys of weak dictionaries, keeps results and what tells equal ones."""

    __slots__ = ('__weakref__', '_hash', '_results', '_twins')
    _hash: int
    _results: dict[Any, Any]
    _twins: object


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Model(_WeaklyReferable):
    """
    A robot as arrays; body i is moved by joint i, fixed joints are merged away.

    All arrays are float64, C-contiguous and read-only. The origin of a body's frame is on its
    joint; a revolute or prismatic joint acts along the z axis of that frame. Joints come in depth
    first order, the children of a link by joint name, as in Pinocchio.

    Attributes
    ----------
    name : str
        Name of the robot.
    generation : int
        Counts the changes of a robot that is reconfigured while it runs; 1 at first.
    parents : tuple of int
        Parent body of each body, -1 for the ground; ``parents[i] < i``.
    joint_types : tuple of JointType
        Type of each joint.
    joint_names, body_names : tuple of str
        Name of each joint, and of the link it moves.
    q_offsets, v_offsets : tuple of int
        Where the coordinates of each joint begin in ``q`` and ``v``.
    nq, nv, nb : int
        Numbers of configuration coordinates, velocity coordinates and bodies.
    rotations : (nb, 3, 3) array
        ``R_PB``: axes of body B in the axes of its parent P at q = 0, as columns.
    translations : (nb, 3) array
        ``p_PoBo_P``: origin of body B in its parent's axes at q = 0 [m].
    masses : (nb,) array
        Mass of each body with all links fixed to it [kg].
    mass_centers : (nb, 3) array
        ``p_BoBcm_B`` [m].
    inertias : (nb, 3, 3) array
        ``I_BBcm_B``: about the mass centre, in body axes [kg m^2].
    armature : (nv,) array
        Rotor inertia, added to the diagonal of the mass matrix [kg m^2 or kg]. Of joints that
        slide along axes which turn it resists dv/dt of v as a vector, ``qdd + w x v``.
    damping, friction : (nv,) array
        URDF's ``<dynamics>``: viscous [N m s/rad or N s/m] and dry friction [N m or N].
    quadratic_damping, cubic_damping : (nv,) array
        Of MJCF's ``damping="c1 c2 c3"``: c2 and c3 of the effort ``(c1 + c2 |v| + c3 v^2) v``
        [N m s^2/rad^2 or N s^2/m^2, N m s^3/rad^3 or N s^3/m^3].
    lower, upper : (nv,) array
        Position limits [rad or m], infinite where there are none.
    velocity_limits, effort_limits : (nv,) array
        [rad/s or m/s] and [N m or N], infinite where there are none.
    links : mapping of str to LinkFrame
        Every link of the description, the root included.
    root : str
        Name of the root link.
    findings : tuple of Finding
        What the reader remarked.
    mechanism : Mechanism
        The records this model was compiled from.
    loops : tuple of Loop
        The cut joints of closed loops.
    springs : tuple of Spring
        Springs and dampers between bodies.
    joint_springs : tuple of SprungJoint
        Springs along the coordinates of joints.
    lifted : tuple of LiftedLink
        Links whose weight is taken off, or a share of it.
    fluids : tuple of SubmergedLink
        What a fluid does to the links that move.
    laws : tuple of Law
        Force laws of the surroundings, see ``environment/law.py`` and ``with_laws``.
    contacts : tuple of ContactPoint
        Where links that move touch the ground.
    thrusters : tuple of Thruster
        Propellers on links that move, in the order of the description.
    elastic : ElasticTree, optional
        The tree with flexible links, whose coordinates follow those of all joints in q and v; what
        is above are the links while nothing is bent. None: all links are rigid.
    gravity : (3,) tuple
        Of the description, in world axes [m/s^2]: the default wherever a gravity may be given.
        ``dataclasses.replace(model, gravity=(0.0, 0.0, -1.62))`` is the same robot elsewhere.

    """

    name: str
    generation: int
    parents: tuple[int, ...]
    joint_types: tuple[JointType, ...]
    joint_names: tuple[str, ...]
    body_names: tuple[str, ...]
    q_offsets: tuple[int, ...]
    v_offsets: tuple[int, ...]
    nq: int
    nv: int
    nb: int
    rotations: Array
    translations: Array
    masses: Array
    mass_centers: Array
    inertias: Array
    armature: Array
    damping: Array
    friction: Array
    quadratic_damping: Array
    cubic_damping: Array
    lower: Array
    upper: Array
    velocity_limits: Array
    effort_limits: Array
    links: Mapping[str, LinkFrame]
    root: str
    findings: tuple[Finding, ...]
    mechanism: Mechanism
    loops: tuple[Loop, ...] = ()
    springs: tuple[Spring, ...] = ()
    joint_springs: tuple[SprungJoint, ...] = ()
    lifted: tuple[LiftedLink, ...] = ()
    fluids: tuple[SubmergedLink, ...] = ()
    laws: tuple[Any, ...] = ()
    contacts: tuple[ContactPoint, ...] = ()
    thrusters: tuple[Thruster, ...] = ()
    elastic: ElasticTree | None = None
    gravity: tuple[float, float, float] = STANDARD_GRAVITY

    @property
    def sprung(self) -> bool:
        """Whether springs act: between points of bodies, or along joints."""
        return bool(self.springs or self.joint_springs)

    def __post_init__(self) -> None:
        """Make every array contiguous and read-only."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, field.name, _frozen(value))
        frames = {name: LinkFrame(frame.body, _frozen(frame.rotation), _frozen(frame.translation))
                  for name, frame in self.links.items()}
        object.__setattr__(self, 'links', MappingProxyType(frames))
        object.__setattr__(self, '_hash', hash((
            self.name, self.generation, self.joint_names, self.masses.tobytes(),
            self.translations.tobytes(), self.laws)))
        object.__setattr__(self, '_twins', object())

    def __hash__(self) -> int:
        """Return a hash of the content."""
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Return whether another model is the same in all that was read, its file included."""
        if not isinstance(other, Model):
            return NotImplemented
        if self._twins is other._twins:
            return True
        equal = self._hash == other._hash and all(
            is_same(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self))
        if equal:   # so that it is compared once, however often the two look each other up
            object.__setattr__(other, '_twins', self._twins)
        return equal

    def __repr__(self) -> str:
        """Return what the robot is, on one line; ``print`` shows its joints as well."""
        loops = f', {len(self.loops)} loops' if self.loops else ''
        return (f'<Model {self.name!r}: {len(self.links)} links, {self.nb} joints, nq {self.nq}, '
                f'nv {self.nv}, {self.masses.sum():.6g} kg move{loops}>')

    def __str__(self) -> str:
        """Return what the robot is, and its joints with their limits, at most ``SHOWN``."""
        rows = [repr(self)]
        for i in range(min(self.nb, SHOWN)):
            parent = self.body_names[self.parents[i]] if self.parents[i] >= 0 else 'the ground'
            first = self.v_offsets[i]
            bounds = f', {self.lower[first]:.4g} to {self.upper[first]:.4g}' if np.isfinite(
                (self.lower[first], self.upper[first])).any() else ''
            rows.append(f'  {self.joint_names[i]}: {self.joint_types[i].value}, {parent} to '
                        f'{self.body_names[i]}{bounds}')
        return '\n'.join(rows + [f'  and {self.nb - SHOWN} more'] * (self.nb > SHOWN))

    def _repr_html_(self) -> str:
        """Return what notebooks show: a line, and the tree when it is opened."""
        tree = '\n'.join(tree_lines(self))
        return (f'<details><summary>{html.escape(repr(self))}</summary>'
                f'<pre>{html.escape(tree)}</pre></details>')

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle, so that worker processes can be handed a model; it is frozen there too."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return _unpickle, ({**values, 'links': dict(self.links)},)

    def with_laws(self, *laws: Any) -> Model:
        """
        Return this robot under force laws, in place of those that it has.

        Parameters
        ----------
        *laws : Law
            What its surroundings do to bodies, see ``environment/law.py``; no two of one name.

        Returns
        -------
        Model
            The same object for equal laws, so that nothing is compiled twice.

        Raises
        ------
        InvalidValueError
            If a law cannot be hashed or is a tuple, or two have one name.

        """
        for law in laws:
            if isinstance(law, (tuple, type)) or not hasattr(law, 'load'):
                raise InvalidValueError('law', law, 'a frozen dataclass as environment.law.Law')
        names = [law.name for law in laws]
        if len(set(names)) < len(names):
            raise InvalidValueError('names of laws', names, 'different ones')
        try:
            return self if laws == self.laws else _with_laws(self, laws)
        except TypeError:
            raise InvalidValueError('laws', laws, 'frozen dataclasses, which can be hashed') from (
                None)

    @property
    def elastic_names(self) -> tuple[str, ...]:
        """Return the names of the elastic coordinates: ``'forearm/bend_y_1'``."""
        return () if self.elastic is None else self.elastic.names

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Return for each entry of v its joint, or the name of the elastic coordinate."""
        return (*(name for name, kind in zip(self.joint_names, self.joint_types)
                  for _ in range(kind.nv)), *self.elastic_names)

    def require_rigid(self, what: str) -> None:
        """
        Check that no link bends.

        Raises
        ------
        UnsupportedError
            If one does; says what cannot be done with it.

        """
        if self.elastic is not None:
            bends = 'links' if self.mechanism.flexibles else 'joints'
            raise UnsupportedError(f"{what} of '{self.name}', which has flexible {bends},",
                                   'load it with flexible=False')

    def link(self, name: str) -> LinkFrame:
        """
        Return where the frame of a link sits.

        Raises
        ------
        UnknownNameError
            If there is no such link.

        """
        try:
            return self.links[name]
        except (KeyError, TypeError):   # TypeError: a list, say
            raise UnknownNameError('link', name, self.links) from None

    def joint_index(self, name: str) -> int:
        """
        Return the index of a joint.

        Raises
        ------
        UnknownNameError
            If there is no such joint, or it is fixed.

        """
        try:
            return self.joint_names.index(name)
        except ValueError:
            raise UnknownNameError('joint', name, self.joint_names) from None


@owned()
def _with_laws(model: Model, laws: tuple[Any, ...]) -> Model:
    return replace(model, laws=laws)


def _frozen(array: Array) -> Array:
    if array.flags.writeable or not array.flags.c_contiguous:
        array = np.array(array, dtype=np.float64, order='C')
        array.setflags(write=False)
    return array


def _unpickle(values: dict[str, Any]) -> Model:
    return Model(**values)
