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

"""Callables by model: made once for each, and forgotten when there are many."""

from mbd_ros.dynamics.prepared.standard_calls import CallsByModel, MOST, StandardCalls


class Counted(StandardCalls):
    """Makes a number instead of a callable."""

    def make(self, model, formulation):
        self.made = (*getattr(self, 'made', ()), model)
        return f'{model} by {formulation}'


def test_they_are_made_once_until_there_are_many():
    calls = Counted('forward_dynamics')
    for _ in range(2):
        for k in range(MOST):
            assert calls['kane'][k] == f'{k} by kane'
    assert calls.made == tuple(range(MOST)) and len(calls['kane']) == MOST
    kept = calls['kane']
    assert isinstance(kept, CallsByModel) and kept is calls['kane']
    assert kept[MOST] == f'{MOST} by kane' and len(kept) == 1
    assert kept[0] == '0 by kane' and len(calls.made) == MOST + 2


def test_a_formulation_that_suits_no_robot_is_not_kept():
    class Refusing(StandardCalls):
        def make(self, model, formulation):
            raise ValueError(formulation)

    calls = Refusing('forward_dynamics')
    for name in 'ab':
        try:
            calls[name][0]
        except ValueError:
            continue
    assert not calls
