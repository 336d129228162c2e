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
            return Pair(count, dyn.of_link(name, link),
                        lambda *state: module(model, *state, link), theirs)
        return Pair(count, getattr(dyn, name), lambda *state: module(model, *state), theirs)

    found = {
        'center_of_mass': ours(1, 'center_of_mass', lambda q: pin.centerOfMass(peer, data, q)),
        'center_of_mass_jacobian': ours(1, 'center_of_mass_jacobian', lambda q: (
            pin.jacobianCenterOfMass(peer, data, q))),
        'centroidal_map': ours(1, 'centroidal_map', lambda q: (
            pin.computeCentroidalMap(peer, data, q))),
        'centroidal_momentum': ours(2, 'centroidal_momentum', lambda q, v: (
            pin.computeCentroidalMomentum(peer, data, q, v).vector)),
        'coriolis_matrix': ours(2, 'coriolis_matrix', lambda q, v: (
            pin.computeCoriolisMatrix(peer, data, q, v))),
        'mass_matrix': ours(1, 'mass_matrix', lambda q: pin.crba(peer, data, q)),
        'bias_forces': ours(2, 'bias_forces', lambda q, v: (
            pin.nonLinearEffects(peer, data, q, v))),
        'gravity_forces': ours(1, 'gravity_forces', lambda q: (
            pin.computeGeneralizedGravity(peer, data, q))),
        'energy': ours(2, 'energy', energy),
        'regressor': ours(3, 'regressor', lambda q, v, a: (
            pin.computeJointTorqueRegressor(peer, data, q, v, a))),
        'joint_wrenches': Pair(3, dyn.joint_wrenches, dyn.joint_wrenches, wrenches),
        'link_poses': Pair(1, dyn.link_poses, lambda q: mbd_ros.link_poses(model, q), poses),
        'pose': ours(1, 'pose', lambda q: _pose(peer, data, q, frame), LINK),
        'jacobian': ours(1, 'jacobian', lambda q: (
            pin.computeFrameJacobian(peer, data, q, frame, world)), LINK),
        'jacobian_rate': ours(2, 'jacobian_rate', rate, LINK),
        'frame_velocity': ours(2, 'frame_velocity', velocity, LINK),
        'frame_acceleration': ours(3, 'frame_acceleration', acceleration, LINK),
        'integrate': ours(2, 'integrate', lambda q, v: pin.integrate(peer, q, v)),
        'difference': ours(2, 'difference', lambda q, v: pin.difference(peer, q, v)),
        'random_configuration': Pair(
            0, lambda: mbd_ros.random_configuration(model),
            lambda: mbd_ros.random_configuration(model), lambda: pin.randomConfiguration(peer)),
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
        'gravity_forces_derivatives': ours(1, 'gravity_forces_derivatives', lambda q: (
            pin.computeGeneralizedGravityDerivatives(peer, data, q)))}
    return found


def _pose(peer: Any, data: Any, q: Any, frame: int) -> Any:
    pin.forwardKinematics(peer, data, q)
    return pin.updateFramePlacement(peer, data, frame).homogeneous


def keywords() -> Iterator[str]:
    """Yield a Markdown table: what forces and surroundings cost a call, line by line."""
    yield '| forward dynamics of a Panda with | [us] | times the prepared call: median (min-max) |'
    yield '|---|---|---|'
    model = mbd_ros.load(ROBOT)
    dyn, rng = mbd_ros.compile(model), np.random.default_rng(0)
    state = tuple(rng.uniform(-1.0, 1.0, model.nv) for _ in range(3))
    cases: dict[str, dict[str, Any]] = {
        'nothing': {}, '`gravity`': {'gravity': (0.0, 0.0, -1.62)},
        '`external_forces` on one link': {'external_forces': {LINK: rng.normal(size=6)}},
        '`dissipation`': {'dissipation': True}, '`ground`': {'ground': mbd_ros.Ground()},
        '`fluid`': {'fluid': mbd_ros.Fluid(density=1025.0)}}

    def called(**more: Any) -> Callable[..., Any]:
        return lambda q, v, tau: mbd_ros.forward_dynamics(model, q, v, tau, **more)
    found = interleaved({'prepared': (dyn.forward_dynamics, state), **{
        name: (called(**more), state) for name, more in cases.items()}}, seconds=0.02,
                            clock=time.thread_time)
    for name in cases:
        low, middle, high = found[name].ratio_to(found['prepared'])
        yield f'| {name} | {found[name].median:.3g} | {middle:.2g} ({low:.2g}-{high:.2g}) |'


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
