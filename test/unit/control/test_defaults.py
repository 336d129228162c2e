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

"""What is done where nothing is said: defaults, and the tasks of the shipped robots."""

import inspect
import math
from pathlib import Path

import numpy as np
import pytest
import yaml

from mbd_ros.control import (
    Baumgarte, circle, default_task, DirectElimination, Ellipse, gait_from_data, JointCoupling,
    Line, Lissajous, NominalModel, PostureSpring, spline, Task, TrackingLaw, Turn)
from mbd_ros.control.control_step.constrained_motion import ConstrainedMotion
from mbd_ros.control.gaits.gait import Gait, Leg, Swing
from mbd_ros.control.gaits.rhythm import Oscillators
from mbd_ros.control.gaits.walking import tuned
from mbd_ros.control.references.splines import Scaled
from mbd_ros.control.tasks.task import controller_for, TASKS
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.control.tracking.adaptation import Adaptation
from mbd_ros.control.udwadia_kalaba.api import udwadia_kalaba
from mbd_ros.control.udwadia_kalaba.equation import constrained_acceleration
from mbd_ros.control.udwadia_kalaba.singular_mass import singular_mass_acceleration
from mbd_ros.control.udwadia_kalaba.solvers import step_solver

ROOT = Path(__file__).resolve().parents[3]
TURN = 2.0 * math.pi
# As the user's guide and the interface description promise them.
DEFAULTS = {
    Baumgarte: {'alpha': 50.0, 'beta': 400.0},
    DirectElimination: {
        'metric': 'mass', 'tolerance': 1e-13, 'position_iterations': 30,
        'velocity_iterations': 1, 'max_step': 0.2, 'max_velocity_step': 10.0,
        'rank_tolerance': 1e-10, 'nudge': 0.0},
    DirectElimination.as_printed: {
        'position_iterations': 2, 'velocity_iterations': 1, 'metric': 'euclidean'},
    ConstrainedMotion: {'applied': None, 'tolerance': 1e-10, 'actuation': None},
    ConstrainedMotion.project: {'v': None, 'time': 0.0},
    NominalModel: {'v': None, 'time': 0.0, 'step': 0.002, 'start': 'as_given'},
    NominalModel.restart: {'v': None, 'time': 0.0, 'start': 'as_given'},
    controller_for: {'q': None, 'v': None, 'time': 0.0},
    Tracker: {'time': 0.0},
    Tracker.follow: {'approach': (0.05, False, 1.0)},
    Tracker.follow_joints: {'joints': (), 'begin': 0.0},
    TrackingLaw: {
        'bandwidth': 15.0, 'approach_speed': 1.5, 'effort_limits': None, 'robust_rate': 0.0,
        'robust_efforts': None, 'actuation': None, 'adaptation': None},
    TrackingLaw.change_gains: {'adaptation_rate': 0.0},
    Adaptation: {'payload': 0.0},
    PostureSpring: {'stiffness': 20.0, 'damping': 1.0},
    JointCoupling: {'value': 0.0},
    constrained_acceleration: {'tolerance': 1e-10, 'joint_names': None},
    singular_mass_acceleration: {'tolerance': 1e-10},
    udwadia_kalaba: {
        'external_forces': None, 'gravity': None, 'formulation': 'auto', 'executor': None,
        'dissipation': False, 'tolerance': 1e-10},
    step_solver: {'weighted': True},
    Ellipse: {'period': TURN},
    circle: {'period': TURN},
    Line: {'begin': 0.0},
    Lissajous: {'phase': (0.0, 0.0, 0.0), 'period': TURN},
    Turn: {'duration': 1.0, 'begin': 0.0},
    spline: {'begin': 0.0, 'closed': False},
    Scaled: {'begin': 0.0},
    Gait: {'ramp': 0.0},
    Swing: {'rest': 0.0, 'amplitude': 0.0},
    Leg: {'lift': None},
    Oscillators: {
        'duty': 0.5, 'amplitude': 1.0, 'attraction': 8.0, 'coupling': 1.0, 'steepness': 50.0},
    tuned: {'period': 0.0, 'duty': 0.0, 'amplitude': 1.0},
}


@pytest.mark.parametrize('made', DEFAULTS, ids=lambda made: made.__qualname__)
def test_documented_defaults(made):
    found = {name: parameter.default for name, parameter
             in inspect.signature(made).parameters.items()
             if parameter.default is not inspect.Parameter.empty}
    assert {name: found[name] for name in DEFAULTS[made]} == DEFAULTS[made]


def test_a_projection_takes_more_steps_and_one_aside():
    assert DirectElimination.from_afar() == DirectElimination(
        position_iterations=200, nudge=0.02)
    assert DirectElimination.from_afar('euclidean').metric == 'euclidean'


def test_a_task_of_which_nothing_is_said():
    assert vars(Task()) == {
        'link': '', 'path': {}, 'constraints': (), 'start_positions': (), 'start_velocities': (),
        'axes': 'xyz', 'start': 'as_given', 'step': 0.002, 'metric': 'mass', 'bandwidth': 15.0,
        'approach_speed': 1.5, 'robust_rate': 0.0, 'adaptation_rate': 0.0, 'payload_limit': 0.0,
        'posture': (), 'posture_stiffness': (20.0,), 'actuated': (), 'clock': None,
        'flexible': False, 'timing': 'given'}


@pytest.mark.parametrize('robot', TASKS)
def test_tasks_of_shipped_robots_are_those_of_their_launch_files(robot):
    nodes = yaml.safe_load((ROOT / 'config' / f'{robot}.yaml').read_text())
    simulator, controller = (nodes[f'/**/{node}']['ros__parameters'] for node in (
        'simulator', 'controller'))
    data = {name: value for name, value in controller.items()
            if name in Task.__dataclass_fields__}
    assert default_task(robot) == Task.from_data(
        {**data, 'start_positions': simulator.get('initial_positions', ())})


def test_a_gait_of_which_little_is_said():
    """It begins at once, and its joints move about zero."""
    found = gait_from_data({'period': 2.0, 'duty': 0.5, 'legs': {'one': {
        'phase': 0.0, 'swing': {'joint': 'hip', 'amplitude': 0.3},
        'lift': {'joint': 'knee', 'amplitude': 0.2}}}})
    assert found == Gait(
        2.0, 0.5, {'one': Leg(0.0, Swing('hip', 0.0, 0.3), Swing('knee', 0.0, 0.2))})
    targets = found.targets(1.5)   # amid its swing: the phase is 3 pi / 2
    np.testing.assert_allclose(targets.positions, [0.0, 0.2], rtol=0, atol=1e-15)


def test_a_tracker_begins_at_zero_and_knows_its_end_never(urdf_arm):
    task = default_task('three_link_arm')
    tracker = Tracker(urdf_arm, Task(link='tool'), np.zeros(3), np.zeros(3))
    assert tracker.end == math.inf
    tracker.follow(task, 0.0, np.array(task.start_positions), np.zeros(3))
    assert tracker.end == math.inf   # an ellipse never ends
