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


"""Tracking beside hardware that is not ideal: the table of ``docs/tutorials/tuning.md``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
import sys
from typing import Any

import numpy as np
import yaml

import mbd_ros
from mbd_ros.control import Task
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import MbdError
from mbd_ros.simulation import Stepper
from mbd_ros.simulation.hardware import Hardware, stand_in
from mbd_ros.simulation.plant import plant

ROOT = Path(__file__).resolve().parents[1]
PERIOD = 0.002
SETTLED, END = 3.5, 7.0
"""When the start is forgotten, and half a turn of the path later [s]."""
GAINS = ((15.0, 0.0), (45.0, 0.0), (15.0, 60.0))
"""``bandwidth`` and ``robust_rate``."""
CASES: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ('ideal', {}, {}),
    ('encoder of 1e-4 rad', {'encoder_resolution': 1e-4}, {}),
    ('the same, velocities by differences',
     {'encoder_resolution': 1e-4, 'velocity_from_differences': True}, {}),
    ('noise of 1e-4 rad, velocities by differences',
     {'position_noise': 1e-4, 'velocity_from_differences': True}, {}),
    ('states 5 ms old', {'state_delay': 0.005}, {}),
    ('states 0 to 10 ms old', {'state_jitter': 0.01}, {}),
    ('commands act 5 ms later', {'command_delay': 0.005}, {}),
    ('commands act 0 to 10 ms later', {'command_jitter': 0.01}, {}),
    ('efforts in steps of 0.5 N m', {'effort_resolution': 0.5}, {}),
    ('joint2 sticks with 5 N m', {}, {'sticking': ['joint2'], 'sticking_friction': 5.0}),
    ('a fifth heavier', {}, {'mass_scale': 1.2}),
    ('the sensor of joint2 freezes', {'frozen_sensors': ('joint2',)}, {}),
)


def track(robot: str, hardware: Hardware, other: dict[str, Any], bandwidth: float,
          robust_rate: float) -> tuple[float, float]:
    """
    Return the largest distance of the tool from the path [m], and how rough efforts are.

    The latter is the root mean square of what an effort changes by from one step to the next,
    over that of the efforts. Infinite where the controller stops or the arm is 0.1 m off.
    """
    model = mbd_ros.load(ROOT / 'urdf' / f'{robot}.urdf')
    text = (ROOT / 'config' / f'{robot}.yaml').read_text(encoding='utf-8')
    settings = yaml.safe_load(text)
    start = settings['/**/simulator']['ros__parameters']['initial_positions']
    given = settings['/**/controller']['ros__parameters']
    task = Task.from_data({name: value for name, value in given.items() if name != 'joints'} | {
        'bandwidth': bandwidth, 'robust_rate': robust_rate})
    q = np.zeros(model.nq)
    q[[model.q_offsets[model.joint_index(name)] for name in given['joints']]] = start
    stepper = Stepper(plant(model, **other), q, step=0.001, dissipation=True)
    sensors, drives = stand_in(model, replace(hardware, frozen_sensors=()))
    tracker = Tracker(mbd_ros.compile(model), task, q, np.zeros(model.nv))
    largest, efforts = 0.0, []
    for count in range(round(END / PERIOD)):
        now = count * PERIOD
        if now >= SETTLED and hardware.frozen_sensors and not efforts:
            sensors, drives = stand_in(model, hardware)
        seen = (stepper.q, stepper.v)
        place = mbd_ros.pose(model, stepper.q, 'tool')[:3, 3]
        if sensors is not None:
            seen = sensors.measure(now, *seen)
        try:
            step = tracker.step(now, *seen)
        except MbdError:
            return np.inf, np.inf
        if tracker.problem:
            return np.inf, np.inf
        for _ in range(2):
            stepper.advance(step.effort if drives is None else drives.act(
                stepper.time, step.effort), PERIOD / 2)
        if now >= SETTLED:
            points = tracker.tool_points(step, seen[0])
            largest = max(largest, float(np.linalg.norm(points.desired - place)))
            efforts.append(step.effort)
            if largest > 0.1:
                return np.inf, np.inf
    change = np.diff(efforts, axis=0)
    return largest, float(np.sqrt((change ** 2).mean() / np.square(efforts).mean()))


def rows(robots: Sequence[str]) -> Iterator[str]:
    """Give the rows of the table for some robots."""
    yield '| hardware | robot | ' + ' | '.join(
        f'{bandwidth:g}' + (f', robust_rate {rate:g}' if rate else '') for bandwidth, rate in GAINS
    ) + ' |'
    yield '|---|---|' + '---:|' * len(GAINS)
    for name, hardware, other in CASES:
        for robot in robots:
            cells = []
            for bandwidth, rate in GAINS:
                error, rough = track(robot, Hardware(**hardware, seed=1), other, bandwidth, rate)
                cells.append('stops' if error == np.inf else
                             f'{1e3 * error:.3g} ({100 * rough:.2g} %)')
            yield f'| {name} | {robot} | ' + ' | '.join(cells) + ' |'


if __name__ == '__main__':
    for row in rows(sys.argv[1:] or ('three_link_arm', 'panda')):
        print(row, flush=True)
