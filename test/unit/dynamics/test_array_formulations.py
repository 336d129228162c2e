"""Formulations in NumPy against the recursion, Pinocchio's conventions and reference numbers."""

import json
from pathlib import Path

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from random_loops import random_loops
from robots import all_trees, model_of, random_state

import mbd_ros

ROOT = Path(__file__).parents[3]
PUMA = mbd_ros.load(ROOT / 'urdf' / 'puma560.urdf')
STATES = json.loads((ROOT / 'test/data/puma560.json').read_text())['models']['puma6']['states']
FORMULATIONS = ['jourdain', 'kane']
MASSLESS = dict.fromkeys(FORMULATIONS, "^joint 'idle' moves no inertia")
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
    for function, arguments in ((mbd_ros.forward_dynamics, (q, v, tau)),
                                (mbd_ros.inverse_dynamics, (q, v, tau)),
                                (mbd_ros.bias_forces, (q, v)), (mbd_ros.mass_matrix, (q,))):
        expected = function(model, *arguments, executor='interpreted')
        # Eight bodies of masses 0.5 to 2: condition of M below 1e4.
        close(function(model, *arguments, formulation=formulation), expected, 1e-11)


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
