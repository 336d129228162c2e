"""Steps of RK4 in machine code do what those in Python do."""

import importlib
from pathlib import Path

import numpy as np
import pytest
from robots import chain
from swimmers import GRAVITY, walker
import yaml

import mbd_ros
from mbd_ros import Fluid, Ground
from mbd_ros.control import gait_from_data, GaitControl
from mbd_ros.dynamics import compile_model
from mbd_ros.errors import DivergedError
from mbd_ros.simulation.motion import FreeMotion

ROOT = Path(__file__).parents[3]
module = importlib.import_module('mbd_ros.simulation.simulate')


@pytest.fixture
def both(monkeypatch):
    """Return a function that simulates with and without machine code for steps."""
    def run(*arguments, **named):
        found = []
        for worth in (1, 10 ** 9):
            monkeypatch.setattr(module, 'WORTH_CODE', worth)
            found.append(mbd_ros.simulate(*arguments, **named))
        return found
    return run


def require_same(coded, plain, atol):
    for name in ('time', 'q', 'v', 'energy', 'balance'):
        np.testing.assert_allclose(getattr(coded, name), getattr(plain, name), atol=atol, rtol=0)
    for name, part in plain.parts.items():
        np.testing.assert_allclose(coded.parts[name], part, atol=atol, rtol=0, err_msg=name)


@pytest.mark.parametrize('floating', [False, True])
def test_constant_efforts(both, floating):
    model = mbd_ros.load(chain(4, 2), floating_base=floating)
    q, v = mbd_ros.neutral(model), np.linspace(-0.5, 0.5, model.nv)
    coded, plain = both(model, q, v, 0.3, tau=np.linspace(0.0, 0.2, model.nv), record_every=7)
    assert len(coded.time) == 44
    require_same(coded, plain, 1e-10)   # rounding, on a motion of some radians


def test_a_gait_on_the_ground_in_a_current(both):
    gait = gait_from_data(yaml.safe_load((ROOT / 'config/gaits/crawl.yaml').read_text()))
    model = mbd_ros.load(ROOT / 'config/modules/quadruped.yaml')
    q = mbd_ros.neutral(model)
    for name, position in zip(gait.joints, gait.targets(0.0).positions):
        q[model.q_offsets[model.joint_index(name)]] = position
    coded, plain = both(
        model, q, np.zeros(model.nv), 0.4, ground=Ground(), fluid=Fluid(current=(0.2, 0.0, 0.0)),
        tau=GaitControl(model, gait, 2000.0, 120.0), step=1e-3)
    assert {'ground', 'drag', 'current'} < set(plain.parts)
    require_same(coded, plain, 1e-8)   # contact makes 1e-16 grow; energies are some 100 J


def test_other_gravity_and_ground_with_the_same_code():
    model = walker()
    q = np.zeros(model.nq)
    q[2], q[6] = -1.35, 1.0
    grounds = [Ground(normal=(0.0, 0.0, -1.0), height=height) for height in (0.0, -5.0)]
    low, high = (mbd_ros.simulate(model, q, np.zeros(model.nv), 1.2, step=1e-3, gravity=GRAVITY,
                                  ground=ground) for ground in grounds)
    assert low.parts['ground'][-1] < -0.1
    assert abs(high.parts['ground'][-1]) < 1e-12   # rounding


def test_laws_of_ones_own_run_in_python():
    model = mbd_ros.load(chain(2, 1))
    dyn = compile_model(model)
    assert FreeMotion(dyn, tau=[0.1, 0.2]).coded(1e-3) is not None
    for how in ({'tau': lambda t, q, v: -v}, {'dissipation': True},
                {'external_forces': {'link2': np.ones(6)}}):
        assert FreeMotion(dyn, **how).coded(1e-3) is None


def test_a_run_that_diverges_says_when(monkeypatch):
    model, found = mbd_ros.load(chain(3, 1)), []
    for worth in (1, 10 ** 9):
        monkeypatch.setattr(module, 'WORTH_CODE', worth)
        with pytest.raises(DivergedError) as caught:
            mbd_ros.simulate(model, np.zeros(3), np.zeros(3), 1.0, tau=[1e140, 0.0, 0.0])
        found.append(str(caught.value))
    assert found[0] == found[1]
