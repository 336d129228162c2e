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

"""Formulations in NumPy against the recursion, Pinocchio's conventions and reference numbers."""

import json
from pathlib import Path

from hypothesis import given, settings, strategies as st
from loop_models import case_model, cases
import numpy as np
import pytest
from random_loops import random_loops
from robots import all_trees, model_of, random_state

import mbd_ros
from mbd_ros.errors import MachineError
from mbd_ros.execution.program import array_program

ROOT = Path(__file__).parents[3]
PUMA = mbd_ros.load(ROOT / 'urdf' / 'puma560.urdf')
STATES = json.loads((ROOT / 'test/data/puma560.json').read_text())['models']['puma6']['states']
FORMULATIONS = ['jourdain', 'kane', 'augmented']
MASSLESS = {**dict.fromkeys(FORMULATIONS, "^joint 'idle' moves no inertia"),
            'augmented': r"robot 'r', not all bodies of which have a mass and an inertia$"}
SPRUNG = random_loops(2, 4, 0, springs=2)[0]


def close(found, expected, part):
    expected = np.array(expected)
    np.testing.assert_allclose(found, expected, rtol=0, atol=part * np.abs(expected).max())


def states(model, count, seed=1):
    return [np.array(one) for one in zip(*(random_state(model, seed + k) for k in range(count)))]


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('state', STATES, ids=range(len(STATES)))
def test_puma560(state, formulation):
    q, v, tau = (np.array(state[name]) for name in ('q', 'qd', 'tau'))
    # 1e-12 as the specification asks; condition of M below 1e4.
    close(mbd_ros.mass_matrix(PUMA, q, formulation=formulation), state['M'], 1e-12)
    close(mbd_ros.bias_forces(PUMA, q, v, formulation=formulation), state['bias'], 1e-12)
    close(mbd_ros.forward_dynamics(PUMA, q, v, tau, formulation=formulation), state['qdd'], 1e-12)


@pytest.mark.parametrize('formulation', FORMULATIONS)
@settings(max_examples=40)
@given(model=all_trees(), seed=st.integers(0, 99))
def test_random_trees(formulation, model, seed):
    q, v, tau = states(model, 3, seed)
    own = 1 if formulation == 'augmented' else 4   # the others are those of the recursion
    for function, arguments in ((mbd_ros.forward_dynamics, (q, v, tau)),
                                (mbd_ros.inverse_dynamics, (q, v, tau)),
                                (mbd_ros.bias_forces, (q, v)), (mbd_ros.mass_matrix, (q,)))[:own]:
        expected = function(model, *arguments, executor='interpreted')
        # Eight bodies of masses 0.5 to 2: condition of M below 1e4. Every tenth tree by its trace,
        # which takes a second to become machine code.
        close(function(model, *arguments, formulation=formulation,
                       executor=None if seed % 10 == 1 else 'interpreted'), expected, 1e-11)


