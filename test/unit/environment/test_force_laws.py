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

"""Force laws: a wind as the page tells it, and a ballast, which is known exactly."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
import pickle
import re
import sys
from types import ModuleType
from typing import NamedTuple

from loop_models import case_model, many_legs
from mbd_msgs.srv import ForwardDynamics
import numpy as np
import pytest
from random_loops import random_loops
from robots import chain, model_of, random_state, urdf
from trajectory_msgs.msg import JointTrajectoryPoint

import mbd_ros
from mbd_ros import Futures
from mbd_ros.control.tracking.payload import LoadedDynamics, Payload
from mbd_ros.dynamics.algorithms.registry import formulation_for
from mbd_ros.dynamics.functions.effort_terms import effort_terms
from mbd_ros.environment import Law, Motion, World
from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.execution.executors.compiled import rolled_machine_code
from mbd_ros.execution.ir.origin import origin_of
from mbd_ros.execution.program.records import mapped, size_of, structure_of
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.execution.rolled.tables import rolled_kinds
from mbd_ros.execution.unrolled.code import trace_program
from mbd_ros.messages.dynamics import dynamics_answers as answers
from mbd_ros.messages.dynamics import dynamics_requests as requests
from mbd_ros.model.state import integrate
from mbd_ros.spatial import RigidInertia, Scalar, Symmetric3, Vector3
from mbd_ros.spatial.symmetric import UPPER

PAGE = Path(__file__).resolve().parents[3] / 'docs' / 'architecture.md'
EXECUTORS = ('interpreted', 'unrolled', 'rolled', 'lanes', 'threads', 'threads_within_state',
             'auto')
QUESTIONS = ('forward_dynamics', 'inverse_dynamics')
ROUNDING = 1e-10
"""Of results of size 1: other roundings, amplified by conditions of mass matrices below 1e5."""


def wind_of_the_page():
    """Return the module that the page shows."""
    text, = re.findall(r'```python\n(.*?)```', PAGE.read_text(encoding='utf-8'), re.DOTALL)
    assert len(text.splitlines()) <= 40
    module = ModuleType('wind_of_the_page')
    sys.modules[module.__name__] = module
    exec(compile(text, str(PAGE), 'exec'), vars(module))
    return module


PAGES = wind_of_the_page()
Air, Wind = PAGES.Air, PAGES.Wind
BREEZE = Wind(0.3, Air(Vector3(3.0, -2.0, 1.0)))


class Share(NamedTuple):
    """How much of the ballast is there."""

    amount: Scalar


@dataclass(frozen=True)
class Ballast(Law):
    """One or two rigid bodies fixed to every so many bodies: inertia, weight and energies."""

    seed: int
    every: int = 1
    world: Share = Share(1.0)
    name: str = 'ballast'

    def constants(self, model, i):
        rng = np.random.default_rng([self.seed, i])
        return tuple(_rigid(rng) for _ in range(1 + i % 2)) if i % self.every == 0 else ()

    def _total(self, constants, world):
        first, *others = constants
        for other in others:
            first = first + other
        return mapped(first, lambda scalar: scalar * world.own.amount)

    def load(self, constants, motion: Motion, world: World):
        own = self._total(constants, world)   # the weight is that of the inertia
        return own.gyroscopic(motion.velocity.angular) * -1.0

    def inertia(self, constants, motion, world):
        return self._total(constants, world).articulated()

    def energy(self, constants, motion, world):
        own = self._total(constants, world)
        moment = (motion.pose.translation * own.mass
                  + motion.pose.rotation.apply(own.first_moment))
        return own.kinetic_energy(motion.velocity), world.gravity.dot(moment) * -1.0


def _rigid(rng):
    """Return a random rigid inertia about an origin."""
    mass, center, root = rng.uniform(0.2, 1.0), rng.normal(size=3), rng.normal(size=(3, 3))
    second = root @ root.T + mass * np.outer(center, center)
    inertia = np.trace(second) * np.eye(3) - second
    return RigidInertia(float(mass), Vector3(*(mass * center)),
                        Symmetric3(*(float(inertia[i, j]) for i, j in UPPER)))


def heavier(model, law):
    """Return a model whose own inertias hold the ballast."""
    masses, centers, inertias = (np.array(part) for part in (
        model.masses, model.mass_centers, model.inertias))

    def shifted(mass, center):
        return mass * (center @ center * np.eye(3) - np.outer(center, center))

    for i in range(model.nb):
        total, moment = masses[i], masses[i] * centers[i]
        about_origin = inertias[i] + shifted(masses[i], centers[i])
        for part in law.constants(model, i):
            total, moment = total + part.mass, moment + np.array(part.first_moment)
            about_origin = about_origin + np.array(part.rotational.matrix())
        masses[i], centers[i] = total, moment / total
        inertias[i] = about_origin - shifted(total, centers[i])
    return replace(model, masses=masses, mass_centers=centers, inertias=inertias)


def close(found, expected, allowed=ROUNDING):
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=allowed * scale)


def branched(floating):
    """Return a branched robot with joints of several coordinates."""
    kinds = ['floating' if floating else 'revolute', 'spherical', 'prismatic', 'revolute',
             'planar', 'revolute', 'revolute']
    return model_of([0, 1, 1, 3, 2, 2, 6], kinds, 4)


def pool():
    return Futures(ThreadPoolExecutor(2), rows=3)


@pytest.mark.parametrize('executor', EXECUTORS)
@pytest.mark.parametrize(('floating', 'every'), [(False, 2), (True, 1)])
def test_ballast_is_mass(executor, floating, every):
    bare, law = branched(floating), Ballast(3, every)
    model, expected = bare.with_laws(law), heavier(bare, law)
    states = [random_state(model, seed) for seed in range(9)]
    rows = [np.array(part) for part in zip(*states)]
    for question in QUESTIONS:
        call = getattr(mbd_ros, question)
        wanted = call(expected, *rows, executor='interpreted')
        close(call(model, *rows, executor=executor), wanted)
        close(call(model, *states[0], executor=executor), wanted[0])
    close(mbd_ros.bias_forces(model, *rows[:2], executor=executor),
          mbd_ros.bias_forces(expected, *rows[:2]))
    close(mbd_ros.mass_matrix(model, rows[0], executor=executor),
          mbd_ros.mass_matrix(expected, rows[0]))


@pytest.mark.parametrize('floating', [False, True])
def test_energies_and_derivatives_of_ballast(floating):
    bare, law = branched(floating), Ballast(5, 2)
    model, expected = bare.with_laws(law), heavier(bare, law)
    q, v, third = random_state(model, 2)
    close(mbd_ros.energy(model, q, v), mbd_ros.energy(expected, q, v))
    for question in QUESTIONS:  # of a model without laws by the analytic equations
        call = getattr(mbd_ros, f'{question}_derivatives')
        for found, wanted in zip(call(model, q, v, third), call(expected, q, v, third)):
            close(found, wanted, 1e-9)  # derivatives have one more factor of the condition
    many = mbd_ros.inverse_dynamics_derivatives(model, np.array([q, q]), v, third)
    close(many.dq[1], mbd_ros.inverse_dynamics_derivatives(expected, q, v, third).dq)


@pytest.mark.parametrize(('executor', 'springs'), [
    *((executor, 0) for executor in (*EXECUTORS, pool())), ('unrolled', 2), ('rolled', 2)])
def test_ballast_in_closed_loops(executor, springs):
    bare, q, v = random_loops(11, 7, 1, springs, ('revolute',))
    law = Ballast(8, 2)
    model, expected = bare.with_laws(law), heavier(bare, law)
    tau = np.linspace(-2.0, 2.0, model.nv)
    wanted = mbd_ros.forward_dynamics(expected, q, v, tau, executor='interpreted')
    close(mbd_ros.forward_dynamics(model, q, v, tau, executor=executor), wanted, 1e-8)
    wanted = mbd_ros.inverse_dynamics(expected, q, v, tau, executor='interpreted')
    close(mbd_ros.inverse_dynamics(model, q, v, tau, executor=executor), wanted)
    if executor == 'auto':
        for found, other in zip(mbd_ros.constrained_dynamics(model, q, v, tau)[:2],
                                mbd_ros.constrained_dynamics(expected, q, v, tau)[:2]):
            close(found, other, 1e-8)  # loops of random frames: conditions up to 1e7
        for found, other in zip(mbd_ros.forward_dynamics_derivatives(model, q, v, tau),
                                mbd_ros.forward_dynamics_derivatives(expected, q, v, tau)):
            close(found, other, 1e-7)


# Of 216 bodies there are segments for registers of 2, 4 and 8 numbers; of 211 for 8 alone.
LONG = {'segments of a chain': (lambda: mbd_ros.load(chain(216, 3)), None, 'segments in lanes'),
        'a long chain': (lambda: mbd_ros.load(chain(60, 3)), None, 'rolled'),
        'a ring': (lambda: case_model('ngon51_rest_regular'), None, 'segments in lanes'),
        'legs in straight-line code': (lambda: many_legs(4, 3, 1), None, 'unrolled, 4 lanes'),
        'long legs': (lambda: many_legs(4, 12, 1), None, 'lanes'),
        'legs on threads': (lambda: mbd_ros.load(urdf(
            [0, *range(1, 40), 1, *range(41, 80)], ['revolute'] * 80, 2)),
            'threads_within_state', 'threads')}


@pytest.mark.parametrize('case', LONG)
def test_ways_of_large_robots(case):
    """Each that runs one state in parts; the wind reads true poses and velocities in all."""
    make, executor, how = LONG[case]
    model = make()
    # Segments must be alike, as long as a ring has few of them.
    model = model.with_laws(Wind(0.01, BREEZE.world), Ballast(2, 300 if model.loops else 3))
    q, v, tau = random_state(model, 6)
    if model.loops:
        q, v = mbd_ros.close_loops(model, 0.1 * q, 0.1 * v)
    dyn = mbd_ros.compile(model, executor=executor)
    assert how in dyn.how('forward_dynamics')
    expected = mbd_ros.forward_dynamics(model, q, v, tau, executor='interpreted')
    # Long chains of random bodies: rounding grows with the square of their length.
    close(dyn.forward_dynamics(q, v, tau), expected, 1e-7)
    other = mbd_ros.forward_dynamics(model, q, v, tau, executor='rolled')
    close(other, expected, 1e-7)
    close(dyn.inverse_dynamics(q, v, tau), mbd_ros.inverse_dynamics(
        model, q, v, tau, executor='interpreted'))


def drag(model, q, v, air=BREEZE.world.wind, factor=BREEZE.drag):
    """Return the wind's force (nb, 3), moment about the origins, and power, by NumPy."""
    dyn = mbd_ros.compile(model)
    poses, rates = dyn.body_poses(q), dyn.body_velocities(q, v)
    arms = np.einsum('bij,bj->bi', poses[:, :3, :3], model.mass_centers)
    speed = rates[:, :3] + np.cross(rates[:, 3:], arms)
    slip = np.array(air) - speed
    force = factor * np.linalg.norm(slip, axis=1)[:, None] * slip
    return force, np.cross(arms, force), np.einsum('bi,bi->', force, speed)


