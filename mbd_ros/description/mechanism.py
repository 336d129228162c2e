"""The records of a robot as its author wrote it: links and joints, each with its source line."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

from mbd_ros.description.finding import Finding, Source

Vector3 = tuple[float, float, float]
Matrix3 = tuple[Vector3, Vector3, Vector3]
JointKind = Literal['revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar',
                    'spherical']
LoopKind = Literal['revolute', 'spherical', 'universal', 'prismatic', 'fixed', 'planar',
                   'distance']

IDENTITY: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
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
    """A rigid body; ``inertia`` is None where the description gives none."""

    name: str
    inertia: Inertia | None = None
    source: Source = Source()


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

    """

    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0


@dataclass(frozen=True, slots=True)
class Mimic:
    """URDF's ``<mimic>``: position = multiplier * position of ``joint`` + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0
    source: Source = Source()


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
