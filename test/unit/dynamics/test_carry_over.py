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

"""States carried over: poses stay, momenta balance, energy is lost in impacts only."""

from hypothesis import given, settings, strategies as st
from modules import ARM, CUBE, cubes, docked, document, PORTS
import numpy as np
import pytest
from robots import random_state

import mbd_ros
from mbd_ros.description.modules import assemble, attach, detach, move, read_module_graph
from mbd_ros.errors import (
    DockingError, InvalidValueError, LoopOpenError, NotFiniteError, ShapeError, UnknownNameError)
from mbd_ros.model.build import build_model


def graph_of(*arguments, **named):
    return read_module_graph(document(*arguments, **named), 'robot.yaml')


def model_of(graph):
    return build_model(assemble(graph))


def slow(model):
    """Return the dynamics, nothing of it compiled."""
    return mbd_ros.compile(model, executor='interpreted')


def kinetic(model, q, v):
    return slow(model).energies(q, v)[:, 0].sum()


def momentum(model, q, v):
    """Return linear and angular momentum about the world's origin: the base's rows of M v."""
    h = slow(model).mass_matrix(q)[:6] @ v
    base = slow(model).pose(q, 'm0/hull')
    linear = base[:3, :3] @ h[:3]
    return np.concatenate((linear, base[:3, :3] @ h[3:] + np.cross(base[:3, 3], linear)))


def weighted(model, q, link):
    """Return (6, nv): a link's velocities whose squares are twice its kinetic energy."""
    jacobian = slow(model).jacobian(q, link.name)
    rotation = slow(model).pose(q, link.name)[:3, :3]
    linear = jacobian[:3] - np.cross(rotation @ link.inertia.center, jacobian[3:], axisb=0).T
    angular = np.linalg.cholesky(np.array(link.inertia.tensor)).T @ rotation.T @ jacobian[3:]
    return np.vstack((np.sqrt(link.inertia.mass) * linear, angular))


def heavy(model):
    return [link for link in model.mechanism.links if link.inertia is not None]


def reference(old, q, v, new, q_new):
    """Return the rates nearest in kinetic energy to the links' velocities, by least squares."""
    rows = np.vstack([weighted(new, q_new, link) for link in heavy(new)])
    wanted = np.concatenate([weighted(old, q, link) @ v for link in heavy(new)])
    return np.linalg.lstsq(rows, wanted, rcond=None)[0]


@given(cubes(least=3), st.data())
@settings(max_examples=25, deadline=None)
def test_moved_modules(text, data):
    graph = read_module_graph(text, 'robot.yaml')
    names = list(graph.instances)
    module = data.draw(st.sampled_from(names[1:]))
    try:
        other = move(graph, module, parent=data.draw(st.sampled_from(names)),
                     parent_port=data.draw(st.sampled_from(PORTS)))
    except DockingError:
        return
    old, new = model_of(graph), model_of(other)
    q, v, _ = random_state(old, 1)
    state = mbd_ros.carry_over(old, q, v, new)

    kept = [name for name in old.joint_names if not name.startswith(f'{module}/')]
    before, after = ({name: slow(one).pose(at, name) for name in one.links}
                     for one, at in ((old, q), (new, state.q)))
    for name in kept:   # bit by bit: nothing is computed for a joint that is as it was
        i, j = old.joint_index(name), new.joint_index(name)
        width = old.joint_types[i].nq
        assert np.array_equal(q[old.q_offsets[i]:old.q_offsets[i] + width],
                              state.q[new.q_offsets[j]:new.q_offsets[j] + width])
    jump = max(np.linalg.norm(after[name][:3, 3] - before[name][:3, 3])
               for name in before if name in after)
    assert state.position_jump == pytest.approx(jump, abs=1e-12)   # the same poses

    # two ways to the same minimum; the condition of the mass matrix is below 1e4
    wanted = reference(old, q, v, new, state.q)
    assert state.v == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    assert state.kinetic_energy_before == pytest.approx(kinetic(old, q, v),
                                                        rel=1e-10)
    assert state.kinetic_energy_after == pytest.approx(
        kinetic(new, state.q, state.v), rel=1e-10)
    assert state.kinetic_energy_after <= state.kinetic_energy_before * (1.0 + 1e-12)
    assert momentum(new, state.q, state.v)[:3] == pytest.approx(momentum(old, q, v)[:3], abs=1e-9)


RING = (docked('m0.front', 'm1.start'), docked('m1.front', 'm2.start'),
        docked('m2.front', 'm3.start'))


