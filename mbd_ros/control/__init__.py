"""
Constraints as controllers.

Plain arrays: ``constrained_acceleration``. A robot at one state: ``udwadia_kalaba``. A robot over
time: a ``Constraint`` such as ``ToolPosition`` on a path, ``ConstrainedMotion`` for
``simulate(..., motion=...)``, and for real-time use ``NominalModel`` with ``TrackingLaw``.
"""

from mbd_ros.control.api import ConstrainedSolutions, udwadia_kalaba
from mbd_ros.control.applied_forces import AppliedForce, PostureSpring
from mbd_ros.control.constrained_motion import ConstrainedMotion
from mbd_ros.control.nominal_model import NominalModel, NominalState
from mbd_ros.control.references import circle, Ellipse, Line, Path, path_from_data, PathPoint
from mbd_ros.control.servo_constraints import (
    Baumgarte, Constraint, FunctionConstraint, ToolPosition)
from mbd_ros.control.singular_mass import singular_mass_acceleration
from mbd_ros.control.task import Controller, controller_for, default_task, Task
from mbd_ros.control.tracking import TrackingEffort, TrackingLaw
from mbd_ros.control.udwadia_kalaba import constrained_acceleration, ConstrainedSolution
from mbd_ros.control.violation import DirectElimination, Elimination

__all__ = [
    'AppliedForce', 'Baumgarte', 'ConstrainedMotion', 'ConstrainedSolution',
    'ConstrainedSolutions', 'Constraint', 'Controller', 'DirectElimination', 'Elimination',
    'Ellipse', 'FunctionConstraint', 'Line', 'NominalModel', 'NominalState', 'Path', 'PathPoint',
    'PostureSpring', 'Task', 'ToolPosition', 'TrackingEffort', 'TrackingLaw', 'circle',
    'constrained_acceleration', 'controller_for', 'default_task', 'path_from_data',
    'singular_mass_acceleration', 'udwadia_kalaba',
]
