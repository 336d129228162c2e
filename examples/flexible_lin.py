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
Solve the flexible inverse dynamics of the four-joint arm by Lin's iteration, in all its variants.

``python examples/flexible_lin.py [FILE]`` prints what becomes of each: the elastic coordinates are
found from ``M_d a'' + D a' + K a = Q``, with Q by inverse dynamics of what was found before, for
the whole motion at once (Newmark's rule, 0.5 ms) or within each of its steps. The motion is that
of ``flexible_figures.py``, with which the exact torques come.
"""

from __future__ import annotations

from pathlib import Path
import sys
from typing import NamedTuple

from flexible_figures import END, JOINTS, quintic, START, torques
import numpy as np

import mbd_ros

ROOT = Path(__file__).resolve().parents[1]
STEP = 5e-4
FAR = 1.0
"""Of an elastic coordinate [m, rad]: the iteration has diverged."""
CLOSE = 1e-9
"""Of a change of a'' against a'' itself within a step."""
MOST = 500


class Arm(NamedTuple):
    """An arm, its motion (K, ...), modal matrices, and the exact torques (K, 4)."""

    dyn: mbd_ros.PreparedDynamics
    times: np.ndarray
    joints: np.ndarray
    damping: np.ndarray
    stiffness: np.ndarray
    exact: np.ndarray

    @classmethod
    def of(cls, model, until=2.0):
        """Return a model along the motion."""
        times = STEP * np.arange(round(until / STEP) + 1)
        joints = np.array([quintic(t) for t in times])
        exact, _ = torques(model, times, rtol=1e-7, atol=1e-9)
        damping, stiffness = (blocks(model, name) for name in ('damping', 'stiffness'))
        return cls(mbd_ros.compile(model), times, joints, damping, stiffness, exact)

    def needed(self, a, k=slice(None)):
        """Return all generalized forces for a, a', a'' (..., 3, n) at some of the times."""
        return self.dyn.inverse_dynamics(*(
            np.concatenate([self.joints[k][..., d, :], a[..., d, :]], axis=-1) for d in range(3)))

    def coupled(self, place):
        """Return the inertia of the elastic coordinates of the unbent arm with all it carries."""
        unbent = np.concatenate([place, np.zeros(len(self.damping))])
        return self.dyn.mass_matrix(unbent)[JOINTS:, JOINTS:]

    def share(self, tau):
        """Return rms errors of torques against those of leaving out that links bend."""
        rigid = self.needed(np.zeros((len(self.times), 3, len(self.damping))))[:, :JOINTS]
        return rms(tau[:, :JOINTS] - self.exact) / rms(rigid - self.exact)


def rms(values):
    """Return the root of the mean square of each column."""
    return np.sqrt(np.mean(values ** 2, axis=0))


def blocks(model, name):
    """Return a modal matrix of all links, each by itself."""
    result = np.zeros((len(model.elastic_names),) * 2)
    for body in model.elastic.bodies:
        own = slice(body.first, body.first + body.count)
        result[own, own] = getattr(body, name)[:body.count, :body.count]
    return result


def whole_motion(arm, mass, passes=3):
    """Return for each pass the share of ``Arm.share``, or None where a is beyond bounds."""
    a = np.zeros((len(arm.times), 3, len(mass)))
    shares = []
    step = np.linalg.inv(mass + 0.5 * STEP * arm.damping + 0.25 * STEP ** 2 * arm.stiffness)
    for _ in range(passes):
        forces = (a[:, 2] @ mass + a[:, 1] @ arm.damping + a[:, 0] @ arm.stiffness
                  - arm.needed(a)[:, JOINTS:])
        found = np.zeros_like(a)
        found[0, 0] = np.linalg.solve(arm.stiffness, forces[0])   # it begins at rest
        for k in range(1, len(found)):
            before = found[k - 1]
            rate = before[1] + 0.5 * STEP * before[2]
            place = before[0] + STEP * before[1] + 0.25 * STEP ** 2 * before[2]
            last = step @ (forces[k] - arm.damping @ rate - arm.stiffness @ place)
            found[k] = place + 0.25 * STEP ** 2 * last, rate + 0.5 * STEP * last, last
        a = found
        if not np.abs(a[:, 0]).max() < FAR:
            return [*shares, None]
        shares.append(arm.share(arm.needed(a)))
    return shares


def each_step(arm, mass_at):
    """Return the share and the iterations of each step; the first step that fails, if one does."""
    a = np.zeros((len(arm.times), 3, len(arm.damping)))
    q = np.concatenate([START, np.zeros(len(arm.damping))])
    a[0, 0] = mbd_ros.static_deflection(arm.dyn.model, q)
    counts = []
    for k in range(1, len(a)):
        mass = mass_at(arm.joints[k, 0])
        step = np.linalg.inv(mass + 0.5 * STEP * arm.damping + 0.25 * STEP ** 2 * arm.stiffness)
        (place, rate, last), now = a[k - 1], a[k]
        counts.append(0)
        while counts[-1] < MOST:
            counts[-1] += 1
            now[1] = rate + 0.5 * STEP * (last + now[2])
            now[0] = place + STEP * rate + 0.25 * STEP ** 2 * (last + now[2])
            if not np.abs(now[0]).max() < FAR:
                return None, [k]
            change = step @ arm.needed(now, k)[JOINTS:]
            now[2] -= change
            if np.abs(change).max() < CLOSE * max(1.0, np.abs(now[2]).max()):
                break
        else:
            return None, [k]
    return arm.share(arm.needed(a)), counts


def coupled_half_way(arm):
    """Return the inertia of the elastic coordinates in the posture between the two."""
    return arm.coupled(0.5 * (START + END))


def variants(arm):
    """Yield each variant in words with what becomes of it."""
    own, frozen = blocks(arm.dyn.model, 'mass'), coupled_half_way(arm)
    masses = {"own modal masses, the paper's": own, 'M_aa half-way': frozen}
    for name, mass in masses.items():
        shares = whole_motion(arm, mass)
        words = [f'pass {k}: ' + ('beyond bounds' if one is None else ' / '.join(
            f'{x:.2g}' for x in one)) for k, one in enumerate(shares, 1)]
        yield f'whole motion, {name}', '; '.join(words)
    for name, mass_at in {
            **{name: lambda _, mass=mass: mass for name, mass in masses.items()},
            'M_aa of the posture, unbent': arm.coupled}.items():
        share, counts = each_step(arm, mass_at)
        yield f'within each step, {name}', (
            f'beyond bounds at step {counts[-1]}' if share is None else
            f'converges, {np.mean(counts):.3g} iterations a step, {max(counts)} at most; '
            + ' / '.join(f'{x:.2g}' for x in share))


def main() -> None:
    """Print the table."""
    file = sys.argv[1] if len(sys.argv) > 1 else ROOT / 'urdf' / 'flexible_arm.urdf'
    print('| iteration, M_d | error of torques, of what bending makes |\n|---|---|')
    for name, words in variants(Arm.of(mbd_ros.load(file))):
        print(f'| {name} | {words} |')


if __name__ == '__main__':
    main()
