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

"""What of a robot can be exported, and the machine code of each function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
import math
from typing import Any

import numpy as np

from mbd_ros.dynamics.algorithms.forward_dynamics import closed_loop_dynamics
from mbd_ros.dynamics.prepared.prepared import PreparedDynamics
from mbd_ros.dynamics.prepared.traced_derivatives import program_for, tangent_code, traces
from mbd_ros.environment.load import LoadLaw
from mbd_ros.errors import InvalidValueError, UnknownNameError, UnsupportedError
from mbd_ros.execution.compiled_calls.call_recorder import CallRecorder
from mbd_ros.execution.compiled_calls.fused import Computed, fused_code, KernelCall
from mbd_ros.execution.executors.compiled import CompiledKernel
from mbd_ros.execution.ir.machine_code import Address, address_of, vector_lanes
from mbd_ros.execution.program.kernel import Batches, Kernel
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.program.tree import sizes, tree_of
from mbd_ros.model import Model
from mbd_ros.simulation.integrators import rk4_step
from mbd_ros.simulation.manifold import normalized, rate

MATRICES = ('by the first argument, in the coordinates of v; by the second; by the third: '
            'three matrices [NV x NV] one after the other')


@dataclass(frozen=True)
class Quantity:
    """
    A function that libraries can have.

    Attributes
    ----------
    result : str
        Name of what it computes.
    meaning : str
        What that is, with units and frames.
    link : bool
        Whether it is of a link.
    part : str
        Its name among prepared callables where that is another, see ``PreparedDynamics.kernel``.

    """

    result: str
    meaning: str
    link: bool = False
    part: str = ''


QUANTITIES = {
    'forward_dynamics': Quantity(
        'qdd', 'accelerations [rad/s^2, m/s^2] that generalized forces tau [N m, N] produce'),
    'inverse_dynamics': Quantity(
        'tau', 'generalized forces [N m, N] that accelerations qdd need; loops are open for it'),
    'bias_forces': Quantity(
        'tau', 'generalized forces [N m, N] without acceleration: c(q, v) + g(q)'),
    'mass_matrix': Quantity('M', 'mass matrix [kg m^2, kg m, kg]'),
    'forward_dynamics_derivatives': Quantity('derivatives', f'derivatives of qdd {MATRICES}'),
    'inverse_dynamics_derivatives': Quantity('derivatives', f'derivatives of tau {MATRICES}'),
    'inverse_dynamics_hessian_product': Quantity(
        'product', 'changes of weights . (derivatives of tau by q, v and qdd) along dq (in the '
        'coordinates of v), dv and dqdd'),
    'jacobian': Quantity(
        'J', 'Jacobian of the link: linear rows first, in world axes, at its origin', True),
    'jacobian_rate': Quantity('dJ', 'time derivative of the Jacobian', True, 'jacobian rate'),
    'pose': Quantity(
        'X', 'pose of the link in the world: homogeneous transform [m]', True),
    'link_motion': Quantity(
        'motion', 'pose [4 x 4], velocity [6] and classical acceleration [6] of the link; linear '
        'first, in world axes, without gravity', True, 'motion'),
    'body_poses': Quantity(
        'X', 'poses of the bodies in the world [m], in axes of the bodies (body_axes)'),
    'body_velocities': Quantity(
        'twists', 'velocities of the origins of the bodies in world axes, linear first'),
    'energies': Quantity(
        'energies', 'kinetic and potential energy of each body [J]'),
    'energy': Quantity('energy', 'kinetic energy with rotors, and potential energy [J]'),
    'gravity_forces': Quantity('tau', 'generalized forces [N m, N] that hold the robot at rest'),
    'frame_velocity': Quantity(
        'twist', 'velocity of the link, linear [m/s] first, at its origin, in world axes', True,
        'velocity'),
    'frame_acceleration': Quantity(
        'acceleration', 'classical acceleration of the link, linear [m/s^2] first, at its origin, '
        'in world axes, without gravity', True, 'acceleration'),
    'joint_wrenches': Quantity(
        'wrenches', 'what passes through each joint, force [N] then moment [N m], in the axes of '
        'the body (body_axes) and at its origin'),
    'center_of_mass': Quantity('center', 'mass centre of the robot in the world [m]'),
    'center_of_mass_jacobian': Quantity('J', 'J v is the velocity of the mass centre [m/s]'),
    'centroidal_momentum': Quantity(
        'momentum', 'about the mass centre: linear [N s], then angular [N m s], in world axes'),
    'center_of_mass_velocity_derivatives': Quantity(
        'derivative', 'of the velocity of the mass centre, by a displacement in q'),
    'centroidal_momentum_derivatives': Quantity(
        'derivatives', 'four matrices [6 x NV]: of the momentum by q, of its time derivative by '
        'q, v and qdd'),
    'gravity_forces_derivatives': Quantity(
        'derivative', 'of gravity_forces, by a displacement in q'),
    'centroidal_map': Quantity(
        'A', 'A v is the momentum about the mass centre: linear [N s], then angular [N m s], in '
        'world axes'),
    'coriolis_matrix': Quantity('C', 'C v are the velocity terms; dM/dt - 2 C is skew'),
    'regressor': Quantity(
        'Y', 'Y times the inertial parameters of the bodies (mass, first moment, inertia xx xy yy '
        'xz yz zz about the origin, in axes of the bodies (body_axes); ten each) are the forces '
        'of inverse_dynamics without rotors, springs and force laws'),
    'loop_rows': Quantity(
        'rows', 'of each row of the loops: violation, its rate, bias, then the row of A; '
        'A qdd + bias = 0'),
    'loop_reactions': Quantity(
        'reactions', 'qdd, then of each row of the loops its multiplier and 1, or 0 where others '
        'imply the row'),
    'position_correction': Quantity(
        'dq', 'least displacement, in the coordinates of v, that closes the loops'),
    'velocity_correction': Quantity(
        'dv', 'least change of v that the loops allow'),
    'configuration_step': Quantity(
        'next', 'q [NQ] h[0] seconds later at the velocity v of now, quaternions of length 1'),
    'semi_implicit_step': Quantity(
        'next', 'q [NQ] and v [NV] one step of h[0] seconds later: v with the acceleration now, q '
        'with that v; loops drift'),
    'rk4_step': Quantity(
        'next', 'q [NQ] and v [NV] one step of h[0] seconds later, by Runge and Kutta, with tau '
        'constant; loops drift'),
    'control_start': Quantity(
        'state', 'state of the controller at time now[0] [s], the nominal model at q and v'),
    'control_step': Quantity(
        'next', 'state of the controller at time now[0] [s], from that before it and the measured '
        'q and v; it holds the efforts'),
    'control_step_from_afar': Quantity(
        'next', 'the same where the nominal model is far from its constraint: with as many damped '
        'Newton steps as it takes, up to twelve'),
    'joint_control_step': Quantity(
        'next', 'state of the controller whose joints follow a path: positions, velocities and '
        'accelerations path [3 x NV] at time now[0] [s]')}
USUAL = ('forward_dynamics', 'inverse_dynamics', 'bias_forces', 'mass_matrix', 'jacobian', 'pose')
"""What is exported if nothing is said."""
CONTROL = ('control_start', 'control_step', 'control_step_from_afar', 'joint_control_step')
"""Functions of controllers, see ``export.control``."""
OF_LOOPS = ('loop_rows', 'loop_reactions', 'position_correction', 'velocity_correction')


@dataclass(frozen=True)
class Exported:
    """
    The machine code of a function of one robot.

    Attributes
    ----------
    name : str
        Of the function, as in ``QUANTITIES``.
    link : str
        Its link; empty for the whole robot.
    inputs : tuple of (str, int)
        Names and numbers of entries of its arguments.
    shape : tuple of int
        Of the result.
    kernel : int
        Address of ``void kernel(argument..., world, result)``.
    batches : Batches or None
        What runs several states side by side; if None they run one after the other.
    places : dict of str to (int, int)
        First entry and number of entries of parts of the result; of a controller's state, whose
        last two entries say whether limits are exceeded and whether it is right.

    """

    name: str
    link: str
    inputs: tuple[tuple[str, int], ...]
    shape: tuple[int, ...]
    kernel: int
    batches: Batches | None = None
    places: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Entries of the result."""
        return math.prod(self.shape)


