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
angular about that origin. A link that bends has the rates of its elastic coordinates besides, and
a momentum for each. The fluid that a link moves belongs to it: its added mass A, of what is under
water, has the momentum ``A V``. A current changes nothing in an impact.

All of these are those of another robot: the same links, each on a floating joint of its own. Its
mass matrix is that of the links before anything ties them to each other.

"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import Joint, Link
from mbd_ros.dynamics.prepared.prepared import PreparedDynamics
from mbd_ros.dynamics.quantities.flexible import efforts_of, segments_moving
from mbd_ros.environment.fluid_law import NAME
from mbd_ros.environment.surroundings import in_vacuum, surrounded
from mbd_ros.model import JointType, Model
from mbd_ros.model.build import build_model
from mbd_ros.model.caches import owned
from mbd_ros.model.flexible.on_segments import on_segments
from mbd_ros.model.joints.joint_manifold import MANIFOLDS
from mbd_ros.model.rigid_motion import of_matrix

Array = NDArray[np.float64]


class LinksInMotion(NamedTuple):
    """
    Where all links are and how they move.

    Attributes
    ----------
    poses : dict of str to array
        (4, 4): pose of each link in the world.
    twists : dict of str to array
        (6,): of each link [m/s, rad/s].
    bent, rates : dict of str to float
        Elastic coordinates and their rates, by name.

    """

    poses: dict[str, Array]
    twists: dict[str, Array]
    bent: dict[str, float]
    rates: dict[str, float]


class Momenta(NamedTuple):
    """
    What links that move carry.

    Attributes
    ----------
    of_links : dict of str to array
        (6,): of each link, linear and about its origin, in world axes [N s, N m s].
    of_shapes : dict of str to float
        Of each elastic coordinate.
    energy : float
        Kinetic energy, without rotors [J].

    """

    of_links: dict[str, Array]
    of_shapes: dict[str, float]
    energy: float


def links_in_motion(model: Model, q: Array, v: Array) -> LinksInMotion:
    """Return where the links of a robot are and how they move, at q (nq,) and v (nv,)."""
    segments, velocities = segments_moving(model, q, v)
    poses, twists = {}, {}
    frames = on_segments(model).links
    for name in model.links:
        frame = frames[name]
        pose, twist = np.eye(4), np.zeros(6)
        pose[:3, :3], pose[:3, 3] = frame.rotation, frame.translation
        if frame.body >= 0:
            segment, linear, angular = (segments[frame.body], velocities[frame.body, :3],
                                        velocities[frame.body, 3:])
            arm = segment[:3, :3] @ frame.translation
            pose = segment @ pose
            twist = np.concatenate((linear + np.cross(angular, arm), angular))
        poses[name], twists[name] = pose, twist
    names, count = model.elastic_names, len(model.elastic_names)
    return LinksInMotion(poses, twists, dict(zip(names, q[model.nq - count:].tolist())),
                         dict(zip(names, v[model.nv - count:].tolist())))


def momenta_of(model: Model, motion: LinksInMotion) -> Momenta:
    """Return what the links of a robot carry that have a twist in ``motion``, and a pose."""
    apart = links_apart(model)
    q, v = np.zeros(apart.nq), np.zeros(apart.nv)
    places = dict(zip(apart.joint_names, zip(apart.q_offsets, apart.v_offsets)))
    width, kind = JointType.FLOATING.nq, MANIFOLDS[JointType.FLOATING]
    for link, (first, start) in places.items():
        pose = motion.poses.get(link, np.eye(4))
        x, y, z = pose[:3, 3].tolist()
        q[first:first + width] = kind.at(((x, y, z), of_matrix(pose[:3, :3].tolist())))
        twist = motion.twists.get(link, np.zeros(6)).reshape(2, 3)
        v[start:start + 6] = (twist @ pose[:3, :3]).ravel()
    shift, first = apart.nq - apart.nv, apart.nv - len(apart.elastic_names)
    for k, name in enumerate(apart.elastic_names, start=first):
        q[k + shift] = motion.bent.get(name, 0.0)
        if name.rpartition('/')[0] in motion.twists:
            v[k] = motion.rates.get(name, 0.0)
    # Nothing is compiled for one state; gravity, buoyancy and stiffness are in both.
    dyn = PreparedDynamics(apart, (0.0, 0.0, 0.0), executor='interpreted')
    still = np.zeros(apart.nv)
    carried = dyn.inverse_dynamics(q, still, v) - dyn.inverse_dynamics(q, still, still)
    of_links = {}
    for link in motion.twists.keys() & places.keys():
        start = places[link][1]
        of_links[link] = (carried[start:start + 6].reshape(2, 3)
                          @ motion.poses[link][:3, :3].T).ravel()
    return Momenta(of_links, dict(zip(apart.elastic_names, carried[first:].tolist())),
                   0.5 * float(v @ carried))


@owned()
def links_apart(model: Model) -> Model:
    """Return the links of a robot, each on a floating joint that has its name, in its fluid."""
    around = surrounded(model)[0]
    known = model.mechanism
    ground = 'ground'
    while ground in model.links:
        ground += "'"
    mechanism = replace(
        known, root=ground, links=(Link(ground), *known.links), joints=tuple(
            Joint(link.name, 'floating', ground, link.name) for link in known.links),
        loop_joints=(), springs=(), contacts=(), thrusters=())
    apart = build_model(mechanism, flexible=model.elastic is not None)
    if not around.fluids:
        return in_vacuum(apart)
    return apart.with_laws(*(law for law in around.laws if law.name == NAME))


def generalized(model: Model, q: Array, momenta: Momenta) -> Array:
    """
    Return the generalized momenta ``sum_k J_k^T h_k``, inwards over the tree.

    Parameters
    ----------
    model : Model
        The robot.
    q : (nq,) array
        Where it is.
    momenta : Momenta
        Of its links.

    Returns
    -------
    (nv,) array
        Of a joint the component, along an axis of it, of the momentum of all that it carries.

    """
    result: Array = efforts_of(model, q[None], momenta.of_links)[0]
    for k, name in enumerate(model.elastic_names, start=model.nv - len(model.elastic_names)):
        result[k] += momenta.of_shapes.get(name, 0.0)
    return result
