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
Lead the hand of an arm whose links bend along an ellipse, under four controllers.

``python examples/flexible_control.py [FOLDER]`` prints how far the hand is from its path and
writes a figure as PNG, to docs/images by default. The arm is that of ``urdf/flexible_arm.urdf``,
simulated by the implicit midpoint rule, the task that of ``flexible.launch.py``. The fourth keeps
the hand itself on the path by the efforts of the joints, which is not of minimum phase: these grow
until a joint cannot exert them. Needs matplotlib (extra ``docs``).
"""

from __future__ import annotations

from pathlib import Path
import sys

import numpy as np

import mbd_ros
from mbd_ros.control import Line, ServoEfforts, Stack, Task, ToolPosition
from mbd_ros.control.constraints.joint_constraints import JointCoupling
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import InfeasibleError

ROOT = Path(__file__).resolve().parents[1]
START = np.array([0.0, -0.9, 1.2, 0.3])
JOINTS = len(START)
PERIODS = (4.0, 2.0, 1.2)
SETTLED = 1.0
"""Time on the path from which errors count [s]: the approach makes links swing."""


def task(period=2.0, **more):
    """Return the task of ``flexible.launch.py``, once round in a period [s]."""
    return Task(**{'link': 'hand', 'path': {
        'kind': 'ellipse', 'center': [1.1, 0.0, 0.9], 'a': [0.0, 0.15, 0.0],
        'b': [0.0, 0.0, 0.1], 'period': period}, 'start': 'approach', 'metric': 'euclidean',
        'bandwidth': 10.0, 'approach_speed': 0.5, 'posture': (0.0, -0.9, 1.2, 0.3),
        'posture_stiffness': (5.0,), 'flexible': True, **more})


def resting(model):
    """Return where the arm begins, its links bent by their weight."""
    q = np.append(START, np.zeros(model.nq - JOINTS))
    q[JOINTS:] = mbd_ros.static_deflection(model, q)
    return q


class Plant:
    """The arm with links that bend, moved by the implicit midpoint rule."""

    def __init__(self, dyn, step=1e-3):
        self.dyn, self.step, self.time = dyn, np.array([step]), 0.0
        self.q, self.v = resting(dyn.model), np.zeros(dyn.model.nv)

    def advance(self, efforts, steps):
        """Move on under efforts of the joints that are held."""
        tau, n = np.append(efforts, np.zeros(self.dyn.model.nv - JOINTS)), self.dyn.model.nq
        for _ in range(steps):
            start = middle = np.concatenate([self.q, self.v])
            for _ in range(3):
                middle = self.dyn.midpoint(self.q, self.v, tau, self.step, middle[:n], middle[n:])
            self.q, self.v = 2.0 * middle[:n] - start[:n], 2.0 * middle[n:] - start[n:]
            self.time += float(self.step[0])


def of_the_law(plant, law, step):
    """Return the efforts of a control step as they are."""
    return step.effort


def by_measured_bending(plant, law, step):
    """Return efforts that give joints what the law asks for, whatever the measured links do."""
    wanted, _ = law.wanted(step.efforts.error.tolist(), step.efforts.error_rate.tolist(),
                           step.nominal.accelerations.tolist(), law.gains.tolist())
    rest = np.zeros(plant.dyn.model.nv)
    return plant.dyn.hybrid_dynamics(tuple(range(JOINTS)))(
        plant.q, plant.v, rest, np.append(wanted, rest[JOINTS:]))[1, :JOINTS]


def followed(dyn, rigid, one, seconds, efforts=of_the_law, *, step=1e-3, steps=2):
    """
    Return how far a hand is from its path.

    ``dyn`` and ``rigid`` are the arm and what the controller knows of it; efforts are new every
    so many ``steps`` of the integrator. Rows of time on the path [s], distance of the bent hand,
    and distance as the controller sees it [m].
    """
    plant, rows = Plant(dyn, step), []
    tracker = Tracker(rigid, one, START, np.zeros(JOINTS))
    while plant.time < seconds:
        tracker.bending.measured = plant.q[JOINTS:]
        q, v = plant.q[:JOINTS], plant.v[:JOINTS]
        answer = tracker.step(plant.time, q, v)
        moment = answer.nominal.time
        off = dyn.pose(plant.q, 'hand')[:3, 3] - tracker.paths[0].at(moment).position
        rows.append((moment, np.linalg.norm(off), tracker.tool_points(answer, q).error))
        plant.advance(efforts(plant, tracker.law, answer), steps)
    return np.array(rows)


def worst(rows, after=SETTLED):
    """Return the largest distance once the swings of the approach have faded [mm]."""
    return 1e3 * float(rows[rows[:, 0] > after, 1].max())


def hand_on_a_line(dyn):
    """Return the constraint of the bent hand on a line, the wrist held: as many rows as joints."""
    q = resting(dyn.model)
    place = dyn.pose(q, 'hand')[:3, 3]
    line = Line(place, place + np.array([0.0, 0.1, 0.05]), 1.0)
    return Stack([ToolPosition(dyn, 'hand', line), JointCoupling(
        dyn.model, {'wrist': 1.0}, q[3])], q, np.zeros(dyn.model.nv))


def growing(dyn, step=2e-5):
    """Return times and changes (K, 4) of efforts that keep the hand on its line, and the error."""
    servo, grown = ServoEfforts(dyn, hand_on_a_line(dyn), checked=False), []
    q, rest = resting(dyn.model), np.zeros(dyn.model.nv)
    begin = servo(0.0, q, rest)

    def tau(t, q, v):
        efforts = servo(t, q, v)
        grown.append((t, *(efforts - begin)[:JOINTS]))
        return efforts
    try:
        mbd_ros.simulate(dyn.model, q, rest, 0.01, step=step, tau=tau)
    except InfeasibleError as error:
        return np.array(grown), error
    raise AssertionError('efforts stayed within their limits')


def main() -> None:
    """Print the table and write the figure."""
    from matplotlib import pyplot as plt   # here, as tests need no figure

    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / 'docs' / 'images'
    file = ROOT / 'urdf' / 'flexible_arm.urdf'
    dyn, rigid = (mbd_ros.compile(mbd_ros.load(file, flexible=bends)) for bends in (True, False))
    fast = {'step': 2.5e-4, 'steps': 1}
    rows = {
        'rigid links': ({'flexible': False}, {}), 'bending foreseen': ({}, {}),
        'bending foreseen, measured bending': ({}, {'efforts': by_measured_bending}),
        'the same at 4 kHz': ({}, {'efforts': by_measured_bending, **fast}),
        'bending foreseen at 4 kHz': ({}, fast)}
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 3.6), constrained_layout=True)
    print('| controller |' + ''.join(f' {period:g} s |' for period in PERIODS))
    for name, (more, how) in rows.items():
        runs = [followed(dyn, rigid, task(period, **more), 3.0 + period, **how)
                for period in PERIODS]
        print(f'| {name} |' + ''.join(f' {worst(run):.3g} |' for run in runs))
        if how is not fast and how.get('steps') is None:
            left.semilogy(runs[1][:, 0], 1e3 * runs[1][:, 1], label=name)
    left.set(xlabel='t on the path, once round in 2 s [s]', ylabel='error of the hand [mm]',
             xlim=(-0.3, 4.0), ylim=(1e-3, 1e3))
    left.legend(fontsize='small')
    grown, error = growing(dyn)
    print(error)
    for name, column in zip(dyn.model.joint_names, grown.T[1:]):
        right.semilogy(1e3 * grown[:, 0], np.abs(column), label=name)
    right.set(xlabel='t [ms], the hand itself kept on a line', ylabel='change of effort [N m]')
    right.legend(fontsize='small')
    figure.savefig(folder / 'flexible_control.png', dpi=110)


if __name__ == '__main__':
    main()
