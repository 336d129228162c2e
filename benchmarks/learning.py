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
Robots in PyTorch and JAX beside adam, frax and pytorch_kinematics, on one thread of the CPU.

Extra ``[learning]``. adam has no forward dynamics of a robot that is fixed to the world: its mass
matrix and bias forces are solved, which is what its users do; frax has one. Results are compared
before they are timed. Times are of the processor, whichever thread of the process has them.

"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import importlib.util
import os
from pathlib import Path
import tempfile
import time
from typing import Any

from lxml import etree
import numpy as np

from benchmarks.timing import interleaved, Timing
import mbd_ros

ROBOT, TIP = Path(__file__).resolve().parents[1] / 'urdf' / 'panda.urdf', 'tool'
BATCHES = (1, 64, 4096)
SINGLE = {'XLA_FLAGS': '--xla_cpu_multi_thread_eigen=false', 'OPENBLAS_NUM_THREADS': '1',
          'JAX_PLATFORMS': 'cpu', 'JAX_ENABLE_X64': '1'}
NOTHING = ('<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'
           '</inertial>')
Call = Callable[..., Any]


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    missing = [name for name in ('torch', 'jax', 'adam', 'frax', 'pytorch_kinematics')
               if importlib.util.find_spec(name) is None]
    if missing:
        yield f"not run: {', '.join(missing)} are missing; pip install 'mbd_ros[learning]'"
        return
    os.environ.update(SINGLE)
    yield ('| Panda | states | ours, PyTorch [us] | ours, JAX [us] | adam, PyTorch [us] | '
           'adam, JAX [us] | frax, JAX [us] | pytorch_kinematics [us] | '
           'theirs / ours in PyTorch: median (min-max) | in JAX, the faster of theirs |')
    yield '|---|---|---|---|---|---|---|---|---|---|'
    model = mbd_ros.load(ROBOT)
    functions = _functions(model)
    for count in BATCHES:
        rng = np.random.default_rng(0)
        state = [rng.uniform(-1.0, 1.0, (count, model.nv)) for _ in range(3)]
        for function, candidates in functions.items():
            yield _row(function, count, candidates, state)


COLUMNS = ('ours, PyTorch', 'ours, JAX', 'adam, PyTorch', 'adam, JAX', 'frax, JAX',
           'pytorch_kinematics')


def _row(function: str, count: int, candidates: dict[str, Call], state: list[Any]) -> str:
    import jax.numpy as jnp
    import torch
    given = {'PyTorch': [torch.from_numpy(one) for one in state],
             'JAX': [jnp.asarray(one) for one in state]}
    calls = {name: (call, given['JAX' if name.endswith('JAX') else 'PyTorch'])
             for name, call in candidates.items()}
    found = {name: np.asarray(call(*values)) for name, (call, values) in calls.items()}
    right = found['ours, PyTorch']
    for name, one in found.items():
        error = np.abs(one.reshape(right.shape) - right).max() / np.abs(right).max()
        # All compute in double precision; pytorch_kinematics reads a robot in single precision.
        if error > (1e-6 if name == 'pytorch_kinematics' else 1e-9):
            raise SystemExit(f'{function}, {name}: results differ by {error:.0e}')
    times = interleaved(calls, rounds=9, seconds=0.03, fewest=2, clock=time.process_time)
    cells = [f'{times[name].median:.3g}' if name in times else '' for name in COLUMNS]
    return (f'| {function} | {count} | {" | ".join(cells)} | '
            f'{_ratio(times, COLUMNS[0], COLUMNS[2::3])} | '
            f'{_ratio(times, COLUMNS[1], COLUMNS[3:5])} |')


def _ratio(times: dict[str, Timing], ours: str, theirs: tuple[str, ...]) -> str:
    """Return the ratio of the fastest of the others to ours; empty where there is none."""
    others = [times[name] for name in theirs if name in times]
    if ours not in times or not others:
        return ''
    low, middle, high = min(others, key=lambda one: one.median).ratio_to(times[ours])
    return f'**{middle:.1f}** ({low:.1f}-{high:.1f})'


def _functions(model: mbd_ros.Model) -> dict[str, dict[str, Call]]:
    """Return candidates by function and name, each of batches of (q, v, tau or qdd)."""
    import jax
    import torch
    torch.set_num_threads(1)
    peers = {**_adam_torch(model), **_adam_jax(model), **_frax()}
    found: dict[str, dict[str, Call]] = {}
    for name, key in (('forward dynamics', 'forward_dynamics'),
                      ('inverse dynamics', 'inverse_dynamics')):
        own, peer = mbd_ros.torch(model, key), mbd_ros.jax(model, key)
        found[name] = {'ours, PyTorch': own, 'ours, JAX': _ready(jax.jit(jax.vmap(peer))),
                       **{who: functions[key] for who, functions in peers.items()}}
        found[f'gradient of the sum of squares, {name}'] = {
            'ours, PyTorch': _torch_gradient(own), 'ours, JAX': _jax_gradient(jax.vmap(peer)),
            **{who: (_torch_gradient if who.endswith('PyTorch') else _jax_gradient)(
                functions[key]) for who, functions in peers.items()}}
    pose = mbd_ros.compile(model).of_link('pose', TIP)
    found['pose of the tool (a prepared call, no gradient)'] = {
        'ours, PyTorch': lambda q, v, tau: pose(q.numpy()), 'pytorch_kinematics': _chain()}
    return found


