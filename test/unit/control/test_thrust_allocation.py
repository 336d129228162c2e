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

"""Thrusts of least norm give the base its part, and the joints bear the rest."""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control.control_step.thrust_allocation import ThrustAllocation
from mbd_ros.dynamics.functions.thrust_map import thrust_columns
from mbd_ros.model.state import random_configuration

ROV = Path(__file__).resolve().parents[3] / 'urdf' / 'rov.urdf'


@pytest.fixture(scope='module')
def dyn():
    return mbd_ros.compile(mbd_ros.load(ROV, floating_base=True))


@pytest.mark.parametrize('left', [None, 0, -1])
def test_what_thrusters_and_joints_do_together_is_what_was_asked(dyn, left):
    """Also where one of the thrusters is not commanded, if the others are enough."""
    model, rng = dyn.model, np.random.default_rng(3)
    names = [one.name for one in model.thrusters]
    if left is not None:
        del names[left]
    commanded = [one.name in names for one in model.thrusters]
    assert len(names) > 6
    allocation = ThrustAllocation(dyn, names)
    for _ in range(3):
        q, force = random_configuration(model, rng), rng.normal(size=model.nv)
        efforts, thrusts = np.split(allocation.commands(q, force), [model.nv])
        B = thrust_columns(dyn, q)
        assert not efforts[:6].any()
        assert not thrusts[~np.array(commanded)].any()
        # Rounding by the condition of six rows of lever arms of some tenths of a metre.
        np.testing.assert_allclose(efforts + B @ thrusts, force, rtol=0, atol=1e-12)
        least = np.linalg.pinv(B[:6, commanded]) @ force[:6]
        np.testing.assert_allclose(thrusts[commanded], least, rtol=0, atol=1e-11)


def test_without_thrusters_the_joints_do_it_all(dyn):
    force = np.arange(dyn.model.nv, dtype=float)
    commands = ThrustAllocation(dyn, []).commands(mbd_ros.neutral(dyn.model), force)
    np.testing.assert_array_equal(
        commands, [*force, *np.zeros(len(dyn.model.thrusters))])


@pytest.mark.parametrize(('count', 'rank'), [(1, 1), (5, 4)])
def test_too_few_thrusters_leave_joints_as_they_are_wanted(dyn, count, rank):
    model = dyn.model
    names = [one.name for one in model.thrusters][:count]
    allocation = ThrustAllocation(dyn, names)
    assert f'in {rank} of six directions' in allocation.finding
    rng = np.random.default_rng(count)
    q, force = random_configuration(model, rng), rng.normal(size=model.nv)
    efforts, thrusts = np.split(allocation.commands(q, force), [model.nv])
    assert not efforts[:6].any() and not thrusts[count:].any()
    M, B = dyn.mass_matrix(q), thrust_columns(dyn, q)
    missing = np.linalg.solve(M, efforts + B @ thrusts - force)
    np.testing.assert_allclose(missing[6:], 0.0, atol=1e-11)   # rounding of a solve
    # What the base lacks is least: of no other thrust less, in the norm of the mass matrix.
    energy = missing @ M @ missing
    for push in np.eye(count):
        other = thrusts.copy()
        other[:count] += 1e-3 * push
        rest = force[:6] - B[:6] @ other
        assert energy < rest @ np.linalg.solve(M[:6, :6], rest)


@pytest.mark.parametrize(('part', 'enough'), [(2e-6, True), (0.5e-6, False)])
def test_a_direction_that_is_hardly_pushed_is_not(dyn, part, enough, monkeypatch):
    """Below a millionth of the one that is pushed best."""
    columns = np.zeros((dyn.model.nv, len(dyn.model.thrusters)))
    columns[:6, :6] = np.diag([1.0, 1.0, 1.0, 1.0, 1.0, part])
    monkeypatch.setattr('mbd_ros.control.control_step.thrust_allocation.thrust_columns',
                        lambda dyn, q: columns)
    finding = ThrustAllocation(dyn, [one.name for one in dyn.model.thrusters]).finding
    assert (finding == '') is enough
    assert enough or '5 of six directions: about z' in finding
