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

"""Derivatives of accelerations of robots with ties: of the trace, by differences, prepared."""

import numpy as np
import pytest
from random_loops import random_loops

import mbd_ros
from mbd_ros.dynamics.prepared import traced_derivatives as derivatives
from mbd_ros.model.state import integrate

SIMPLE = ('continuous', 'prismatic')


def numeric(dyn, q, v, tau):
    """Return central differences on the manifold, (3, nv, nv)."""
    h, nv = 1e-5, dyn.model.nv
    columns = np.empty((3, nv, nv))
    for k, step in enumerate(h * np.eye(nv)):
        ends = [[dyn.forward_dynamics(integrate(dyn.model, q, sign * step), v, tau),
                 dyn.forward_dynamics(q, v + sign * step, tau),
                 dyn.forward_dynamics(q, v, tau + sign * step)] for sign in (1.0, -1.0)]
        columns[:, :, k] = np.subtract(*ends) / (2.0 * h)
    return columns


@pytest.mark.parametrize(('loops', 'springs', 'joints'), [
    (1, 0, SIMPLE), (0, 2, SIMPLE), (1, 1, SIMPLE), (1, 0, ('spherical',)), (0, 1, ('planar',))])
def test_differences_on_the_manifold(loops, springs, joints):
    """Of the trace, and of the differences that larger robots get."""
    model, q, v = random_loops(5, 5, loops, springs, ('spherical',), joints)
    dyn, tau = mbd_ros.compile(model), np.linspace(-1.0, 1.0, model.nv)
    expected = numeric(dyn, q, v, tau)
    found = dyn.forward_dynamics_derivatives(q, v, tau)
    by_differences = derivatives._differences(dyn, 'forward_dynamics', q, v, tau)
    # Central differences: rounding 1e-16 / 1e-5 (there 1e-7) of accelerations near 1e2, under the
    # condition of the loops' rows; truncation 1e-10 of third derivatives.
    scale = max(1.0, np.abs(expected).max(), np.abs(dyn.forward_dynamics(q, v, tau)).max())
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * scale)
    assert by_differences.shape == (3 * model.nv, model.nv)
    np.testing.assert_allclose(np.split(by_differences, 3), expected.transpose(0, 2, 1), rtol=0,
                               atol=1e-6 * scale)
    many = mbd_ros.forward_dynamics_derivatives(model, np.array([q, q]), v, tau)
    np.testing.assert_array_equal(np.array(many)[:, 1], found)


def test_no_more_bodies_than_the_largest_are_traced(monkeypatch):
    traced = []
    plain = derivatives.tangent_code
    monkeypatch.setattr(derivatives, 'tangent_code',
                        lambda model, function: traced.append(model.nb) or plain(
                            model, function))
    monkeypatch.setattr(derivatives, 'LARGEST_TRACED', 4)
    for bodies in (4, 5):
        model, q, v = random_loops(5, bodies, 1, 0, ('spherical',), SIMPLE)
        found = mbd_ros.compile(model).forward_dynamics_derivatives(q, v, v)
        assert np.isfinite(found).all()
    assert traced == [4]
