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

"""The same robot in Pinocchio, made from the arrays of a model, joint by joint."""

import numpy as np
import pinocchio as pin

from mbd_ros.model import JointType, Model

_JOINTS = {JointType.REVOLUTE: pin.JointModelRZ, JointType.PRISMATIC: pin.JointModelPZ,
           JointType.FLOATING: pin.JointModelFreeFlyer,
           JointType.SPHERICAL: pin.JointModelSpherical, JointType.PLANAR: pin.JointModelPlanar}


def twin(model: Model) -> pin.Model:
    """Return Pinocchio's model; joint i here is joint i + 1 there, q and v are the same."""
    peer = pin.Model()
    for i in range(model.nb):
        joint = peer.addJoint(model.parents[i] + 1, _JOINTS[model.joint_types[i]](),
                              pin.SE3(np.array(model.rotations[i]), model.translations[i]),
                              model.joint_names[i])
        peer.appendBodyToJoint(joint, pin.Inertia(
            model.masses[i], np.array(model.mass_centers[i]), np.array(model.inertias[i])),
            pin.SE3.Identity())
    peer.armature[:] = model.armature
    return peer