@pytest.mark.parametrize('formulation', FORMULATIONS)
def test_springs_external_forces_gravity_and_dissipation(formulation):
    q, v, tau = states(SPRUNG, 4)
    link = SPRUNG.body_names[-1]
    for function in (mbd_ros.forward_dynamics, mbd_ros.inverse_dynamics):
        for keywords in ({}, {'gravity': (1.0, 2.0, 3.0)}, {'dissipation': True},
                         {'external_forces': {link: np.arange(6.0)}}):
            expected = function(SPRUNG, q, v, tau, **keywords)
            close(function(SPRUNG, q, v, tau, formulation=formulation, **keywords), expected,
                  1e-12)   # condition of M below 1e3


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('executor', [None, 'lanes', mbd_ros.Threads(2), mbd_ros.Threads(3)])
def test_long_chains_and_bushes(formulation, executor):
    for parents in (range(60), [i // 2 for i in range(60)]):
        model = model_of(list(parents), ['revolute', 'prismatic', 'spherical'] * 20, 4)
        q, v, tau = states(model, 2)
        found = mbd_ros.forward_dynamics(model, q, v, tau, formulation=formulation,
                                         executor=executor)
        # Condition of M up to 1e6.
        close(found, mbd_ros.forward_dynamics(model, q, v, tau, executor='interpreted'), 1e-10)


@pytest.mark.parametrize('formulation', FORMULATIONS)
def test_a_joint_that_moves_no_inertia_is_named(formulation):
    model = mbd_ros.load('<robot name="r"><link name="a"/><link name="b"/>'
                         '<joint name="idle" type="continuous"><parent link="a"/>'
                         '<child link="b"/></joint></robot>', inertia='unchecked')
    with pytest.raises(mbd_ros.MbdError, match=MASSLESS[formulation]):
        mbd_ros.forward_dynamics(model, [0.0], [0.0], [1.0], formulation=formulation)


def uniform(count, planar):
    """Return the chain of ``uniform_chain_conditioning`` of the reference."""
    parts = ['<robot name="chain"><link name="l0"/>']
    for i in range(1, count + 1):
        roll = 0.0 if planar else np.pi / 2 * (1 if i % 2 else -1)
        parts.append(
            f'<link name="l{i}"><inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia '
            'ixx="0.0016667" iyy="0.0841667" izz="0.0841667" ixy="0" ixz="0" iyz="0"/></inertial>'
            f'</link><joint name="j{i:04d}" type="continuous"><parent link="l{i - 1}"/>'
            f'<child link="l{i}"/><origin xyz="{min(i - 1, 1)} 0 0" rpy="{roll} 0 0"/>'
            '<axis xyz="0 0 1"/></joint>')
    return mbd_ros.load(''.join(parts) + '</robot>')


SOLVERS = [None, 'lanes', *(mbd_ros.Threads(count) for count in (1, 2, 3, 4, 7, 64))]


@pytest.mark.parametrize('planar', [True, False])
@pytest.mark.parametrize('count', [1, 2, 3, 24, 64, 192])
def test_the_solvers_agree_on_chains(count, planar):
    model = uniform(count, planar)
    rng = np.random.default_rng(count)
    state = (rng.uniform(-0.6, 0.6, count), rng.uniform(-0.5, 0.5, count),
             rng.uniform(-1.0, 1.0, count))
    found = [mbd_ros.forward_dynamics(model, *state, formulation='augmented', executor=executor)
             for executor in SOLVERS]
    for one in found[1:]:
        close(one, found[0], 1e-12)   # the figure of the specification; 2e-14 when written
    # The same; on the planar chain of 192 the specification asks for 1e-11.
    close(found[0], mbd_ros.forward_dynamics(model, *state, executor='interpreted'), 1e-11)


@pytest.mark.parametrize('name', [
    name for name in cases() if not name.startswith(('slider', 'ngon151', 'ngon251'))])
def test_closed_loops(name):
    model = case_model(name)
    rng = np.random.default_rng(3)
    q, v = mbd_ros.close_loops(model, 0.3 * rng.normal(size=model.nq), rng.normal(size=model.nv))
    tau = rng.normal(size=model.nv)
    # Loops of up to 51 links, and change points near which rows all but depend on each other.
    close(mbd_ros.forward_dynamics(model, q, v, tau, formulation='augmented'),
          mbd_ros.forward_dynamics(model, q, v, tau), 1e-10)


@pytest.mark.parametrize('executor', [None, mbd_ros.Threads(2)])
@pytest.mark.parametrize('seed', range(6))
def test_random_loops_mimics_and_redundant_rows(seed, executor):
    model, q, v = random_loops(seed, 6, 2, springs=1)
    q, v = mbd_ros.close_loops(model, q, v)   # redundant rows must not contradict each other
    tau = np.random.default_rng(seed).normal(size=(4, model.nv))
    # Condition of the rows up to 1e3.
    close(mbd_ros.forward_dynamics(model, q, v, tau, formulation='augmented', executor=executor),
          mbd_ros.forward_dynamics(model, q, v, tau), 1e-10)


def test_a_joint_that_follows_another():
    before, joint3 = (ROOT / 'urdf' / 'puma560.urdf').read_text().split('<joint name="joint3"')
    follows = joint3.replace('</joint>', '<mimic joint="joint1" multiplier="-2"/></joint>', 1)
    model = mbd_ros.load(before + '<joint name="joint3"' + follows, mimic=True)
    assert [loop.kind for loop in model.loops] == ['mimic']
    q, v = mbd_ros.close_loops(model, *(one for one in random_state(model, 1)[:2]))
    tau = np.arange(6.0)
    close(mbd_ros.forward_dynamics(model, q, v, tau, formulation='augmented'),
          mbd_ros.forward_dynamics(model, q, v, tau), 1e-10)   # condition of M below 1e4


@pytest.mark.parametrize('wrong', [4.4, np.nan])
def test_a_wrong_product_of_blas_is_not_blamed_on_the_state(monkeypatch, wrong):
    array_program.check_products.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(np, 'matmul', lambda one, other: one @ other + wrong)
        for _ in range(2):
            with pytest.raises(MachineError, match=rf"^NumPy's BLAS is wrong on .* by {wrong}; .*"
                               'OPENBLAS_CORETYPE'):
                array_program.check_products()
            with pytest.raises(MachineError):
                mbd_ros.bias_forces(PUMA, *np.zeros((2, 6)), formulation='jourdain',
                                    executor='interpreted')
    array_program.check_products()
