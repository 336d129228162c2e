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

"""Batches without Python in between: taken when that may be, and only then."""

import ctypes
import os
import sys
import threading
import time

import numpy as np
import pytest
from robots import chain

import mbd_ros
from mbd_ros.dynamics.algorithms.forward_dynamics import FORWARD_DYNAMICS
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError
from mbd_ros.execution import Compiled, Threads
from mbd_ros.execution.compiled_calls import fast_call
from mbd_ros.execution.ir.machine_code import vector_lanes
from mbd_ros.execution.ir.shares_ir import SMALLEST_SHARE
from mbd_ros.execution.ir.workers_ir import IDLE
from mbd_ros.execution.program.kernel import Batches, FastBatches
from mbd_ros.execution.threads.workers import left_behind, workers

ROWS = 2 * SMALLEST_SHARE + 3
LONG = 60.0  # s, which no machine needs: a test that waits so long has failed


@pytest.fixture(scope='module', params=[None, Threads(2)], ids=['one thread', 'two threads'])
def arm(request):
    dyn = mbd_ros.compile(mbd_ros.load(chain(4, 1)), executor=request.param)
    for function, count in ((dyn.forward_dynamics, 3), (dyn.mass_matrix, 1)):
        function(*np.ones((count, ROWS, 4)))  # compiled at the first batch
    return dyn


def states(rows=ROWS):
    return np.random.default_rng(1).normal(size=(3, rows, 4))


def one_by_one(function, *arguments):
    return np.array([function(*state) for state in zip(*arguments)])


@pytest.mark.parametrize('rows', [vector_lanes(), vector_lanes() + 1, 100, ROWS])
def test_batches_take_the_fast_way(arm, slow_calls, rows):
    q, v, tau = states(rows)
    found = arm.forward_dynamics(q, v, tau)
    matrices = arm.mass_matrix(q)
    assert slow_calls == []
    expected = one_by_one(arm.forward_dynamics, q, v, tau)
    # scalars and lanes fold alike but fuse differently: rounding, of accelerations up to 1e3
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())
    np.testing.assert_allclose(matrices, one_by_one(arm.mass_matrix, q), rtol=1e-10, atol=1e-12)
    assert matrices.shape == (rows, 4, 4)
    assert found.flags.owndata
    assert found.flags.writeable


def test_the_fast_way_gives_the_bits_of_the_ordinary_one(arm, slow_calls):
    q, v, tau = states()
    expected = arm.forward_dynamics(q=q, v=v, tau=tau)
    assert len(slow_calls) == 1
    for _ in range(20):
        np.testing.assert_array_equal(arm.forward_dynamics(q, v, tau), expected)
    assert len(slow_calls) == 1


def test_a_result_to_fill(arm, slow_calls):
    q, v, tau = states()
    expected, out = arm.forward_dynamics(q, v, tau), np.empty((ROWS, 4))
    references = sys.getrefcount(out), sys.getrefcount(q)
    for _ in range(10):
        assert arm.forward_dynamics(q, v, tau, out=out) is out
    assert (sys.getrefcount(out), sys.getrefcount(q)) == references
    np.testing.assert_array_equal(out, expected)
    result, fresh = arm.forward_dynamics(q, v, tau), np.zeros(4)
    assert sys.getrefcount(result) == sys.getrefcount(fresh)
    assert slow_calls == []


def test_a_result_that_shares_memory_or_does_not_fit_takes_the_ordinary_way(arm, slow_calls):
    q, v, tau = states()
    expected = arm.forward_dynamics(q, v, tau)
    memory = np.zeros((ROWS + 1, 4))
    memory[:ROWS] = q
    np.testing.assert_array_equal(
        arm.forward_dynamics(memory[:ROWS], v, tau, out=memory[1:]), expected)
    assert len(slow_calls) == 1
    for wrong in (np.empty((ROWS - 1, 4)), np.empty((ROWS, 3)), np.empty(4), [0.0],
                  np.empty((ROWS, 4), dtype=np.float32)):
        with pytest.raises(ShapeError, match=rf'out .*allowed: \({ROWS}, 4\), float64'):
            arm.forward_dynamics(q, v, tau, out=wrong)
    frozen = np.zeros((ROWS, 4))
    frozen.flags.writeable = False
    with pytest.raises(InvalidValueError, match=r'out is .a read-only array'):
        arm.forward_dynamics(q, v, tau, out=frozen)
    assert not frozen.any()
    assert len(slow_calls) == 7


