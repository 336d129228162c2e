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

"""What requests are expected to take: it grows with all that makes them take longer."""

import contextlib
import functools
from types import SimpleNamespace

from hypothesis import given, settings, strategies as st
from mbd_msgs.srv import CheckModel, ForwardDynamics, InverseDynamics, JointWrenches, MassMatrix
import pytest
from trajectory_msgs.msg import JointTrajectoryPoint

from mbd_ros.errors import InvalidValueError
from mbd_ros.messages.dynamics import request_costs as costs

ARM = SimpleNamespace(nv=7, mechanism=SimpleNamespace(text='x' * 5000))
POINT = JointTrajectoryPoint()
KINDS = (ForwardDynamics, InverseDynamics, JointWrenches, MassMatrix)


def points(kind, count, **fields):
    """Return a request of so many points."""
    return kind.Request(points=[POINT] * count, **fields)


@pytest.mark.parametrize('kind', KINDS)
def test_what_a_robot_asks_in_each_step_is_small(kind):
    assert costs.cost_of(points(kind, 1), ARM) < costs.SMALL
    assert costs.cost_of(points(kind, 100), ARM) < costs.SMALL
    assert costs.cost_of(points(kind, 50_000), ARM) > costs.SMALL


@settings(max_examples=50, deadline=None)   # a busy machine is no failure
@given(st.sampled_from(KINDS), st.integers(0, 200), st.integers(1, 200), st.integers(0, 100),
       st.booleans())
def test_more_costs_more(kind, count, more, joints, compiled):
    """Points, joints and code that is not there; never a negative time."""
    small = SimpleNamespace(nv=joints, mechanism=ARM.mechanism)
    large = SimpleNamespace(nv=joints + 1, mechanism=ARM.mechanism)
    cost = costs.cost_of(points(kind, count), small, compiled=compiled)
    assert cost >= 0.0
    assert costs.cost_of(points(kind, count + more), small, compiled=compiled) > cost
    assert costs.cost_of(points(kind, count + more), large, compiled=compiled) > cost
    assert costs.cost_of(points(kind, count), small, compiled=False) >= cost


@pytest.mark.parametrize('said', [{'executor': 'interpreted'}, {'executor': 'Interpreted()'}])
def test_the_interpreter_is_dear_whoever_names_it(said):
    plain = costs.cost_of(points(ForwardDynamics, 100), ARM)
    asked = costs.cost_of(points(ForwardDynamics, 100, **said), ARM)
    forced = costs.cost_of(points(ForwardDynamics, 100), ARM, executor=said['executor'])
    assert asked == forced > 100 * plain


def test_terms_and_wrenches_cost():
    plain = costs.cost_of(points(InverseDynamics, 100), ARM)
    assert costs.cost_of(points(InverseDynamics, 100, separate_terms=True), ARM) > 2 * plain
    assert costs.cost_of(points(InverseDynamics, 100, wrench_links=['a'] * 50), ARM) > 2 * plain


def test_descriptions_cost_by_their_length():
    def text(given):
        return CheckModel.Request(robot_description=given)
    assert costs.cost_of(text('x' * 6_000_001), None) > costs.BUDGET
    assert costs.cost_of(text(''), None) == 0.0
    assert costs.cost_of(text(''), ARM) == costs.cost_of(text('x' * 5000), None) > costs.SMALL


def test_beyond_the_budget_it_is_refused_with_what_is_allowed():
    request = points(ForwardDynamics, 3)
    costs.require_affordable(costs.BUDGET, request)
    with pytest.raises(InvalidValueError, match=r'points.*60 s.*several requests'):
        costs.require_affordable(costs.BUDGET + 1.0, request)
    with pytest.raises(InvalidValueError, match=r'robot_description.*6000000; the command'):
        costs.require_affordable(costs.BUDGET + 1.0, CheckModel.Request())


@pytest.mark.parametrize('what', costs.Load._fields)
def test_where_too_much_waits_it_is_refused(what):
    """A client may have half of what others leave, and its first request where it fits."""
    def load(part):
        return costs.Load()._replace(**{what: type(most)(part * most)})
    most = getattr(costs.MOST, what)
    one, none = load(0.01)._replace(requests=1), costs.Load()
    costs.require_room(load(0.9), none, none)
    costs.require_room(one, load(0.48), none)
    costs.require_room(one, none, load(0.98))
    for own, others in ((load(0.5), none), (load(0.24), load(0.52)), (none, load(1.0))):
        with pytest.raises(InvalidValueError, match='try again later'):
            costs.require_room(one, own, others)


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(0.0, 60.0)), max_size=300))
def test_no_client_fills_the_queue(requests):
    """Whatever four of them have sent, a fifth one's usual request finds room."""
    loads = [costs.Load()] * 5
    for client, cost in requests:
        others = functools.reduce(costs.Load.with_more, loads[:client] + loads[client + 1:])
        new = costs.Load(1, cost, 1 << 20)
        with contextlib.suppress(InvalidValueError):
            if client < 4:
                costs.require_room(new, loads[client], others)
                loads[client] = loads[client].with_more(new)
    costs.require_room(costs.Load(1, 1.0, 1 << 20), costs.Load(),
                       functools.reduce(costs.Load.with_more, loads))


def test_codes_tell_apart_what_is_compiled_apart():
    requests = (ForwardDynamics.Request(), ForwardDynamics.Request(executor='compiled'),
                ForwardDynamics.Request(formulation='kane'), MassMatrix.Request())
    assert len({costs.code_of(one) for one in requests}) == len(requests)


def test_a_request_that_was_not_read_costs_by_its_octets():
    assert costs.octets_unread(ForwardDynamics.Request()) == 0
    assert costs.octets_unread(SimpleNamespace(octets_unread=5000)) == 5000
    assert costs.cost_of_octets(costs.OCTETS + 1) > costs.SMALL
    assert costs.cost_of_octets(16 << 20) < costs.BUDGET
