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


"""Springs and other passive forces of MJCF, as MuJoCo has them, and as we write them."""

import mujoco
import numpy as np
import pytest

import mbd_ros
from mbd_ros.cli.comparison.mujoco_peer import joint_names, to_mujoco
from mbd_ros.description.write.mjcf import mjcf_text
from mbd_ros.description.write.urdf import urdf_text
from mbd_ros.errors import UnsupportedError

ROBOT = """<mujoco><compiler angle="{angle}"/>{option}<worldbody><site name="s0" pos="0 .3 .2"/>
<body name="a" pos="0 0 1" euler=".1 .2 .3" {a}>
  <joint name="hinge" axis="0 1 0" {hinge}/>
  <geom type="capsule" size=".03" fromto="0 0 0 .4 0 .1"/><site name="s1" pos=".1 .2 .3"/>
  <body name="b" pos=".4 0 .1"><joint name="slide" type="slide" axis="1 0 .3" {slide}/>
    <geom type="box" size=".1 .05 .07" pos=".1 0 0"/>
    <body name="c" pos=".2 0 0"><joint name="ball" type="ball" pos=".02 .01 0" {ball}/>
      <geom type="box" size=".1 .05 .17" pos=".1 .05 0"/><site name="s2" pos=".1 0 .3"/>
    </body></body></body>
<body name="f" pos=".2 .3 .4" euler=".3 .2 .5"><joint name="free" type="free" {free}/>
  <geom type="box" size=".1 .05 .17" pos=".1 .05 0"/><site name="s3" pos=".1 0 .3"/>
  <body name="g" pos=".4 0 .1" {g}><joint name="last" axis="0 0 1" pos=".1 .2 0" {last}/>
    <geom type="box" size=".1 .05 .07" pos=".1 0 0" euler=".3 .1 0"/></body></body>
</worldbody>{tendon}</mujoco>"""
WORDS = dict.fromkeys(('option', 'hinge', 'slide', 'ball', 'free', 'last', 'tendon', 'a', 'g'),
                      '') | {'angle': 'radian'}
SPATIAL = ('<tendon><spatial stiffness="4"><site site="s1"/><site site="s2"/></spatial>'
           '<spatial stiffness="7" springlength="{}"><site site="s0"/><site site="s2"/></spatial>'
           '<spatial name="n" stiffness="3" springlength=".2"><site site="s3"/><site site="s2"/>'
           '</spatial></tendon>')
FIXED = ('<tendon><fixed stiffness="4"><joint joint="hinge" coef="-2"/></fixed>'
         '<fixed stiffness="4 .2 .1" springlength="-.2 .6"><joint joint="last" coef="-2"/>'
         '</fixed><fixed stiffness="3" springlength="{}"><joint joint="slide" coef=".7"/></fixed>'
         '</tendon>')
CASES = {
    'polynomial': {'hinge': 'stiffness="3 .4 .2" springref=".3" ref=".2"',
                   'slide': 'stiffness="5" springref="-.2" ref=".1"'},
    'degrees': {'angle': 'degree', 'hinge': 'stiffness="3" springref="30" ref="20"'},
    'ball': {'ball': 'stiffness="3 .4 .2"'},
    'free': {'free': 'stiffness="3 .4 .2"', 'last': 'stiffness="2" springref="-2" armature=".1"'},
    'springdamper': {
        'hinge': 'springdamper=".2 1.1" springref=".2" ref=".4"', 'ball': 'springdamper=".1 .7"',
        'slide': 'springdamper=".2 .6" armature=".3"', 'free': 'springdamper=".2 2"',
        'last': 'springdamper="1 1" stiffness="1 .3"'},
    'tendons': {'hinge': 'springref=".5"', 'tendon': SPATIAL.format('.1 .5')},
    'cables': {'tendon': SPATIAL.format('0 1.2')},
    'tendons of a joint': {'hinge': 'springref=".5" stiffness="2"', 'tendon': FIXED.format('-1')},
    'slack of a joint': {'tendon': FIXED.format('-.2 .1')},
    'gravcomp': {'a': 'gravcomp="1"', 'g': 'gravcomp=".3"'},
    'viscous': {'option': '<option viscosity=".7"/>'},
    'dense': {'option': '<option density="300" viscosity=".2" wind="0 0 0"/>'},
    'all': {'option': '<option density="30"/>', 'a': 'gravcomp="1.5"', 'ball': 'stiffness="2"',
            'tendon': SPATIAL.format('0 .7')},
    'switched off': {'option': '<option><flag spring="disable"/></option>',
                     'hinge': 'stiffness="3"', 'last': 'springdamper="1 1"',
                     'tendon': SPATIAL.format('.1')},
}


