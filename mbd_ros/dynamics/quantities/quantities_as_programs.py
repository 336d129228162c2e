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
The quantities of a robot beside its dynamics, each as a program for one model.

Rigid robots have the sums over bodies of ``composites.py`` and ``motion_changes.py``; those with
flexible links what ``flexible_momenta.py`` does in NumPy.

"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.algorithms.springs import stored_energy
from mbd_ros.dynamics.algorithms.stacked_kinematics import turning_axes
from mbd_ros.dynamics.quantities import composites, flexible, flexible_momenta, motion_changes
from mbd_ros.dynamics.quantities.derivatives import INVERSE_DYNAMICS_DERIVATIVES
from mbd_ros.dynamics.quantities.energies import ENERGIES
from mbd_ros.dynamics.quantities.joint_friction import viscous_friction
from mbd_ros.dynamics.quantities.kinematics import link_jacobian
from mbd_ros.dynamics.quantities.loops_as_programs import looped, of_program, poses_of
from mbd_ros.environment.law import Law
from mbd_ros.execution.program.array_program import ArrayProgram, never
from mbd_ros.execution.program.sweeps import Layout, Program
from mbd_ros.execution.program.ties import frame_record
from mbd_ros.execution.program.tree import Sized
from mbd_ros.model import LinkFrame, Model
from mbd_ros.model.caches import owned
from mbd_ros.spatial import step

Array = NDArray[np.float64]
Inputs = Mapping[str, Array]
Elsewhere = Callable[[Model, Inputs, Array], Array]
"""``(model, inputs, world) -> result`` for N states, in NumPy."""
LARGEST_TRACED = 40
"""Bodies up to which results of sweeps are put together in machine code; in NumPy beyond."""


def center_of_mass(model: Model) -> Program:
    """Return the program of the mass centre (3,)."""
    if model.elastic is not None:
        return _in_numpy('center_of_mass', ('q',), (3,), _bent_center)
    return looped('center_of_mass', composites.center_of_mass, ('q',), (3,))


def center_of_mass_jacobian(model: Model) -> Program:
    """Return the program of the Jacobian (3, nv) of the mass centre."""
    if model.elastic is not None:
        return _in_numpy('center_of_mass_jacobian', ('q',), (3, model.nv), _bent_jacobian)
    return looped('center_of_mass_jacobian', composites.center_of_mass_jacobian, ('q',),
                  (3, model.nv))


def centroidal_map(model: Model) -> Program:
    """Return the program of A (6, nv): ``A v`` is the momentum about the mass centre."""
    if model.elastic is not None:
        return _in_numpy('centroidal_map', ('q',), (6, model.nv), _bent_map)
    return looped('centroidal_map', composites.centroidal_map, ('q',), (6, model.nv))


def centroidal_momentum(model: Model) -> Program:
    """Return the program of the momentum (6,) about the mass centre."""
    if model.elastic is not None:
        return _in_numpy('centroidal_momentum', ('q', 'v'), (6,), _bent_momentum)
    return looped('centroidal_momentum', composites.centroidal_momentum, ('q', 'v'), (6,))


def coriolis_matrix(model: Model) -> Program:
    """Return the program of C (nv, nv) with ``dM/dt - 2 C`` skew-symmetric."""
    if model.elastic is not None or any(
            type(law).inertia is not Law.inertia for law in model.laws):
        found = _in_numpy('coriolis_matrix', ('q', 'v'), (model.nv, model.nv), _bent_coriolis)
    else:
        found = looped('coriolis_matrix', composites.coriolis_matrix, ('q', 'v'),
                       (model.nv, model.nv))
    if not any(model.armature[part].any() for part, _ in turning_axes(
            model, np.zeros((1, model.nv)))):
        return found
    return _after('coriolis_matrix with rotors', found, (model.nv, model.nv),
                  partial(_with_rotors, found))


