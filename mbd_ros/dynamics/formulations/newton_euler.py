"""
Inverse dynamics by the recursive Newton-Euler algorithm, O(n).

Notation and accelerations are those of ``motion.py``.

References
----------
Featherstone, Rigid Body Dynamics Algorithms, 2008, table 5.1.

"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from mbd_ros.dynamics.formulations.motion import base_acceleration, own_turn
from mbd_ros.dynamics.formulations.rows import Seen
from mbd_ros.dynamics.formulations.steps import on_ground, see
from mbd_ros.dynamics.formulations.ties import Held, phi_of, tie_down
from mbd_ros.execution.program.sweeps import Body, Inward, Outward, Program, Step, Ties, World
from mbd_ros.spatial import Joint, Link, Twist, Vector3, Wrench, ZERO3, ZERO_WRENCH


class Motion(NamedTuple):
    """What a body hands to its children."""

    angular_velocity: Vector3
    acceleration: Twist


class Loaded(NamedTuple):
    """What a body keeps for the way back: its link and the wrench that its motion needs."""

    link: Link
    wrench: Wrench


def base_motion(world: World) -> Motion:
    """Return the motion of the base; its acceleration accounts for gravity."""
    return Motion(ZERO3, base_acceleration(world))


def motion(body: Body, joint: Joint, parent: Motion) -> Step:
    """Outward: how the body moves, and the wrench that this takes."""
    link = joint.link(body.placement)
    velocity, coriolis = own_turn(joint, link, parent.angular_velocity)
    acceleration = (link.acceleration_to_child(parent.angular_velocity, parent.acceleration)
                    + coriolis + joint.span(joint.qdd))
    wrench = body.inertia.newton_euler(velocity, acceleration)
    return Step(hand=Motion(velocity, acceleration), keep=Loaded(link, wrench))


def forces(body: Body, joint: Joint, children: Wrench, *kept: Loaded) -> Step:
    """Inward: project the wrench onto the joint axes, and hand it to the parent."""
    own = kept[-1]
    wrench = own.wrench + children
    efforts = tuple(effort + rotor * rate for effort, rotor, rate in zip(
        joint.project(wrench), body.armature, joint.qdd))
    return Step(hand=own.link.wrench_to_parent(wrench), out=efforts)


_NEWTON_EULER = (Outward(motion, base_motion), Inward(forces, ZERO_WRENCH))
INVERSE_DYNAMICS = Program('inverse_dynamics', ('q', 'v', 'qdd'), _NEWTON_EULER)
BIAS_FORCES = Program('bias_forces', ('q', 'v'), _NEWTON_EULER)


def look(body: Body, joint: Joint, parent: Seen) -> Step:
    """Outward: pose and velocity, for springs."""
    return see(body, joint, parent)._replace(keep=None)


def pulled(body: Body, joint: Joint, parent: Motion, held: Held) -> Step:
    """Outward: as ``motion``, less the load of springs."""
    step = motion(body, joint, parent)
    return step._replace(keep=Loaded(step.keep.link, step.keep.wrench + held.load * -1.0))


_SPRUNG = (Outward(look, on_ground),
           Ties(partial(tie_down, 0, phi_of, True, False), Held(ZERO_WRENCH, (), ())),
           Outward(pulled, base_motion), Inward(forces, ZERO_WRENCH))
SPRUNG_INVERSE_DYNAMICS = Program('sprung_inverse_dynamics', ('q', 'v', 'qdd'), _SPRUNG)
SPRUNG_BIAS_FORCES = Program('sprung_bias_forces', ('q', 'v'), _SPRUNG)