@pytest.mark.parametrize('floating', [False, True])
def test_the_wind_is_an_external_force(floating):
    bare = branched(floating)
    model = bare.with_laws(BREEZE)
    q, v, third = random_state(model, 1)
    force, moment, _ = drag(model, q, v)
    loads = {name: [*f, *n] for name, f, n in zip(model.body_names, force, moment)}
    for question in QUESTIONS:
        call = getattr(mbd_ros, question)
        close(call(model, q, v, third), call(bare, q, v, third, external_forces=loads))
    accelerations = mbd_ros.forward_dynamics(model, q, v, third)
    close(mbd_ros.inverse_dynamics(model, q, v, accelerations), third)
    close(mbd_ros.mass_matrix(model, q), mbd_ros.mass_matrix(bare, q))
    close(mbd_ros.energy(model, q, v), mbd_ros.energy(bare, q, v))


@pytest.mark.parametrize('floating', [False, True])
@pytest.mark.parametrize('question', QUESTIONS)
def test_derivatives_are_those_of_differences(floating, question):
    model = branched(floating).with_laws(BREEZE)
    q, v, third = random_state(model, 7)
    call, h = getattr(mbd_ros, question), 1e-5
    found = getattr(mbd_ros, f'{question}_derivatives')(model, q, v, third)
    for k, step in enumerate(h * np.eye(model.nv)):
        ends = [[call(model, integrate(model, q, s * step), v, third),
                 call(model, q, v + s * step, third), call(model, q, v, third + s * step)]
                for s in (1.0, -1.0)]
        for matrix, ahead, behind in zip(found, *ends):
            # Truncation h^2 times third derivatives, which grow with the condition of M.
            close(matrix[:, k], (ahead - behind) / (2.0 * h), 1e-5)


