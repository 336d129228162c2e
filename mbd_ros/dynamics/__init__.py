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
Dynamics: formulations, what is computed with them, and the public functions.

Sub-rooms in the order of their imports: algorithms, quantities, prepared, loops, functions,
identification, inverse_kinematics, analysis.

"""

from mbd_ros.dynamics.functions.derivatives import (
    forward_dynamics_derivatives, inverse_dynamics_derivatives)
from mbd_ros.dynamics.functions.equations_of_motion import (
    bias_forces, Energy, energy, forward_dynamics, inverse_dynamics, jacobian, link_poses,
    mass_matrix, pose)
from mbd_ros.dynamics.prepared.derivative_results import (
    ForwardDynamicsDerivatives, InverseDynamicsDerivatives)
from mbd_ros.dynamics.prepared.prepared import compile_model, PreparedDynamics
from mbd_ros.dynamics.quantities.kinematics import LinkMotion

__all__ = [
    'Energy', 'ForwardDynamicsDerivatives', 'InverseDynamicsDerivatives',
    'LinkMotion', 'PreparedDynamics', 'bias_forces', 'compile_model',
    'energy', 'forward_dynamics', 'forward_dynamics_derivatives', 'inverse_dynamics',
    'inverse_dynamics_derivatives', 'jacobian', 'link_poses', 'mass_matrix', 'pose',
]
