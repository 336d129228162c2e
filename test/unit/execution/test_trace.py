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

"""What a trace records, folds and forgets."""

import pytest

from mbd_ros.execution.ir.trace import Symbol, Trace


@pytest.fixture
def symbols():
    trace = Trace()
    return trace, trace.input(0, 0), trace.input(0, 1)


def test_equal_operations_are_recorded_once(symbols):
    trace, x, y = symbols
    assert (x + y) is (y + x)
    assert (x * y) is (y * x)
    assert (x - y) is not (y - x)
    assert len(trace.operations) == 6


def test_constants_fold(symbols):
    _, x, _ = symbols
    assert x * 0.0 == 0.0
    assert x * 1.0 is x
    assert x + 0.0 is x
    assert 0.0 + x is x
    assert x - 0.0 is x
    assert x - x == 0.0
    opposite = -x
    assert -opposite is x


def test_a_number_is_not_the_symbol_of_that_number(symbols):
    _, x, _ = symbols
    third = x * 7.0
    assert third.number == 2
    assert (x * 2.0) is not (x * third)


def test_signs_move_outwards(symbols):
    _, x, y = symbols
    assert x + (-y) is x - y
    assert (-x) * y is -(x * y)
    assert (-x) * (-y) is x * y
    assert -(x - y) is y - x


def test_a_division_is_undone(symbols):
    _, x, z = symbols
    assert (z / x) * x is z
    assert (1.0 / x) * x == 1.0
    assert (z * (z / x)) * x is not z


def test_only_what_results_need_is_kept(symbols):
    trace, x, y = symbols
    unused, used = x * y, x + y
    needed = trace.needed([used.sine(), 3.0])
    assert unused not in needed
    assert [s.name for s in needed] == ['input', 'input', 'add', 'sin']
    assert all(isinstance(s, Symbol) for s in needed)
