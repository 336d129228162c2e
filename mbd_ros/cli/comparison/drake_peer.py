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


"""SDFormat in Drake."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from pydrake.math import RollPitchYaw, RotationMatrix
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from transforms3d.quaternions import quat2mat

from mbd_ros.cli.comparison.quantities import Array, Evaluation, Peer, PeerError, Quantities
from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.model import Model

ENGINE = 'Drake'

SLIDE = '/slide'
_HALVES = ('/axis1', '/axis2')


class DrakePeer(Peer):
    """
    A model as Drake reads it.

    Parameters
    ----------
    file : str
        Path of an SDFormat file.
    text : str, optional
        The file itself, instead of what is in it.
    model : str, optional
        Which model of a world.

    """

    def __init__(self, file: str, text: str | None = None, model: str | None = None) -> None:
        self._plant: Any = MultibodyPlant(0.0)
        parser = Parser(self._plant)
        with suppress(RuntimeError):   # a package.xml of another package that Drake cannot read
            parser.package_map().PopulateFromRosPackagePath()
        if text is None:
            parser.AddModels(file)
        else:
            parser.AddModelsFromString(text, 'sdf')

    def evaluation(self, mechanism: Mechanism, model: Model) -> Evaluation:
        """Return what Drake computes; the root link is welded to the world there, too."""
        plant = self._plant
        if mechanism.root != 'world':
            body = _body(plant, mechanism.name, mechanism.root)
            plant.WeldFrames(plant.world_frame(), body.body_frame())
        try:
            plant.Finalize()
        except RuntimeError as error:
            raise PeerError(f'Drake: {" ".join(str(error).split())[:200]}') from None
        plant.mutable_gravity_field().set_gravity_vector(np.array(model.gravity))
        context = plant.CreateDefaultContext()
        children = {joint.name: joint.child for joint in mechanism.joints}
        turning = {joint.mimic.joint for joint in mechanism.joints
                   if joint.name.endswith(SLIDE) and joint.mimic is not None}
        joints = [None if name.removesuffix(SLIDE) in turning and name.endswith(SLIDE) else
                  _joint(plant, mechanism.name, name, children[name])
                  for name in model.joint_names]

        def evaluate(q: Array, v: Array, acceleration: Array) -> Quantities:
            there, turns = np.zeros(plant.num_positions()), np.zeros(
                (plant.num_velocities(), model.nv))
            there[:] = plant.GetPositions(plant.CreateDefaultContext())
            for known, name, kind, iq, iv in zip(
                    joints, model.joint_names, model.joint_types, model.q_offsets,
                    model.v_offsets):
                if known is None:   # of a screw, which is one joint in Drake
                    continue
                joint, offset = known
                jq, jv = joint.position_start() + offset, joint.velocity_start() + offset
                if kind.nq == 4:
                    frame = np.eye(3)
                    if children[name].endswith(joint.child_body().name()):
                        frame = joint.frame_on_child().GetFixedPoseInBodyFrame().rotation(
                            ).matrix()
                    turn = frame.T @ quat2mat(np.roll(q[iq:iq + 4], 1)) @ frame
                    there[jq:jq + 3] = RollPitchYaw(RotationMatrix(turn)).vector()
                    turns[jv:jv + 3, iv:iv + 3] = turn @ frame.T
                elif kind.nq == 1:
                    there[jq], turns[jv, iv] = q[iq], 1.0
                else:
                    raise PeerError(f"joint '{name}' has {kind.nq} coordinates")
            plant.SetPositions(context, there)
            plant.SetVelocities(context, turns @ v)
            mass = plant.CalcMassMatrix(context)
            gravity = -plant.CalcGravityGeneralizedForces(context)
            efforts = (mass @ turns @ acceleration + plant.CalcBiasTerm(context)
                       + gravity)
            return Quantities(turns.T @ mass @ turns, turns.T @ gravity, turns.T @ efforts)

        return evaluate


def _instances(plant: Any, model: str, name: str, child: str = '') -> list[tuple[Any, str]]:
    """Return where a part may be, and its name there: a joint is where its child is."""
    scope, _, local = f'{model}::{name}'.rpartition('::')
    scopes = (scope, f'{model}::{child}'.rpartition('::')[0])
    return [*((plant.GetModelInstanceByName(one), local) for one in scopes
              if plant.HasModelInstanceNamed(one)), (plant.world_body().model_instance(), name)]


def _body(plant: Any, model: str, name: str) -> Any:
    for instance, local in _instances(plant, model, name):
        if plant.HasBodyNamed(local, instance):
            return plant.GetBodyByName(local, instance)
    raise PeerError(f"Drake has no link '{name}'")


def _joint(plant: Any, model: str, name: str, child: str) -> tuple[Any, int]:
    """Return a joint, and which of its coordinates."""
    for end, offset in (('', 0), *((half, k) for k, half in enumerate(_HALVES))):
        if name.endswith(end):
            for instance, local in _instances(plant, model, name.removesuffix(end), child):
                if plant.HasJointNamed(local, instance):
                    return plant.GetJointByName(local, instance), offset
    raise PeerError(f"Drake has no joint '{name}'")
