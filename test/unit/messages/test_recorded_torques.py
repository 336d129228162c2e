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

"""Torques of joint states beside those of rigid links."""

from builtin_interfaces.msg import Time
import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

import mbd_ros
from mbd_ros.dynamics.analysis.bending_torques import FEWEST, rigid_twin
from mbd_ros.messages.states.recorded_torques import torque_lines, TorqueReader

ARM = mbd_ros.load('urdf/flexible_arm.urdf')
TWIN = rigid_twin(ARM)
STEP, HERTZ, SWING = 2_000_000, 30.0, 0.5   # ns, Hz, N m


def states(count, missing=(), begin=0):
    """Return joint states of a slow motion, with efforts of rigid links and a swing at 30 Hz."""
    time = begin * 1e-9 + np.arange(count) * STEP * 1e-9
    waves = np.array([1.0, 0.5, 0.7, 0.2]), 2.0 * np.pi * 0.5
    angles = waves[1] * time[:, None]
    q, v, vdot = (waves[0] * part for part in (
        np.sin(angles), waves[1] * np.cos(angles), -waves[1] ** 2 * np.sin(angles)))
    rigid = TWIN.inverse_dynamics(q, v, vdot)
    tau = rigid + SWING * np.sin(2.0 * np.pi * HERTZ * time)[:, None]
    elastic = np.zeros(len(ARM.elastic_names))
    return rigid, [JointState(
        header=Header(stamp=Time(sec=int(stamp // 10 ** 9), nanosec=int(stamp % 10 ** 9))),
        name=[*ARM.joint_names, *ARM.elastic_names], position=[*q[k], *elastic],
        velocity=[*v[k], *elastic], effort=[*tau[k], *elastic])
        for k, stamp in enumerate(begin + np.arange(count) * STEP) if k not in missing]


@pytest.mark.parametrize('missing', [(), (40, 41, 600)])
def test_what_swings_is_in_the_spectrum(missing):
    rigid, messages = states(1000, missing)
    names, found = TorqueReader(ARM, TWIN).read(messages)
    assert names == ARM.joint_names
    # Central differences of 2 ms are off by w^2 h^2 / 6, 1e-5; a time that is missing by more,
    # as are both ends.
    rough = 1e-3 if not missing else 0.05
    np.testing.assert_allclose(found.rigid[5:-5], rigid[5:len(found.rigid) - 5],
                               atol=rough * np.abs(rigid).max())
    peak = found.spectrum[found.frequencies > 10.0]
    assert found.frequencies[found.frequencies > 10.0][peak.argmax(axis=0)] == pytest.approx(
        HERTZ, abs=0.6)   # 2 s tell frequencies that are 0.5 Hz apart
    assert peak.max(axis=0) == pytest.approx(SWING, rel=0.05)
    assert found.rigid_spectrum[found.frequencies > 10.0].max() < 0.05 * SWING
    over_time, over_frequencies = torque_lines(names, found)
    assert over_time[0][0] == 0.0 and over_frequencies[0][-1] <= 100.0
    assert list(over_time[1]) == [f'{name}{words}' for name in names
                                  for words in ('', ', rigid links')]


def test_what_cannot_be_compared():
    reader = TorqueReader(ARM, TWIN)
    messages = states(FEWEST + 8)[1]
    assert reader.read(messages) is not None
    assert reader.read(messages[:10]) is None and reader.read([]) is None
    assert reader.read([*messages, *states(10)[1]]) is None   # time went back
    assert reader.read([*states(10)[1], *messages]) is not None
    for change in ({'effort': []}, {'name': []}, {'velocity': [float('nan')] * 14}):
        wrong = states(FEWEST + 8)[1]
        for name, value in change.items():
            setattr(wrong[20], name, value)
        assert reader.read(wrong) is None
    assert rigid_twin(mbd_ros.load('urdf/puma560.urdf')) is None
