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
Inverse dynamics by the recursive Newton-Euler algorithm, O(n).

Outwards, the velocity and acceleration of each body, with c and X of ``body_motion.py``::

    a = X a_P + c + s qdd        f = I a + (w x I w, w x (w x m c))

and inwards the wrench that each joint carries: ``f <- f + sum of its children's``, ``tau = s . f +
r qdd``, with the inertia r of the rotor. The base accelerates by -g. Without qdd it gives the bias
forces.

====================  =========================
here                  Featherstone, table 5.1
====================  =========================
``acceleration``      a (of points: classical, not spatial)
``wrench``            f^B, then f
``joint.span(qdd)``   S qdd
``joint.project``     S^T f
====================  =========================

References
----------
Featherstone, Rigid Body Dynamics Algorithms, 2008, table 5.1.

"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from mbd_ros.dynamics.algorithms.aba_loops import LoopLoads, no_loop_loads
from mbd_ros.dynamics.algorithms.body_motion import (
    base_acceleration, force_laws, ground_state, joint_coriolis)
from mbd_ros.dynamics.algorithms.joint_springs import held_back
from mbd_ros.dynamics.algorithms.loop_rows import apply_tie, phi_of
from mbd_ros.environment.law import Surroundings
from mbd_ros.execution.program.sweeps import (
    Body, Inward, Layout, Outward, Program, Step, Ties, World)
from mbd_ros.spatial import Joint, Link, Twist, Vector3, Wrench, ZERO3, ZERO_WRENCH


class Motion(NamedTuple):
    """What a body hands to its children."""

    angular_velocity: Vector3
    acceleration: Twist


class Loaded(NamedTuple):
    """What a body keeps for the inward sweep: its transform and its net wrench."""

    link: Link
    wrench: Wrench


def base_motion(world: World) -> Motion:
    """Return the motion of the base; its acceleration accounts for gravity."""
    return Motion(ZERO3, base_acceleration(world))


def motion(body: Body, joint: Joint, parent: Motion) -> Step:
    """Outward: velocity and acceleration of the body, and its net wrench."""
    link = joint.link(body.placement)
    velocity, coriolis = joint_coriolis(joint, link, parent.angular_velocity)
    acceleration = (link.acceleration_to_child(parent.angular_velocity, parent.acceleration)
                    + coriolis + joint.span(joint.qdd))
    wrench = body.inertia.newton_euler(velocity, acceleration)
    return Step(hand=Motion(velocity, acceleration), keep=Loaded(link, wrench))


def forces(body: Body, joint: Joint, children: Wrench, *kept: Loaded) -> Step:
    """Inward: project the wrench onto the joint axes, and hand it to the parent."""
    own = kept[-1]
    wrench = own.wrench + children
    efforts = tuple(effort + rotor * (rate + drift) for effort, rotor, rate, drift in zip(
        joint.project(wrench), body.armature, joint.qdd, joint.drift()))
    if body.springs:
        efforts = tuple(effort + one for effort, one in zip(efforts, held_back(body, joint)))
    return Step(hand=own.link.wrench_to_parent(wrench), out=efforts)


def exerted(body: Body, joint: Joint, children: Wrench, *kept: Loaded) -> Step:
    """Inward: as ``forces``; the result is all that the parent exerts, force before moment."""
    step = forces(body, joint, children, *kept)
    wrench = kept[-1].wrench + children
    return step._replace(out=(*wrench.force, *wrench.moment))


_NEWTON_EULER = (Outward(motion, base_motion), Inward(forces, ZERO_WRENCH))
INVERSE_DYNAMICS = Program('inverse_dynamics', ('q', 'v', 'qdd'), _NEWTON_EULER)
BIAS_FORCES = Program('bias_forces', ('q', 'v'), _NEWTON_EULER)


def motion_with_loads(body: Body, joint: Joint, parent: Motion, around: Surroundings,
                      loads: LoopLoads) -> Step:
    """Outward: as ``motion``, with what force laws add and less the load of springs."""
    step = motion(body, joint, parent)
    wrench = (step.keep.wrench + around.bias + around.inertia.apply(step.hand.acceleration)
              + loads.load * -1.0)
    return step._replace(keep=step.keep._replace(wrench=wrench))


_LOADED = (Outward(force_laws, ground_state),
           Ties(partial(apply_tie, 0, phi_of, True, False), no_loop_loads(0)),
           Outward(motion_with_loads, base_motion), Inward(forces, ZERO_WRENCH))
LOADED_INVERSE_DYNAMICS = Program('loaded_inverse_dynamics', ('q', 'v', 'qdd'), _LOADED)
LOADED_BIAS_FORCES = Program('loaded_bias_forces', ('q', 'v'), _LOADED)
"""With springs and force laws."""
JOINT_WRENCHES = Program('joint_wrenches', ('q', 'v', 'qdd'), (
    *_NEWTON_EULER[:-1], Inward(exerted, ZERO_WRENCH)), Layout.BODIES, (6,))
LOADED_JOINT_WRENCHES = Program('loaded_joint_wrenches', ('q', 'v', 'qdd'), (
    *_LOADED[:-1], Inward(exerted, ZERO_WRENCH)), Layout.BODIES, (6,))