@given(st.integers(0, 2**16))
@settings(max_examples=15, deadline=None)
def test_docking_where_the_ports_meet_balances_momentum(seed):
    """The last of a chain docks to the first where it is: no jump, and both momenta are kept."""
    instances = 'm0: cube, m1: cube, m2: cube, m3: cube'
    graph = graph_of(instances, *RING, base='m0', motion='floating')
    old = model_of(graph)
    q, v, _ = random_state(old, seed)
    relative = np.linalg.inv(slow(old).pose(q, 'm0/hull')) @ slow(old).pose(q, 'm3/hull')
    # a port on m0 exactly where m3 has its start: x out of the module, so turned by pi
    x, y, z = relative[:3, 3].tolist()
    yaw = float(np.arctan2(relative[1, 0], relative[0, 0]))
    types = CUBE + f'      dock: {{position: [{x}, {y}, {z}], orientation: [0, 0, {yaw}]}}\n'
    graph = graph_of(instances, *RING, base='m0', motion='floating', types=types)
    new = model_of(move(graph, 'm3', parent='m0', parent_port='dock', port='rigid'))
    state = mbd_ros.carry_over(old, q, v, new, largest_jump=1e-9)
    assert state.rotation_jump < 1e-7   # the arc of a cosine
    # sums of a few products in double precision
    assert momentum(new, state.q, state.v) == pytest.approx(momentum(old, q, v), abs=1e-11)
    assert state.kinetic_energy_after < state.kinetic_energy_before
    # Carnot: the energy that is lost is that of the lost velocities
    lost = sum(np.sum((weighted(new, state.q, link) @ state.v - weighted(old, q, link) @ v) ** 2)
               for link in heavy(new))
    assert state.kinetic_energy_before - state.kinetic_energy_after == pytest.approx(
        0.5 * lost, rel=1e-9)


@given(cubes(), st.integers(0, 2**16))
@settings(max_examples=10, deadline=None)
def test_undocking_changes_no_velocity(text, seed):
    graph = read_module_graph(text, 'robot.yaml')
    module = list(graph.instances)[-1]
    old, new = model_of(graph), model_of(detach(graph, module))
    q, v, _ = random_state(old, seed)
    state = mbd_ros.carry_over(old, q, v, new)
    for name in new.links:
        if name in old.links and not name.endswith('_frame'):
            assert slow(new).jacobian(state.q, name) @ state.v == pytest.approx(
                slow(old).jacobian(q, name) @ v, abs=1e-9)
    assert state.kinetic_energy_after == pytest.approx(state.kinetic_energy_before, rel=1e-9)
    assert (state.kinetic_energy_before + state.kinetic_energy_removed
            == pytest.approx(kinetic(old, q, v), rel=1e-9))
    assert state.position_jump == pytest.approx(0.0, abs=1e-12)


def test_a_plastic_impact_in_closed_form():
    """A cube at 3 m/s docks rigidly, in line, to a cube that floats at rest: 1.5 m/s remain."""
    graph = graph_of('m0: cube', base='m0', motion='floating')
    old = model_of(graph)
    new = model_of(attach(graph, 'm1', 'cube', port='rigid', parent='m0', parent_port='front'))
    q = np.array([0, 0, 0, 0, 0, 0, 1.0])
    state = mbd_ros.carry_over(old, q, np.zeros(6), new,
                               twists={'m1/hull': [-3.0, 0, 0, 0, 0, 0]})
    assert state.v == pytest.approx([-1.5, 0, 0, 0, 0, 0], abs=1e-15)
    assert state.kinetic_energy_before == pytest.approx(9.0)   # 2 kg (3 m/s)^2 / 2
    assert state.kinetic_energy_after == pytest.approx(4.5)
    aside = mbd_ros.carry_over(old, q, np.zeros(6), new)   # without a twist it moves along
    assert aside.kinetic_energy_before == aside.kinetic_energy_after == 0.0


def test_a_module_that_moves_along_costs_nothing():
    graph = graph_of('m0: cube, m1: cube', docked('m0.front', 'm1.start'), base='m0',
                     motion='floating')
    old = model_of(graph)
    new = model_of(attach(graph, 'm2', 'cube', port='swing', parent='m1', parent_port='top'))
    q, v, _ = random_state(old, 5)
    state = mbd_ros.carry_over(old, q, v, new, positions={'m2/swing': 0.3})
    assert state.q[-1] == 0.3
    assert state.v == pytest.approx([*v, 0.0], abs=1e-12)
    assert state.kinetic_energy_after == pytest.approx(state.kinetic_energy_before)


def test_joints_that_stay_keep_whole_turns_and_rotors_turn_on():
    types = CUBE + ARM
    graph = graph_of('a: cube, b: arm, c: cube', docked('a.front', 'b.foot'),
                     docked('a.top', 'c.start'), types=types)
    old = model_of(graph)
    place = {name: i for i, name in enumerate(old.joint_names)}
    q, v = np.zeros(2), np.zeros(2)
    q[place['c/start']], v[place['b/elbow']] = 20.0, 2.0
    state = mbd_ros.carry_over(old, q, v, model_of(detach(graph, 'c')))
    assert state.v == pytest.approx([2.0])
    other = model_of(attach(graph, 'd', 'cube', port='rigid', parent='a', parent_port='right'))
    assert mbd_ros.carry_over(old, q, v, other).q == pytest.approx(q, abs=0.0)


