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
All quantities beside dynamics against Pinocchio: prepared, as module functions, in batches.

Pinocchio's functions are called with the passes that they need first, from Python, as users do;
what they return into ``Data`` is not copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
import time
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from benchmarks.timing import interleaved
import mbd_ros

ROBOT = Path(__file__).resolve().parents[1] / 'urdf' / 'panda.urdf'
LINK = 'tool'
STATES = 1000
NOT_COMPARED = ('frame_acceleration_derivatives', 'jacobian_derivatives', 'random_configuration')
"""Random numbers; Pinocchio's other definitions, which ``test/peers`` compares with ours."""


PREPARED = 'nothing, `dyn.forward_dynamics`'
LINKED: dict[int, Callable[..., Callable[..., Any]]] = {
    1: lambda module, model, link: lambda q: module(model, q, link),
    2: lambda module, model, link: lambda q, v: module(model, q, v, link),
    3: lambda module, model, link: lambda q, v, a: module(model, q, v, a, link)}
"""Module functions of links, of as many arguments, as users call them: nothing is unpacked."""


class Pair(NamedTuple):
    """Ours prepared, ours as a module function, and Pinocchio's, of ``count`` of (q, v, qdd)."""

    count: int
    prepared: Callable[..., Any]
    module: Callable[..., Any]
    peer: Callable[..., Any]


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    yield ('| function | largest difference, relative | prepared [us] | module function [us] '
           '| Pinocchio [us] | Pinocchio / prepared: median (min-max) | Pinocchio / module '
           '| 1000 states, each [us] | Pinocchio / ours, batch |')
    yield '|---|---|---|---|---|---|---|---|---|'
    model, peer = mbd_ros.load(ROBOT), pin.buildModelFromUrdf(str(ROBOT))
    rng = np.random.default_rng(0)
    many = tuple(rng.uniform(-1.0, 1.0, (STATES, model.nv)) for _ in range(3))
    for name, pair in _pairs(model, peer).items():
        states = many[:pair.count]
        one = tuple(part[0] for part in states)

        expected = _numbers(pair.peer(*one))
        error = ''
        if name not in NOT_COMPARED:
            largest = np.abs(_numbers(pair.prepared(*one)) - expected).max()
            error = f'{largest / np.abs(expected).max():.0e}'
        alone = interleaved({'prepared': (pair.prepared, one), 'module': (pair.module, one),
                             'peer': (pair.peer, one)}, seconds=0.02,
                            clock=time.thread_time)
        low, middle, high = alone['peer'].ratio_to(alone['prepared'])
        line = (f'| `{name}` | {error} | {alone["prepared"].median:.3g} | '
                f'{alone["module"].median:.3g} | {alone["peer"].median:.3g} | '
                f'**{middle:.2g}** ({low:.2g}-{high:.2g}) | '
                f'{alone["peer"].ratio_to(alone["module"])[1]:.2g} | ')
        if name == 'random_configuration':
            states, pair = (), pair._replace(prepared=lambda: mbd_ros.random_configuration(
                model, count=STATES))

        batch = interleaved(
            {'ours': (pair.prepared, states), 'theirs': (_loop, (pair.peer, states))}, fewest=1,
            seconds=0.01, rounds=9, clock=time.thread_time)
        yield (line + f'{batch["ours"].median / STATES:.3g} | '
               f'**{batch["theirs"].ratio_to(batch["ours"])[1]:.2g}** |')


def _loop(peer: Callable[..., Any], states: tuple[Any, ...]) -> None:
    """Call a function of Pinocchio for one state after the other."""
    for state in zip(*states) if states else [()] * STATES:
        peer(*state)


def _numbers(found: Any) -> Any:
    """Return all numbers of a result, one after the other."""
    if isinstance(found, tuple):
        return np.concatenate([np.ravel(part) for part in found])
    return np.ravel(found)


