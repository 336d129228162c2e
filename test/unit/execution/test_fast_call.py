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

"""The built-in entry: the fast way is taken when it may be, and only then."""

import gc
import inspect
import sys
import threading

import numpy as np
import pytest
from robots import chain

import mbd_ros
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError
from mbd_ros.execution.compiled_calls import fast_call


@pytest.fixture(scope='module')
def arm():
    return mbd_ros.compile(mbd_ros.load(chain(4, 1)))


def test_the_fast_way_exists_here():
    assert fast_call.LAYOUT_KNOWN
    assert type(mbd_ros.compile(mbd_ros.load(chain(2, 1))).forward_dynamics).__name__ == (
        'builtin_function_or_method')


def test_float64_vectors_take_the_fast_way(arm, slow_calls):
    q, v, tau = np.random.default_rng(1).normal(size=(3, 4))
    arm.forward_dynamics(q, v, tau)
    assert slow_calls == []


@pytest.mark.parametrize('change', [
    lambda x: x.tolist(), lambda x: x.astype(np.float32).astype(object).astype(float).tolist(),
    lambda x: np.repeat(x, 2)[::2], lambda x: x[::-1][::-1], lambda x: x.astype('>f8'),
    lambda x: np.ma.array(x), lambda x: x.view(np.recarray), lambda x: x[None, :]],
    ids=['list', 'numbers', 'strided', 'reversed twice', 'big endian', 'masked', 'subclass',
         'batch'])
def test_everything_else_gets_the_same_answer(arm, change):
    q, v, tau = np.random.default_rng(1).normal(size=(3, 4)).astype(np.float32).astype(float)
    expected = arm.forward_dynamics(q, v, tau)
    found = np.asarray(arm.forward_dynamics(change(q), v, tau)).reshape(4)
    np.testing.assert_array_equal(found, expected)  # the same machine code on the same numbers


def test_integers_and_single_precision_are_converted(arm):
    np.testing.assert_array_equal(
        arm.forward_dynamics(np.ones(4, dtype=np.int32), np.ones(4, dtype=np.float32), [1] * 4),
        arm.forward_dynamics(np.ones(4), np.ones(4), np.ones(4)))


def test_read_only_arrays_and_the_same_array_twice(arm):
    q = np.linspace(0.1, 0.4, 4)
    q.setflags(write=False)
    np.testing.assert_array_equal(arm.forward_dynamics(q, q, q),
                                  arm.forward_dynamics(q.copy(), q.copy(), q.copy()))


def test_keywords_and_out(arm):
    q, v, tau = np.random.default_rng(1).normal(size=(3, 4))
    out = np.empty(4)
    assert arm.forward_dynamics(q, v, tau=tau, out=out) is out
    np.testing.assert_array_equal(out, arm.forward_dynamics(q, v, tau))
    with pytest.raises(ShapeError, match=r'out has shape \(3,\); allowed: \(4,\), float64'):
        arm.forward_dynamics(q, v, tau, out=np.empty(3))
    with pytest.raises(TypeError, match='forward_dynamics takes q, v, tau; got 2 arguments'):
        arm.forward_dynamics(q, v)


def test_a_result_to_fill_takes_the_fast_way(arm, slow_calls):
    q, v, tau = np.random.default_rng(1).normal(size=(3, 4))
    for function, arguments, shape in ((arm.forward_dynamics, (q, v, tau), (4,)),
                                       (arm.mass_matrix, (q,), (4, 4))):
        expected, out = function(*arguments), np.empty(shape)
        references = sys.getrefcount(out)
        assert function(*arguments, out=out) is out
        assert sys.getrefcount(out) == references
        np.testing.assert_array_equal(out, expected)
    assert slow_calls == []


def test_a_result_that_shares_memory_or_does_not_fit_takes_the_ordinary_way(arm, slow_calls):
    memory = np.random.default_rng(1).normal(size=14)
    q, v, tau = memory[:4], memory[4:8], memory[8:12]
    expected = arm.forward_dynamics(q, v, tau)
    found = arm.forward_dynamics(q, v, tau, out=memory[10:14])  # begins within tau
    np.testing.assert_array_equal(found, expected)
    assert len(slow_calls) == 1
    frozen = np.zeros(4)
    frozen.flags.writeable = False
    for wrong in (frozen, np.empty((4, 1)), np.empty(4, dtype=np.float32)):
        with pytest.raises((InvalidValueError, ShapeError), match=r'^out (is|has shape) '):
            arm.forward_dynamics(q, v, np.zeros(4), out=wrong)
    arm.forward_dynamics(q, v, np.zeros(4), out=np.empty(8)[::2])
    assert len(slow_calls) == 5
    assert not frozen.any()


def test_not_finite_and_wrong_sizes(arm):
    q, v, tau = np.random.default_rng(1).normal(size=(3, 4))
    v[2] = np.nan
    with pytest.raises(NotFiniteError, match="v of joint 'joint003' is nan; allowed: finite"):
        arm.forward_dynamics(q, v, tau)
    with pytest.raises(ShapeError, match=r'q has shape \(5,\); allowed: \(4,\) for one state'):
        arm.forward_dynamics(np.zeros(5), tau, tau)


def test_results_do_not_leak(arm):
    q, v, tau = np.random.default_rng(1).normal(size=(3, 4))
    result, fresh = arm.forward_dynamics(q, v, tau), np.zeros(4)
    assert sys.getrefcount(result) == sys.getrefcount(fresh)   # 2, from Python 3.14 on 1
    assert result.flags.owndata
    assert result.flags.writeable
    before = sys.getrefcount(q)
    for _ in range(1000):
        arm.forward_dynamics(q, v, tau)
    assert sys.getrefcount(q) == before


def test_a_callable_outlives_what_made_it():
    call = mbd_ros.compile(mbd_ros.load(chain(2, 9)), gravity=(0.0, 1.0, 2.0)).bias_forces
    expected = call(np.ones(2), np.ones(2))
    for seed in range(3):
        mbd_ros.compile(mbd_ros.load(chain(2, 20 + seed))).bias_forces(np.ones(2), np.ones(2))
    gc.collect()
    np.testing.assert_array_equal(call(np.ones(2), np.ones(2)), expected)


def test_threads_get_the_right_answers(arm):
    states = np.random.default_rng(3).normal(size=(64, 3, 4))
    expected = [arm.forward_dynamics(*state) for state in states]
    wrong = []

    def work():
        for _ in range(50):
            for state, right in zip(states, expected):
                if not np.array_equal(arm.forward_dynamics(*state), right):
                    wrong.append(state)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(('robot', 'function', 'arguments'), [
    ('puma560', 'forward_dynamics', 'q v tau out'), ('puma560', 'mass_matrix', 'q out'),
    ('four_bar', 'forward_dynamics', 'q v tau out'), ('flexible_arm', 'bias_forces', 'q v out'),
    ('puma560', 'inverse_dynamics_derivatives', 'q v qdd out')])
def test_callables_say_what_they_take(robot, function, arguments):
    dyn = mbd_ros.compile(mbd_ros.load(f'package://mbd_ros/urdf/{robot}.urdf'))
    call = getattr(dyn, function)
    assert ' '.join(inspect.signature(call).parameters) == arguments
    assert call.__name__ == function and len(call.__doc__) > 20
