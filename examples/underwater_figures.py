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
Let the quadruped walk on the sea bed, as Xu, Yang, Ge and Wang did, and draw it.

``python examples/underwater_figures.py [FOLDER]`` prints a table of variants and writes the motion
of the body's mass centre over ten seconds, their Figure 5, as PNG, to docs/images by default.
Geometry, gains and gait are those of ``test/data/quadruped_walk.json``. Needs matplotlib (extra
``docs``).
"""

from __future__ import annotations

import json
from pathlib import Path
import sys

from matplotlib import pyplot as plt
import numpy as np
import yaml

import mbd_ros
from mbd_ros import Fluid, Ground
from mbd_ros.control import gait_from_data, GaitControl
from mbd_ros.environment.fluid_law import ADDED_MASS, BUOYANCY, DRAG
from mbd_ros.environment.surroundings import DEFAULT, immersed, with_terms

ROOT = Path(__file__).resolve().parents[1]
WALK = json.loads((ROOT / 'test' / 'data' / 'quadruped_walk.json').read_text())
CYCLES = (2.0, 4.0, 6.0, 8.0)
STEP = 5e-4


def walk(model, fluid):
    """Return times and the body's mass centre (K, 3) in axes with z down."""
    table = yaml.safe_load((ROOT / 'config' / 'gaits' / 'crawl.yaml').read_text())
    gait = gait_from_data(table)
    q = mbd_ros.neutral(model)   # 1.24 m above the ground
    start = gait.targets(0.0)
    for name, position in zip(start.joints, start.positions):
        q[model.q_offsets[model.joint_index(name)]] = position
    data = WALK['parameters']
    run = mbd_ros.simulate(
        model, q, np.zeros(model.nv), 10.0, step=STEP, gravity=(0.0, 0.0, -9.8), fluid=fluid,
        tau=GaitControl(model, gait, data['kp'], data['kd']), record_every=round(0.01 / STEP),
        ground=Ground())
    poses = mbd_ros.pose(model, run.q, 's0/hull')
    center = poses[:, :3, 3] + poses[:, :3, :3] @ [0.0, 0.0, 0.04]
    return run.time, center * [1.0, -1.0, -1.0]


def main() -> None:
    """Write the figure and print the table."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / 'docs' / 'images'
    robot = mbd_ros.load(ROOT / 'config' / 'modules' / 'quadruped.yaml')
    swimmer = immersed(robot, Fluid())
    variants = {
        'as published': (robot, Fluid()),
        'without added mass': (with_terms(swimmer, BUOYANCY, DRAG), DEFAULT),
        'without drag': (with_terms(swimmer, BUOYANCY, ADDED_MASS), DEFAULT),
        'without drag and added mass': (with_terms(swimmer, BUOYANCY), DEFAULT),
        'against a current of 0.2 m/s': (robot, Fluid(current=(-0.2, 0.0, 0.0))),
        'on land': (robot, None)}
    print('| variant | forward in the cycles from 2, 4, 6, 8 s [m] | heave from 4 s on [m] |')
    print('|---|---|---|')
    for name, (model, fluid) in variants.items():
        time, center = walk(model, fluid)
        places = [center[np.argmin(np.abs(time - t)), 0] for t in (*CYCLES, 10.0)]
        steps = ', '.join(f'{step:.3f}' for step in np.diff(places))
        print(f'| {name} | {steps} | {np.ptp(center[time >= 4.0, 2]):.3f} |', flush=True)
        if name == 'as published':
            draw(time, center, folder / 'underwater_walk.png')


def draw(time, center, path):
    """Draw the mass centre over time beside the stored one."""
    stored = np.array(WALK['body_cm_trajectory_t_x_y_z_roll_pitch_yaw'])
    figure, axes = plt.subplots(2, 1, sharex=True, figsize=(7, 5))
    for axis, k, label in ((axes[0], 0, 'x0, forward [m]'), (axes[1], 2, 'z0, down [m]')):
        axis.plot(time, center[:, k], label='this package')
        axis.plot(stored[:, 0], stored[:, 1 + k], '.', markersize=4, label='other program')
        axis.set_ylabel(label)
        axis.grid(alpha=0.3)
    axes[1].set_xlabel('time [s]')
    axes[1].invert_yaxis()
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)


if __name__ == '__main__':
    main()
