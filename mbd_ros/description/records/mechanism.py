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

"""The records of a robot as its author wrote it: links and joints, each with its source line."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

from mbd_ros.description.records.finding import Finding, Source
from mbd_ros.description.records.modal import ShapeIntegrals
from mbd_ros.description.records.report import TEXT
from mbd_ros.description.records.thruster import ThrusterBody

Vector3 = tuple[float, float, float]
Matrix3 = tuple[Vector3, Vector3, Vector3]
JointKind = Literal['revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar',
                    'spherical']
LoopKind = Literal['revolute', 'spherical', 'universal', 'prismatic', 'fixed', 'planar',
                   'distance']

IDENTITY: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
STANDARD_GRAVITY: Vector3 = (0.0, 0.0, -9.81)
"""[m/s^2] in world axes, z up: where a description gives none."""
ZERO: Matrix3 = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True)
class Pose:
    """Pose of a frame C in a frame P: ``R_PC``, rows first, and ``p_PoCo_P`` [m]."""

    rotation: Matrix3 = IDENTITY
    translation: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Inertia:
    """
    Mass properties of a link L.

    Attributes
    ----------
    mass : float
        [kg].
    center : (3,) tuple
        ``p_LoLcm_L``: mass centre in the link's frame [m].
    tensor : (3, 3) tuple
        ``I_LLcm_L``: about the mass centre, in the link's axes [kg m^2].
    source : Source
        Where it was written.

    """

    mass: float = 0.0
    center: Vector3 = (0.0, 0.0, 0.0)
    tensor: Matrix3 = ZERO
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class Link:
    """
    A rigid body.

    Attributes
    ----------
    name : str
        Its name.
    inertia : Inertia, optional
        None where the description gives none.
    source : Source
        Where it was written.
    gravity_compensation : float
        The share of its weight that a force at its mass centre takes off; 1 where no gravity acts
        on it.

    """

    name: str
    inertia: Inertia | None = None
    source: Source = Source()
    gravity_compensation: float = 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """
    What a joint can do; infinite where there is no limit.

    Attributes
    ----------
    lower, upper : float
        Position [rad or m].
    velocity, effort : float
        [rad/s or m/s], [N m or N].
    acceleration, deceleration, jerk : float
        URDF 1.2 [rad/s^2 or m/s^2, rad/s^3 or m/s^3]; kept, no equation reads them.
    source : Source
        Where they were written.

    """

    lower: float = -inf
    upper: float = inf
    velocity: float = inf
    effort: float = inf
    acceleration: float = inf
    deceleration: float = inf
    jerk: float = inf
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class JointSpring:
    """
    A spring along the coordinates of a joint; what drives the joint acts beside it.

    Its effort is ``-(c1 + c2 x + c3 x^2) x``. Of a joint with one coordinate x is how far that is
    beyond the reference, less the slack. Of a spherical joint x is the rotation vector from the
    reference, in the body's axes; its length stands in the brackets. A floating joint has that
    and, with the same coefficients, x as the vector from the reference's position.

    Attributes
    ----------
    stiffness : (3,) tuple
        c1, c2, c3 [N m/rad, N m/rad^2, N m/rad^3, or N/m, N/m^2, N/m^3].
    reference : tuple of float
        Where it is free of force: a coordinate [rad, m], a quaternion x y z w, or position [m] and
        quaternion; empty for zero, or no turn.
    slack : float
        How far beyond the reference a joint with one coordinate is free, too [rad, m].
    source : Source
        Where it was written.

    """

    stiffness: Vector3
    reference: tuple[float, ...] = ()
    slack: float = 0.0
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class Dynamics:
    """
    What resists a joint's motion.

    Attributes
    ----------
    damping : float
        Viscous friction [N m s/rad or N s/m].
    friction : float
        Dry friction [N m or N].
    armature : float
        Rotor inertia as seen at the joint, that is, times the square of the gear ratio
        [kg m^2 or kg].
    series_stiffness, series_damping : float
        Of the spring between motor and link [N m/rad or N/m, N m s/rad or N s/m]; a stiffness of
        0 stands for a rigid transmission.
    quadratic_damping, cubic_damping : float
        What viscous friction grows by: c2 and c3 of the effort ``(damping + c2 |v| + c3 v^2) v``
        [N m s^2/rad^2 or N s^2/m^2, N m s^3/rad^3 or N s^3/m^3].
    springs : tuple of JointSpring
        Springs along its coordinates.

    """

    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    series_stiffness: float = 0.0
    series_damping: float = 0.0
    quadratic_damping: float = 0.0
    cubic_damping: float = 0.0
    springs: tuple[JointSpring, ...] = ()


@dataclass(frozen=True, slots=True)
class Mimic:
    """
    URDF's ``<mimic>``, or a polynomial of MJCF, which is none in URDF.

    With x the position of ``joint``, ``position = offset + multiplier x + c_2 x^2 + c_3 x^3 +
    c_4 x^4``.

    Attributes
    ----------
    joint : str
        The joint that is followed.
    multiplier, offset : float
        Of its position.
    source : Source
        Where it was written.
    always : bool
        Whether it holds even if mimic joints are not coupled: a screw's thread, a gear.
    powers : tuple of float
        (c_2, c_3, c_4); empty where it is linear.

    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0
    source: Source = Source()
    always: bool = False
    powers: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Joint:
    """
    A joint between two links.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        ``'revolute'``, ``'continuous'``, ``'prismatic'``, ``'fixed'``, ``'floating'``,
        ``'planar'`` or ``'spherical'``.
    parent, child : str
        Names of the links it connects.
    origin : Pose
        Pose of the child's frame in the parent's at q = 0.
    axis : (3,) tuple
        Unit vector in the child's frame.
    limits : Limits
        What the joint can do.
    dynamics : Dynamics
        What resists its motion.
    mimic : Mimic, optional
        The joint it is coupled with.
    source : Source
        Where it was written.

    """

    name: str
    kind: JointKind
    parent: str
    child: str
    origin: Pose = Pose()
    axis: Vector3 = (1.0, 0.0, 0.0)
    limits: Limits = Limits()
    dynamics: Dynamics = Dynamics()
    mimic: Mimic | None = None
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class LoopJoint:
    """
    A joint that closes a loop: a frame fixed to one link and a frame fixed to another.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        ``'spherical'``: the origins coincide. ``'revolute'``: also the z axes. ``'universal'``:
        the origins coincide and x of the first frame is normal to y of the second.
        ``'prismatic'``: the axes are parallel and the second origin lies on the z axis of the
        first. ``'planar'``: the z axes are parallel and the second origin lies in the x-y plane
        of the first. ``'fixed'``: the frames coincide. ``'distance'``: the origins keep their
        ``distance``.
    link1, link2 : str
        The links it connects.
    frame1, frame2 : Pose
        Poses of the two frames in their links.
    distance : float, optional
        Of a ``'distance'`` joint [m].
    source : Source
        Where it was written.

    """

    name: str
    kind: LoopKind
    link1: str
    link2: str
    frame1: Pose = Pose()
    frame2: Pose = Pose()
    distance: float | None = None
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class SpringDamper:
    """
    A spring with a damper between points of two links; it pulls where it is too long.

    Attributes
    ----------
    name : str
        Its name.
    link1, link2 : str
        The links it connects.
    point1, point2 : (3,) tuple
        The points, each in its link's frame [m].
    stiffness, damping : float
        [N/m], [N s/m].
    length : float
        At which the spring is free of force [m].
    source : Source
        Where it was written.
    slack : float
        How much longer it may be without force [m]; a cable has its whole length of that.

    """

    name: str
    link1: str
    link2: str
    point1: Vector3 = (0.0, 0.0, 0.0)
    point2: Vector3 = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    damping: float = 0.0
    length: float = 0.0
    source: Source = Source()
    slack: float = 0.0


