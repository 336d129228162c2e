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
Identification from a recording, by default settings.

``python -m benchmarks.finding ROBOT.urdf RUN.npz ...`` identifies the robot from the first
recording and prints time and error, of all that are named.
"""

from pathlib import Path
import sys
import time

import numpy as np

import mbd_ros
from mbd_ros.simulation.recordings import read_motion


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
    identification(mbd_ros.load(sys.argv[1]), sys.argv[2:])
