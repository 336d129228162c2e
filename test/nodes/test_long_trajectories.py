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


"""Trajectories of many points begin without keeping the control steps waiting."""

import math
import threading
import time

from builtin_interfaces.msg import Duration
from controller_bench import ControllerBench, NAMES, START, URDF
from mbd_msgs.action import FollowPath
import numpy as np
import pytest
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from mbd_ros.control.references import path_data
from mbd_ros.messages.trajectories import trajectories
from mbd_ros.messages.trajectories.speed_scaling import SpeedScaling
from mbd_ros.messages.trajectories.way_points import read_ahead

pytestmark = pytest.mark.nodes

PERIOD = 2_000_000   # ns between joint states
COUNT = 3000
PATIENCE = 120.0     # s, on a machine that is busy with other programs


def trajectory(count, begin=3.0, speeds=True):
    """Return a trajectory that swings all joints slowly around where the robot begins."""
    times = begin + 0.02 * np.arange(count)
    turns = 0.1 * np.sin(0.5 * (times - begin))
    rates = 0.05 * np.cos(0.5 * (times - begin))
    rates[-1] = 0.0
    return JointTrajectory(joint_names=NAMES, points=[JointTrajectoryPoint(
        positions=[one + turn for one in START], velocities=[rate] * 3 if speeds else [],
        time_from_start=Duration(sec=int(t), nanosec=int(t % 1.0 * 1e9)))
        for t, turn, rate in zip(times.tolist(), turns.tolist(), rates.tolist())])


class Run:
    """A controller whose control steps are taken by the test, with an executor for the rest."""

    def __init__(self):
        self.bench = ControllerBench(False, f'robot_description:={URDF}')
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.bench.node)
        self.stamp, self.places, self.longest = 10**15, [], 0.0
        self.step()

    def step(self):
        """Hand over one joint state, and note where the reference is then."""
        self.stamp += PERIOD
        self.bench.hear('right', self.stamp)
        self.places.append(self.tracker.reference(np.array(START))[0].copy())
        self.executor.spin_once(timeout_sec=0.0)

    @property
    def tracker(self):
        return self.bench.node._tracker

    @property
    def path(self):
        running = self.tracker.running
        return None if running is None else running[0].path

    def send(self, message):
        """Hand over a trajectory of the topic as it is after it was read."""
        self.bench.node._goals._on_trajectory(read_ahead(message))

    def steps_until(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end
            self.step()
            time.sleep(0.001)

    def close(self):
        self.executor.shutdown()
        self.bench.close()


@pytest.fixture
def run():
    """Return a controller."""
    one = Run()
    yield one
    one.close()


@pytest.fixture
def threads(monkeypatch):
    """Return in which threads paths of how many points were made."""
    found, path_through = [], trajectories.path_through

    def noted(model, moved, given, *more):
        found.append((threading.current_thread(), len(given.points)))
        return path_through(model, moved, given, *more)
    monkeypatch.setattr(trajectories, 'path_through', noted)
    return found


@pytest.mark.parametrize('speeds', [True, False])
@pytest.mark.parametrize('before', ['a path of the tool', 'a trajectory', 'a stop'])
def test_a_long_trajectory_is_made_beside_the_control_steps(run, threads, before, speeds):
    """It begins from where the robot is by then, without a leap, whatever it did before."""
    for _ in range(10):
        run.step()
    if before != 'a path of the tool':
        run.send(trajectory(100, begin=0.4) if before == 'a trajectory' else JointTrajectory())
        for _ in range(20):
            run.step()
    first = run.path
    run.send(trajectory(COUNT, speeds=speeds))
    run.step()
    assert run.path is first
    run.steps_until(lambda: run.path is not first)
    for _ in range(20):
        run.step()
    long = [thread for thread, count in threads if count == COUNT]
    assert long and threading.main_thread() not in long
    assert run.path.arrives == pytest.approx(3.0 + 0.02 * (COUNT - 1))
    # At most 1.5 rad/s, the approach speed: 3 mm or mrad a step; a leap would be more.
    assert np.abs(np.diff(run.places, axis=0)).max() < 0.01
    assert np.abs(np.diff(run.places, n=2, axis=0)).max() < 1e-3


def test_what_comes_meanwhile_takes_its_place(run, threads):
    """A short trajectory begins at once, and the long one not at all."""
    run.send(trajectory(COUNT))
    run.step()
    run.send(trajectory(10, begin=0.5))
    short = run.path
    assert short is not None
    for _ in range(200):
        run.step()
        time.sleep(0.002)
    assert run.path is short
    run.steps_until(lambda: 'something else began' in run.bench.node.guard.last)
    assert math.isfinite(run.places[-1].sum())


@pytest.mark.parametrize('where', ['path', 'constraint'])
def test_a_long_spline_of_a_tool_is_made_beside_the_control_steps(run, monkeypatch, where):
    """So it is when its speed changes: the path is made once, at another pace it is the same."""
    found, made = [], path_data.made_from_data

    def noted(kinds, noun, data, *more, **which):
        if noun == 'path' and len(data.get('points', ())) == COUNT:
            found.append(threading.current_thread())
        return made(kinds, noun, data, *more, **which)
    monkeypatch.setattr(path_data, 'made_from_data', noted)
    path = '{kind: spline, duration: 60, points: [' + ''.join(
        f'[{1.0 + 3e-5 * k:.6g}, 0, 1], ' for k in range(COUNT)) + ']}'
    task = f'{{link: tool, path: {path}}}' if where == 'path' else (
        f'{{link: tool, constraints: [{{kind: tool_position, link: tool, path: {path}}}]}}')
    goals = run.bench.node._goals
    client = ActionClient(run.bench.node, FollowPath, '~/follow_path')
    run.steps_until(client.server_is_ready)
    sent = client.send_goal_async(FollowPath.Goal(task=task))
    run.steps_until(sent.done)
    assert sent.result().accepted
    run.steps_until(lambda: goals._active is not None and goals._active.handle is not None)
    assert found and threading.main_thread() not in found
    goals._on_factor(SpeedScaling(factor=0.5))
    run.steps_until(lambda: goals.pace == 0.5)
    for _ in range(20):
        run.step()
    assert threading.main_thread() not in found
    client.destroy()