@dataclass(frozen=True, slots=True)
class FluidBody:
    """
    What a fluid around a link does to it.

    All of it is about the centre of buoyancy, the origin of a frame F, and in the axes of F.

    Attributes
    ----------
    link : str
        The link.
    frame : Pose
        Pose of F in the link: the centre of buoyancy [m], and the axes of the coefficients.
    volume : float
        Of the fluid it displaces [m^3].
    added_mass : tuple of 6 rows
        Symmetric, not negative: rows and columns x y z [kg] and rotations p q r about them
        [kg m, kg m^2].
    linear_drag, quadratic_drag : (6,) tuple
        Force and moment against the velocity v_i relative to the fluid, and against v_i |v_i|:
        [N s/m, N m s/rad] and [N s^2/m^2, N m s^2/rad^2].
    lift : (float, float)
        Coefficients of lift in the x-y and the x-z plane of a link that is slender along x, or a
        fin across y or z [N s^2/m^2].
    source : Source
        Where it was written.

    """

    link: str
    frame: Pose = Pose()
    volume: float = 0.0
    added_mass: tuple[tuple[float, ...], ...] = ((0.0,) * 6,) * 6
    linear_drag: tuple[float, ...] = (0.0,) * 6
    quadratic_drag: tuple[float, ...] = (0.0,) * 6
    lift: tuple[float, float] = (0.0, 0.0)
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class ContactBody:
    """
    Where a link touches the ground, and how stiff it is there.

    Attributes
    ----------
    link : str
        The link.
    points : tuple of (3,) tuple
        In the link's frame [m].
    radii : tuple of float
        Of the spheres about the points; 0 for points [m].
    stiffness, damping : float
        [N/m], [N s/m].
    friction, slip_speed : float
        Coefficient of friction, and the speed over which it rises [m/s].
    source : Source
        Where it was written.

    """

    link: str
    points: tuple[Vector3, ...]
    radii: tuple[float, ...]
    stiffness: float
    damping: float = 0.0
    friction: float = 0.0
    slip_speed: float = 0.01
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class Beam:
    """
    A straight beam along the x axis, clamped at the origin.

    Attributes
    ----------
    length : float
        [m].
    linear_density : float
        Mass per length [kg/m].
    bending_stiffness : (float, float)
        ``E I`` of bending in the x-y plane and in the x-z plane [N m^2].
    torsional_stiffness, torsional_inertia : float
        ``G J`` [N m^2] and moment of inertia about x per length [kg m].
    modes : (int, int, int)
        How many modes of bending along y, along z, and of torsion.
    damping_ratio : float
        Of every mode.
    rayleigh : (float, float)
        Damping as multiples of mass [1/s] and stiffness [s].
    rotary_inertia : (float, float)
        Moment of inertia per length of a section that turns as it bends along y and along z
        [kg m]; zeros: the torsional inertia, shared in the ratio of the bending stiffnesses.
    shear_stiffness : (float, float)
        ``k G A`` of a Timoshenko beam along y and z [N]; 0: an Euler-Bernoulli beam.
    taper : float
        Linear dimensions of the section at the tip against those at the root.
    tip_mass : float
        With which the modes are computed [kg]; what is fixed there brings its mass itself.
    boundary : str
        ``'free'`` or ``'craig_bampton'``: how the tip is held in the modes.
    stiffening : str
        ``'true'``: bending shortens the beam along x, as its axis keeps its length, which gives it
        geometric stiffness. ``'kinetic'``: without the part of the curvature that comes from it.
        ``'false'``: the beam is not shortened.

    """

    length: float
    linear_density: float
    bending_stiffness: tuple[float, float] = (0.0, 0.0)
    torsional_stiffness: float = 0.0
    torsional_inertia: float = 0.0
    modes: tuple[int, int, int] = (1, 1, 0)
    damping_ratio: float = 0.0
    rayleigh: tuple[float, float] = (0.0, 0.0)
    rotary_inertia: tuple[float, float] = (0.0, 0.0)
    shear_stiffness: tuple[float, float] = (0.0, 0.0)
    taper: float = 1.0
    tip_mass: float = 0.0
    boundary: str = 'free'
    stiffening: str = 'true'


