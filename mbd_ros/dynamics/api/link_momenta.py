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
Motions, momenta and energies of single links, and what momenta mean for the joints.

Twists are those of a link's origin in world axes, linear part first; momenta are linear, then
angular about the world's origin. The fluid that a link moves belongs to it: its added mass A, of
what is under water, has the momentum ``A V``. A current changes nothing in an impact.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.prepared.prepared import PreparedDynamics
from mbd_ros.environment.fluid import NO_SURFACE, submerged, wetting
from mbd_ros.environment.immersion import ADDED_MASS, NAME, TERMS
from mbd_ros.model import Model

Array = NDArray[np.float64]


class LinksInMotion(NamedTuple):
    """
    Where all links are and how they move.

    Attributes
    ----------
    bodies : array
        (nb, 4, 4): poses of the bodies in the world.
    poses : dict of str to array
        (4, 4): pose of each link in the world.
    twists : dict of str to array
        (6,): of each link [m/s, rad/s].

    """

    bodies: Array
    poses: dict[str, Array]
    twists: dict[str, Array]


def links_in_motion(model: Model, q: Array, v: Array) -> LinksInMotion:
    """Return where the links of a robot are and how they move, at q (nq,) and v (nv,)."""
    model.require_rigid('carry_over')
    dyn = PreparedDynamics(model, executor='interpreted')   # for one state nothing is compiled
    bodies, velocities = dyn.body_poses(q), dyn.body_velocities(q, v)
    poses, twists = {}, {}
    for name, frame in model.links.items():
        pose, twist = np.eye(4), np.zeros(6)
        pose[:3, :3], pose[:3, 3] = frame.rotation, frame.translation
        if frame.body >= 0:
            body, linear, angular = (bodies[frame.body], velocities[frame.body, :3],
                                     velocities[frame.body, 3:])
            arm = body[:3, :3] @ frame.translation
            pose = body @ pose
            twist = np.concatenate((linear + np.cross(angular, arm), angular))
        poses[name], twists[name] = pose, twist
    return LinksInMotion(bodies, poses, twists)


def momenta_of(model: Model, poses: Mapping[str, Array],
               twists: Mapping[str, Array]) -> dict[str, Array]:
    """Return the momentum (6,) of each link that has a mass, also an added one [N s, N m s]."""
    momenta = added_momenta(model, poses, twists)
    for link in model.mechanism.links:
        if link.inertia is None or link.name not in twists:
            continue
        rotation, angular = poses[link.name][:3, :3], twists[link.name][3:]
        arm = rotation @ np.array(link.inertia.center)
        linear = link.inertia.mass * (twists[link.name][:3] + np.cross(angular, arm))
        spin = rotation @ (np.array(link.inertia.tensor) @ (rotation.T @ angular))
        momenta[link.name] = momenta.get(link.name, 0.0) + np.concatenate(
            (linear, spin + np.cross(poses[link.name][:3, 3] + arm, linear)))
    return momenta


def added_momenta(model: Model, poses: Mapping[str, Array],
                  twists: Mapping[str, Array]) -> dict[str, Array]:
    """Return the momentum (6,) of the fluid around each link in still water [N s, N m s]."""
    law = next((one for one in model.laws if one.name == NAME), None)
    if ADDED_MASS not in (TERMS if law is None else law.terms):
        return {}
    surface = law.world.surface if law is not None and law.surface else NO_SURFACE
    momenta: dict[str, Array] = {}
    for fluid in model.fluids:
        if fluid.name not in twists:
            continue
        link, pose = model.links[fluid.name], poses[fluid.name]
        R_LB = link.rotation.T
        R_WF = pose[:3, :3] @ R_LB @ fluid.frame.rotation
        arm = pose[:3, :3] @ R_LB @ (fluid.frame.translation - link.translation)
        linear, angular = twists[fluid.name][:3], twists[fluid.name][3:]
        motion = np.concatenate((R_WF.T @ (linear + np.cross(angular, arm)), R_WF.T @ angular))
        wet = wetting(surface - pose[2, 3] - arm[2], submerged(fluid).radius).fraction
        force, moment = np.split(wet * (fluid.added_mass @ motion), 2)
        push = R_WF @ force
        momenta[fluid.name] = np.concatenate(
            (push, R_WF @ moment + np.cross(pose[:3, 3] + arm, push)))
    return momenta


def kinetic_energy(model: Model, poses: Mapping[str, Array], twists: Mapping[str, Array]) -> float:
    """Return the kinetic energy of the links whose twists are given [J], without rotors."""
    energy = 0.0
    for name, momentum in momenta_of(model, poses, twists).items():
        linear, angular = twists[name][:3], twists[name][3:]
        at_world = linear - np.cross(angular, poses[name][:3, 3])
        energy += 0.5 * float(momentum[:3] @ at_world + momentum[3:] @ angular)
    return energy


def generalized(model: Model, bodies: Array, momenta: Mapping[str, Array]) -> Array:
    """
    Return the generalized momenta ``sum_k J_k^T h_k``, inwards over the tree.

    Parameters
    ----------
    model : Model
        The robot.
    bodies : (nb, 4, 4) array
        Poses of its bodies.
    momenta : mapping of str to array
        (6,) of links.

    Returns
    -------
    (nv,) array
        Each entry is the component, along an axis of a joint, of the momentum of all that the
        joint carries.

    """
    carried = np.zeros((model.nb, 6))
    for name, momentum in momenta.items():
        if model.links[name].body >= 0:
            carried[model.links[name].body] += momentum
    result = np.empty(model.nv)
    for body in reversed(range(model.nb)):
        linear = carried[body, :3]
        angular = carried[body, 3:] - np.cross(bodies[body, :3, 3], linear)
        for row, axis in enumerate(model.joint_types[body].pair.axes, model.v_offsets[body]):
            direction = bodies[body, :3, axis % 3]
            result[row] = direction @ (angular if axis < 3 else linear)
        if model.parents[body] >= 0:
            carried[model.parents[body]] += carried[body]
    return result
