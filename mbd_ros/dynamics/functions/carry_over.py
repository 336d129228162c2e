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
The state of a robot carried over to the robot that takes its place: docked, undocked, rearranged.

Links are matched by name. Poses are continuous: each joint takes the position at which its links
stand to each other as before. Velocities are not, where a link gets fixed to others that move
otherwise: docking is a plastic impact. The impulses between the links do no work on motions that
the new robot can make, so that the rates u+ follow from the momenta before::

    N^T M (N u+ - V-) = 0      or, with the same solution,      [M  J^T] [ V+     ]   [M V-]
                                                                [J   0 ] [ Lambda ] = [ 0  ]

V holds the velocities of all links, M their inertias, N the motions that the joints of the new
robot allow (V+ = N u+) and J the rows they forbid (J N = 0). Among all motions of the new robot
this is the nearest one in the metric of kinetic energy, which hence never grows; ``N^T M V-`` is
what the momenta of the links do to the new robot at rest, and ``N^T M N`` its mass matrix. Under
water M includes the added mass of every link: the fluid around it takes part in the impact. Of
links that bend V holds the rates of their elastic coordinates as well, and M their modal masses:
a link stays bent as it was, and an impact sets it swinging.

"""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.dynamics.functions.equations_of_motion import forward_dynamics
from mbd_ros.dynamics.functions.link_momenta import (
    generalized, links_in_motion, LinksInMotion, momenta_of)
from mbd_ros.dynamics.loops.closure import close_loops
from mbd_ros.dynamics.prepared.call import checked_array
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT, immersed, in_vacuum, surrounded
from mbd_ros.errors import DockingError, NotFiniteError, ShapeError, UnknownNameError
from mbd_ros.model import Model
from mbd_ros.model.build import depth_first
from mbd_ros.model.joints.matched_joints import matched_configuration, same_joints, unmoved

Array = NDArray[np.float64]


class CarriedState(NamedTuple):
    """
    A state of the new robot, and what the change cost.

    Attributes
    ----------
    q, v : array
        (nq,) and (nv,) of the new robot.
    kinetic_energy_before : float
        Of all links of the new robot, with the velocities they had [J].
    kinetic_energy_after : float
        With those they have now; the difference is lost in the impact [J].
    kinetic_energy_removed : float
        Of links that are no longer there [J].
    position_jump : float
        Largest displacement of the origin of a link that both robots have [m].
    rotation_jump : float
        Largest turn of such a link [rad].

    """

    q: Array
    v: Array
    kinetic_energy_before: float
    kinetic_energy_after: float
    kinetic_energy_removed: float
    position_jump: float
    rotation_jump: float


def carry_over(
    old: Model, q: ArrayLike, v: ArrayLike, new: Model, *,
    positions: Mapping[str, float] | None = None, twists: Mapping[str, ArrayLike] | None = None,
    largest_jump: float = math.inf, fluid: Fluid | None = DEFAULT,
) -> CarriedState:
    """
    Return the state in which a robot goes on that takes the place of another.

    Parameters
    ----------
    old : Model
        The robot so far.
    q, v : array_like
        Its state (nq,), (nv,).
    new : Model
        The robot from now on; links of the same name are the same bodies.
    positions : mapping of str to float, optional
        Of joints with one coordinate [rad or m]; the others follow from where the links are, and
        are neutral where a link is new.
    twists : mapping of str to array_like, optional
        Velocity that a new link had before it was docked (6,): of its origin [m/s], then angular
        [rad/s], in world axes. New links without one move with the link that carries them.
    largest_jump : float
        How far a link that both robots have may be displaced [m].
    fluid : Fluid or None, optional
        What is around both robots, as in ``forward_dynamics``.

    Returns
    -------
    CarriedState
        With energies and jumps.

    Raises
    ------
    DockingError
        If a link would be displaced further than ``largest_jump``.
    LoopOpenError
        If the new robot has loops that cannot be closed from there.
    SingularMassError
        If a joint of the new robot moves no inertia.
    ShapeError, NotFiniteError, UnknownNameError, InvalidValueError
        If an argument is not as it should be.

    Notes
    -----
    A link whose pose jumps keeps the velocity of its mass centre in world axes, its angular
    velocity in its own axes and the rates at which it bends, hence its linear momentum and its
    energy. Elastic coordinates are matched by name; new ones are zero.

    References
    ----------
    Featherstone, Rigid Body Dynamics Algorithms, 2008, section 11.7 (impulsive dynamics).

    """
    q, v = checked_array(old, 'q', q, old.nq), checked_array(old, 'v', v, old.nv)
    if fluid is not DEFAULT:
        surrounded(new, fluid)   # checks it
        old, new = (immersed(one, fluid) for one in (old, new))
    given = {name: _twist(new, name, value) for name, value in (twists or {}).items()}
    before = links_in_motion(old, q, v)
    standing = links_in_motion(new, unmoved(old, q, new), np.zeros(new.nv))
    q_new = matched_configuration(old, q, before.poses, new, positions or {}, standing.poses)
    if new.loops:
        q_new, _ = close_loops(new, q_new)
    here = links_in_motion(new, q_new, np.zeros(new.nv))
    jumps = _jumps(before.poses, here.poses, largest_jump)
    momenta = momenta_of(new, here._replace(
        twists=_velocities(before, new, q_new, here, given), rates=before.rates))
    impulse, energy = generalized(new, q_new, momenta), momenta.energy
    kept = same_joints(old, new)
    for there, place in kept:   # the rotors turn on
        impulse[place] += new.armature[place] * v[there]
        energy += 0.5 * float(new.armature[place] @ v[there] ** 2)
    rates = _rates(new, q_new, impulse)
    gone = {name: twist for name, twist in before.twists.items() if name not in new.links}
    return CarriedState(q_new, rates, energy, 0.5 * float(rates @ impulse),
                        momenta_of(old, before._replace(twists=gone)).energy, *jumps)


def _twist(model: Model, name: str, value: ArrayLike) -> Array:
    twist = np.asarray(value, dtype=np.float64)
    if name not in model.links:
        raise UnknownNameError('link', name, model.links)
    if twist.shape != (6,):
        raise ShapeError(f"the twist of link '{name}'", twist.shape, '(6,)')
    if not np.isfinite(twist).all():
        raise NotFiniteError('the twist', f"link '{name}'", float(twist[~np.isfinite(twist)][0]))
    return twist


def _jumps(before: Mapping[str, Array], after: Mapping[str, Array],
           largest: float) -> tuple[float, float]:
    """Return how far, and by what angle, links are displaced that both robots have."""
    distance = angle = 0.0
    for name, pose in after.items():
        if name not in before:
            continue
        jump = math.dist(pose[:3, 3], before[name][:3, 3])
        if jump > largest:
            raise DockingError('pose jump', name, f"link '{name}' would be displaced by "
                               f'{jump:.6g} m; allowed: {largest:.6g} m at most')
        turn = before[name][:3, :3].T @ pose[:3, :3]
        sine = 0.5 * math.hypot(turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0],
                                turn[1, 0] - turn[0, 1])
        distance = max(distance, jump)
        angle = max(angle, math.atan2(sine, 0.5 * (float(np.trace(turn)) - 1.0)))
    return distance, angle


def _velocities(before: LinksInMotion, new: Model, q: Array, here: LinksInMotion,
                given: Mapping[str, Array]) -> dict[str, Array]:
    """Return the velocity of each link of the new robot as if it were docked to nothing yet."""
    rates = np.zeros(new.nv)
    for k, name in enumerate(new.elastic_names, start=new.nv - len(new.elastic_names)):
        rates[k] = before.rates.get(name, 0.0)
    bending = links_in_motion(new, q, rates).twists   # places on links that bend
    old = _displaced(before, new, here)
    found = {new.root: old.get(new.root, np.zeros(6))}
    for joint in depth_first(new.mechanism):
        name, parent = joint.child, joint.parent
        if name in given:
            found[name] = given[name]
        elif name in old:
            found[name] = old[name]
        else:   # a new link moves with the place that carries it
            arm = here.poses[name][:3, 3] - here.poses[parent][:3, 3]
            found[name] = bending[name] + _shifted(found[parent] - bending[parent], arm)
    return found


def _shifted(twist: Array, arm: Array) -> Array:
    """Return the velocity of another point of a rigid body."""
    return twist + np.concatenate((np.cross(twist[3:], arm), np.zeros(3)))


def _displaced(before: LinksInMotion, new: Model, here: LinksInMotion) -> dict[str, Array]:
    """Return the velocities of links after a jump of their poses; without one they stay."""
    both = {link.name: link.inertia for link in new.mechanism.links if link.name in before.twists}
    carried = momenta_of(in_vacuum(new), before._replace(
        twists={name: before.twists[name] for name in both}))
    found = {}
    for name, inertia in both.items():
        twist, old, now = before.twists[name], before.poses[name][:3, :3], here.poses[name][:3, :3]
        turn = now @ old.T
        linear = twist[:3]
        if inertia is not None and inertia.mass > 0.0:   # the mass centre's, from the origin
            relative = carried.of_links[name][:3] / inertia.mass - linear
            linear = linear + relative - turn @ relative
        found[name] = np.concatenate((linear, turn @ twist[3:]))
    return found


def _rates(model: Model, q: Array, impulse: Array) -> Array:
    """Return the rates to which an impulse (nv,) sets the robot at rest, other forces apart."""
    executor = None if model.loops else 'interpreted'   # for one call nothing is compiled
    struck, left = (forward_dynamics(model, q, np.zeros(model.nv), push, gravity=(0.0, 0.0, 0.0),
                                     executor=executor) for push in (impulse, 0.0 * impulse))
    return struck - left
