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
Inverse kinematics, and identification from a recording, by default settings.

``python -m benchmarks.finding ROBOT.urdf LINK`` draws reachable poses and prints how many are
found and the processor time of each; with ``RUN.npz`` instead of a link it identifies the robot
from a recording and prints time and error, also of more recordings that are named after it.
"""

from pathlib import Path
import sys
import time

import numpy as np

import mbd_ros
from mbd_ros.simulation.recordings import read_motion

POSES, SINGLE, NEAR = 10_000, 300, 0.05


def kinematics(model: mbd_ros.Model, link: str) -> None:
    """Print what is found of random poses, in a batch, one by one, and from near starts."""
    rng = np.random.default_rng(0)
    q = np.array([mbd_ros.random_configuration(model, rng) for _ in range(POSES)])
    poses = mbd_ros.pose(model, q, link)
    near = q + rng.uniform(-NEAR, NEAR, q.shape)
    mbd_ros.inverse_kinematics(model, {link: poses[:8]})
    start = time.process_time()
    found = mbd_ros.inverse_kinematics(model, {link: poses})
    batch = (time.process_time() - start) / POSES
    singles = []
    for begin in (None, near):
        start = time.process_time()
        for k in range(SINGLE):
            at = None if begin is None else begin[k]
            mbd_ros.inverse_kinematics(model, {link: poses[k]}, at)
        singles.append((time.process_time() - start) / SINGLE)
    print(f'{model.name}: {100.0 * found.converged.mean():.3f} % of {POSES}; a pose of a batch '
          f'{1e6 * batch:.1f} us, alone {1e6 * singles[0]:.1f} us, from {NEAR} rad away '
          f'{1e6 * singles[1]:.1f} us')


def identification(model: mbd_ros.Model, names: list[str]) -> None:
    """Print the time of identification from the first recording, and errors of all."""
    runs = [read_motion(Path(name), model) for name in names]
    for _ in range(2):   # the first time makes machine code
        start = time.process_time()
        one = runs[0]
        found = mbd_ros.identify(model, one.q, one.v, one.tau, qdd=one.qdd, time=one.time)
        print(f'identified in {time.process_time() - start:.2f} s of processor')
    for name, one in zip(names, runs):
        left = found.predict(one.q, one.v, one.qdd) - one.tau
        print(f'{name}: {100.0 * np.linalg.norm(left) / np.linalg.norm(one.tau):.2f} %')


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(str(__doc__).strip())
    robot = mbd_ros.load(sys.argv[1])
    if sys.argv[2] in robot.links:
        kinematics(robot, sys.argv[2])
    else:
        identification(robot, sys.argv[2:])