def test_derivatives_at_rest_in_still_air():
    """Where the speed has no derivative, the force has: zero."""
    bare = mbd_ros.load(chain(3, 2))
    model = bare.with_laws(Wind(0.3))
    q, v, tau = random_state(bare, 3)
    for found, expected in zip(mbd_ros.forward_dynamics_derivatives(model, q, 0.0 * v, tau),
                               mbd_ros.forward_dynamics_derivatives(bare, q, 0.0 * v, tau)):
        close(found, expected)


@pytest.mark.parametrize('loops', [False, True])
def test_power_balance(loops):
    """What the energy gains is the work of the wind."""
    if loops:
        bare, q, v = random_loops(11, 6, 1, 0, ('revolute',))
        q, v = mbd_ros.close_loops(bare, q, 0.1 * v)
    else:
        bare = branched(True)
        q, v, _ = random_state(bare, 9)
    model = bare.with_laws(BREEZE, Ballast(4, 2))
    run = mbd_ros.simulate(model, q, v, 0.1, step=2e-4)
    power = [drag(model, *state)[2] for state in zip(run.q, run.v)]
    work = np.concatenate([[0.0], np.cumsum(np.diff(run.time) * 0.5 * np.add(
        power[1:], power[:-1]))])
    # Trapezoids of steps of 2e-4 s: h^2 / 12 of the power's second derivative, below 1e5.
    close(run.energy - run.energy[0], work, 1e-5)
    assert np.abs(work).max() > 0.01