def states(model, peer, seed, count=5):
    """Yield q, v, MuJoCo's data and the matrix of its rates; with random states of all joints."""
    rng, data = np.random.default_rng(seed), mujoco.MjData(peer)
    names = joint_names(model.mechanism, peer)
    for _ in range(count):
        q, v = mbd_ros.random_configuration(model, rng), rng.normal(size=model.nv)
        data.qpos, turns, drift = to_mujoco(model, peer, names, q, v)
        data.qvel = turns @ v
        mujoco.mj_forward(peer, data)
        yield q, v, data, turns, drift


def assert_same(text, seed, model=None):
    """Assert that bias forces are MuJoCo's, of a text that both read, or we as a model."""
    model = mbd_ros.load(text) if model is None else model
    peer = mujoco.MjModel.from_xml_string(text)
    for q, v, data, turns, drift in states(model, peer, seed):
        mass = np.zeros((peer.nv, peer.nv))
        mujoco.mj_fullM(peer, data, mass)
        passive = data.qfrc_spring + data.qfrc_gravcomp + data.qfrc_fluid
        right = turns.T @ (data.qfrc_bias - passive + mass @ drift)
        # Sums in another order, of forces up to 1e3; springdamper solves with a mass matrix.
        np.testing.assert_allclose(mbd_ros.bias_forces(
            model, q, v, executor='interpreted'), right, rtol=0.0,
            atol=1e-11 * max(1.0, np.abs(right).max()))
    return model, peer


@pytest.mark.parametrize('name', CASES)
def test_springs(name):
    text = ROBOT.format(**{**WORDS, **CASES[name]})
    model, peer = assert_same(text, 1)
    assert not [one for one in model.findings if one.severity != 'info']
    assert np.any(peer.jnt_stiffness) or peer.ntendon or name in (
        'switched off', 'gravcomp', 'viscous', 'dense')
    np.testing.assert_allclose(np.sort(model.damping), np.sort(peer.dof_damping), atol=1e-11)


@pytest.mark.parametrize('name', CASES)
def test_springs_that_are_written(name):
    model = mbd_ros.load(ROBOT.format(**{**WORDS, **CASES[name]}))
    if model.fluids:   # a medium is no word of a body there
        with pytest.raises(UnsupportedError, match='fluid around'):
            mjcf_text(model.mechanism)
    else:
        assert_same(mjcf_text(model.mechanism), 2, model)
    again = mbd_ros.load(urdf_text(model.mechanism))
    rng = np.random.default_rng(3)
    q, v = mbd_ros.random_configuration(model, rng), rng.normal(size=model.nv)
    found, right = (mbd_ros.bias_forces(one, q, v, executor='interpreted')
                    for one in (again, model))
    np.testing.assert_allclose(found, right, rtol=0.0, atol=1e-10)   # roll, pitch and yaw


def test_random_springs():
    rng = np.random.default_rng(4)
    for seed in range(12):
        def numbers(count):
            return ' '.join(f'{x:.6g}' for x in rng.normal(size=count))
        words = {one: f'stiffness="{numbers(rng.integers(1, 4))}"' for one in (
            'hinge', 'slide', 'ball', 'free', 'last') if rng.uniform() < 0.7}
        for one in words.keys() & {'hinge', 'slide', 'last'}:
            words[one] += f' springref="{numbers(1)}" ref="{numbers(1)}"'
        ends = np.sort(rng.uniform(0.0, 1.5, 2))
        words['tendon'] = SPATIAL.format(f'{ends[0]:.6g} {ends[1]:.6g}')
        assert_same(ROBOT.format(**{**WORDS, **words}), seed)
