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

"""Coefficients of a fluid estimated from shapes, against closed forms and published numbers."""

from dataclasses import replace
import math

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from swimmers import REFERENCE

import mbd_ros
from mbd_ros import Fluid
from mbd_ros.environment.estimate import ellipsoid
from mbd_ros.errors import InvalidValueError

ROBOT = ('<robot name="r" xmlns:mbd="urn:mbd_ros"><link name="a"><inertial><mass value="5"/>'
         '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
         '{collisions}</link></robot>')


def robot(*shapes):
    """Return a robot of one link with shapes: their XML, and the attributes of their origins."""
    return mbd_ros.load(ROBOT.format(collisions=''.join(
        f'<collision><origin {origin}/><geometry>{shape}</geometry></collision>'
        for shape, origin in shapes)), floating_base=True)


def estimated(*shapes):
    (found,) = mbd_ros.estimate_fluid(robot(*shapes)).mechanism.fluids
    return found


def test_a_sphere():
    found = estimated(('<sphere radius="0.2"/>', 'xyz="0.1 0.2 0.3"'))
    volume = 4.0 / 3.0 * np.pi * 0.008
    np.testing.assert_allclose(found.volume, volume, rtol=1e-14)
    np.testing.assert_allclose(found.frame.translation, [0.1, 0.2, 0.3], rtol=1e-14)
    np.testing.assert_allclose(found.added_mass, np.diag([500.0 * volume] * 3 + [0.0] * 3),
                               atol=1e-12)
    np.testing.assert_allclose(found.quadratic_drag[:3], 500.0 * 0.47 * np.pi * 0.04, rtol=1e-14)
    np.testing.assert_array_equal(found.quadratic_drag[3:], 0.0)


@pytest.mark.parametrize('ratio', [1.1, 1.5, 3.0, 10.0])
def test_prolate_ellipsoids_in_elementary_functions(ratio):
    """Lamb, article 114, where the integrals are logarithms; the code takes Carlson's form."""
    mass, e = 7.0, np.sqrt(1.0 - 1.0 / ratio ** 2)
    log = np.log((1.0 + e) / (1.0 - e))
    alpha = 2.0 * (1.0 - e * e) / e ** 3 * (0.5 * log - e)
    beta = 1.0 / e ** 2 - (1.0 - e * e) / (2.0 * e ** 3) * log
    turning = e ** 4 * (beta - alpha) / (
        (2.0 - e * e) * (2.0 * e * e - (2.0 - e * e) * (beta - alpha)))
    found = ellipsoid((ratio, 1.0, 1.0), mass)
    # The difference of the shares loses two digits at the ratio 1.1.
    np.testing.assert_allclose(found[:3] / mass, [
        alpha / (2.0 - alpha), *[beta / (2.0 - beta)] * 2], rtol=1e-12)
    np.testing.assert_allclose(found[3:] / (0.2 * mass * (ratio ** 2 + 1.0)),
                               [0.0, turning, turning], rtol=1e-10)


def test_a_disc():
    """A flat ellipsoid is a disc: 8/3 rho r^3 across and 16/45 rho r^5 about a diameter."""
    thin = 1e-5
    found = ellipsoid((1.0, 1.0, thin), 1000.0 * 4.0 / 3.0 * np.pi * thin)
    np.testing.assert_allclose(found[2], 1000.0 * 8.0 / 3.0, rtol=1e-4)   # of order of its ratio
    np.testing.assert_allclose(found[3:5], 1000.0 * 16.0 / 45.0, rtol=1e-4)


def test_a_long_cylinder_is_its_strips():
    found = estimated(('<cylinder radius="0.01" length="10"/>', ''))
    strip = 1000.0 * np.pi * 1e-4
    # A ratio of 500: ends are 1e-4 of it. An ellipsoid of as much volume is 14 % longer.
    np.testing.assert_allclose(np.diag(found.added_mass)[:2], strip * 10.0, rtol=1e-3)
    np.testing.assert_allclose(found.volume, np.pi * 1e-3, rtol=1e-12)
    np.testing.assert_allclose(found.quadratic_drag[0], 500.0 * 1.1 * 0.2, rtol=1e-12)
    np.testing.assert_allclose(found.quadratic_drag[3], 500.0 * 1.1 * 0.02 * 1e4 / 32, rtol=1e-6)


@pytest.mark.parametrize(('size', 'axes'), [
    ((0.30, 0.15, 0.15), (0, 1, 2)), ((0.15, 0.30, 0.15), (1, 0, 2)),
    ((0.15, 0.15, 0.30), (2, 0, 1))])
def test_the_module_of_the_paper(size, axes):
    """The numbers of section 4, whichever way the box lies; two figures each."""
    data = next(one for one in REFERENCE['robots']['nine']['modules']
                if np.allclose(one['volume'], 0.00675))
    found = estimated(('<box size="{} {} {}"/>'.format(*size), ''))
    order = [*axes, *(axis + 3 for axis in axes)]
    np.testing.assert_allclose(found.volume, 0.00675, rtol=1e-12)
    np.testing.assert_allclose(np.diag(found.added_mass)[order], data['added_mass_diag'],
                               rtol=1e-9)
    np.testing.assert_allclose(np.array(found.quadratic_drag)[order],
                               [*data['drag_lin'], *data['drag_rot']], rtol=1e-9)