def test_services_answer_with_the_wind():
    """Requests to arrays, dynamics as ``dynamics_server`` asks for them, arrays to answers."""
    bare = mbd_ros.load(chain(3, 2))
    model = bare.with_laws(BREEZE)
    q, v, tau = random_state(model, 8)
    names, order = list(reversed(model.joint_names)), [2, 1, 0]
    request = ForwardDynamics.Request(joint_names=names, executor='rolled', points=[
        JointTrajectoryPoint(positions=q[order], velocities=v[order], effort=tau[order])])
    states = requests.read_forward(model, request)
    terms = requests.read_terms(model, request, [0.0, 0.0, -9.81])
    response = ForwardDynamics.Response()
    answers.write_accelerations(response, request.points, states.order, mbd_ros.forward_dynamics(
        model, states.q, states.v, states.driven, **terms))
    force, moment, _ = drag(model, q, v)
    loads = {name: [*f, *n] for name, f, n in zip(model.body_names, force, moment)}
    close(np.array(response.points[0].accelerations)[order],
          mbd_ros.forward_dynamics(bare, q, v, tau, external_forces=loads))


def test_a_change_of_the_world_compiles_nothing():
    bare = branched(True)
    calm, storm = Wind(0.3), Wind(0.3, Air(Vector3(-9.0, 4.0, 2.0)))
    model = bare.with_laws(calm, Ballast(3))
    q, v, tau = random_state(model, 5)
    expected = mbd_ros.forward_dynamics(bare.with_laws(storm, Ballast(3)), q, v, tau)
    dyn = mbd_ros.compile(model, world={'wind': storm.world})
    close(dyn.forward_dynamics(q, v, tau), expected)
    kernels = dict(dyn._kernels)
    dyn = pickle.loads(pickle.dumps(dyn))
    assert dyn.world == {'wind': storm.world, 'ballast': Share(1.0)}
    close(dyn.forward_dynamics(q, v, tau), expected)
    own = type(dyn)(model)
    first = own.forward_dynamics(q, v, tau)
    kernel = own._kernels['forward_dynamics']
    own.change_world(wind={'wind': (-9.0, 4.0, 2.0)})
    close(own.forward_dynamics(q, v, tau), expected)
    own.change_world(ballast=Share(0.0), wind=calm.world)
    close(own.forward_dynamics(q, v, tau), mbd_ros.forward_dynamics(
        bare.with_laws(calm), q, v, tau))
    own.change_world(ballast=Share(1.0))
    np.testing.assert_array_equal(own.forward_dynamics(q, v, tau), first)
    assert own._kernels['forward_dynamics'] is kernel
    assert kernels['forward_dynamics'] is kernel  # of the model, whatever the world


def test_a_payload_in_the_wind():
    bare = mbd_ros.load(chain(4, 3))
    model, payload = bare.with_laws(BREEZE), Payload('link004', 2.0, (0.1, 0.2, -0.1))
    q, v, qdd = random_state(bare, 4)
    found, plain = LoadedDynamics(model, payload), LoadedDynamics(bare, payload)
    difference = mbd_ros.inverse_dynamics(model, q, v, qdd) - mbd_ros.inverse_dynamics(
        bare, q, v, qdd)
    close(found.inverse_dynamics(q, v, qdd) - plain.inverse_dynamics(q, v, qdd), difference)
    close(found.mass_matrix(q), plain.mass_matrix(q))


def test_terms_of_efforts():
    bare = branched(True)
    model = bare.with_laws(BREEZE, Ballast(3))
    q, v, qdd = random_state(bare, 4)
    terms = effort_terms(model, q, v, qdd)
    close(sum(terms.values()), mbd_ros.inverse_dynamics(model, q, v, qdd))
    close(terms['inertial'], mbd_ros.mass_matrix(bare, q) @ qdd)


