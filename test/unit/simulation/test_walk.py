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

"""The quadruped walks on the sea bed as that of another program does."""

from pathlib import Path

import numpy as np
import pytest
from swimmers import WALK
import yaml

import mbd_ros
from mbd_ros import Fluid, Ground
from mbd_ros.control import gait_from_data, GaitControl
from mbd_ros.environment.fluid_law import BUOYANCY, DRAG
from mbd_ros.environment.surroundings import immersed, with_terms

ROOT = Path(__file__).parents[3]
QUADRUPED = mbd_ros.load(ROOT / 'config/modules/quadruped.yaml')


def walk(model, duration, step):
    """Return the run, and the centre of mass of the body (K, 3) in axes with z down."""
    data = WALK['parameters']
    gait = gait_from_data(yaml.safe_load((ROOT / 'config/gaits/crawl.yaml').read_text()))
    q = mbd_ros.neutral(model)   # 1.24 m above the ground
    start = gait.targets(0.0)
    for name, position in zip(start.joints, start.positions):
        q[model.q_offsets[model.joint_index(name)]] = position
    run = mbd_ros.simulate(model, q, np.zeros(model.nv), duration, step=step,
                           tau=GaitControl(model, gait, data['kp'], data['kd']),
                           gravity=(0.0, 0.0, -9.8), ground=Ground(),
                           record_every=round(0.01 / step))
    poses = mbd_ros.pose(model, run.q, 's0/hull')
    return run, (poses[:, :3, 3] + poses[:, :3, :3] @ [0.0, 0.0, 0.04]) * [1.0, -1.0, -1.0]


def test_ten_seconds_of_walking():
    run, center = walk(QUADRUPED, 10.0, 1e-3)
    summary = WALK['summary']

    def at(time):
        return center[int(np.argmin(np.abs(run.time - time)))]

    forward = [(at(t + 2.0) - at(t))[0] for t in summary['cycle_start_times']]
    # What is asked for. Steps of 1 ms instead of 0.25 ms move a foot by 3 mm in ten seconds.
    np.testing.assert_allclose(forward, summary['forward_displacement_per_cycle'], rtol=0.05)
    late = center[run.time >= 4.0]
    np.testing.assert_allclose(np.ptp(late[:, 2]), summary['heave_peak_to_peak_4_10s'], rtol=0.1)
    np.testing.assert_allclose(late[:, 2].mean(), summary['z_mean_4_10s'], atol=2e-3)
    heave = np.abs(np.fft.rfft(late[:, 2] - late[:, 2].mean()))
    frequency = np.argmax(heave) / (late.shape[0] * 0.01)
    np.testing.assert_allclose(frequency, summary['heave_dominant_frequency_Hz'], atol=0.1)


@pytest.mark.parametrize(('terms', 'between'), [
    ((BUOYANCY, DRAG), (0.30, 0.35)), ((BUOYANCY,), (0.66, 0.74))])
def test_what_the_water_does(terms, between):
    """The second cycle without added mass, and without drag and added mass, as published."""
    run, center = walk(with_terms(immersed(QUADRUPED, Fluid()), *terms), 4.0, 1e-3)
    forward = center[-1, 0] - center[np.argmin(np.abs(run.time - 2.0)), 0]
    assert between[0] < forward < between[1]