def _with_rotors(program: Program, model: Model, inputs: Inputs, world: Array, executor: Any
                 ) -> Array:
    """Return C with what rotors add along axes that turn."""
    found = of_program(program, model, inputs, world, executor)
    for part, turning in turning_axes(model, inputs['v']):
        own = model.armature[part, None].astype(found.dtype) * turning
        found[:, part, part] = found[:, part, part] + own
    return found


def regressor(model: Model) -> Program:
    """Return the program of Y (nv, 10 nb), of rigid robots."""
    model.require_rigid('regressor')
    return looped('regressor', composites.regressor, ('q', 'v', 'qdd'), (model.nv, 10 * model.nb))


def momentum_changes(model: Model) -> Program:
    """Return the program of derivatives (4, 6, nv) of the momentum, of rigid robots."""
    model.require_rigid('centroidal_momentum_derivatives')
    return looped('centroidal_momentum_derivatives', motion_changes.momentum_changes,
                  ('q', 'v', 'qdd'), (4, 6, model.nv))


def center_of_mass_changes(model: Model) -> Program:
    """Return the program of the derivative (3, nv) of the mass centre's velocity by q."""
    model.require_rigid('center_of_mass_velocity_derivatives')
    changes = replace(momentum_changes(model), inputs=('q', 'v'))
    return _after('center_of_mass_velocity_derivatives', changes, (3, model.nv),
                  partial(_changes_of_center, changes))


def link_poses(model: Model) -> Program:
    """Return the program of the poses (links, 4, 4) of all links, of rigid robots."""
    model.require_rigid('link_poses')
    links = np.array([[frame.body, *frame.translation, *np.ravel(frame.rotation)]
                      for frame in model.links.values()])
    return looped('link_poses', composites.link_poses, ('q',), (len(links), 4, 4),
                  {'links': links})


def link_changes(model: Model, link: str, frame: str, inputs: tuple[str, ...]) -> Program:
    """Return the program of derivatives (4, 6, nv) of a link's motion, of rigid robots."""
    return looped(f'changes of {link} {frame}', motion_changes.link_changes, inputs,
                  (4, 6, model.nv), {'link': _seen_from(model.link(link), frame)})


def jacobian_changes(model: Model, link: str, frame: str) -> Program:
    """Return the program of the derivatives (6, nv, nv) of a link's Jacobian."""
    return looped(f'jacobian changes of {link} {frame}', motion_changes.jacobian_changes, ('q',),
                  (6, model.nv, model.nv), {'link': _seen_from(model.link(link), frame)})


def _seen_from(link: LinkFrame, frame: str) -> Array:
    """Return what ``motion_changes.changes_of_link`` reads of a link."""
    return np.array([link.body, frame != 'world', frame == 'local', *link.translation,
                     *np.ravel(link.rotation)], np.float64)


def energy(model: Model) -> Program:
    """Return the program of two energies, kinetic and potential."""
    parts = ENERGIES if model.elastic is None else flexible.flexible_program(model, 'energies')
    found = _after('energy', parts, (2,), partial(_total_energy, parts))
    return replace(found, traces=never) if model.springs else found


def _total_energy(parts: Program, model: Model, inputs: Inputs, world: Array, executor: Any
                  ) -> Array:
    total: Array = of_program(parts, model, inputs, world, executor).sum(axis=1)
    if model.springs and model.elastic is None:
        total[:, 1] += stored_energy(
            model.springs, poses_of(model, inputs['q'], world, executor))
    return total


def at_rest(name: str, program: Program) -> Program:
    """Return a program of ``'q'`` alone: all else that it reads is zero."""
    if not isinstance(program, ArrayProgram):
        return replace(program, name=f'{program.name} at rest', inputs=('q',))
    return replace(program, name=name, inputs=('q',), rolls=never, evaluate=partial(
        _resting, program))


def _resting(program: ArrayProgram, model: Model, inputs: Inputs, world: Array, executor: Any
             ) -> Array:
    q = inputs['q']
    rest = np.zeros((len(q), model.nv), q.dtype)
    if q.dtype == object:
        rest.fill(0.0)
    return program.evaluate(model, {**dict.fromkeys(program.inputs, rest), 'q': q}, world,
                            executor)


