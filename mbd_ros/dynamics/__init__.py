"""
Dynamics: formulations, what is computed with them, and the public functions.

Sub-rooms in the order of their imports: formulations, quantities, prepared, loops, api,
analysis.

"""

from mbd_ros.dynamics.api.derivatives import (
    forward_dynamics_derivatives, inverse_dynamics_derivatives)
from mbd_ros.dynamics.api.functions import (
    bias_forces, Energy, energy, forward_dynamics, inverse_dynamics, jacobian, link_poses,
    mass_matrix, pose)
from mbd_ros.dynamics.prepared.derivatives import (
    ForwardDynamicsDerivatives, InverseDynamicsDerivatives)
from mbd_ros.dynamics.prepared.prepared import (
    compile_model, PreparedDynamics, STANDARD_GRAVITY)
from mbd_ros.dynamics.quantities.kinematics import LinkMotion

__all__ = [
    'STANDARD_GRAVITY', 'Energy', 'ForwardDynamicsDerivatives', 'InverseDynamicsDerivatives',
    'LinkMotion', 'PreparedDynamics', 'bias_forces', 'compile_model',
    'energy', 'forward_dynamics', 'forward_dynamics_derivatives', 'inverse_dynamics',
    'inverse_dynamics_derivatives', 'jacobian', 'link_poses', 'mass_matrix', 'pose',
]