def names_for(model: Model) -> tuple[str, ...]:
    """Return the functions that a robot may have."""
    return tuple(name for name in QUANTITIES if name not in (
        CONTROL if model.loops else (*OF_LOOPS, *CONTROL)))


def tips(model: Model) -> list[str]:
    """Return the last link on each body that carries no other."""
    inner = set(model.parents)
    last = {frame.body: name for name, frame in model.links.items()}
    return [name for body, name in last.items() if body >= 0 and body not in inner]


def exported(dyn: PreparedDynamics, names: Sequence[str], links: Sequence[str],
             stabilization: float = 0.0) -> tuple[list[Exported], list[str]]:
    """
    Return functions of a robot.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    names : sequence of str
        Of functions; ``'all'``: those that this robot has, but for control.
    links : sequence of str
        Links that Jacobians, poses and motions are of.
    stabilization : float
        At which rate s forward dynamics and steps close open loops [1/s]:
        ``A qdd + bias = -2 s phi_dot - s^2 phi``.

    Returns
    -------
    found : list of Exported
        The functions.
    missing : list of str
        Of ``'all'``, what cannot be exported and why.

    Raises
    ------
    UnknownNameError, InvalidValueError
        If there is no such link, or the robot has no such function.
    UnsupportedError
        If a function that was named has no machine code of its own.

    """
    model, known = dyn.model, names_for(dyn.model)
    everything = 'all' in names
    for name in names:
        if name not in (*known, 'all'):
            raise InvalidValueError('--functions', name, f"all, {', '.join(known)} for robot "
                                    f"'{model.name}'")
    for link in links:
        if link not in model.links:
            raise UnknownNameError('link', link, list(model.links))
    forward = _forward(dyn, stabilization)
    found, missing = [], []
    for name in known if everything else dict.fromkeys(names):
        for link in dict.fromkeys(links) if QUANTITIES[name].link else ('',):
            try:
                found.append(_exported(dyn, name, link, forward))
            except UnsupportedError as error:
                if not everything:
                    raise
                missing.append(str(error))
    return found, missing


