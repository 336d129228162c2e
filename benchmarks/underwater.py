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

"""
An arm in water, swarms and snakes, a walk, and gaits against MuJoCo's model of a fluid.

MuJoCo has no buoyancy, which ``gravcomp`` stands for here, and no added mass in its inertias: its
ellipsoids add forces by the velocity. Its feet touch the ground by constraints, ours by springs;
both sides take one step of semi-implicit Euler for each evaluation of the dynamics, with the same
targets and gains of joints.

"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
import re
import time
import warnings

import mujoco
from mujoco.rollout import Rollout
import numpy as np
from numpy.typing import NDArray
import yaml

from benchmarks.timing import interleaved, Timing
import mbd_ros
from mbd_ros.control import Gait, gait_from_data, GaitControl
from mbd_ros.description.modules import assemble
from mbd_ros.description.modules.reader import read_module_graph
from mbd_ros.description.write.mjcf import mjcf_text
from mbd_ros.model import build_model, JointType, Model
from mbd_ros.model.joints.joint_manifold import MANIFOLDS

Array = NDArray[np.float64]

CONFIG = Path(__file__).parents[1] / 'config'
COUNTS = (10, 100, 1000)
ROBOTS, STEPS, STEP = 4096, 10, 5e-4
STIFFNESS, DAMPING = 2000.0, 120.0
NAMED = ('swarm', 'snake')
MODULE = (
    '<link name="m{k}"><inertial><mass value="6.75"/><inertia ixx="0.0253" iyy="0.0633" '
    'izz="0.0633" ixy="0" ixz="0" iyz="0"/></inertial><mbd:fluid><volume value="0.00675"/>'
    '<fluid_added_mass xx="2.43" yy="5.34" zz="5.34" pp="0.007" qq="0.04" rr="0.04"/>'
    '<quadratic_drag force="10.1 27 27" moment="0.0057 0.0238 0.0238"/></mbd:fluid></link>')
"""A cuboid of 0.3 m x 0.15 m x 0.15 m as heavy as water."""
AROUND = (
    '<mbd:fluid><origin xyz="0.01 0.02 0.03"/><volume value="0.003"/>'
    '<fluid_added_mass xx="1.1" yy="1.3" zz="0.9" pp="0.02" qq="0.03" rr="0.01"/>'
    '<linear_drag force="1 2 3" moment="0.1 0.2 0.3"/>'
    '<quadratic_drag force="10 20 30" moment="1 2 3"/></mbd:fluid>')
"""A link of an arm: added mass and both kinds of drag about a point of its own."""


def arms() -> Iterator[str]:
    """Yield a table of forward dynamics of an arm in water, line by line."""
    yield ('| Panda, water around its seven links | in a vacuum [ns/state] | in water [ns/state] '
           '| water over vacuum: median (min-max) |')
    yield '|---|---|---|---|'
    text = (CONFIG.parent / 'urdf' / 'panda.urdf').read_text(encoding='utf-8')
    wet = text.replace('<robot ', '<robot xmlns:mbd="urn:mbd_ros" ', 1).replace(
        '</inertial>', f'</inertial>{AROUND}')
    ways = {'water': mbd_ros.compile(mbd_ros.load(wet), fluid=mbd_ros.Fluid()),
            'vacuum': mbd_ros.compile(mbd_ros.load(text))}
    rng = np.random.default_rng(0)
    for title, shape, count in (('one state', (3, 7), 1), ('a batch', (3, 4096, 7), 4096)):
        state = tuple(rng.normal(size=shape))
        times = interleaved({name: (dyn.forward_dynamics, state) for name, dyn in ways.items()})
        yield (f'| {title} | {1e3 * times["vacuum"].median / count:.3g} | '
               f'{1e3 * times["water"].median / count:.3g} | '
               f'{_spread(times["water"].ratio_to(times["vacuum"]))} |')


def modules() -> Iterator[str]:
    """Yield a table of forward dynamics of many modules in one state, line by line."""
    yield ('| robot | ' + ' | '.join(f'{count} modules [ns/module]' for count in COUNTS)
           + ' | 1000 over 100, a module: median (min-max) | in a vacuum | '
           'water over vacuum, 1000 |')
    yield '|---' * (len(COUNTS) + 4) + '|'
    for name in NAMED:
        calls = {}
        for count in COUNTS:
            model = many(name, count)
            rng = np.random.default_rng(count)
            state = (mbd_ros.random_configuration(model, rng), 0.3 * rng.normal(size=model.nv),
                     rng.normal(size=model.nv))
            for where, fluid in (('water', mbd_ros.Fluid()), ('vacuum', None)):
                calls[f'{where} {count}'] = (
                    mbd_ros.compile(model, fluid=fluid).forward_dynamics, state)
        times = interleaved(calls)
        figures = ' | '.join(f'{1e3 * times[f"water {count}"].median / count:.3g}'
                             for count in COUNTS)
        flat = [_spread(_each(times[f'{where} 1000'], 1000).ratio_to(
            _each(times[f'{where} 100'], 100))) for where in ('water', 'vacuum')]
        costs = _spread(times['water 1000'].ratio_to(times['vacuum 1000']))
        yield f'| {name} | {figures} | {flat[0]} | {flat[1]} | {costs} |'


def many(name: str, count: int) -> Model:
    """Return a swarm or a snake of so many modules."""
    swarm = name == 'swarm'
    links = ''.join(MODULE.format(k=k) for k in range(count))
    joints = ''.join(
        f'<joint name="j{k}" type="floating"><parent link="sea"/><child link="m{k}"/></joint>'
        if swarm else
        f'<joint name="j{k}" type="continuous"><parent link="m{k - 1}"/><child link="m{k}"/>'
        f'<origin xyz="0.3 0 0"/><axis xyz="0 {k % 2} {1 - k % 2}"/></joint>'
        for k in range(0 if swarm else 1, count))
    sea = '<link name="sea"/>' if swarm else ''
    return mbd_ros.load(f'<robot name="{name}" xmlns:mbd="urn:mbd_ros">{sea}{links}{joints}'
                        '</robot>', floating_base=not swarm)


def gaits() -> Iterator[str]:
    """Yield a table of a batch of gaits that differ, line by line."""
    yield ('| the quadruped, 4096 gaits, one thread | mbd_ros [us/step] | mujoco.rollout [us/step]'
           ' | rollout / mbd_ros: median (min-max) |')
    yield '|---|---|---|---|'
    for title, ground in (('in water', False), ('in water, on the ground', True)):
        model = mbd_ros.load(CONFIG / 'modules' / 'quadruped.yaml')
        with open(CONFIG / 'gaits' / 'crawl.yaml', encoding='utf-8') as file:
            gait = gait_from_data(yaml.safe_load(file))
        begin, targets = _variations(model, gait)
        times = interleaved({
            'mbd_ros': (Swimmers(model, ground).run, (begin, targets)),
            'rollout': _rollout(model, ground, begin, targets)}, rounds=7, seconds=1.0, fewest=1)
        steps = ROBOTS * STEPS
        ours, theirs = (times[name] for name in ('mbd_ros', 'rollout'))
        yield (f'| {title} | {ours.median / steps:.3g} | {theirs.median / steps:.3g} | '
               f'{_spread(theirs.ratio_to(ours))} |')


def walks() -> Iterator[str]:
    """Yield a table of one quadruped that walks on the sea bed, line by line."""
    yield ('| the quadruped walks for 20 s, with the audit of energy, one thread | steps | '
           'processor time [us/step] | times as fast as real time | energy that steps made over '
           'what was exchanged |')
    yield '|---|---|---|---|---|'
    ten = mbd_ros.load(CONFIG / 'modules' / 'quadruped.yaml')
    with open(CONFIG / 'gaits' / 'crawl.yaml', encoding='utf-8') as file:
        gait = gait_from_data(yaml.safe_load(file))
    for title, plain, factor in (('feet as described', ten, 1.0),
                                 ('a hundred times as stiff', ten, 100.0),
                                 ('twelve modules, feet as described', twelve(), 1.0)):
        model = build_model(replace(plain.mechanism, contacts=tuple(
            replace(one, stiffness=factor * one.stiffness, damping=factor ** 0.5 * one.damping)
            for one in plain.mechanism.contacts)))
        q = mbd_ros.neutral(model)
        q[[model.q_offsets[model.joint_index(name)] for name in gait.joints]] = (
            gait.targets(0.0).positions)
        for method, step in (('rk4', 5e-4), ('contact', 5e-4), ('contact', 1e-3)):
            times = []
            for duration in (2.0, 2.0, 22.0):   # compiled and begun by the first two
                begin = time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter('ignore', mbd_ros.errors.ContactWarning)
                    run = mbd_ros.simulate(
                        model, q, np.zeros(model.nv), duration, method=method, step=step,
                        record_every=20, ground=mbd_ros.Ground(), gravity=(0.0, 0.0, -9.8),
                        tau=GaitControl(model, gait, STIFFNESS, DAMPING))
                times.append(time.process_time() - begin)
            made = run.balance + run.parts.get('integrator', 0.0)
            cost = (times[2] - times[1]) / 20.0
            yield (f'| {title} | {method}, {1e3 * step:g} ms | {1e6 * cost * step:.2f} | '
                   f'{1.0 / cost:.0f} | {np.abs(made).max() / run.exchanged:.0e} |')


def twelve() -> Model:
    """
    Return the quadruped with a body of four modules in place of two, rigidly docked.

    Each half is cut across into two of half its length: mass and inertia are those of the half;
    of the fluid forces along and across are, and moments go with the cubes of lengths, those of
    drag with the fourth powers, which leaves the body as a whole less than it had.
    """
    with open(CONFIG / 'modules' / 'quadruped.yaml', encoding='utf-8') as file:
        graph = yaml.safe_load(file)
    half = graph['types'].pop('half')
    ports, hull = half['ports'], half['bodies']['hull']
    a, b, c = hull['visuals'][0]['box']
    mass, fluid = 0.5 * hull['mass'], hull['fluid']
    m = mass / 12.0
    hull.update(mass=mass, inertia=[m * (b * b + c * c), m * (0.25 * a * a + c * c),
                                    m * (0.25 * a * a + b * b)])
    fluid['volume'] *= 0.5
    for name, power in (('added_mass', 8.0), ('quadratic_drag', 16.0)):
        scale = [2.0, 2.0, 2.0, 2.0, power, power]
        fluid[name] = [x / y for x, y in zip(fluid[name], scale)]
    hull['visuals'][0]['box'][0] = 0.5 * a
    for place in (hull['center'], fluid['position'], hull['visuals'][0]['position']):
        place[0] = 0.25 * a
    for side in ('left_hip', 'right_hip'):
        ports[side]['position'][0] -= 0.5 * a
    ports['front'] = {'position': [0.5 * a, 0, 0], 'connector': 'body'}
    graph['types']['quarter'] = half
    graph['instances'].update(s0='quarter', s1='quarter', s10='quarter', s11='quarter')
    # s0 and s1 keep the legs; s10 and s11 lie between them.
    graph['connections'][0:1] = [{'parent': 's0.back', 'child': 's10.front'},
                                 {'parent': 's10.back', 'child': 's11.back'},
                                 {'parent': 's11.front', 'child': 's1.back'}]
    return build_model(assemble(read_module_graph(yaml.safe_dump(graph), 'twelve modules')))


class Swimmers:
    """
    Robots of one kind that move side by side.

    Parameters
    ----------
    model : Model
        The quadruped.
    ground : bool
        Whether there is one.

    """

    def __init__(self, model: Model, ground: bool) -> None:
        self._model, self._base = model, MANIFOLDS[JointType.FLOATING]
        self._dynamics = mbd_ros.compile(
            model, fluid=mbd_ros.Fluid(), ground=mbd_ros.Ground() if ground else None)

    def run(self, begin: Array, targets: Array) -> tuple[Array, Array]:
        """Return q and v of all after following targets (steps, robots, joints)."""
        q, v = begin.copy(), np.zeros((len(begin), self._model.nv))
        tau = np.zeros_like(v)
        for wanted in targets:
            tau[:, 6:] = STIFFNESS * (wanted - q[:, 7:]) - DAMPING * v[:, 6:]
            v += STEP * self._dynamics.forward_dynamics(q, v, tau)
            q[:, 7:] += STEP * v[:, 6:]
            q[:, :7] += STEP * np.stack(self._base.rate(tuple(q[:, :7].T), tuple(v[:, :6].T)), 1)
            q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
        return q, v


def _variations(model: Model, gait: Gait) -> tuple[Array, Array]:
    """Return where robots begin, and targets (steps, robots, joints) of gaits that differ."""
    rng = np.random.default_rng(0)
    places = [model.q_offsets[model.joint_index(name)] - 7 for name in gait.joints]
    rest = np.array(gait.targets(0.0).positions)
    wide, fast = rng.uniform(0.5, 1.5, (2, ROBOTS, 1))
    targets = np.zeros((STEPS, ROBOTS, model.nv - 6))
    for k in range(STEPS):
        phases = np.array([gait.targets(2.0 + STEP * k * one).positions for one in fast[:64, 0]])
        targets[k][:, places] = rest + wide * (np.tile(phases, (ROBOTS // 64, 1)) - rest)
    begin = np.tile(mbd_ros.neutral(model), (ROBOTS, 1))
    begin[:, 2:7] = (1.2, 1.0, 0.0, 0.0, 0.0)
    begin[:, 7:] = targets[0]
    return begin, targets


def _rollout(model: Model, ground: bool, begin: Array, targets: Array
             ) -> tuple[object, tuple[object, ...]]:
    """Return the same run by MuJoCo, with a box for each module."""
    peer = mujoco.MjModel.from_xml_string(_with_water(model, ground))
    assert [peer.joint(k).name for k in range(1, peer.njnt)] == list(model.joint_names[1:])
    q = begin.copy()
    q[:, 3:7] = begin[:, [6, 3, 4, 5]]
    states = np.hstack([np.zeros((ROBOTS, 1)), q, np.zeros((ROBOTS, model.nv))])
    controls = np.ascontiguousarray(targets.transpose(1, 0, 2))
    rollout, data = Rollout(nthread=0), mujoco.MjData(peer)
    end = rollout.rollout(peer, [data], states, controls)[0][:, -1]
    ours, _ = Swimmers(model, ground).run(begin, targets)
    # Another fluid and other feet, the same robot: it is where ours is to a centimetre.
    np.testing.assert_allclose(end[:, 1:4], ours[:, :3], atol=1e-2)
    np.testing.assert_allclose(end[:, 8:16], ours[:, 7:], atol=5e-2)
    return rollout.rollout, (peer, [data], states, controls)


def _with_water(model: Model, ground: bool) -> str:
    """Return the robot as MJCF in MuJoCo's fluid, with the displaced weight as ``gravcomp``."""
    mechanism = model.mechanism
    text = mjcf_text(replace(mechanism, fluids=(), contacts=(), thrusters=()))
    feet = {body.link: body.points for body in mechanism.contacts}
    masses = {link.name: link.inertia.mass for link in mechanism.links if link.inertia}
    for body in mechanism.fluids:
        x, y, z = body.frame.translation
        width = 0.3 if body.volume > 0.02 else 0.15
        geoms = (f'<geom type="box" size="0.325 {width / 2} 0.075" pos="{x} {y} {z}" mass="0" '
                 'contype="0" conaffinity="0" fluidshape="ellipsoid"/>')
        for px, py, pz in feet.get(body.link, ()) if ground else ():
            geoms += f'<geom type="sphere" size="0.005" pos="{px} {py} {pz}" mass="0"/>'
        lifted = 1000.0 * body.volume / masses[body.link]
        text = re.sub(rf'(<body name="{body.link}")(.*?<inertial .*?/>)',
                      rf'\1 gravcomp="{lifted}"\2{geoms}', text, count=1, flags=re.DOTALL)
    drives = ''.join(f'<position joint="{name}" kp="{STIFFNESS}" kv="{DAMPING}"/>'
                     for name in model.joint_names[1:])
    floor = '<geom type="plane" size="9 9 1"/>' if ground else ''
    return text.replace('<worldbody>', f'<option timestep="{STEP}" density="1000" '
                        f'viscosity="0"/><worldbody>{floor}', 1).replace(
        '</worldbody>', f'</worldbody><actuator>{drives}</actuator>')


def _each(timing: Timing, count: int) -> Timing:
    return Timing(tuple(one / count for one in timing.rounds))


def _spread(ratio: tuple[float, float, float]) -> str:
    low, middle, high = ratio
    return f'**{middle:.2f}** ({low:.2f}-{high:.2f})'
