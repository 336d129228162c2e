"""Formulations, one a file, and what is built on them."""

from typing import TYPE_CHECKING

from mbd_ros.dynamics.api import (
    bias_forces, Energy, energy, forward_dynamics, inverse_dynamics, jacobian, link_poses,
    mass_matrix, pose)
from mbd_ros.dynamics.derivatives_api import (
    forward_dynamics_derivatives, inverse_dynamics_derivatives)
from mbd_ros.dynamics.prepared import (
    compile_model, LinkMotion, PreparedDynamics, STANDARD_GRAVITY)
from mbd_ros.dynamics.prepared_derivatives import (
    ForwardDynamicsDerivatives, InverseDynamicsDerivatives)
from mbd_ros.on_demand import on_demand

if TYPE_CHECKING:
    from mbd_ros.dynamics import (
        closed_loop_derivatives, loop_closure, loop_efforts, loop_rank)
else:
    __getattr__, __dir__ = on_demand(
        __name__, {}, ('closed_loop_derivatives', 'loop_closure', 'loop_efforts', 'loop_rank'))

__all__ = [
    'STANDARD_GRAVITY', 'Energy', 'ForwardDynamicsDerivatives', 'InverseDynamicsDerivatives',
    'LinkMotion', 'PreparedDynamics', 'bias_forces', 'closed_loop_derivatives', 'compile_model',
    'energy', 'forward_dynamics', 'forward_dynamics_derivatives', 'inverse_dynamics',
    'inverse_dynamics_derivatives', 'jacobian', 'link_poses', 'loop_closure', 'loop_efforts',
    'loop_rank', 'mass_matrix', 'pose',
]