def gravity_changes(model: Model) -> Program:
    """Return the program of the derivative (nv, nv) of gravity forces by q, without laws."""
    inner = at_rest('', INVERSE_DYNAMICS_DERIVATIVES)
    return _after('gravity_forces_derivatives', inner, (model.nv, model.nv),
                  partial(_first, inner))


def _first(program: Program, model: Model, inputs: Inputs, world: Array, executor: Any) -> Array:
    return of_program(program, model, inputs, world, executor)[:, 0]


def wrenches_of_efforts(model: Model, programs: Mapping[str, Program]) -> Program | None:
    """
    Return the program of wrenches (nb, 6) of joints while efforts act, in the links' axes.

    None where closed loops or flexible links need more than the two programs of a formulation.
    """
    dynamics, wrenches = programs['forward_dynamics'], programs['joint_wrenches']
    if model.loops or isinstance(dynamics, ArrayProgram) or isinstance(wrenches, ArrayProgram):
        return None
    return _after('joint_wrenches of efforts', dynamics, (model.nb, 6),
                  partial(_wrenches, dynamics, wrenches))


def _wrenches(dynamics: Program, wrenches: Program, model: Model, inputs: Inputs, world: Array,
              executor: Any) -> Array:
    moving = {'q': inputs['q'], 'v': inputs['v'],
              'qdd': of_program(dynamics, model, inputs, world, executor)}
    found = of_program(wrenches, model, moving, world, executor)
    turns = np.array([model.links[name].rotation for name in model.body_names]).reshape(-1, 3, 3)
    if found.dtype == object:
        turns = turns.astype(object)
    parts = [(part[..., None] * turns).sum(axis=-2) for part in (found[..., :3], found[..., 3:])]
    return np.concatenate(parts, axis=-1)


PUSHED = "external_forces['{}']"
"""Name of the input that is the force on a link."""


def forced(model: Model, function: str, program: Program, links: tuple[str, ...],
           dissipation: bool) -> Program | None:
    """
    Return a program whose further inputs are forces on links.

    Parameters
    ----------
    model : Model
        The robot.
    function : str
        ``'forward_dynamics'``, ``'inverse_dynamics'`` or ``'bias_forces'``.
    program : Program
        What does that without forces.
    links : tuple of str
        The links; each force is (6,): force [N], then moment [N m], in world axes, at the link's
        origin.
    dissipation : bool
        Whether damping and dry friction of the joints act.

    Returns
    -------
    Program or None
        None where it is no straight-line code: closed loops, flexible links, large robots and
        formulations in NumPy.

    """
    if model.loops or isinstance(program, ArrayProgram) or model.nb > LARGEST_TRACED:
        return None
    columns = tuple(link_jacobian(frame.body, frame_record(frame)) for frame in map(
        model.link, links))
    return ArrayProgram(
        f'{function} with forces on {links} {dissipation}',
        (*program.inputs, *(Sized(PUSHED.format(link), 6) for link in links)),
        layout=Layout.JOINTS,
        evaluate=partial(_forced, program, columns, links, dissipation), traces=_traced)


def _forced(program: Program, columns: tuple[Program, ...], links: tuple[str, ...],
            dissipation: bool, model: Model, inputs: Inputs, world: Array, executor: Any) -> Array:
    own = {name: inputs[name] for name in program.inputs}
    efforts: Any = 0.0
    for link, jacobian in zip(links, columns):
        found = of_program(jacobian, model, {'q': own['q']}, world, executor)
        efforts = efforts + (found * inputs[PUSHED.format(link)][..., None]).sum(axis=1)
    if dissipation:
        v = own['v']
        efforts = efforts - viscous_friction(model, v)
        efforts = efforts - (model.friction.astype(v.dtype) * _signs(v))
    if 'tau' in own:
        own['tau'] = own['tau'] + efforts
        return of_program(program, model, own, world, executor)
    result: Array = of_program(program, model, own, world, executor) - efforts
    return result


