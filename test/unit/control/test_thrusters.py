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

"""A vehicle holds its station in a current by thrusters while its arm follows a path."""

from copy import copy
from pathlib import Path

import numpy as np
import pytest
import yaml

import mbd_ros
from mbd_ros.control import Task
from mbd_ros.control.control_step.thrust_allocation import ThrustAllocation
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.environment.surroundings import immersed
from mbd_ros.simulation.stepper import Stepper

ROOT = Path(__file__).resolve().parents[3]


def vehicle():
    """Return the vehicle of config/rov.yaml with its thrusters, task and start."""
    settings = yaml.safe_load((ROOT / 'config' / 'rov.yaml').read_text())
    said, start = (settings[f'/**/{node}']['ros__parameters']
                   for node in ('controller', 'simulator'))
    model = immersed(mbd_ros.load(ROOT / 'urdf' / 'rov.urdf', floating_base=True),
                     mbd_ros.Fluid(current=said['fluid']['current']))
    task = Task.from_data({
        **{name: said[name] for name in ('link', 'path', 'start', 'step', 'metric', 'bandwidth',
                                         'approach_speed')},
        'constraints': yaml.safe_load(said['constraints']),
        'actuated': [*model.joint_names]})
    q = mbd_ros.neutral(model)
    q[7:] = start['initial_positions']
    return model, said['joints'][4:], task, q


def test_the_vehicle_of_config_rov_yaml():
    model, names, task, q = vehicle()
    dyn = copy(mbd_ros.compile(model))   # its current will change
    assert names == [one.name for one in model.thrusters]
    robot = Stepper(model, q, step=2e-3)
    tracker, allocation = Tracker(dyn, task, q, robot.v), ThrustAllocation(dyn, names)
    for _ in range(2500):
        step = tracker.step(robot.time, robot.q, robot.v)
        commands = allocation.commands(robot.q, step.effort)
        assert not commands[:6].any()
        robot.advance(robot.within_limits(commands), 2e-3)
    (tool,) = tracker.tools(step, robot.q)
    # Shafts that lag by 50 ms leave errors of a tenth of a millimetre; it began 0.2 m off.
    assert np.linalg.norm(tool.actual - tool.desired) < 5e-4
    assert np.abs(robot.q[:6]).max() < 1e-3
    assert np.abs(commands[model.nv:]).max() > 1.0   # against the current
    turned = {'velocity': (-0.2, 0.3, 0.0)}   # the controller is told of another one
    dyn.change_world(fluid=turned)
    tracker.set_dynamics(dyn)
    robot.change_current(turned['velocity'])
    for _ in range(1000):
        step = tracker.step(robot.time, robot.q, robot.v)
        robot.advance(robot.within_limits(allocation.commands(robot.q, step.effort)), 2e-3)
    assert np.abs(robot.q[:6]).max() < 2e-3


FIVE = ['front_left', 'front_right', 'rear_left', 'up_front_left', 'up_rear_right']
FOUR = ['front_left', 'front_right', 'rear_left', 'rear_right']


@pytest.mark.parametrize(('names', 'count', 'left', 'deep'), [
    (FIVE, 5, 'about x, about y', 2e-3), (FOUR, 3, 'along z, about x, about y', 0.05)])
def test_fewer_thrusters_do_what_they_can(names, count, left, deep):
    """The hull, heavier below, rights itself; the arm goes on, where the base is off, too."""
    model, _, task, q = vehicle()
    dyn, robot = mbd_ros.compile(model), Stepper(model, q, step=2e-3)
    tracker, allocation = Tracker(dyn, task, q, robot.v), ThrustAllocation(dyn, names)
    assert allocation.finding == (
        f'the thrusters push the floating base in {count} of six directions: {left} (in its axes) '
        'follow from the motion as far as none pushes')
    far = np.zeros(6)
    for _ in range(3000):
        step = tracker.step(robot.time, robot.q, robot.v)
        commands = allocation.commands(robot.q, step.effort)
        robot.advance(robot.within_limits(commands), 2e-3)
        far = np.maximum(far, np.abs(robot.q[:6]))
    used = [one.name for one, thrust in zip(model.thrusters, commands[model.nv:]) if thrust]
    assert used == names
    # In directions that are pushed as with all of them; the hull turns by 4 degrees.
    assert far[[0, 1, 5]].max() < 2e-3 and far[2] < deep and far[3:5].max() < 0.05


@pytest.mark.parametrize('names', [FIVE, FOUR])
def test_they_come_nearest_to_what_is_asked(names):
    """In the norm of Gauss' principle, with the joints as they are wanted."""
    model = vehicle()[0]
    dyn, rng = mbd_ros.compile(model), np.random.default_rng(2)
    q, force = mbd_ros.random_configuration(model, rng), rng.normal(size=model.nv)
    allocation, B = ThrustAllocation(dyn, names), mbd_ros.thruster_map(model, q)
    M = mbd_ros.mass_matrix(model, q)

    def off(commands):
        """Return by how much the accelerations are not those that are asked for."""
        return np.linalg.solve(M, commands[:model.nv] + B @ commands[model.nv:] - force)

    commands = allocation.commands(q, force)
    missed = off(commands)
    np.testing.assert_allclose(missed[6:], 0.0, atol=1e-12)   # rounding; forces are of 1 N
    least = missed @ M @ missed
    named = [k for k, one in enumerate(model.thrusters) if one.name in names]
    for _ in range(20):
        others = commands.copy()
        others[6:model.nv] += 1e-2 * rng.normal(size=model.nv - 6)
        others[model.nv + np.array(named)] += 1e-2 * rng.normal(size=len(named))
        assert off(others) @ M @ off(others) > least