def _pairs(model: mbd_ros.Model, peer: Any) -> dict[str, Pair]:
    data, dyn = peer.createData(), mbd_ros.compile(model)
    frame, world = peer.getFrameId(LINK), pin.LOCAL_WORLD_ALIGNED

    def rate(q: Any, v: Any) -> Any:
        pin.computeJointJacobiansTimeVariation(peer, data, q, v)
        pin.updateFramePlacements(peer, data)
        return pin.getFrameJacobianTimeVariation(peer, data, frame, world)

    def velocity(q: Any, v: Any) -> Any:
        pin.forwardKinematics(peer, data, q, v)
        pin.updateFramePlacement(peer, data, frame)
        return pin.getFrameVelocity(peer, data, frame, world).vector

    def acceleration(q: Any, v: Any, qdd: Any) -> Any:
        pin.forwardKinematics(peer, data, q, v, qdd)
        pin.updateFramePlacement(peer, data, frame)
        return pin.getFrameClassicalAcceleration(peer, data, frame, world).vector

    def poses(q: Any) -> Any:
        pin.framesForwardKinematics(peer, data, q)
        return [data.oMf[peer.getFrameId(name)].homogeneous for name in model.links]

    def wrenches(q: Any, v: Any, qdd: Any) -> Any:
        pin.rnea(peer, data, q, v, qdd)
        return [force.vector for force in list(data.f)[1:]]

    def energy(q: Any, v: Any) -> Any:
        return (pin.computeKineticEnergy(peer, data, q, v),
                pin.computePotentialEnergy(peer, data, q))

    def velocity_changes(q: Any, v: Any) -> Any:
        pin.computeForwardKinematicsDerivatives(peer, data, q, v, 0.0 * v)
        pin.updateFramePlacement(peer, data, frame)
        return tuple(pin.getFrameVelocityDerivatives(peer, data, frame, pin.LOCAL))

    def acceleration_changes(q: Any, v: Any, qdd: Any) -> Any:
        pin.computeForwardKinematicsDerivatives(peer, data, q, v, qdd)
        pin.updateFramePlacement(peer, data, frame)
        return tuple(pin.getFrameAccelerationDerivatives(peer, data, frame, pin.LOCAL))

    def hessian(q: Any) -> Any:
        pin.computeJointJacobians(peer, data, q)
        pin.computeJointKinematicHessians(peer, data)
        pin.updateFramePlacement(peer, data, frame)
        return pin.getFrameKinematicHessian(peer, data, frame, world)

    def center_changes(q: Any, v: Any) -> Any:
        pin.computeForwardKinematicsDerivatives(peer, data, q, v, 0.0 * v)
        pin.centerOfMass(peer, data, q, v)
        return pin.getCenterOfMassVelocityDerivatives(peer, data)

    def ours(count: int, name: str, theirs: Callable[..., Any], link: str = '') -> Pair:
        module = getattr(mbd_ros, name)
        if link:
            return Pair(count, dyn.of_link(name, link), LINKED[count](module, model, link), theirs)
        return Pair(count, getattr(dyn, name), partial(module, model), theirs)

    found = {
        'center_of_mass': ours(1, 'center_of_mass', partial(
            pin.centerOfMass, peer, data)),
        'center_of_mass_jacobian': ours(1, 'center_of_mass_jacobian', partial(
            pin.jacobianCenterOfMass, peer, data)),
        'centroidal_map': ours(1, 'centroidal_map', partial(
            pin.computeCentroidalMap, peer, data)),
        'centroidal_momentum': ours(2, 'centroidal_momentum', lambda q, v: (
            pin.computeCentroidalMomentum(peer, data, q, v).vector)),
        'coriolis_matrix': ours(2, 'coriolis_matrix', partial(
            pin.computeCoriolisMatrix, peer, data)),
        'mass_matrix': ours(1, 'mass_matrix', partial(
            pin.crba, peer, data)),
        'bias_forces': ours(2, 'bias_forces', partial(
            pin.nonLinearEffects, peer, data)),
        'gravity_forces': ours(1, 'gravity_forces', partial(
            pin.computeGeneralizedGravity, peer, data)),
        'energy': ours(2, 'energy', energy),
        'regressor': ours(3, 'regressor', partial(
            pin.computeJointTorqueRegressor, peer, data)),
        'joint_wrenches': Pair(3, dyn.joint_wrenches, dyn.joint_wrenches, wrenches),
        'link_poses': Pair(1, dyn.link_poses, lambda q: mbd_ros.link_poses(model, q), poses),
        'pose': ours(1, 'pose', lambda q: _pose(peer, data, q, frame), LINK),
        'jacobian': ours(1, 'jacobian', lambda q: (
            pin.computeFrameJacobian(peer, data, q, frame, world)), LINK),
        'jacobian_rate': ours(2, 'jacobian_rate', rate, LINK),
        'frame_velocity': ours(2, 'frame_velocity', velocity, LINK),
        'frame_acceleration': ours(3, 'frame_acceleration', acceleration, LINK),
        'integrate': ours(2, 'integrate', partial(pin.integrate, peer)),
        'difference': ours(2, 'difference', partial(pin.difference, peer)),
        'random_configuration': ours(
            0, 'random_configuration', partial(pin.randomConfiguration, peer)),
        'frame_velocity_derivatives': Pair(
            2, dyn.of_link('frame_velocity_derivatives', LINK, 'local'),
            lambda q, v: mbd_ros.frame_velocity_derivatives(model, q, v, LINK, frame='local'),
            velocity_changes),
        'frame_acceleration_derivatives': Pair(
            3, dyn.of_link('frame_acceleration_derivatives', LINK, 'local'),
            lambda q, v, a: mbd_ros.frame_acceleration_derivatives(
                model, q, v, a, LINK, frame='local'), acceleration_changes),
        'jacobian_derivatives': ours(1, 'jacobian_derivatives', hessian, LINK),
        'center_of_mass_velocity_derivatives': ours(
            2, 'center_of_mass_velocity_derivatives', center_changes),
        'centroidal_momentum_derivatives': ours(
            3, 'centroidal_momentum_derivatives', lambda q, v, a: (
                tuple(pin.computeCentroidalDynamicsDerivatives(peer, data, q, v, a)))),
        'gravity_forces_derivatives': ours(1, 'gravity_forces_derivatives', partial(
            pin.computeGeneralizedGravityDerivatives, peer, data))}
    return found


