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

"""Names of entries behind other joints, and derivatives of long flexible robots."""

import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.prepared.call import entry_name
from mbd_ros.dynamics.quantities.flexible import flexible_program

LINK = ('<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link>')


def test_entries_are_counted_from_their_joint():
    model = mbd_ros.load(
        '<robot name="r">' + ''.join(map(LINK.format, 'abc')) +
        '<joint name="hinge" type="continuous"><parent link="a"/><child link="b"/></joint>'
        '<joint name="ball" type="spherical"><parent link="b"/><child link="c"/></joint></robot>')
    assert [entry_name(model, 'q', k) for k in range(5)] == [
        "joint 'hinge'", *(f"joint 'ball', entry {k}" for k in range(4))]
    assert entry_name(model, 'v', 3) == "joint 'ball', entry 2"


@pytest.mark.parametrize('function', [
    'forward_dynamics_derivatives', 'inverse_dynamics_derivatives'])
def test_complex_steps_of_long_robots_are_the_derivatives_of_short_ones(function):
    """What runs where the trace would be too long, on a robot that has one."""
    model = mbd_ros.load('urdf/flexible_arm.urdf')
    q, v, third = np.random.default_rng(0).normal(size=(3, model.nv))
    q[4:] *= 0.01
    gravity = np.array([1.0, 2.0, -9.0])
    wanted = getattr(mbd_ros.compile(model, gravity=gravity), function)(q, v, third)
    program = flexible_program(model, function)
    inputs = dict(zip(program.inputs, (q[None], v[None], third[None])))
    found = program.evaluate(model, inputs, gravity, None)[0]
    for own, other in zip(found, wanted):
        # Both are exact; rounding of accelerations of 1e5 of the stiffest mode.
        np.testing.assert_allclose(own, other, rtol=1e-9, atol=1e-9 * np.abs(other).max())