def _signs(v: Array) -> Array:
    """Return the signs of numbers or symbols (N, nv); 0 of 0."""
    if v.dtype != object:
        return np.sign(v)
    return np.array([[step(one) - step(-one) for one in row] for row in v.tolist()], object)


def adding(model: Model, what: str) -> Program:
    """Return the program of ``integrate`` or ``difference`` of joints whose entries just add."""
    if what == 'integrate':
        return ArrayProgram(what, ('q', 'dv'), layout=Layout.ONE_BODY, extent=(model.nq,),
                            evaluate=_sum, traces=_few)
    return ArrayProgram(what, ('q0', 'q1'), layout=Layout.ONE_BODY, extent=(model.nv,),
                        evaluate=_change, traces=_few)


def _sum(model: Model, inputs: Inputs, world: Array, executor: Any) -> Array:
    return inputs['q'] + inputs['dv']


def _change(model: Model, inputs: Inputs, world: Array, executor: Any) -> Array:
    return inputs['q1'] - inputs['q0']


def _few(model: Model) -> bool:
    return model.nb <= 10 * LARGEST_TRACED


MAKERS: dict[str, Callable[..., Program]] = {
    maker.__name__: maker for maker in (
        center_of_mass, center_of_mass_jacobian, center_of_mass_changes, centroidal_map,
        centroidal_momentum, coriolis_matrix, regressor, momentum_changes, link_poses,
        link_changes, jacobian_changes, energy, gravity_changes, adding)}


@owned(1)
def program_of(name: str, model: Model, *more: object) -> Program:
    """Return the program of a quantity for a model, made now or earlier; equal ones are one."""
    return MAKERS[name](model, *more)


def _after(name: str, first: Program, extent: tuple[int, ...], evaluate: Any) -> ArrayProgram:
    """Return a program whose function asks others, of which one has the same inputs."""
    traces = first.traces if isinstance(first, ArrayProgram) else _traced
    return ArrayProgram(name, first.inputs, layout=Layout.ONE_BODY, extent=extent,
                        evaluate=evaluate, traces=traces)


def _traced(model: Model) -> bool:
    return model.nb <= LARGEST_TRACED


def _changes_of_center(changes: Program, model: Model, inputs: Inputs, world: Array,
                       executor: Any) -> Array:
    found: Array = of_program(changes, model, inputs, world, executor)[:, 0, :3]
    return found / float(model.masses.sum())


def _in_numpy(name: str, inputs: tuple[str, ...], extent: tuple[int, ...], elsewhere: Elsewhere
              ) -> ArrayProgram:
    return ArrayProgram(name, inputs, layout=Layout.ONE_BODY, extent=extent,
                        evaluate=partial(_elsewhere, elsewhere))


def _elsewhere(elsewhere: Elsewhere, model: Model, inputs: Inputs, world: Array, executor: Any
               ) -> Array:
    return elsewhere(model, inputs, world)


def _bent_center(model: Model, inputs: Inputs, world: Array) -> Array:
    return flexible_momenta.center_of_mass(model, inputs['q'])


def _bent_jacobian(model: Model, inputs: Inputs, world: Array) -> Array:
    return flexible_momenta.center_of_mass_jacobian(model, inputs['q'])


def _bent_map(model: Model, inputs: Inputs, world: Array) -> Array:
    return flexible_momenta.momentum_map(model, inputs['q'])


def _bent_momentum(model: Model, inputs: Inputs, world: Array) -> Array:
    found: Array = np.einsum('nij,nj->ni', _bent_map(model, inputs, world), inputs['v'])
    return found


def _bent_coriolis(model: Model, inputs: Inputs, world: Array) -> Array:
    return flexible_momenta.coriolis_matrix(model, inputs['q'], inputs['v'], world)