def _pose(peer: Any, data: Any, q: Any, frame: int) -> Any:
    pin.forwardKinematics(peer, data, q)
    return pin.updateFramePlacement(peer, data, frame).homogeneous


def keywords() -> Iterator[str]:
    """Yield a Markdown table: what forces and surroundings cost a call, line by line."""
    yield ('| robot | forward dynamics with | [us] '
           '| times the prepared call: median (min-max) |')
    yield '|---|---|---|---|'
    for name in ('panda', 'puma560', 'three_link_arm'):
        model = mbd_ros.load(ROBOT.with_name(f'{name}.urdf'))
        rng = np.random.default_rng(0)
        state = tuple(rng.uniform(-1.0, 1.0, model.nv) for _ in range(3))
        cases = _with_keywords(model, rng)
        found = interleaved({name: (call, state) for name, call in cases.items()}, seconds=0.02,
                            clock=time.thread_time)
        for case in cases:
            low, middle, high = found[case].ratio_to(found[PREPARED])
            yield (f'| {name} | {case} | {found[case].median:.3g} | '
                   f'{middle:.2g} ({low:.2g}-{high:.2g}) |')


def _with_keywords(model: mbd_ros.Model, rng: np.random.Generator
                   ) -> dict[str, Callable[..., Any]]:
    """Return calls with keywords as users write them, by what these are."""
    last, before = list(model.links)[-1], list(model.links)[-2]
    force, other = rng.normal(size=(2, 6))
    two = {last: force, before: other}
    gravity, ground, sea = np.array((0.0, 0.0, -1.62)), mbd_ros.Ground(), mbd_ros.Fluid(1025.0)
    call, dyn = mbd_ros.forward_dynamics, mbd_ros.compile(model)
    return {
        PREPARED: lambda q, v, tau: dyn.forward_dynamics(q, v, tau),
        'nothing': lambda q, v, tau: call(model, q, v, tau),
        '`gravity`, a tuple': lambda q, v, tau: call(model, q, v, tau, gravity=(0.0, 0.0, -1.62)),
        '`gravity`, an array': lambda q, v, tau: call(model, q, v, tau, gravity=gravity),
        '`external_forces` on one link': lambda q, v, tau: call(
            model, q, v, tau, external_forces={last: force}),
        '`external_forces` on two links': lambda q, v, tau: call(
            model, q, v, tau, external_forces=two),
        '`dissipation`': lambda q, v, tau: call(model, q, v, tau, dissipation=True),
        '`ground`': lambda q, v, tau: call(model, q, v, tau, ground=ground),
        '`fluid`': lambda q, v, tau: call(model, q, v, tau, fluid=sea),
        '`gravity`, `fluid`, force': lambda q, v, tau: call(
            model, q, v, tau, gravity=gravity, fluid=sea, external_forces={last: force})}


def formulations() -> Iterator[str]:
    """Yield a Markdown table: formulations at six bodies, line by line."""
    yield ('| forward dynamics of a PUMA 560 by | [us] | times the recursion: median (min-max) |')
    yield '|---|---|---|'
    model, rng = mbd_ros.load(ROBOT.with_name('puma560.urdf')), np.random.default_rng(0)
    state = tuple(rng.uniform(-1.0, 1.0, model.nv) for _ in range(3))
    names = ('recursive', 'jourdain', 'augmented', 'kane')
    found = interleaved({name: (mbd_ros.compile(model, formulation=name).forward_dynamics, state)
                         for name in names}, seconds=0.02, clock=time.thread_time)
    for name in names:
        low, middle, high = found[name].ratio_to(found['recursive'])
        yield f'| {name} | {found[name].median:.3g} | {middle:.2g} ({low:.2g}-{high:.2g}) |'
