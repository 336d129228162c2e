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

"""Rows in lanes: every size of a batch, and what is not finite is found wherever it is."""

from concurrent.futures import ThreadPoolExecutor
import ctypes

import numpy as np
import pytest
from robots import chain

import mbd_ros
from mbd_ros.dynamics.algorithms.forward_dynamics import FORWARD_DYNAMICS
from mbd_ros.errors import NotFiniteError, SingularMassError
from mbd_ros.execution import Compiled, Futures, Interpreted, Threads
from mbd_ros.execution.ir.batch import batch_ir
from mbd_ros.execution.ir.machine_code import MachineCode, vector_lanes
from mbd_ros.execution.ir.straight_line import Width

LANES = vector_lanes()
POOL = ThreadPoolExecutor(2)
EXECUTORS = [Compiled('unrolled'), Compiled('rolled'), Interpreted(), Threads(2),
             Futures(POOL, rows=5)]


@pytest.fixture(scope='module')
def model():
    return mbd_ros.load(chain(3, 1))


@pytest.mark.parametrize('rows', [1, 2, LANES - 1, LANES, LANES + 1, 3 * LANES - 1, 1500])
@pytest.mark.parametrize('executor', EXECUTORS, ids=lambda executor: executor.name)
def test_a_number_that_is_not_finite_is_found_in_every_row(rows, executor, model):
    if executor == Interpreted():
        rows = min(rows, 20)
    states = np.random.default_rng(0).normal(size=(3, rows, 3))
    kernel, gravity = executor.kernel(FORWARD_DYNAMICS, model), np.array([0.0, 0.0, -9.81])
    out = np.empty((rows, 3))
    assert kernel.run(list(states), gravity, out)
    expected = out.copy()
    for argument, row, entry in ((0, 0, 0), (1, rows // 2, 1), (2, rows - 1, 2)):
        for value in (np.nan, np.inf, -np.inf):
            spoilt = states.copy()
            spoilt[argument, row, entry] = value
            assert not kernel.run(list(spoilt), gravity, out)
            # The sines of the lanes beside an infinite angle come from the C library.
            others = np.arange(rows) != row
            np.testing.assert_allclose(out[others], expected[others], rtol=0.0,
                                       atol=1e-13 * np.abs(expected).max())
            with pytest.raises(NotFiniteError) as caught:
                mbd_ros.forward_dynamics(model, *spoilt, executor=executor)
            assert str(caught.value) == (
                f"{('q', 'v', 'tau')[argument]} of state {row}, joint 'joint00{entry + 1}' is "
                f'{value}; allowed: finite numbers')


def test_the_largest_numbers_are_finite(model):
    q, v, tau = np.zeros((3, 20, 3))
    tau[7] = 1e300
    assert np.isfinite(mbd_ros.forward_dynamics(model, q, v, tau)).all()


@pytest.mark.parametrize('executor', EXECUTORS, ids=lambda executor: executor.name)
def test_a_result_that_is_not_finite_is_explained(executor):
    text = ('<robot name="r"><link name="a"/><link name="b"/><link name="c"><inertial>'
            '<mass value="1"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'
            '</inertial></link><joint name="slide" type="prismatic"><axis xyz="0 0 1"/>'
            '<parent link="a"/><child link="b"/><limit lower="-1" upper="1" effort="1" '
            'velocity="1"/></joint><joint name="turn" type="continuous"><axis xyz="0 0 1"/>'
            '<parent link="b"/><child link="c"/></joint></robot>')
    model = mbd_ros.load(text, inertia='unchecked')
    with pytest.raises(SingularMassError, match="joint 'turn' moves no inertia"):
        mbd_ros.forward_dynamics(model, *np.ones((3, 30, 2)), executor=executor)


def test_of_no_state(model):
    for executor in EXECUTORS:
        assert mbd_ros.forward_dynamics(model, *np.ones((3, 0, 3)), executor=executor).shape == (
            0, 3)


COPY = """
define void @kernel(ptr %from, ptr %gravity, ptr %to) nounwind {{
  %all = load <{count} x double>, ptr %from, align 8
  store <{count} x double> %all, ptr %to, align 8
  ret void
}}"""


@pytest.mark.parametrize('lanes', [2, 4, 8])
@pytest.mark.parametrize('size', [1, 2, 3, 5, 7, 8, 9, 12, 16, 31])
def test_rows_of_every_length_come_back_in_place(lanes, size):
    # Squares of W rows and W entries are transposed in registers, and what is left beside them.
    kernel = MachineCode(COPY.format(count=lanes * size))
    code = MachineCode(batch_ir([size], size, Width(lanes)), addresses=[kernel.address('kernel')])
    loop = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 3)(
        code.address('batch'))
    for rows in (lanes, lanes + 1, 5 * lanes - 1):
        given = np.random.default_rng(0).normal(size=(rows, size))
        room = np.full(size * (rows + 2), 7.0)
        found = room[size:-size].reshape(rows, size)
        assert loop(rows, given.ctypes.data, None, found.ctypes.data) == 1
        np.testing.assert_array_equal(found, given)
        assert (room[:size] == 7.0).all() and (room[-size:] == 7.0).all()  # nothing else written
        for row, entry in np.ndindex(given.shape):
            spoilt = given.copy()
            spoilt[row, entry] = np.nan
            assert loop(rows, spoilt.ctypes.data, None, found.ctypes.data) == 0
            np.testing.assert_array_equal(found, spoilt)
