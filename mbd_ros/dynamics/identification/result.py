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

"""What identification returns: parameters with standard deviations, and the robot with them."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.description.records.finding import Finding
from mbd_ros.description.records.mechanism import Inertia, Link, Mechanism
from mbd_ros.dynamics.algorithms.stacked_kinematics import drift_of
from mbd_ros.dynamics.functions.whole_robot import regressor, states_of
from mbd_ros.dynamics.identification.bodies import inertia_matrix
from mbd_ros.dynamics.identification.equations import bare, others, transfers
from mbd_ros.dynamics.loops.efforts import driven_entries
from mbd_ros.dynamics.quantities.joint_friction import dry_friction_sign
from mbd_ros.model import Model
from mbd_ros.model.lock import rebuilt

Array = NDArray[np.float64]


class Deviations(NamedTuple):
    """
    Standard deviations of what was found, of the fields of ``Identification`` by their names.

    Each holds what noise makes, correlated as the residuals are, and how far the description
    draws. ``tilt`` is that of the angles of gravity [rad].
    """

    parameters: Array
    damping: Array
    friction: Array
    armature: Array
    offset: Array
    stribeck: Array
    tilt: Array
    constants: Array


class Identification(NamedTuple):
    """
    What was identified; ``predict`` holds all of it.

    Attributes
    ----------
    model : Model
        The robot with the bodies, damping, dry friction and rotor inertias that were found; its
        mechanism can be written as URDF. ``offset``, ``gravity`` and ``stribeck`` have no place
        in one.
    parameters : array
        (nb, 10), as ``inertial_parameters`` returns them; of a ``payload`` (1, 10) in its link's
        axes, about its origin.
    damping, friction, armature : array
        (nv,) of the joints; those of the description where they were not asked for.
    offset : array
        (nv,) constant efforts that sensors, cables or amplifiers add [N m, N].
    gravity : array
        (3,) in the axes of the base [m/s^2]: it leans where the base is not level.
    stribeck : array
        (nv,) by which dry friction is larger at rest [N m, N], ``stribeck_speed`` its width.
    constants : array
        (nv,) efforts for one unit of what was recorded [N m/A, N/A]; ones unless ``currents``.
    deviations : Deviations
        Standard deviations of all of these.
    residual : array
        (nv,): root mean square of measured less computed generalized forces [N m, N].
    error : float
        2-norm of all of them, relative to that of the measured.
    expected_error : float
        The same on halves of the motion that the fit had not seen (cross-validation, in units of
        each joint's residual); not a number where the prior was given.
    prior : float
        Weight of the description for each sample.
    cutoff : float or None
        Of the filter of velocities [Hz]; None where accelerations were given.
    rank, base : int
        How many combinations of inertial parameters the motion excites, and how many any motion
        of this robot can.
    findings : tuple of Finding
        What the motion did not excite, by name, and what is strange about the recording.

    """

    model: Model
    parameters: Array
    damping: Array
    friction: Array
    armature: Array
    offset: Array
    gravity: Array
    stribeck: Array
    stribeck_speed: float | None
    constants: Array
    deviations: Deviations
    residual: Array
    error: float
    expected_error: float
    prior: float
    cutoff: float | None
    rank: int
    base: int
    findings: tuple[Finding, ...]
    described: Model
    bodies: Array
    actuated: tuple[str, ...] | None

    def predict(self, q: ArrayLike, v: ArrayLike, qdd: ArrayLike) -> Array:
        """
        Return the efforts that this robot would measure on a motion.

        Parameters
        ----------
        q, v, qdd : array_like
            (nq,), (nv,), (nv,) or (N, ...).

        Returns
        -------
        array
            (nv,) or (N, nv) [N m, N]: of bodies, rotors, friction and offsets, under the gravity
            that was found; of a robot with closed loops, those of the driven joints.

        """
        model = self.described
        (rows, rates, accelerations), many = states_of(model, 'predict', q=q, v=v, qdd=qdd)
        efforts = regressor(bare(model), rows, rates, accelerations,
                            gravity=self.gravity) @ self.bodies.ravel()
        efforts += others(model, rows, rates, accelerations, self.gravity)
        sign = dry_friction_sign(rates)
        efforts += self.damping * rates + self.friction * sign + self.armature * (
            accelerations + drift_of(model, rates))
        if self.stribeck_speed is not None:
            efforts += self.stribeck * sign * np.exp(-(rates / self.stribeck_speed) ** 2)
        if model.loops:
            driven = driven_entries(model, self.actuated)
            share = (transfers(model, rows, self.actuated) @ efforts[:, :, None])[:, :, 0]
            efforts = np.zeros_like(efforts)
            efforts[:, driven] = share
        efforts += self.offset
        return efforts if many else np.asarray(efforts[0])


def with_parameters(model: Model, parameters: Array | None, joint_values: Array,
                    findings: tuple[Finding, ...]) -> Model:
    """Return the model with other parameters; of links fixed to each other one carries all."""
    links = model.mechanism.links if parameters is None else _links(model, parameters)
    damping, friction, armature = joint_values.reshape(3, model.nv)
    places = dict(zip(model.joint_names, model.v_offsets))
    joints = tuple(joint if joint.name not in places else replace(joint, dynamics=replace(
        joint.dynamics, damping=float(damping[places[joint.name]]),
        friction=float(friction[places[joint.name]]),
        armature=float(armature[places[joint.name]]))) for joint in model.mechanism.joints)
    mechanism: Mechanism = replace(model.mechanism, links=links, joints=joints,
                                   findings=(*model.mechanism.findings, *findings), text='')
    return rebuilt(model, mechanism)


def _links(model: Model, parameters: Array) -> tuple[Link, ...]:
    """Return the links with parameters (nb, 10) of bodies."""
    inertias: dict[str, Inertia | None] = {
        name: None for name, frame in model.links.items() if frame.body >= 0}
    for name, row in zip(model.body_names, parameters):
        rotation = model.links[name].rotation
        center = row[1:4] / row[0]
        about_center = inertia_matrix(row[4:]) - row[0] * (
            center @ center * np.eye(3) - np.outer(center, center))
        inertias[name] = Inertia(
            float(row[0]), tuple((rotation.T @ center).tolist()),
            tuple(tuple(line) for line in (
                rotation.T @ about_center @ rotation).tolist()))  # type: ignore[arg-type]
    return tuple(replace(link, inertia=inertias.get(link.name, link.inertia))
                 for link in model.mechanism.links)
