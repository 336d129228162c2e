"""
Multibody dynamics for ROS 2, and where no ROS 2 is installed.

The public names are those below; ``docs/notation.md`` says what the numbers mean.

"""

from typing import TYPE_CHECKING

from mbd_ros.dynamics import (
    bias_forces, compile_model as compile, Energy, energy, forward_dynamics,
    forward_dynamics_derivatives, ForwardDynamicsDerivatives, inverse_dynamics,
    inverse_dynamics_derivatives, InverseDynamicsDerivatives, jacobian, link_poses, mass_matrix,
    pose)
from mbd_ros.errors import MbdError
from mbd_ros.execution import Compiled, Futures, Interpreted, Lanes, Threads
from mbd_ros.model import load, Model
from mbd_ros.on_demand import on_demand

if TYPE_CHECKING:
    from mbd_ros import control, simulation
    from mbd_ros.control.api import udwadia_kalaba
    from mbd_ros.dynamics.carry_over import CarriedState, carry_over
    from mbd_ros.dynamics.closed_loop import constrained_dynamics
    from mbd_ros.dynamics.loop_closure import close_loops, mobility
    from mbd_ros.dynamics.stream import stream
    from mbd_ros.simulation.simulate import simulate
else:
    __getattr__, __dir__ = on_demand(__name__, {
        'mbd_ros.control': (), 'mbd_ros.simulation': (),
        'mbd_ros.control.api': ('udwadia_kalaba',),
        'mbd_ros.dynamics.carry_over': ('CarriedState', 'carry_over'),
        'mbd_ros.dynamics.closed_loop': ('constrained_dynamics',),
        'mbd_ros.dynamics.loop_closure': ('close_loops', 'mobility'),
        'mbd_ros.dynamics.stream': ('stream',),
        'mbd_ros.simulation.simulate': ('simulate',)})

__all__ = [
    'CarriedState', 'Compiled', 'Energy', 'ForwardDynamicsDerivatives', 'Futures',
    'Interpreted', 'InverseDynamicsDerivatives', 'Lanes', 'MbdError', 'Model', 'Threads',
    'bias_forces', 'carry_over', 'close_loops', 'compile', 'constrained_dynamics', 'control',
    'energy', 'forward_dynamics', 'forward_dynamics_derivatives', 'inverse_dynamics',
    'inverse_dynamics_derivatives', 'jacobian', 'link_poses', 'load', 'mass_matrix',
    'mobility', 'pose', 'simulate', 'simulation', 'stream', 'udwadia_kalaba',
]
