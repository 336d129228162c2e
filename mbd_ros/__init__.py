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
Multibody dynamics for ROS 2, and where no ROS 2 is installed.

The public names are those below; ``docs/notation.md`` says what the numbers mean.

"""

import sys
from typing import TYPE_CHECKING

if sys.platform == 'win32':
    raise ImportError('mbd_ros needs a POSIX system: on Windows use it inside WSL2, which is '
                      'Linux ("wsl --install", then install it there)')

from mbd_ros.on_demand import on_demand

if TYPE_CHECKING:
    from mbd_ros import (
        control, description, dynamics, errors, execution, model, simulation, spatial)
    from mbd_ros.control.udwadia_kalaba.api import udwadia_kalaba
    from mbd_ros.dynamics.analysis.analyse import analyse
    from mbd_ros.dynamics.functions.bent_links import bent_links
    from mbd_ros.dynamics.functions.carry_over import CarriedState, carry_over
    from mbd_ros.dynamics.functions.configurations import (
        difference, integrate, random_configuration)
    from mbd_ros.dynamics.functions.constrained import constrained_dynamics
    from mbd_ros.dynamics.functions.contact_forces import contact_forces
    from mbd_ros.dynamics.functions.derivatives import (
        forward_dynamics_derivatives, inverse_dynamics_derivatives,
        inverse_dynamics_hessian_product)
    from mbd_ros.dynamics.functions.differential_kinematics import differential_inverse_kinematics
    from mbd_ros.dynamics.functions.elastic import (
        hybrid_dynamics, natural_frequencies, static_deflection)
    from mbd_ros.dynamics.functions.equations_of_motion import (
        bias_forces, Energy, energy, forward_dynamics, inverse_dynamics, jacobian, link_poses,
        mass_matrix, pose)
    from mbd_ros.dynamics.functions.frames import frame_acceleration, frame_velocity, jacobian_rate
    from mbd_ros.dynamics.functions.inverse_kinematics import inverse_kinematics
    from mbd_ros.dynamics.functions.joint_wrenches import joint_wrenches
    from mbd_ros.dynamics.functions.linearization import (
        Discretization, discretize, Linearization, linearize)
    from mbd_ros.dynamics.functions.motion_derivatives import (
        center_of_mass_velocity_derivatives, centroidal_momentum_derivatives,
        frame_acceleration_derivatives, frame_velocity_derivatives, gravity_forces_derivatives,
        jacobian_derivatives)
    from mbd_ros.dynamics.functions.stream import stream
    from mbd_ros.dynamics.functions.sweep import sweep
    from mbd_ros.dynamics.functions.thrust_map import thruster_map
    from mbd_ros.dynamics.functions.whole_robot import (
        center_of_mass, center_of_mass_jacobian, centroidal_map, centroidal_momentum,
        coriolis_matrix, gravity_forces, inertial_parameters, regressor)
    from mbd_ros.dynamics.identification.excitation import excitation_trajectory
    from mbd_ros.dynamics.identification.identify import identify
    from mbd_ros.dynamics.inverse_kinematics.targets import (
        AxisTarget, CenterOfMassTarget, LookAtTarget, PoseTarget, PositionTarget, PostureTarget,
        RelativePoseTarget)
    from mbd_ros.dynamics.loops.closure import close_loops, mobility
    from mbd_ros.dynamics.prepared.derivatives import (
        ForwardDynamicsDerivatives, HessianProduct, InverseDynamicsDerivatives)
    from mbd_ros.dynamics.prepared.prepared import compile_model as compile
    from mbd_ros.environment.contact import Ground
    from mbd_ros.environment.estimate import estimate_fluid
    from mbd_ros.environment.fluid_law import Fluid
    from mbd_ros.errors import MbdError
    from mbd_ros.execution import Compiled, Futures, Interpreted, Lanes, Threads
    from mbd_ros.export.casadi_function import casadi_function as casadi
    from mbd_ros.export.jax_function import jax_function as jax
    from mbd_ros.export.torch_function import torch_function as torch
    from mbd_ros.export.write import export_library
    from mbd_ros.model.attachments.payload import with_payload
    from mbd_ros.model.couplings import coupling_map, CouplingMap
    from mbd_ros.model.load import load
    from mbd_ros.model.lock import lock
    from mbd_ros.model.model import Model
    from mbd_ros.model.state import (
        difference_derivatives, integrate_derivatives, neutral)
    from mbd_ros.simulation.draw_robot import draw_robot
    from mbd_ros.simulation.sensitivities import sensitivities
    from mbd_ros.simulation.simulate import simulate
    from mbd_ros.simulation.trajectory import load_trajectory, Trajectory
else:
    __getattr__, __dir__ = on_demand(__name__, {
        'mbd_ros.control.udwadia_kalaba.api': ('udwadia_kalaba',),
        'mbd_ros.dynamics.analysis.analyse': ('analyse',),
        'mbd_ros.dynamics.functions.differential_kinematics': ('differential_inverse_kinematics',),
        'mbd_ros.dynamics.functions.equations_of_motion': (
            'bias_forces', 'Energy', 'energy', 'forward_dynamics', 'inverse_dynamics', 'jacobian',
            'link_poses', 'mass_matrix', 'pose'),
        'mbd_ros.dynamics.functions.frames': (
            'frame_acceleration', 'frame_velocity', 'jacobian_rate'),
        'mbd_ros.dynamics.identification.excitation': ('excitation_trajectory',),
        'mbd_ros.dynamics.identification.identify': ('identify',),
        'mbd_ros.dynamics.functions.inverse_kinematics': ('inverse_kinematics',),
        'mbd_ros.dynamics.inverse_kinematics.targets': (
            'AxisTarget', 'CenterOfMassTarget', 'LookAtTarget', 'PoseTarget', 'PositionTarget',
            'PostureTarget', 'RelativePoseTarget'),
        'mbd_ros.dynamics.functions.linearization': (
            'Discretization', 'discretize', 'Linearization', 'linearize'),
        'mbd_ros.dynamics.functions.motion_derivatives': (
            'center_of_mass_velocity_derivatives', 'centroidal_momentum_derivatives',
            'frame_acceleration_derivatives', 'frame_velocity_derivatives',
            'gravity_forces_derivatives', 'jacobian_derivatives'),
        'mbd_ros.dynamics.functions.whole_robot': (
            'center_of_mass', 'center_of_mass_jacobian', 'centroidal_map', 'centroidal_momentum',
            'coriolis_matrix', 'gravity_forces', 'inertial_parameters', 'regressor'),
        'mbd_ros.dynamics.functions.elastic': (
            'hybrid_dynamics', 'natural_frequencies', 'static_deflection'),
        'mbd_ros.dynamics.functions.bent_links': ('bent_links',),
        'mbd_ros.dynamics.functions.carry_over': ('CarriedState', 'carry_over'),
        'mbd_ros.dynamics.functions.configurations': (
            'difference', 'integrate', 'random_configuration'),
        'mbd_ros.dynamics.functions.constrained': ('constrained_dynamics',),
        'mbd_ros.dynamics.functions.contact_forces': ('contact_forces',),
        'mbd_ros.dynamics.functions.derivatives': (
            'forward_dynamics_derivatives', 'inverse_dynamics_derivatives',
            'inverse_dynamics_hessian_product'),
        'mbd_ros.dynamics.loops.closure': ('close_loops', 'mobility'),
        'mbd_ros.dynamics.prepared.prepared': ('compile_model as compile',),
        'mbd_ros.dynamics.prepared.derivatives': (
            'ForwardDynamicsDerivatives', 'HessianProduct', 'InverseDynamicsDerivatives'),
        'mbd_ros.dynamics.functions.joint_wrenches': ('joint_wrenches',),
        'mbd_ros.dynamics.functions.stream': ('stream',),
        'mbd_ros.dynamics.functions.sweep': ('sweep',),
        'mbd_ros.dynamics.functions.thrust_map': ('thruster_map',),
        'mbd_ros.environment.contact': ('Ground',),
        'mbd_ros.environment.estimate': ('estimate_fluid',),
        'mbd_ros.environment.fluid_law': ('Fluid',),
        'mbd_ros.errors': ('MbdError',),
        'mbd_ros.execution': ('Compiled', 'Futures', 'Interpreted', 'Lanes', 'Threads'),
        'mbd_ros.export.casadi_function': ('casadi_function as casadi',),
        'mbd_ros.export.jax_function': ('jax_function as jax',),
        'mbd_ros.export.torch_function': ('torch_function as torch',),
        'mbd_ros.export.write': ('export_library',),
        'mbd_ros.model.couplings': ('coupling_map', 'CouplingMap'),
        'mbd_ros.model.load': ('load',),
        'mbd_ros.model.lock': ('lock',),
        'mbd_ros.model.state': (
            'difference_derivatives', 'integrate_derivatives', 'neutral'),
        'mbd_ros.model.model': ('Model',),
        'mbd_ros.model.attachments.payload': ('with_payload',),
        'mbd_ros.simulation.draw_robot': ('draw_robot',),
        'mbd_ros.simulation.sensitivities': ('sensitivities',),
        'mbd_ros.simulation.simulate': ('simulate',),
        'mbd_ros.simulation.trajectory': ('load_trajectory', 'Trajectory')},
        ('control', 'description', 'dynamics', 'errors', 'execution', 'model', 'simulation',
         'spatial'))

__version__ = '0.1.0'
__all__ = [
    'AxisTarget', 'CarriedState', 'CenterOfMassTarget', 'Compiled', 'CouplingMap',
    'Discretization', 'Energy', 'Fluid', 'ForwardDynamicsDerivatives', 'Futures', 'Ground',
    'HessianProduct', 'Interpreted', 'InverseDynamicsDerivatives', 'Lanes', 'Linearization',
    'LookAtTarget', 'MbdError', 'Model', 'PoseTarget', 'PositionTarget', 'PostureTarget',
    'RelativePoseTarget', 'Threads', 'Trajectory', 'analyse', 'bent_links', 'bias_forces',
    'carry_over', 'casadi', 'center_of_mass', 'center_of_mass_jacobian',
    'center_of_mass_velocity_derivatives', 'centroidal_map', 'centroidal_momentum',
    'centroidal_momentum_derivatives', 'close_loops', 'compile', 'constrained_dynamics',
    'contact_forces', 'control', 'coriolis_matrix', 'coupling_map', 'description', 'difference',
    'difference_derivatives', 'differential_inverse_kinematics', 'discretize', 'draw_robot',
    'dynamics', 'energy', 'errors', 'estimate_fluid', 'excitation_trajectory', 'execution',
    'export_library', 'forward_dynamics', 'forward_dynamics_derivatives', 'frame_acceleration',
    'frame_acceleration_derivatives', 'frame_velocity', 'frame_velocity_derivatives',
    'gravity_forces', 'gravity_forces_derivatives', 'hybrid_dynamics', 'identify',
    'inertial_parameters', 'integrate', 'integrate_derivatives', 'inverse_dynamics',
    'inverse_dynamics_derivatives', 'inverse_dynamics_hessian_product', 'inverse_kinematics',
    'jacobian', 'jacobian_derivatives', 'jacobian_rate', 'jax', 'joint_wrenches', 'linearize',
    'link_poses', 'load', 'load_trajectory', 'lock', 'mass_matrix', 'mobility', 'model',
    'natural_frequencies', 'neutral', 'pose', 'random_configuration', 'regressor', 'sensitivities',
    'simulate', 'simulation', 'spatial', 'static_deflection', 'stream', 'sweep', 'thruster_map',
    'torch', 'udwadia_kalaba', 'with_payload',
]
