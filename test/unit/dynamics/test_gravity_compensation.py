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


"""Weight that is taken off links: every formulation, energy, terms, readers and writers."""

from dataclasses import replace

import numpy as np
import pytest
from robots import model_of, random_state

import mbd_ros
from mbd_ros.description.write.merge_fixed import merge_fixed
from mbd_ros.description.write.mjcf import mjcf_text
from mbd_ros.description.write.sdf import sdf_text
from mbd_ros.description.write.urdf import urdf_text
from mbd_ros.dynamics.functions.effort_terms import effort_terms
from mbd_ros.dynamics.identification.equations import others
from mbd_ros.errors import UnsupportedError
from mbd_ros.model.build import build_model

PLAIN = model_of([0, 1, 2, 2, 4, 5], ['floating', 'spherical', 'planar', 'prismatic', 'revolute',
                                      'continuous'], 5)
SHARES = (0.0, 1.0, 0.3, 0.0, 1.5, 1.0)
MODEL = build_model(replace(PLAIN.mechanism, links=tuple(
    replace(link, gravity_compensation=share) for link, share in zip(
        PLAIN.mechanism.links, (0.0, *SHARES)))))
Q, V, TAU = (np.array(part) for part in zip(*(random_state(MODEL, k) for k in range(3))))
CLOSE = {'rtol': 1e-11, 'atol': 1e-10}   # sums of some twenty terms near 100
GRAVITY = np.array(MODEL.gravity)


def taken_off(q):
    """Return the efforts (nv,) by the Jacobians of the mass centres."""
    total = np.zeros(MODEL.nv)
    for link, share in zip(MODEL.mechanism.links, (0.0, *SHARES)):
        if share:
            pose, jacobian = mbd_ros.pose(MODEL, q, link.name), mbd_ros.jacobian(
                MODEL, q, link.name)
            arm = pose[:3, :3] @ np.array(link.inertia.center)
            at_center = jacobian[:3] - np.cross(arm, jacobian[3:], axisb=0).T
            total += at_center.T @ (-share * link.inertia.mass * GRAVITY)
    return total


OFF = np.array([taken_off(q) for q in Q])


def test_the_jacobians_are_those_of_points():
    assert np.abs(OFF).max() > 1.0


@pytest.mark.parametrize('formulation', ['recursive', 'closed_loop', 'jourdain', 'kane',
                                         'augmented', 'flexible'])
@pytest.mark.parametrize('executor', ['interpreted', 'compiled'])
def test_all_formulations(formulation, executor):
    how = {'formulation': formulation, 'executor': executor}
    np.testing.assert_allclose(mbd_ros.inverse_dynamics(MODEL, Q, V, TAU, **how),
                               mbd_ros.inverse_dynamics(PLAIN, Q, V, TAU, **how) - OFF, **CLOSE)
    np.testing.assert_allclose(mbd_ros.forward_dynamics(MODEL, Q, V, TAU, **how),
                               mbd_ros.forward_dynamics(PLAIN, Q, V, TAU + OFF, **how),
                               rtol=1e-8, atol=1e-8)   # the condition of M is near 1e3
    none = {'gravity': (0.0, 0.0, 0.0), **how}
    np.testing.assert_allclose(mbd_ros.bias_forces(MODEL, Q, V, **none),
                               mbd_ros.bias_forces(PLAIN, Q, V, **none), **CLOSE)


def test_energy_terms_and_what_identification_knows():
    terms = effort_terms(MODEL, Q, V, TAU)
    np.testing.assert_allclose(terms['gravity_compensation'], -OFF, **CLOSE)
    np.testing.assert_allclose(sum(terms.values()), mbd_ros.inverse_dynamics(MODEL, Q, V, TAU),
                               **CLOSE)
    np.testing.assert_allclose(others(MODEL, Q, V, TAU, GRAVITY), -OFF, **CLOSE)
    for q, off in zip(Q, OFF):
        def lifted(step, q=q):
            place = mbd_ros.integrate(MODEL, q, step)
            rest = np.zeros(MODEL.nv)
            return (mbd_ros.energy(MODEL, place, rest).potential
                    - mbd_ros.energy(PLAIN, place, rest).potential)
        slope = [(lifted(step) - lifted(-step)) / 2e-5 for step in 1e-5 * np.eye(MODEL.nv)]
        np.testing.assert_allclose(slope, -off, atol=1e-6)   # differences by 1e-5


def test_a_motion_keeps_its_energy():
    run = mbd_ros.simulate(MODEL, Q[0], 0.1 * V[0], 0.1, step=1e-3)
    assert np.ptp(run.energy) < 1e-6 * np.abs(run.energy).max()   # of the integrator


def test_locking_and_merging_keep_it():
    held = mbd_ros.lock(MODEL, {MODEL.joint_names[3]: 0.2})
    assert sum(one.mass for one in held.lifted) == pytest.approx(
        sum(one.mass for one in MODEL.lifted), abs=1e-12)
    merged = merge_fixed(held.mechanism, {}, ()).mechanism
    again = build_model(merged)
    q, v = (np.array(part) for part in random_state(held, 1)[:2])
    np.testing.assert_allclose(mbd_ros.bias_forces(again, q, v), mbd_ros.bias_forces(held, q, v),
                               **CLOSE)


LINK = ('<link name="{}"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
        'ixz="0" iyz="0"/></inertial>{}</link>')
URDF = ('<robot name="r" xmlns:mbd="urn:mbd_ros"><link name="w"/>' + LINK.format('a', '{}')
        + '<joint name="j" type="continuous"><parent link="w"/><child link="a"/></joint>{}'
        '</robot>')


def share(text):
    """Return the shares of a robot's links."""
    return {link.name: link.gravity_compensation for link in mbd_ros.load(text).mechanism.links
            if link.gravity_compensation}


@pytest.mark.parametrize(('inside', 'beside', 'found'), [
    ('<mbd:gravity_compensation value="0.4"/>', '', 0.4),
    ('<mbd:gravity_compensation value="1"/>', '', 1.0), ('', '', 0.0),
    ('', '<gazebo reference="a"><gravity>false</gravity></gazebo>', 0.0)])
def test_urdf(inside, beside, found):
    text = URDF.format(inside, beside)
    right = {'a': found} if found else {}
    model = mbd_ros.load(text)
    assert share(text) == right
    assert share(urdf_text(model.mechanism)) == share(model.mechanism.text) == right
    assert share(mjcf_text(model.mechanism)) == right
    if found in (0.0, 1.0):
        assert share(sdf_text(model.mechanism)) == right
    else:
        with pytest.raises(UnsupportedError, match="gravity compensation of link 'a'"):
            sdf_text(model.mechanism)


def test_sdformat_and_what_a_program_moves():
    text = """<sdf version="1.9"><model name="m"><link name="a"><gravity>{}</gravity>
      <kinematic>{}</kinematic></link></model></sdf>"""
    assert share(text.format('false', 'false')) == share(text.format('0', '0')) == {'a': 1.0}
    assert share(text.format('true', 'false')) == {}
    with pytest.raises(UnsupportedError, match=r"<kinematic> of link 'a'.*ignore=\['kinematic'\]"):
        mbd_ros.load(text.format('true', 'true'))
    assert mbd_ros.load(text.format('true', 'true'), ignore=['kinematic'])