def test_equal_laws_are_one_model():
    bare = mbd_ros.load(chain(2, 1))
    model = bare.with_laws(Wind(0.5))
    assert model is bare.with_laws(Wind(0.5))
    assert model.laws == (Wind(0.5),)
    assert model is not bare.with_laws(Wind(0.6))
    assert not bare.laws
    assert model.with_laws().laws == ()
    assert pickle.loads(pickle.dumps(model)).laws == model.laws


def test_a_law_that_does_nothing_adds_no_operations():
    bare = mbd_ros.load(chain(4, 1))
    program = formulation_for(bare, 'closed_loop').programs(bare)['forward_dynamics']

    def count(model):
        trace, results = trace_program(program, model)
        return len(trace.needed(results))

    assert count(bare.with_laws(Ballast(1, every=100))) > count(bare)  # on body 0 only
    assert count(bare.with_laws(Wind(0.0))) == count(bare)


def test_robots_under_one_law_share_rolled_code():
    """Its constants are loaded, and what it reads of the world; only its structure is in code."""
    law = Wind(0.2, Air(Vector3(1.0, 2.0, 3.0)))
    robots = [mbd_ros.load(chain(50 + k, k)).with_laws(law) for k in (1, 2)]
    before = rolled_machine_code.cache_info().misses
    for model in robots:
        q, v, tau = random_state(model, 1)
        found = mbd_ros.forward_dynamics(model, q, v, tau, executor='rolled')
        close(mbd_ros.inverse_dynamics(model, q, v, found, executor='interpreted'), tau, 1e-7)
    assert rolled_machine_code.cache_info().misses == before + 1
    kinds, *_ = rolled_kinds(robots[0], formulation_for(robots[0]).programs(robots[0])[
        'forward_dynamics'])
    assert len(kinds) == 1
    assert size_of(kinds[0].body) == size_of(structure_of(tree_of(robots[1]).bodies[0]))


def test_code_on_disk_is_found_by_laws_of_the_package_only(tmp_path, monkeypatch):
    monkeypatch.setenv('MBD_ROS_CACHE', str(tmp_path))
    bare = mbd_ros.load(chain(2, 1))
    program = formulation_for(bare, 'closed_loop').programs(bare)['forward_dynamics']
    laws = Wind(0.1), Wind(0.2), Wind(0.1, Air(Vector3(1.0, 0.0, 0.0)))
    assert origin_of(program, bare.with_laws(laws[0])) is None  # its text is not known here
    for kind in (Wind, Air):
        monkeypatch.setattr(kind, '__module__', 'mbd_ros.environment.wind')
    origins = [origin_of(program, bare), *(origin_of(program, bare.with_laws(law))
                                           for law in laws)]
    assert None not in origins
    assert len(set(origins)) == len(origins)


@pytest.mark.parametrize(('laws', 'message'), [
    ((Wind(0.1), Wind(0.2)), r"names of laws is \['wind', 'wind'\]; allowed: different ones"),
    (((1.0, 2.0),), 'frozen dataclass'), ((Wind,), 'frozen dataclass'),
    ((Wind([0.1]),), 'can be hashed')])
def test_what_is_no_law(laws, message):
    with pytest.raises(InvalidValueError, match=message):
        mbd_ros.load(chain(1, 1)).with_laws(*laws)


@pytest.mark.parametrize(('world', 'error', 'message'), [
    ({'rain': Air(Vector3(0.0, 0.0, 0.0))}, UnknownNameError, "no force law named 'rain'"),
    ({'wind': {'speed': 1.0}}, UnknownNameError, "no field of force law 'wind' named 'speed'"),
    ({'wind': {'wind': (1.0, 2.0)}}, InvalidValueError, '3 finite numbers'),
    ({'wind': (1.0, 2.0, np.nan)}, InvalidValueError, '3 finite numbers')])
def test_what_is_no_world(world, error, message):
    model = mbd_ros.load(chain(1, 1)).with_laws(BREEZE)
    with pytest.raises(error, match=message):
        mbd_ros.compile(model, world=world)


@pytest.mark.parametrize('formulation', ['jourdain', 'kane', 'augmented'])
def test_formulations_in_arrays_take_laws(formulation):
    model = mbd_ros.load(chain(3, 1)).with_laws(BREEZE)
    q, v, tau = random_state(model, 1)
    found = mbd_ros.forward_dynamics(model, q, v, tau, formulation=formulation)
    # Condition of M below 1e3.
    np.testing.assert_allclose(found, mbd_ros.forward_dynamics(model, q, v, tau), rtol=1e-11)