def _ready(call: Call) -> Call:
    return lambda *given: call(*given).block_until_ready()


def _torch_gradient(call: Call) -> Call:
    def gradient(*given: Any) -> Any:
        import torch
        leaves = [one.detach().requires_grad_() for one in given]
        return torch.stack(torch.autograd.grad(call(*leaves).square().sum(), leaves)).numpy()
    return gradient


def _jax_gradient(call: Call) -> Call:
    import jax
    import jax.numpy as jnp
    inner = getattr(call, '__wrapped__', call)
    return _ready(jax.jit(lambda *given: jnp.stack(jax.grad(
        lambda *at: (inner(*at) ** 2).sum(), argnums=(0, 1, 2))(*given))))


def _adam_torch(model: mbd_ros.Model) -> dict[str, dict[str, Call]]:
    from adam.pytorch import KinDynComputations
    import torch
    kind = torch.float64
    robot = KinDynComputations(str(ROBOT), list(model.joint_names), torch.device('cpu'), kind,
                               gravity=torch.tensor([0.0, 0.0, -9.81, 0.0, 0.0, 0.0], dtype=kind))
    here, still = torch.eye(4, dtype=kind), torch.zeros(6, dtype=kind)

    def parts(q: Any, v: Any) -> Any:
        base, rate = here.expand(len(q), 4, 4), still.expand(len(q), 6)
        return (robot.mass_matrix(base, q)[..., 6:, 6:],
                robot.bias_force(base, q, rate, v)[..., 6:])

    def forward(q: Any, v: Any, tau: Any) -> Any:
        mass, bias = parts(q, v)
        return torch.linalg.solve(mass, tau - bias)

    def inverse(q: Any, v: Any, qdd: Any) -> Any:
        mass, bias = parts(q, v)
        return (mass @ qdd[..., None])[..., 0] + bias
    return {'adam, PyTorch': {'forward_dynamics': forward, 'inverse_dynamics': inverse}}


def _adam_jax(model: mbd_ros.Model) -> dict[str, dict[str, Call]]:
    from adam.jax import KinDynComputations
    import jax
    import jax.numpy as jnp
    robot = KinDynComputations(str(ROBOT), list(model.joint_names),
                               gravity=jnp.array([0.0, 0.0, -9.81, 0.0, 0.0, 0.0]))
    # Arrays are made where a device says; JAX 0.10 takes no sharding for that while it traces.
    robot.rbdalgos.math.factory._device = None
    here, still = jnp.eye(4), jnp.zeros(6)

    def forward(q: Any, v: Any, tau: Any) -> Any:
        mass, bias = robot.mass_matrix(here, q), robot.bias_force(here, q, still, v)
        return jnp.linalg.solve(mass[6:, 6:], tau - bias[6:])

    def inverse(q: Any, v: Any, qdd: Any) -> Any:
        mass, bias = robot.mass_matrix(here, q), robot.bias_force(here, q, still, v)
        return mass[6:, 6:] @ qdd + bias[6:]
    return {'adam, JAX': {'forward_dynamics': _together(jax.jit(jax.vmap(forward))),
                          'inverse_dynamics': _together(jax.jit(jax.vmap(inverse)))}}


def _frax() -> dict[str, dict[str, Call]]:
    from frax import Robot
    import jax
    robot_text = etree.parse(ROBOT)
    for link in robot_text.findall('link'):
        if link.find('inertial') is None:   # which it wants everywhere
            link.append(etree.fromstring(NOTHING))
    with tempfile.NamedTemporaryFile('wb', suffix='.urdf') as file:
        robot_text.write(file)
        file.flush()
        robot = Robot(file.name)

    def forward(q: Any, v: Any, tau: Any) -> Any:
        return robot.forward_dynamics(q, v, tau, None)

    def inverse(q: Any, v: Any, qdd: Any) -> Any:
        return robot.mass_matrix(q) @ qdd + robot.nonlinear_bias(q, v)
    return {'frax, JAX': {'forward_dynamics': _together(jax.jit(jax.vmap(forward))),
                          'inverse_dynamics': _together(jax.jit(jax.vmap(inverse)))}}


def _together(call: Call) -> Call:
    """Return a call that waits for its result, and keeps what JAX differentiates."""
    found = _ready(call)
    found.__wrapped__ = call   # type: ignore[attr-defined]
    return found


def _chain() -> Call:
    import pytorch_kinematics
    import torch
    chain = pytorch_kinematics.build_serial_chain_from_urdf(
        ROBOT.read_bytes(), TIP).to(dtype=torch.float64)
    return lambda q, v, tau: chain.forward_kinematics(q).get_matrix()
