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

"""Dynamics of flexible links by code that loops over segments, against NumPy."""

from dataclasses import replace

import flexible_robots
import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.algorithms.flexible.long_trees import segment_classes
from mbd_ros.model.state import random_configuration

SERIES = '<mbd:armature value="0.05"/><mbd:series_elastic stiffness="300" damping="0.4"/></joint>'


def chain(count, vary=0.0):
    """Return a chain of beams, the k-th by ``1 + k vary`` heavier and softer than the first."""
    rng, parts = np.random.default_rng(count), []
    for k in range(count):
        share = 1.0 + vary * rng.random()
        parts.append(
            f'<link name="l{k}">{flexible_robots.slender(1.0, 0.5 * share, 0.01)}<mbd:flexible>'
            f'<beam length="1" linear_density="{0.5 * share!r}" bending_stiffness="'
            f'{100.0 / share!r} 90" modes="2 1 0"/></mbd:flexible></link>'
            f'<joint name="j{k}" type="continuous"><origin xyz="{1 if k else 0} 0 0" rpy="0.3 '
            f'{0.4 + vary * k!r} 0.5"/><parent link="{f"l{k - 1}" if k else "base"}"/>'
            f'<child link="l{k}"/><axis xyz="0 0 1"/></joint>')
    return f'{flexible_robots.HEAD}<link name="base"/>{"".join(parts)}</robot>'


def tree():
    """Return a floating trunk of a beam with two branches, one of mass points, and a slide."""
    points, shapes = np.random.default_rng(0).normal(size=(2, 6, 3))
    text = chain(1).replace('"base"', '"hull"').replace('<link name="hull"/>', (
        f'<link name="hull">{flexible_robots.inertial(3.0, np.ones(3), np.eye(3))}</link>'))
    ball = flexible_robots.inertial(0.3, np.ones(3), 0.1 * np.eye(3))
    return text.replace('</robot>', flexible_robots.modal_link(
        'cloud', points, np.full(6, 0.1), shapes[:, :, None], [[50.0]], [[0.2]], 'slide',
        np.zeros(3), np.zeros((3, 1)), np.zeros((3, 1)))
        + flexible_robots.revolute('k', 'l0', 'cloud', (1.0, 0.1, 0.0), (0.6, 0.0, 0.8))
        + ''.join(f'<link name="{name}">{ball}</link>' for name in 'abc')
        + flexible_robots.fixed('weld', 'l0', 'a', (0.5, 0.0, 0.0))
        + '<joint name="ball" type="spherical"><origin xyz="0 1 0"/><parent link="a"/>'
        '<child link="b"/></joint><joint name="slide" type="prismatic"><parent link="cloud"/>'
        '<child link="c"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" '
        'velocity="1"/></joint></robot>')


ROBOTS = {
    'of different links': chain(3, 0.1), 'tree': tree(),
    'series': flexible_robots.two_link_arm().replace(
        '</joint><joint name="joint2"', SERIES + '<joint name="joint2"'),
    'clamped': flexible_robots.beam('bending_stiffness="29 29" modes="2 1 0"')}


@pytest.mark.parametrize('name', ROBOTS)
def test_loops_over_segments_do_what_numpy_does(name):
    model = mbd_ros.load(ROBOTS[name], floating_base=name == 'tree')
    if name == 'tree':   # rotors of joints of several rates, too
        model = replace(model, armature=model.armature + 0.3)
    rng, bent = np.random.default_rng(3), model.nq - len(model.elastic_names)
    q = np.array([random_configuration(model, rng) for _ in range(9)])
    q[:, bent:] = 0.02 * rng.normal(size=(9, model.nq - bent))
    v, tau = rng.normal(size=(2, 9, model.nv))
    gravity = (1.0, -2.0, -9.0)
    dyn, slow = (mbd_ros.compile(model, executor=name, gravity=gravity)
                 for name in ('rolled', 'interpreted'))
    for function, given, part in (
            ('inverse_dynamics', (q, v, tau), 1e-13), ('bias_forces', (q, v), 1e-13),
            # The same operations in another order; the condition of M is up to 1e7.
            ('forward_dynamics', (q, v, tau), 1e-10),
            ('midpoint', (q, v, tau, np.full((9, 1), 1e-3), q + 1e-3, v + 0.1), 1e-10)):
        assert dyn.how(function) == 'rolled'
        expected = getattr(slow, function)(*given)
        close = part * np.abs(expected).max()
        # Lanes of others are made alike; each takes half a second to compile.
        if function == 'forward_dynamics' and name in ('of different links', 'tree'):
            found = getattr(dyn, function)(*given)
            np.testing.assert_allclose(found, expected, rtol=0, atol=close)
        np.testing.assert_allclose(getattr(dyn, function)(*(one[5] for one in given)),
                                   expected[5], rtol=0, atol=close)
    close = 1e-10 * np.abs(slow.forward_dynamics(q, v, tau)).max()
    dyn.change_gravity((0.0, 0.0, 3.0))
    slow.change_gravity((0.0, 0.0, 3.0))
    np.testing.assert_allclose(dyn.forward_dynamics(q[0], v[0], tau[0]),
                               slow.forward_dynamics(q[0], v[0], tau[0]), rtol=0, atol=close)


def test_code_does_not_grow_with_the_robot():
    """Its size is that of the steps of each class; the first link hangs on the ground."""
    short, long = (mbd_ros.load(chain(count, 0.01)) for count in (4, 16))
    assert len(segment_classes(short)) == len(segment_classes(long)) == 2
    assert mbd_ros.compile(long).how('forward_dynamics') == 'rolled'


@pytest.mark.parametrize('executor', [None, 'auto', 'lanes', 'threads'])
def test_long_robots_are_never_left_to_numpy(executor):
    model = mbd_ros.load(chain(16, 0.01))
    dyn = mbd_ros.compile(model, executor=executor)
    assert dyn.how('forward_dynamics').startswith('rolled')
    zero = np.zeros((3, model.nv))
    np.testing.assert_allclose(
        dyn.forward_dynamics(zero, zero, zero),
        mbd_ros.forward_dynamics(model, *zero, executor='interpreted')[None].repeat(3, axis=0),
        rtol=1e-9, atol=1e-9)   # of 100 rad/s^2


def test_a_run_of_a_long_chain_keeps_its_energy():
    model = mbd_ros.load(chain(16, 0.01))
    rest = np.zeros(model.nv)
    run = mbd_ros.simulate(model, rest, rest, 0.1)
    assert np.abs(run.balance).max() < 1e-5 * run.energy[0]
    assert mbd_ros.compile(model).machine_code('midpoint') is not None


def test_springs_between_links_are_for_numpy():
    text = ROBOTS['series'].replace('</robot>', (
        '<mbd:spring_damper name="stay" stiffness="40" damping="0.5" length="0.9"><link1 '
        'link="base" xyz="0.2 0 1"/><link2 link="payload" xyz="0 0 0"/></mbd:spring_damper>'
        '</robot>'))
    assert mbd_ros.compile(mbd_ros.load(text), executor='rolled').how(
        'forward_dynamics') == 'arrays'