def test_two_spheres_are_a_dumb_bell():
    found = estimated(('<sphere radius="0.1"/>', 'xyz="0 0 0.5"'),
                      ('<sphere radius="0.1"/>', 'xyz="0 0 -0.3"'))
    one = 500.0 * 4.0 / 3.0 * np.pi * 1e-3
    drag = 500.0 * 0.47 * np.pi * 0.01
    np.testing.assert_allclose(found.frame.translation, [0.0, 0.0, 0.1], atol=1e-15)
    np.testing.assert_allclose(np.diag(found.added_mass), [2 * one] * 3 + [
        2 * one * 0.16, 2 * one * 0.16, 0.0], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.quadratic_drag, [2 * drag] * 3 + [
        2 * drag * 0.064, 2 * drag * 0.064, 0.0], rtol=1e-12, atol=1e-15)


def test_a_ball_sinks_as_its_sum_of_forces_says():
    model = mbd_ros.estimate_fluid(robot(('<sphere radius="0.1"/>', '')), 1025.0)
    q, v = mbd_ros.neutral(model), np.zeros(6)
    found = mbd_ros.forward_dynamics(model, q, v, v, fluid=Fluid(density=1025.0))
    displaced = 1025.0 * 4.0 / 3.0 * np.pi * 1e-3
    np.testing.assert_allclose(found, [0, 0, -9.81 * (5.0 - displaced) / (5.0 + 0.5 * displaced),
                                       0, 0, 0], rtol=1e-12, atol=1e-12)


def test_it_says_so_and_leaves_the_rest():
    model = robot(('<sphere radius="0.1"/>', ''), ('<mesh filename="a.stl"/>', ''))
    found = mbd_ros.estimate_fluid(model)
    told = [one for one in found.findings if one not in model.findings]
    assert {one.severity for one in told} == {'info'}
    assert "link 'a': its fluid coefficients are estimated" in told[0].message
    assert 'it is a mesh' in told[1].message
    assert mbd_ros.estimate_fluid(found) is found   # what is there stays
    bare = robot()
    assert mbd_ros.estimate_fluid(bare) is bare
    for density in (0.0, -1.0, np.nan, 'water'):
        with pytest.raises(InvalidValueError, match='density'):
            mbd_ros.estimate_fluid(model, density)


@settings(max_examples=200, deadline=None)
@given(kind=st.sampled_from(['box', 'sphere', 'cylinder', 'capsule']),
       sizes=st.tuples(*[st.sampled_from(
           [0.0, -1.0, 1e-150, 1e-7, 1e-6, 0.1, 3.0, 1e6, 1e7, 1e200, 1e308])] * 3))
def test_shapes_of_any_size_give_a_body_or_a_remark(kind, sizes):
    written = {'box': '<box size="{} {} {}"/>', 'sphere': '<sphere radius="{}"/>',
               'cylinder': '<cylinder radius="{}" length="{}"/>',
               'capsule': '<capsule radius="{}" length="{}"/>'}[kind].format(*sizes)
    model = mbd_ros.load(
        '<robot name="r"><link name="l"><inertial><mass value="1"/><inertia ixx="1" ixy="0" '
        'ixz="0" iyy="1" iyz="0" izz="1"/></inertial><collision><geometry>' + written
        + '</geometry></collision></link></robot>', floating_base=True)
    found = mbd_ros.estimate_fluid(model)
    if found is model:
        return
    body, = found.mechanism.fluids
    numbers = [body.volume, *body.quadratic_drag, *np.ravel(body.added_mass)]
    assert np.isfinite(numbers).all() and body.volume > 0.0 and min(body.quadratic_drag) >= 0.0
    # Rounding of eigenvalues beside the largest.
    values = np.linalg.eigvalsh(np.array(body.added_mass))
    assert values.min() >= -1e-12 * values.max()


@pytest.mark.parametrize('density', [0.0, -1.0, math.inf, math.nan, 10 ** 400, '1000', None])
def test_densities_that_are_none(density):
    with pytest.raises(InvalidValueError, match='density'):
        mbd_ros.estimate_fluid(mbd_ros.load('<robot name="r"><link name="l"/></robot>'), density)


@pytest.mark.parametrize('text', [
    '<mujoco><worldbody><body name="a"><freejoint/><inertial pos="0 0 0" mass="5" diaginertia="1 '
    '1 1"/><geom type="box" size="0.15 0.075 0.075" pos="0.1 0 0"/><geom size="9" contype="0" '
    'conaffinity="0"/></body></worldbody></mujoco>',
    '<sdf version="1.9"><model name="r"><link name="a"><inertial><mass>5</mass></inertial>'
    '<collision name="c"><pose>0.1 0 0 0 0 0</pose><geometry><box><size>0.3 0.15 0.15</size></box>'
    '</geometry></collision><visual name="v"><geometry><sphere><radius>9</radius></sphere>'
    '</geometry></visual></link></model></sdf>'], ids=['mjcf', 'sdf'])
def test_what_touches_in_other_formats(text):
    """As of a URDF; what is only seen has no part."""
    found, = mbd_ros.estimate_fluid(mbd_ros.load(text)).mechanism.fluids
    expected = estimated(('<box size="0.3 0.15 0.15"/>', 'xyz="0.1 0 0"'))
    assert found == replace(expected, source=found.source)
