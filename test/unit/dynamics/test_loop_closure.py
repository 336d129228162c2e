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

"""Closing loops: wherever a least-squares solver finds a way, also far from closed states."""

from pathlib import Path
import re
import warnings

from loop_models import body_order, case_model, cases
import numpy as np
import pytest
from random_loops import random_loops
import scipy.optimize

import mbd_ros
from mbd_ros.dynamics.loops.closure import loop_gaps, OPEN, open_loops
from mbd_ros.errors import LoopOpenError, LoopsOpenWarning, MbdError
from mbd_ros.model import state

URDF = Path(__file__).resolve().parents[3] / 'urdf'
AXES = {'revolute': (2,), 'planar': (2,), 'prismatic': (0, 1, 2), 'fixed': (0, 1, 2)}


def scipy_closes(model, start):
    """Whether SciPy closes the loops the right way round, from their violation alone."""
    dyn, rest = mbd_ros.compile(model), np.zeros(model.nv)

    def violation(displacement):
        return dyn.loop_rows(state.integrate(model, start, displacement), rest)[:, 0]
    found = scipy.optimize.least_squares(violation, rest)
    bodies = dyn.body_poses(state.integrate(model, start, found.x))
    for loop in model.loops:
        first, second = ((np.eye(3) if frame.body < 0 else bodies[frame.body, :3, :3])
                         @ frame.rotation for frame in (loop.frame1, loop.frame2))
        if any(first[:, axis] @ second[:, axis] < 0.0 for axis in AXES.get(loop.kind, ())):
            return False
    return np.abs(found.fun).max() < 1e-7  # far above SciPy's rounding, far below any gap


def check(model, start):
    if scipy_closes(model, start):
        q, _ = mbd_ros.close_loops(model, start)  # raises LoopOpenError where it gives up
        assert open_loops(model, q) == ''


@pytest.mark.parametrize('name', ['ngon15_random', 'fourbar_planar_revolute',
                                  'bricard_cube_revolute_cut', 'spatial10_revolute'])
def test_disturbed_rings(name):
    """Fifty of each; without damping two in ten stayed open."""
    model = case_model(name)
    closed = np.array(cases()[name]['q'])[body_order(model)]
    rng = np.random.default_rng(8)
    for size in np.linspace(0.1, 1.5, 50):
        check(model, state.integrate(model, closed, size * rng.normal(size=model.nv)))


def test_disturbed_mechanisms_of_all_joints_and_cuts():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        model, closed, _ = random_loops(seed, int(rng.integers(3, 8)), int(rng.integers(1, 3)))
        check(model, state.integrate(model, closed, rng.normal(size=model.nv)))


def test_what_cannot_be_closed_is_said():
    model, _, _ = random_loops(3, 4, 1, cuts=('spherical',), joints=('prismatic',))
    rng = np.random.default_rng(0)
    q = state.random_configuration(model, rng)
    if scipy_closes(model, q):
        mbd_ros.close_loops(model, q)
    else:
        with pytest.raises(LoopOpenError, match='cannot be closed'):
            mbd_ros.close_loops(model, q)


@pytest.mark.parametrize('options', [{}, {'gravity': (0, 0, -1.6)}, {'executor': 'rolled'},
                                     {'dissipation': True}])
def test_forward_dynamics_says_when_loops_are_far_open(options):
    """Multipliers of 1e15 and rank 5 of 2 came without a word."""
    model = case_model('fourbar_revolute', 'revolute')
    closed = np.array(cases()['fourbar_revolute']['q'])[body_order(model)]
    rest = np.zeros(model.nv)
    apart = closed + np.array([0.3, -0.2, 0.1])
    with pytest.warns(LoopsOpenWarning, match=r"loops are open: row 'cut0\.\w+' is violated by "
                                              r'0\.\d+; allowed: 0\.001'):
        mbd_ros.forward_dynamics(model, apart, rest, rest, **options)
    with pytest.warns(LoopsOpenWarning, match='in state 1 is violated'):
        mbd_ros.forward_dynamics(model, [closed, apart], rest, rest, **options)
    assert np.abs(mbd_ros.constrained_dynamics(model, apart, rest, rest).violation).max() > OPEN
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        mbd_ros.forward_dynamics(model, closed, rest, rest, **options)
        mbd_ros.forward_dynamics(model, closed + 1e-5, rest, rest, **options)
        mbd_ros.compile(model).forward_dynamics(apart, rest, rest)  # prepared calls do not look


def test_open_loops_of_a_tree():
    assert open_loops(mbd_ros.load('<robot name="r"><link name="a"/></robot>'), []) == ''


@pytest.mark.parametrize('size', ['1e20', '1e100', '1e154', '1e200', '1e308', '-1e308'])
@pytest.mark.parametrize('frame', ['link1', 'link2'])
def test_loops_at_places_beyond_all_measure_are_no_error_of_the_library(frame, size):
    """Their rows overflow; the answer is an error in words, or finite."""
    text = (URDF / 'slider_crank.urdf').read_text()
    text, count = re.subn(rf'(<{frame} link="\w+" xyz=)"[^"]*"', rf'\1"{size} 0 {size}"', text)
    assert count == 1
    model = mbd_ros.load(text)
    rest = np.zeros(model.nv)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')   # loops that are open, and overflow
            accelerations = mbd_ros.forward_dynamics(
                model, rest, rest, rest, executor='interpreted')
    except MbdError:
        return
    assert np.isfinite(accelerations).all()


@pytest.mark.parametrize('seed', range(4))
def test_gaps_are_those_of_the_rows_of_each_loop(seed):
    model, closed, _ = random_loops(seed, 5, 3)
    rng = np.random.default_rng(seed)
    q = state.integrate(model, closed, 0.1 * rng.normal(size=model.nv))
    phi = mbd_ros.compile(model, executor='interpreted').loop_rows(q, np.zeros(model.nv))[:, 0]
    names = [name for loop in model.loops for name in loop.row_names]
    gaps = loop_gaps(model, q)
    assert list(gaps) == [loop.name for loop in model.loops]
    for loop, gap in gaps.items():
        own = [abs(value) for value, name in zip(phi, names) if name.startswith(f'{loop}.')]
        assert gap == pytest.approx(max(own), rel=1e-12)   # the same operations
    assert loop_gaps(mbd_ros.load('<robot name="r"><link name="a"/></robot>'), []) == {}