@pytest.mark.parametrize('change', [
    lambda x: x.tolist(), lambda x: x[0], lambda x: np.asfortranarray(x),
    lambda x: np.repeat(x, 2, axis=0)[::2], lambda x: x.astype('>f8'),
    lambda x: x.astype(np.float32), lambda x: x.view(np.recarray)],
    ids=['list', 'one state', 'columns', 'strided', 'big endian', 'single', 'subclass'])
@pytest.mark.parametrize('argument', [0, 1, 2])
def test_everything_else_takes_the_ordinary_way(arm, slow_calls, change, argument):
    given = list(states().astype(np.float32).astype(float))
    given[argument] = change(given[argument])
    plain = [np.ascontiguousarray(np.broadcast_to(np.asarray(x, dtype=float), (ROWS, 4)))
             for x in given]
    np.testing.assert_array_equal(arm.forward_dynamics(*given), arm.forward_dynamics(*plain))
    assert len(slow_calls) == 1


def test_what_is_wrong_is_said(arm):
    q, v, tau = states()
    with pytest.raises(ShapeError, match=r'v has shape .*; allowed: 1027 states, as in the other'):
        arm.forward_dynamics(q, v[:-1], tau)
    with pytest.raises(ShapeError, match=r'tau has shape \(1027, 3\)'):
        arm.forward_dynamics(q, v, tau[:, :3].copy())
    v[1000, 2] = np.nan
    out = np.empty((ROWS, 4))
    for result in (None, out):
        with pytest.raises(NotFiniteError, match="v of state 1000, joint 'joint003' is nan"):
            arm.forward_dynamics(q, v, tau, out=result)


def test_in_a_child_of_a_fork():
    """Its threads have not come along: the ordinary way starts others."""
    arm = mbd_ros.compile(mbd_ros.load(chain(4, 1)), executor=Threads(2))
    given = states()
    expected = arm.forward_dynamics(*given)
    child = os.fork()
    if child == 0:
        good = all(np.array_equal(arm.forward_dynamics(*given), expected) for _ in range(5))
        os._exit(0 if good and threading.active_count() > 1 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_who_would_like_to_know_of_batches_is_told_once():
    model = mbd_ros.load(chain(2, 78))
    call = mbd_ros.compile(model).forward_dynamics
    kernel = Compiled().kernel(FORWARD_DYNAMICS, model)
    assert len(kernel._told) == 1
    call(*np.ones((3, 50, 2)))
    assert kernel._told == []


def test_what_a_late_thread_reads_is_kept():
    """As long as it is at it, and no longer."""
    caller, released, here = threading.get_ident(), threading.Event(), threading.Event()

    @ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64,
                      ctypes.c_void_p)
    def rows(arrays, first, count, to):
        if threading.get_ident() == caller:
            here.wait(LONG)
        else:
            here.set()
            released.wait(LONG)
        address = ctypes.c_int64.from_address(arrays).value + 8 * first
        given = (ctypes.c_double * count).from_address(address)
        np.ctypeslib.as_array((ctypes.c_double * count).from_address(to))[:] = given
        return 1

    def otherwise(*_):
        raise AssertionError('the ordinary way')

    words = (ctypes.c_int64 * 1).from_address(workers(1)[0])
    end = time.monotonic() + LONG
    while words[0] != IDLE and time.monotonic() < end:
        time.sleep(0.001)
    batches = Batches(rows, ctypes.cast(rows, ctypes.c_void_p).value, 4, None)
    copy = fast_call.fast_call(0, [1], [], (1,), otherwise, 'copy', '',
                               FastBatches(4, 2, lambda told: told(batches)))
    given = np.arange(5000.0)[:, None]
    references = sys.getrefcount(given)
    np.testing.assert_array_equal(copy(given), given)
    assert left_behind()
    assert sys.getrefcount(given) == references + 1
    released.set()
    while left_behind() and time.monotonic() < end:
        time.sleep(0.001)
    copy(given)
    while sys.getrefcount(given) > references and time.monotonic() < end:
        copy(given)  # the thread may have been late again
    assert sys.getrefcount(given) == references