def test_a_joint_that_is_new_takes_the_angle_that_the_pose_gives():
    """Docked by its joint where it was docked rigidly, at an angle: the pose stays."""
    types = CUBE.replace('rigid: {orientation: [0, 0, 180 deg]}',
                         'rigid: {orientation: [0, 0, 150 deg]}')
    graph = graph_of('a: cube, b: cube', docked('a.front', 'b.rigid'), types=types)
    old = model_of(graph)
    new = model_of(move(graph, 'b', parent='a', parent_port='top', port='start'))
    back = model_of(move(move(graph, 'b', parent='a', parent_port='top'), 'b', parent='a',
                         parent_port='front', port='start'))
    assert mbd_ros.carry_over(old, [], [], back).q == pytest.approx([np.radians(30.0)])
    assert mbd_ros.carry_over(old, [], [], back).position_jump < 1e-15
    with pytest.raises(DockingError) as caught:
        mbd_ros.carry_over(old, [], [], new, largest_jump=0.01)
    assert str(caught.value) == ("pose jump: link 'b/hull' would be displaced by 0.141421 m; "
                                 'allowed: 0.01 m at most')


BAR = """\
  bar:
    bodies:
      rod: {mass: 1, center: [0.1, 0, 0], inertia: [0.001, 0.005, 0.005]}
    ports:
      start: {orientation: [0, 0, 180 deg], joint: {type: continuous}}
      side: {position: [0.2, 0, 0], orientation: [0, 0, 90 deg]}
      far: {position: [0.5, 0, 0]}
"""


def test_closing_a_ring_in_motion():
    """Three bars on the ground dock to a square: what is left is the motion of a parallelogram."""
    chain = graph_of('a: bar, b: bar, c: bar, d: bar', docked('a.side', 'b.start'),
                     docked('b.side', 'c.start'), docked('c.side', 'd.start'), types=BAR)
    ring = graph_of('a: bar, b: bar, c: bar, d: bar', docked('a.side', 'b.start'),
                    docked('b.side', 'c.start'), docked('c.side', 'd.start'),
                    'parent: d.side, child: a.start, closes_loop: true', types=BAR)
    old, new = model_of(chain), model_of(ring)
    q, v = np.zeros(3), np.array([1.0, 0.3, 0.2])
    state = mbd_ros.carry_over(old, q, v, new, largest_jump=1e-9)
    # the only motion that is left is a = (1, -1, 1), at the rate a.M v / a.M a
    along, mass = np.array([1.0, -1.0, 1.0]), slow(old).mass_matrix(q)
    wanted = along * (along @ mass @ v) / (along @ mass @ along)
    assert state.v == pytest.approx(wanted, rel=1e-12)   # one division
    assert state.kinetic_energy_after == pytest.approx(0.5 * wanted @ mass @ wanted)
    with pytest.raises(LoopOpenError, match='a/start'):   # 0.5 m cannot end at 0.2 m
        mbd_ros.carry_over(old, q, v, model_of(graph_of(
            'a: bar, b: bar', docked('a.side', 'b.start'),
            'parent: b.far, child: a.start, closes_loop: true', types=BAR)))


@pytest.mark.parametrize(('named', 'kind', 'message'), [
    ({'positions': {'b/strt': 0.0}}, UnknownNameError, "no joint named 'b/strt'.*'b/start'"),
    ({'positions': {'b/start': np.nan}}, NotFiniteError, "of joint 'b/start' is nan"),
    ({'positions': {'floating_base': 0.0}}, InvalidValueError, 'joints with one coordinate'),
    ({'twists': {'c/hull': [0.0] * 6}}, UnknownNameError, "no link named 'c/hull'"),
    ({'twists': {'b/hull': [0.0] * 5}}, ShapeError, r"of link 'b/hull' has shape \(5,\)"),
    ({'twists': {'b/hull': [np.inf] * 6}}, NotFiniteError, "of link 'b/hull' is inf"),
])
def test_arguments_are_checked(named, kind, message):
    model = model_of(graph_of('a: cube, b: cube', docked('a.front', 'b.start'),
                              motion='floating'))
    q = np.array([0, 0, 0, 0, 0, 0, 1.0, 0.0])
    with pytest.raises(kind, match=message):
        mbd_ros.carry_over(model, q, np.zeros(7), model, **named)


def test_positions_beyond_the_limits():
    model = model_of(graph_of('a: cube, b: arm', docked('a.front', 'b.foot'), types=CUBE + ARM))
    with pytest.raises(InvalidValueError, match=r"joint 'b/elbow' is 3.0; allowed: -2 to 1.745"):
        mbd_ros.carry_over(model, [0.0], [0.0], model, positions={'b/elbow': 3.0})
