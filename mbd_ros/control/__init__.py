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
Servo constraints as controllers (Udwadia-Kalaba nominal model and tracking law).

Plain arrays: ``constrained_acceleration``. A robot at one state: ``udwadia_kalaba``. A robot over
time: a ``Constraint`` such as ``ToolPosition`` on a path, ``ConstrainedMotion`` for
``simulate(..., motion=...)``, and for real-time use ``NominalModel`` with ``TrackingLaw``.

Its folders are layers, each imports only those before it: ``references`` (paths, orientations and
trajectories in time), ``constraints`` (``A vdot = b``), ``udwadia_kalaba`` (the equation, rank
decisions, elimination of violations, actuation), ``tracking`` (control law, limits, payload),
``step`` (nominal model and compiled control step), ``tasks`` (task data, tracker, checks) and
``gaits`` (rhythms of legs, joint targets).
"""

from mbd_ros.control.constraints.approach import Approach
from mbd_ros.control.constraints.constraint_data import constraints_from_data
from mbd_ros.control.constraints.constraint_stack import Stack
from mbd_ros.control.constraints.joint_constraints import JointCoupling, JointSpeed
from mbd_ros.control.constraints.joint_paths import joint_path, JointPath
from mbd_ros.control.constraints.servo_constraints import Baumgarte, Constraint, FunctionConstraint
from mbd_ros.control.constraints.surfaces import cylinder, OnSurface, plane, sphere
from mbd_ros.control.constraints.tool_constraints import (
    NoSideslip, ToolDirection, ToolOrientation, ToolPosition)
from mbd_ros.control.constraints.traced_constraints import (
    TracedConstraint, TracedVelocityConstraint)
from mbd_ros.control.control_step.applied_forces import AppliedForce, PostureSpring
from mbd_ros.control.control_step.constrained_motion import ConstrainedMotion
from mbd_ros.control.control_step.nominal_model import NominalModel
from mbd_ros.control.control_step.servo_efforts import ServoEfforts
from mbd_ros.control.gaits.gait import Gait, gait_from_data, GaitControl, Leg, Swing
from mbd_ros.control.gaits.rhythm import Oscillators
from mbd_ros.control.references.joint_trajectories import joint_trajectory
from mbd_ros.control.references.orientations import held, Orientation, Turn
from mbd_ros.control.references.path_data import path_from_data
from mbd_ros.control.references.paths import circle, Ellipse, Line, Lissajous, Path, PathPoint
from mbd_ros.control.references.splines import spline, trajectory
from mbd_ros.control.references.traced_path import TracedPath
from mbd_ros.control.tasks.fastest import fastest_timing, Timing
from mbd_ros.control.tasks.task import Controller, controller_for, default_task, Task
from mbd_ros.control.tracking.adaptation import Adaptation
from mbd_ros.control.tracking.law import TrackingEffort, TrackingLaw
from mbd_ros.control.tracking.nominal_state import NominalState
from mbd_ros.control.tracking.payload import dynamics_with, LoadedDynamics
from mbd_ros.control.tracking.robustness import Guarantee, guarantee
from mbd_ros.control.udwadia_kalaba.actuation import Actuation
from mbd_ros.control.udwadia_kalaba.api import ConstrainedSolutions, udwadia_kalaba
from mbd_ros.control.udwadia_kalaba.elimination import DirectElimination, Elimination
from mbd_ros.control.udwadia_kalaba.equation import constrained_acceleration, ConstrainedSolution
from mbd_ros.control.udwadia_kalaba.internal_dynamics import internal_dynamics
from mbd_ros.control.udwadia_kalaba.singular_mass import singular_mass_acceleration
from mbd_ros.model.attachments.payload import Payload

CurvedJointPath = JointPath   # its name until 0.1.0, for joints of several coordinates

__all__ = [
    'Actuation', 'Adaptation', 'Guarantee', 'LoadedDynamics', 'AppliedForce', 'Approach',
    'Baumgarte', 'ConstrainedMotion', 'ConstrainedSolution', 'ConstrainedSolutions',
    'Constraint', 'Controller', 'CurvedJointPath', 'DirectElimination', 'Elimination',
    'Ellipse', 'FunctionConstraint', 'Gait', 'GaitControl', 'JointCoupling', 'JointPath',
    'JointSpeed', 'Leg', 'Line', 'Lissajous', 'NoSideslip', 'NominalModel', 'NominalState',
    'OnSurface', 'Orientation', 'Oscillators', 'Path', 'PathPoint', 'Payload', 'PostureSpring',
    'ServoEfforts', 'Stack', 'Swing', 'Task', 'ToolDirection', 'ToolOrientation', 'ToolPosition',
    'Timing', 'TracedConstraint', 'TracedPath', 'TracedVelocityConstraint', 'TrackingEffort',
    'TrackingLaw', 'Turn', 'circle', 'constrained_acceleration', 'constraints_from_data',
    'controller_for', 'cylinder', 'default_task', 'dynamics_with', 'fastest_timing',
    'gait_from_data', 'guarantee', 'held', 'internal_dynamics', 'joint_path', 'joint_trajectory',
    'path_from_data', 'plane', 'singular_mass_acceleration', 'sphere', 'spline', 'trajectory',
    'udwadia_kalaba',
]
