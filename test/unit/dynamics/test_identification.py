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

"""Parameters that made the efforts are identified again; what is found is always a rigid body."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from robots import urdf

import mbd_ros
from mbd_ros.description.write.urdf import urdf_text
from mbd_ros.dynamics.identification.bodies import as_body, parameters_of, Prior
from mbd_ros.errors import InvalidValueError, ShapeError, UnknownNameError
from mbd_ros.model.build import build_model
from mbd_ros.model.lock import rebuilt

URDF = Path(__file__).resolve().parents[3] / 'urdf'
PANDA = mbd_ros.load(URDF / 'panda.urdf')
TIME = np.linspace(0.0, 10.0, 1000)


def motion(model, seed):
    """Return q, v and qdd (N, nv) of sums of five sines for each joint."""
    rng = np.random.default_rng(seed)
    sizes, phases = rng.normal(size=(5, model.nv)) * 0.5, rng.uniform(0.0, 6.0, (5, model.nv))
    rates = 0.4 * np.arange(1, 6)[:, None, None]
    angles = rates * TIME[:, None] + phases[:, None]
    return tuple((sizes[:, None] * part).sum(axis=0) for part in (
        np.sin(angles), rates * np.cos(angles), -rates ** 2 * np.sin(angles)))


def disturbed(model, seed):
    """Return a robot with masses up to 40 % and mass centres 1 cm off."""
    rng = np.random.default_rng(seed)
    return build_model(replace(model.mechanism, links=tuple(
        link if link.inertia is None else replace(link, inertia=replace(
            link.inertia, mass=link.inertia.mass * rng.uniform(0.7, 1.4),
            center=tuple(np.array(link.inertia.center) + rng.normal(size=3) * 0.01)))
        for link in model.mechanism.links)))


def prediction_error(found, true):
    """Return the largest error of efforts on another motion, over their root mean square."""
    state = motion(true, 99)
    efforts = mbd_ros.inverse_dynamics(true, *state, dissipation=True)
    error = mbd_ros.inverse_dynamics(found, *state, dissipation=True) - efforts
    return np.abs(error).max() / np.sqrt((efforts ** 2).mean())


@pytest.mark.parametrize(('joints', 'differentiated'), [
    (False, False), (False, True), (True, False)])
def test_a_disturbed_arm_is_identified(joints, differentiated):
    true = disturbed(PANDA, 1)
    q, v, qdd = motion(PANDA, 2)
    tau = mbd_ros.inverse_dynamics(true, q, v, qdd, dissipation=True)
    found = mbd_ros.identify(PANDA, q, v, tau, joints=joints,
                             **({'time': TIME} if differentiated else {'qdd': qdd}))
    assert found.rank == found.base == 43 and not found.findings   # known of the Panda
    # The weight of the description, 1e-8 of relative squared errors, leaves 1e-4 at most.
    assert prediction_error(found.model, true) < 2e-4
    assert prediction_error(PANDA, true) > 0.02
    if joints:
        np.testing.assert_allclose(found.damping, PANDA.damping, atol=1e-3)


def test_noise_is_averaged_out():
    true = disturbed(PANDA, 1)
    q, v, qdd = motion(PANDA, 2)
    tau = mbd_ros.inverse_dynamics(true, q, v, qdd, dissipation=True)
    noise = np.random.default_rng(3).normal(size=tau.shape) * 0.05
    found = mbd_ros.identify(PANDA, q, v, tau + noise, qdd=qdd)
    # 7000 samples for 43 unknowns: an error of some 0.05 sqrt(43 / 7000) = 0.004 N m, with rare
    # peaks of ten times that; efforts are of 15 N m.
    assert prediction_error(found.model, true) < 0.01
    np.testing.assert_allclose(found.residual, 0.05, rtol=0.1)


def test_what_is_found_is_a_body_and_a_robot_description():
    # Efforts of noise alone: least squares without the constraint give negative masses.
    q, v, qdd = (one[::5] for one in motion(PANDA, 2))
    tau = np.random.default_rng(4).normal(size=q.shape)
    found = mbd_ros.identify(PANDA, q, v, tau, qdd=qdd)
    assert (found.parameters[:, 0] > 0.0).all()
    for row in found.parameters:
        assert np.linalg.eigvalsh(as_body(row))[0] > 0.0
    read = mbd_ros.load(urdf_text(found.model.mechanism))
    # Written with the shortest text of each float; inertias are turned into and out of the link.
    np.testing.assert_allclose(mbd_ros.inertial_parameters(read), found.parameters, rtol=1e-9,
                               atol=1e-12)


def test_what_was_not_excited_is_named():
    still = np.zeros((50, PANDA.nv))
    q = still + 0.1
    found = mbd_ros.identify(PANDA, q, still, mbd_ros.gravity_forces(PANDA, q), qdd=still)
    assert found.rank < found.base == 43
    finding, resting = found.findings
    assert finding.severity == 'warning' and 'link7' in finding.message
    assert 'joint7' in resting.message and 'hardly move' in resting.message
    assert finding in found.model.findings


def test_the_derivatives_of_the_distance():
    """Gradient and Hessian of the prior are those of its value, by differences."""
    rng = np.random.default_rng(5)
    bodies = np.array([as_body(row) for row in mbd_ros.inertial_parameters(PANDA)[:2]])
    prior = Prior(bodies, np.array([0.3, 2.0]), np.array([0.1, np.inf]), 0.5)
    x = prior.start * (1.0 + 1e-3 * rng.normal(size=len(prior.start)))
    x[-2:] = 0.1, 3.0
    assert prior.distance(prior.start) == pytest.approx(0.0, abs=1e-9)   # rounding of logarithms
    gradient, hessian = prior.derivatives(x)
    for k in range(len(x)):
        step = np.zeros_like(x)
        step[k] = 1e-5 * max(abs(x[k]), 1e-3)
        ends = [prior.derivatives(x + sign * step)[0] for sign in (1, -1)]
        slope = (prior.distance(x + step) - prior.distance(x - step)) / (2.0 * step[k])
        # Differences of relative 1e-5 lose ten digits of the distance, six of the gradient.
        assert slope == pytest.approx(gradient[k], rel=1e-4, abs=1e-4 * np.abs(gradient).max())
        np.testing.assert_allclose((ends[0] - ends[1]) / (2.0 * step[k]), hessian[k], rtol=1e-4,
                                   atol=1e-5 * np.abs(hessian).max())
    assert prior.distance(np.where(np.arange(len(x)) == 0, -1.0, x)) == np.inf


@pytest.mark.parametrize(('change', 'error', 'text'), [
    ({'tau': np.zeros((5, 7))}, ShapeError, 'tau'),
    ({'qdd': np.zeros((5, 7))}, ShapeError, 'qdd'),
    ({'qdd': None}, InvalidValueError, 'time'),
    ({'qdd': None, 'time': np.zeros(5)}, InvalidValueError, '1000 stamps'),
    ({'payload': 'nothing'}, UnknownNameError, 'nothing'),
    ({'friction': 'none'}, InvalidValueError, 'coulomb'),
    ({'cutoff': -1.0}, InvalidValueError, 'cutoff'),
    ({'prior': 0.0}, InvalidValueError, 'prior'),
    ({'prior': 'x'}, InvalidValueError, 'prior'),
    ({'model': mbd_ros.load(URDF / 'four_bar.urdf')}, InvalidValueError, 'driven joints'),
])
def test_bad_input_is_one_clear_error(change, error, text):
    q, v, qdd = motion(PANDA, 2)
    arguments = {'model': PANDA, 'q': q, 'v': v, 'tau': 0 * q, 'qdd': qdd, **change}
    with pytest.raises(error, match=text):
        mbd_ros.identify(**arguments)


@pytest.mark.parametrize('floating', [False, True])
def test_bodies_and_joints_of_random_states(floating):
    """Exact efforts give back the robot that made them, also where links are fixed together."""
    text = urdf([0, 1, 2], ['revolute', 'prismatic', 'fixed'], 5)
    described = mbd_ros.load(text, floating_base=floating)
    rng = np.random.default_rng(6)
    has = (np.arange(described.nv) >= 6 * floating)   # a base has no damping, friction and rotor
    masses = described.masses * rng.uniform(0.8, 1.2, described.nb)
    damping, friction, armature = has * rng.uniform(0.1, 1.0, (3, described.nv))
    true = replace(described, masses=masses, damping=damping, friction=friction,
                   armature=armature)
    q = np.array([mbd_ros.random_configuration(described, rng) for _ in range(60)])
    v, qdd = rng.normal(size=(2, 60, described.nv))
    gravity = (1.0, 2.0, -9.0)
    tau = mbd_ros.inverse_dynamics(true, q, v, qdd, gravity=gravity)
    tau += damping * v + friction * np.tanh(v / 0.01)   # as in simulations
    found = mbd_ros.identify(described, q, v, tau, qdd=qdd, joints=True, gravity=gravity)
    assert found.rank == found.base and not found.findings
    # The weight of the description, 1e-8 of relative squared errors, leaves 1e-4 at most.
    scale = np.sqrt((tau ** 2).mean())
    assert (found.residual < 1e-3 * scale).all()
    for name in ('damping', 'friction', 'armature'):
        # The rotor of a joint on the ground cannot be told from the link that turns with it.
        sure = slice(1 if name == 'armature' and not floating else 0, None)
        np.testing.assert_allclose(getattr(found, name)[sure], getattr(true, name)[sure],
                                   atol=5e-3)
        np.testing.assert_array_equal(getattr(found.model, name)[has], getattr(found, name)[has])
    assert found.model.joint_types == described.joint_types
    assert [link.name for link in found.model.mechanism.links] == list(described.links)
    # Written into links and put together again: some ten roundings.
    np.testing.assert_allclose(mbd_ros.inertial_parameters(found.model), found.parameters,
                               rtol=1e-9, atol=1e-12)


def test_bodies_without_extent_or_mass_can_change_at_all():
    """They get the inertia of a ball of 1 mm, and no less than 1 mg."""
    for mass, center in ((2.0, (0.1, 0.2, 0.3)), (0.0, (0.0, 0.0, 0.0))):
        m, c = max(mass, 1e-6), np.array(center)
        point = np.concatenate(([mass], mass * c, (mass * (c @ c * np.eye(3) - np.outer(c, c)))[
            [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]))
        pseudo = as_body(point)
        about_center = pseudo[:3, :3] - np.outer(pseudo[:3, 3], pseudo[:3, 3]) / m
        np.testing.assert_allclose(about_center, m * 1e-6 * np.eye(3), atol=1e-15)
        assert pseudo[3, 3] == m
    solid = mbd_ros.inertial_parameters(PANDA)[1]
    np.testing.assert_allclose(parameters_of(as_body(solid)), solid, rtol=1e-12)


@pytest.mark.parametrize('count', [19, 20])
def test_twenty_states_are_enough(count):
    model = mbd_ros.load(urdf([0], ['revolute'], 5))
    q, v, qdd = np.random.default_rng(1).normal(size=(3, count, 1))
    tau = mbd_ros.inverse_dynamics(model, q, v, qdd)
    if count < 20:
        with pytest.raises(ShapeError, match=r'allowed: \(20, 1\)'):
            mbd_ros.identify(model, q, v, tau, qdd=qdd)
    else:
        assert mbd_ros.identify(model, q, v, tau, qdd=qdd).rank == 3   # I, m x and m y


def test_only_what_was_not_excited_is_named():
    """Of two arms on one base, without weight, the one that rests."""
    model = mbd_ros.load(urdf([0, 1, 0, 3], ['revolute'] * 4, 5))
    q, v, qdd = np.random.default_rng(2).normal(size=(3, 60, 4))
    resting = [model.joint_index(name) for name in ('joint003', 'joint004')]
    for part in (q, v, qdd):
        part[:, resting] = 0.0
    none = (0.0, 0.0, 0.0)
    tau = mbd_ros.inverse_dynamics(model, q, v, qdd, gravity=none)
    found = mbd_ros.identify(model, q, v, tau, qdd=qdd, gravity=none)
    finding, still = found.findings
    assert found.rank < found.base and 'joint003, joint004 hardly move' in still.message
    assert [name for name in model.body_names if name in finding.message] == [
        model.body_names[i] for i in sorted(resting)]


def test_a_robot_in_water_is_identified_in_the_water_it_was_in():
    """Added mass, drag and lift count as described; what is sought are bodies."""
    text = (URDF / 'three_link_arm.urdf').read_text()
    wet = ('<mbd:fluid><volume value="0.002"/><fluid_added_mass xx="0.5" yy="2" zz="2" qq="0.02" '
           'rr="0.02"/><quadratic_drag force="1 20 20" moment="0 1 1"/></mbd:fluid></link>')
    text = text.replace('</link>', wet)
    if 'xmlns:mbd' not in text:
        text = text.replace('<robot ', '<robot xmlns:mbd="urn:mbd_ros" ', 1)
    model = mbd_ros.load(text)
    sea = mbd_ros.Fluid(1025.0, (0.3, -0.2, 0.1))
    q, v, qdd = motion(model, 3)
    links = tuple(link if link.inertia is None else replace(link, inertia=replace(
        link.inertia, mass=1.2 * link.inertia.mass)) for link in model.mechanism.links)
    true = rebuilt(model, replace(model.mechanism, links=links))
    tau = mbd_ros.inverse_dynamics(true, q, v, qdd, fluid=sea)
    found = mbd_ros.identify(model, q, v, tau, qdd=qdd, joints=False, fluid=sea)
    again = mbd_ros.inverse_dynamics(found.model, q, v, qdd, fluid=sea)
    scale = np.abs(tau).max()
    np.testing.assert_allclose(again, tau, atol=1e-3 * scale)   # what the prior leaves
    other = mbd_ros.identify(model, q, v, tau, qdd=qdd, joints=False, fluid=None)
    dry = mbd_ros.inverse_dynamics(other.model, q, v, qdd, fluid=None)
    assert np.abs(dry - tau).max() > 0.02 * scale   # bodies do not explain drag
    with pytest.raises(InvalidValueError, match=r'fluid is 3; allowed: a mbd_ros\.Fluid'):
        mbd_ros.identify(model, q, v, tau, qdd=qdd, fluid=3)


def test_efforts_that_move_no_robot_so_are_told():
    """Random ones, also of the floating base: the fit ends at bodies without mass."""
    body = ('<inertial><origin xyz="0.2 0.01 0"/><mass value="1"/><inertia ixx="0.02" ixy="0" '
            'ixz="0" iyy="0.05" iyz="0" izz="0.05"/></inertial>')
    text = '<robot name="any">' + ''.join(f'<link name="l{i}">{body}</link>' for i in range(5))
    for i in range(1, 5):
        text += (f'<joint name="j{i}" type="continuous"><origin xyz="{0.5 * (i > 1)} 0 0"/>'
                 f'<parent link="l{i - 1}"/><child link="l{i}"/>'
                 f'<axis xyz="0 {1 - i % 2} {i % 2}"/></joint>')
    model, rng = mbd_ros.load(text + '</robot>', floating_base=True), np.random.default_rng(1)
    rows = rng.normal(size=(20, model.nv))
    q = mbd_ros.integrate(model, np.repeat(mbd_ros.neutral(model)[None], 20, 0), 0.1 * rows)
    with pytest.raises(InvalidValueError, match='these fit best with a body that has no mass'):
        mbd_ros.identify(model, q, rows, rows, qdd=rows)