def _forward(dyn: PreparedDynamics, stabilization: float) -> Program | None:
    """Return the program of forward dynamics that closes loops; None: that of the robot."""
    if not stabilization or not dyn.model.loops:
        return None
    if dyn.model.elastic is not None:
        raise UnsupportedError(f"stabilized loops of robot '{dyn.model.name}' in a library",
                               'its links bend')
    slots = tree_of(dyn.model).slots
    return closed_loop_dynamics(slots, stabilization, stabilization)


def _exported(dyn: PreparedDynamics, name: str, link: str, forward: Program | None) -> Exported:
    if name.endswith('dynamics_derivatives'):
        return _derivatives(dyn, name, forward)
    if name.endswith('step'):
        return _step(dyn, name, forward)
    if name == 'forward_dynamics' and forward is not None:
        return _of_kernel(name, link, dyn.kernel_of(forward))
    if name.endswith('hessian_product') and not traces(dyn.model, 'inverse_dynamics'):
        raise _without(name, 'it is computed by differences')
    if name.startswith('cent') and any(isinstance(law, LoadLaw) for law in dyn.model.laws):
        raise _without(name, 'it does not count the payload')
    if name == 'gravity_forces_derivatives' and (
            dyn.model.elastic is not None or dyn.differentiates_traces('inverse_dynamics')):
        raise _without(name, 'it is a part of inverse_dynamics_derivatives')
    return _of_kernel(name, link, dyn.kernel(QUANTITIES[name].part or name, link))


def _without(name: str, why: str) -> UnsupportedError:
    return UnsupportedError(f"export of '{name}' for this robot", why)


def _of_kernel(name: str, link: str, kernel: Kernel) -> Exported:
    if kernel.address is None:
        raise _without(name, 'it runs in NumPy, not in machine code')
    inputs = kernel.program.inputs
    return Exported(name, link, tuple(zip(inputs, sizes(kernel.model, inputs))), kernel.shape,
                    kernel.address, _batches(kernel))