@dataclass(frozen=True, slots=True)
class ModalPoint:
    """
    A mass point of a flexible link, or the place where a joint sits on it.

    Attributes
    ----------
    position : (3,) tuple
        While nothing is bent [m].
    shape : tuple of float
        Displacement per modal coordinate, x of all modes first, then y, then z [m].
    mass : float
        [kg]; 0 where a joint sits.
    rotation : tuple of float
        Rotation per modal coordinate, as ``shape`` [rad]; empty for a mass point.
    joint : str
        The joint that sits there; empty for a mass point.

    """

    position: Vector3
    shape: tuple[float, ...]
    mass: float = 0.0
    rotation: tuple[float, ...] = ()
    joint: str = ''


@dataclass(frozen=True, slots=True)
class FlexibleBody:
    """
    A link that bends: a beam, or mass points or integrals with the shapes of its modes.

    Attributes
    ----------
    link : str
        The link; its ``inertia`` is that of the whole link while nothing is bent.
    frame : Pose
        Pose in the link of the frame the rest is given in.
    beam : Beam, optional
        Either this
    points : tuple of ModalPoint
        or this, with
    stiffness, damping : tuple of float
        Modal matrices by rows [N/m, N s/m for shapes in m].
    integrals : ShapeIntegrals, optional
        Instead of the masses of points, which are 0 then and only show how the link bends.
    file : str
        Where points, matrices and integrals are to be written; empty: in the description.
    source : Source
        Where it was written.

    """

    link: str
    frame: Pose = Pose()
    beam: Beam | None = None
    points: tuple[ModalPoint, ...] = ()
    stiffness: tuple[float, ...] = ()
    damping: tuple[float, ...] = ()
    integrals: ShapeIntegrals | None = None
    file: str = ''
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class Mechanism:
    """
    A robot as it was described.

    Attributes
    ----------
    name : str
        Name of the robot.
    root : str
        The link that is no joint's child.
    links : tuple of Link
        In the order of the file.
    joints : tuple of Joint
        In the order of the file; together they span a tree.
    findings : tuple of Finding
        What the reader remarked.
    file : str or None
        Where the robot was read from.
    text : str
        The description as URDF, with xacro expanded: what ``robot_description`` holds.
    loop_joints : tuple of LoopJoint
        The joints that close loops; together with ``joints`` they are all joints.
    springs : tuple of SpringDamper
        Springs and dampers between links.
    generation : int
        Number of this robot among those that take each other's place, as its description says;
        0: it does not say.
    fluids : tuple of FluidBody
        What a fluid does to links.
    flexibles : tuple of FlexibleBody
        Links that bend.
    contacts : tuple of ContactBody
        Links that touch the ground.
    thrusters : tuple of ThrusterBody
        Propellers, in the order of the file.
    gravity : (3,) tuple
        That of the description, in world axes [m/s^2].
    packages : tuple of (str, str)
        Names and folders of packages that its user gave.

    """

    name: str
    root: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    findings: tuple[Finding, ...] = ()
    file: str | None = None
    text: str = ''
    loop_joints: tuple[LoopJoint, ...] = ()
    springs: tuple[SpringDamper, ...] = ()
    generation: int = 0
    fluids: tuple[FluidBody, ...] = ()
    flexibles: tuple[FlexibleBody, ...] = ()
    contacts: tuple[ContactBody, ...] = ()
    thrusters: tuple[ThrusterBody, ...] = ()
    gravity: Vector3 = STANDARD_GRAVITY
    packages: tuple[tuple[str, str], ...] = ()

    @property
    def came_as_text(self) -> bool:
        """Whether it has no file, and what it names is none that its user chose to open."""
        return self.file is None or self.file == TEXT
