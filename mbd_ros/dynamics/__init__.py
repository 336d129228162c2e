"""Formulations, one a file, and what is built on them."""

from mbd_ros.dynamics.api import (
    bias_forces, Energy, energy, forward_dynamics, inverse_dynamics, jacobian, link_poses,
    mass_matrix, pose)
from mbd_ros.dynamics.prepared import (
    compile_model, LinkMotion, PreparedDynamics, STANDARD_GRAVITY)

__all__ = [
    'STANDARD_GRAVITY', 'Energy', 'LinkMotion', 'PreparedDynamics', 'bias_forces',
    'compile_model', 'energy', 'forward_dynamics', 'inverse_dynamics', 'jacobian', 'link_poses',
    'mass_matrix', 'pose',
]
