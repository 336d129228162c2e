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

"""Steps of RK4 in machine code do what those in Python do."""

import importlib
import math
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
from mbd_ros.errors import DivergedError, InvalidValueError, ShapeError
from mbd_ros.simulation.coded_steps import LinearEfforts
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


class Told:
    """Efforts that tell machine code something else than it reads."""

    def __init__(self, offset, stiffness, damping):
        self._told = offset, stiffness, damping

    def __call__(self, t, q, v):
        return np.zeros(len(v))

    def linear(self, times):
        offset, stiffness, damping = self._told
        return LinearEfforts(offset(len(times)), stiffness, damping)


@pytest.mark.parametrize(('told', 'error', 'says'), [
    ((lambda k: np.ones((k, 6)), np.zeros(0), np.zeros(6)), ShapeError, 'stiffness of linear'),
    ((lambda k: np.ones((k, 6)), np.zeros(6), 0.0), ShapeError, 'damping of linear'),
    ((lambda k: np.ones(6), np.zeros(6), np.zeros(6)), ShapeError, 'offset of linear'),
    ((lambda k: np.ones((k, 7)), np.zeros(6), np.zeros(6)), ShapeError, 'offset of linear'),
    ((lambda k: np.ones((k, 6)), np.ones(6), np.zeros(6)), InvalidValueError, 'zero at joints'),
])
def test_what_machine_code_could_not_read_is_refused(told, error, says):
    model = floating_body()
    with pytest.raises(error, match=says):
        mbd_ros.simulate(model, mbd_ros.neutral(model), np.zeros(6), 2.0, tau=Told(*told))


def floating_body():
    return mbd_ros.load('<robot name="one"><link name="body"><inertial><mass value="1"/>'
                        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
                        '</link></robot>', floating_base=True)


def test_an_attribute_that_is_no_function_is_passed_over():
    def tau(t, q, v):
        return np.zeros(6)
    tau.linear = True
    model = floating_body()
    run = mbd_ros.simulate(model, mbd_ros.neutral(model), np.zeros(6), 1.5, tau=tau)
    assert run.v[-1, 5] + run.v[-1, 2] == pytest.approx(-9.81 * 1.5)


@pytest.mark.parametrize('duration', [1e308, 1e300, 1e12, 10 ** 400, -1.0, math.inf, '1'])
def test_runs_that_would_never_end_are_refused(duration):
    model = floating_body()
    with pytest.raises(InvalidValueError, match='duration'):
        mbd_ros.simulate(model, mbd_ros.neutral(model), np.zeros(6), duration, step=1e-3)
