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

"""Long traces in parts: the same values, whatever the length of a part."""

from loop_models import body_order, case_model, cases
import numpy as np
import pytest

from mbd_ros.dynamics.algorithms.forward_dynamics import closed_loop_dynamics
from mbd_ros.execution import Compiled
from mbd_ros.execution.ir.differentiation import evaluate
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.execution.unrolled import code as unrolled
from mbd_ros.execution.unrolled.code import folded_operations, trace_program
from mbd_ros.execution.unrolled.parts import ASIDE, parted

MODEL = case_model('fourbar_spherical')
PROGRAM = closed_loop_dynamics(tree_of(MODEL).slots)


@pytest.mark.parametrize('longest', [7, 100, 10**6])
def test_parts_hand_on_what_later_ones_need(longest):
    trace, results = trace_program(PROGRAM, MODEL)
    rng = np.random.default_rng(0)
    inputs = {(symbol.first, symbol.second): rng.normal()
              for symbol in trace.needed(results) if symbol.name == 'input'}
    expected = evaluate(trace, results, inputs)
    pieces, count = parted(trace, results, longest)
    assert (len(pieces) > 1) == (longest < folded_operations(PROGRAM, MODEL))
    found, aside = {}, {}
    for piece in pieces:
        known = {**inputs, **{(ASIDE, entry): value for entry, value in aside.items()}}
        wanted = [*piece.aside, *piece.results]
        values = evaluate(piece.trace, [value for _, value in wanted], known)
        for k, ((entry, _), value) in enumerate(zip(wanted, values)):
            (aside if k < len(piece.aside) else found)[entry] = value
        assert len([one for one in piece.trace.operations if one.name != 'input']) <= longest
    assert len(aside) == count
    assert [found[entry] for entry in range(len(results))] == expected


def test_machine_code_in_parts(monkeypatch):
    case = cases()['fourbar_spherical']
    monkeypatch.setattr(unrolled, 'IN_PARTS', 50)
    monkeypatch.setattr(unrolled, 'LONGEST', 50)
    fresh = closed_loop_dynamics.__wrapped__(tree_of(MODEL).slots, 1e-300)  # not in any cache
    kernel = Compiled('unrolled').kernel(fresh, MODEL)
    order = body_order(MODEL)
    q, v = (np.array(case[name])[order][None] for name in ('q', 'qd'))
    out = np.empty((1, MODEL.nv))
    assert kernel.run([q, v, 0 * v], np.array(case['model']['gravity'], dtype=float), out)
    np.testing.assert_allclose(out[0], np.array(case['qdd'])[order], atol=1e-11)