def _batches(kernel: Kernel) -> Batches | None:
    return kernel.batches if isinstance(kernel, CompiledKernel) else None


def _address(name: str, part: str, kernel: Kernel) -> int:
    found = kernel.address
    if found is None:
        raise _without(name, f'{part} runs in NumPy, not in machine code')
    return found


def _put_together(dyn: PreparedDynamics, name: str, inputs: dict[str, int],
                  shape: tuple[int, ...], parts: Sequence[KernelCall | Computed]) -> Exported:
    """Return a function made of calls of kernels; each of these is handed the world."""
    code = fused_code({**inputs, 'world': 3}, parts, parts)
    return Exported(name, '', tuple(inputs.items()), shape, code.address)


def _derivatives(dyn: PreparedDynamics, name: str, forward: Program | None) -> Exported:
    function, model = name.removesuffix('_derivatives'), dyn.model
    if not dyn.differentiates_traces(function):
        return _of_kernel(name, '', dyn.kernel(name))
    if not traces(model, function):
        raise _without(name, 'it is computed by differences, or from other derivatives')
    program = forward if forward is not None and function == 'forward_dynamics' else (
        program_for(model, function))
    code, nv, lanes = tangent_code(model, program), model.nv, vector_lanes()
    inputs = dict(zip(('q', 'v', 'tau' if function == 'forward_dynamics' else 'qdd'),
                      (model.nq, nv, nv)))
    parts: list[KernelCall | Computed] = [
        Computed(_repeated(argument, lanes), f'{argument}s', lanes * size)
        for argument, size in inputs.items()]
    blocks = -(-3 * nv // lanes)
    directions = np.eye(lanes * blocks, 3 * nv)
    for block in range(blocks):
        rows = directions[block * lanes:(block + 1) * lanes].T
        tables = [address_of(np.ascontiguousarray(rows[k * nv:(k + 1) * nv])) for k in range(3)]
        parts.append(KernelCall(code.kernel.address('kernel'), (
            *(f'{argument}s' for argument in inputs), *tables, 'world'), f'block{block}',
            nv * lanes))

    def matrices(known: dict[str, Any]) -> list[Any]:
        return [known[f'block{(k * nv + j) // lanes}'][i * lanes + (k * nv + j) % lanes]
                for k in range(3) for i in range(nv) for j in range(nv)]
    return _put_together(dyn, name, inputs, (3, nv, nv), [
        *parts, Computed(matrices, 'derivatives', 3 * nv * nv)])


def _repeated(argument: str, lanes: int) -> Callable[[dict[str, Any]], list[Any]]:
    return lambda known: [one for one in known[argument] for _ in range(lanes)]


def _step(dyn: PreparedDynamics, name: str, forward: Program | None) -> Exported:
    model, nq, nv = dyn.model, dyn.model.nq, dyn.model.nv
    if name == 'configuration_step':
        inputs = {'q': nq, 'v': nv, 'h': 1}
        recording = CallRecorder(inputs)
        q, v, h = recording.given.values()
        return _put_together(dyn, name, inputs, (nq,), recording.end([
            *normalized(model, q + h * rate(model, q, v))]))
    address = _address(name, 'forward_dynamics', dyn.kernel('forward_dynamics')
                       if forward is None else dyn.kernel_of(forward))
    inputs = {'q': nq, 'v': nv, 'tau': nv, 'h': 1}
    recording = CallRecorder(inputs)
    q, v, tau, h = recording.given.values()

    def acceleration(t: float, q: Any, v: Any) -> Any:
        return recording.call(address, (q, v, tau, 'world'), nv)

    if name == 'semi_implicit_step':
        v = v + h * acceleration(0.0, q, v)
        q = normalized(model, q + h * rate(model, q, v))
    else:
        q, v = rk4_step(model, acceleration, 0.0, q, v, h)
    return _put_together(dyn, name, inputs, (nq + nv,), recording.end([*q, *v]))


def addresses_of(function: Exported) -> tuple[int, int]:
    """Return the address of what runs one state, and of what runs several side by side."""
    if function.batches is None:
        return function.kernel, function.kernel
    rows = function.batches.rows
    assert isinstance(rows, Address)
    return function.kernel, Address(0, rows.of, 'batch')
