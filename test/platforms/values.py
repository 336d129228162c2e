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
Values of calls of every kind, against those that were stored on x86-64 with Python 3.11.

    python test/platforms/values.py              one line; exit code 1 if one differs
    python test/platforms/values.py --store      stores them anew

Needs nothing but what mbd_ros needs: it runs in other Pythons and under qemu.
"""

from __future__ import annotations

import json
from pathlib import Path
import platform
import sys
from typing import Any

import numpy as np

import mbd_ros

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / 'test' / 'data' / 'platform_values.json'
WITHIN = 1e-11
"""
Of the largest entry. Instructions and libraries round differently by some 1e-16 at each operation,
which grows by the condition of the mass matrix, 1e4 for the flexible arm, and a simulation of
200 steps; the worst seen on aarch64 was 2e-14.
"""


def some(count: int, shift: float) -> Any:
    """Return numbers of size one that no version of NumPy makes differently."""
    return np.sin(1.7 * np.arange(count) + shift)


def calls() -> dict[str, Any]:
    """Return the results, by name: every kind of call, formulation, executor and robot."""
    def robot(name: str) -> mbd_ros.Model:
        return mbd_ros.load(ROOT / 'urdf' / f'{name}.urdf')

    puma = robot('puma560')
    q, v, tau = (some(6, shift) for shift in (0.3, 0.6, 0.9))
    states = tuple(np.array([some(6, shift + k) for k in range(37)]) for shift in (0.3, 0.6, 0.9))
    dyn, out = mbd_ros.compile(puma), np.empty(6)
    dyn.forward_dynamics(q, v, tau, out=out)
    energy = mbd_ros.energy(puma, q, v)
    results = {
        'inverse dynamics': mbd_ros.inverse_dynamics(puma, q, v, tau),
        'mass matrix': mbd_ros.mass_matrix(puma, q),
        'bias forces': mbd_ros.bias_forces(puma, q, v),
        'Coriolis matrix': mbd_ros.coriolis_matrix(puma, q, v),
        'Jacobian': mbd_ros.jacobian(puma, q, 'link6'),
        'pose': mbd_ros.pose(puma, q, 'link6'),
        'energies': [energy.kinetic, energy.potential],
        'regressor': mbd_ros.regressor(puma, q, v, tau),
        'derivatives of forward dynamics':
            np.concatenate(mbd_ros.forward_dynamics_derivatives(puma, q, v, tau)[:2]),
        'prepared call with out': out,
        'external force': mbd_ros.forward_dynamics(
            puma, q, v, tau, external_forces={'link6': [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]}),
        'Udwadia-Kalaba': mbd_ros.udwadia_kalaba(
            puma, q, v, tau, [[1, 2, 3, 4, 5, 6]], [0.5]).accelerations,
        'simulation': mbd_ros.simulate(puma, q, v, 0.2, step=0.001).q[-1],
    }
    for executor in ('unrolled', 'rolled', 'lanes', 'threads', 'auto', 'interpreted'):
        results[f'batch, {executor}'] = mbd_ros.forward_dynamics(
            puma, *states, executor=executor)
    for formulation in ('jourdain', 'kane', 'augmented'):
        for executor in ('auto', 'interpreted'):
            results[f'{formulation}, {executor}'] = mbd_ros.forward_dynamics(
                puma, *(one[:3] for one in states), formulation=formulation, executor=executor)
    loop = robot('four_bar')
    place, rate = mbd_ros.close_loops(loop, 0.3 * some(loop.nq, 0.2), 0.1 * some(loop.nv, 0.4))
    solution = mbd_ros.constrained_dynamics(loop, place, rate, some(loop.nv, 0.5))
    results['closed loop'] = solution.accelerations
    for name in ('flexible_arm', 'rov'):   # links that bend; a vehicle with an arm under water
        model = robot(name)
        start = mbd_ros.integrate(model, mbd_ros.neutral(model), 0.1 * some(model.nv, 0.1))
        results[name] = mbd_ros.forward_dynamics(model, start, 0.1 * some(model.nv, 0.2),
                                                 some(model.nv, 0.3))
    return {name: np.asarray(result, np.float64) for name, result in results.items()}


def main() -> int:
    """Compare or store."""
    found = calls()
    if '--store' in sys.argv[1:]:
        STORED.write_text(json.dumps({name: one.tolist() for name, one in found.items()},
                                     indent=None) + '\n', encoding='utf-8')
        return 0
    stored = {name: np.array(one) for name, one in json.loads(STORED.read_text()).items()}
    errors = {name: float(np.abs(found[name] - one).max() / np.abs(one).max())
              if found[name].shape == one.shape else np.nan for name, one in stored.items()}
    wrong = [f'{name} ({error:.1e})' for name, error in errors.items() if not error <= WITHIN]
    missing = sorted(set(found) ^ set(stored))
    print(f'{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}: '
          f'{len(errors) - len(wrong)} of {len(errors)} values right, worst '
          f'{max(errors.values()):.1e}' + (f'; wrong: {", ".join(wrong)}' if wrong else '')
          + (f'; not in both: {", ".join(missing)}' if missing else ''))
    return 1 if wrong or missing else 0


if __name__ == '__main__':
    sys.exit(main())
