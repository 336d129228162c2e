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
Move the four-joint arm with rigid and with flexible links, as Lin did, and draw the torques.

``python examples/flexible_figures.py [FOLDER]`` prints tables of peaks and writes torques and
their spectra as PNG, to docs/images by default. The arm is that of ``urdf/flexible_arm.urdf``. As
in the paper, a force shakes its hand while the joints stand still. Then the joints move from one
posture to the other in 1 s along a quintic and hold for 1 s, while the links swing as they must. A
third figure has the same motion beside one that is shaped by the natural frequencies of the arm
where it ends. Needs matplotlib (extra ``docs``).
"""

from __future__ import annotations

from pathlib import Path
import sys

import numpy as np

import mbd_ros
from mbd_ros.control.references.shaping import impulses, shaped
from mbd_ros.control.references.splines import trajectory

ROOT = Path(__file__).resolve().parents[1]
START, END = np.array([0.0, -0.9, 1.2, 0.3]), np.array([1.0, -0.3, 0.6, -0.4])
JOINTS = 4
SHAKEN, HERTZ = np.array([0.0, 10.0, 10.0]), 5.0
"""The force that shakes the hand, in world axes [N], and its frequency."""


def quintic(t):
    """Return positions, velocities and accelerations of the joints at a time."""
    s, way = min(max(t, 0.0), 1.0), END - START
    return (START + way * s ** 3 * (10.0 - 15.0 * s + 6.0 * s * s),
            way * 30.0 * s * s * (1.0 - s) ** 2, way * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s))


def still(t):
    """Return the second posture, at rest."""
    return END, np.zeros(JOINTS), np.zeros(JOINTS)


def shaking(t):
    """Return the force on the hand [N] at a time: a second of a sine, then none."""
    return SHAKEN * np.sin(2.0 * np.pi * HERTZ * t) if t < 1.0 else np.zeros(3)


class Driven:
    """
    The joints follow a path, the links move as they must: hybrid dynamics.

    ``path`` returns positions, velocities and accelerations of the joints at a time, ``force``
    what acts on the hand, in world axes.
    """

    def __init__(self, model, path=quintic, force=None):
        self._path, self._force = path, force
        self._dyn = mbd_ros.compile(model)
        self._hybrid = self._dyn.hybrid_dynamics(tuple(range(JOINTS)))
        self._none = np.zeros(model.nv)

    def both(self, t, q, v):
        """Return accelerations and efforts (2, nv)."""
        given = self._none.copy()
        given[:JOINTS] = self._path(t)[2]
        if self._force is None:
            return self._hybrid(q, v, self._none, given)
        push = self._dyn.jacobian(q, 'hand')[:3].T @ self._force(t)
        found = np.array(self._hybrid(q, v, np.where(
            np.arange(len(push)) < JOINTS, 0.0, push), given))
        found[1, :JOINTS] -= push[:JOINTS]   # what the force does, the joints need not
        return found

    def acceleration(self, t, q, v):
        """Return all accelerations."""
        return self.both(t, q, v)[0]

    def correct(self, t, q, v):
        """Return the state as it is."""
        return q, v

    def violation(self, t, q):
        """Return zero: nothing can be violated."""
        return 0.0


def torques(model, times, path=quintic, force=None, **options):
    """Return the four torques at K times (K, 4), and the run of links that bend."""
    q, rest = np.zeros(model.nq), np.zeros(model.nv)
    q[:JOINTS] = path(0.0)[0]
    q[JOINTS:] = mbd_ros.static_deflection(model, q)
    motion = Driven(model, path, force)
    run = mbd_ros.simulate(model, q, rest, times[-1], motion=motion, times=times,
                           method='dop853', step=1e-3, **options)   # at rest all steps look short
    return np.array([motion.both(*state)[1, :JOINTS] for state in zip(
        run.time, run.q, run.v)]), run


def shaken(model, rigid, times, **options):
    """Return the torques (K, 4) that hold links that bend, and rigid ones, while it shakes."""
    bent, _ = torques(model, times, still, shaking, **options)
    rows = mbd_ros.jacobian(rigid, END, 'hand')[:3]
    weight = mbd_ros.gravity_forces(rigid, END)
    return bent, np.array([weight - rows.T @ shaking(t) for t in times])


def swing(values, step):
    """Return frequencies and amplitudes of values at equal steps, their mean left out."""
    hertz = np.fft.rfftfreq(len(values), step)
    return hertz, np.abs(np.fft.rfft(values - values.mean(axis=0), axis=0)) * 2.0 / len(values)


def slews(model, times, **options):
    """Return where the hand is against rigid links, less its sag at the end [m], (K, 3), twice."""
    q = np.concatenate([END, np.zeros(model.nq - JOINTS)])
    q[JOINTS:] = mbd_ros.static_deflection(model, q)
    stiff = np.concatenate([END, np.zeros(model.nq - JOINTS)])
    sag = np.subtract(*(mbd_ros.pose(model, one, 'hand')[:3, 3] for one in (q, stiff)))
    hertz = mbd_ros.natural_frequencies(model, q, locked=model.joint_names).frequencies
    way = trajectory([0.0, 1.0], [START, END], *np.zeros((2, 2, JOINTS)))
    by = impulses([hertz[:2].mean(), hertz[2:4].mean()])
    off = []
    for path in (way, shaped(way, by)):
        _, run = torques(model, times, path.at, **options)
        straight = run.q.copy()
        straight[:, JOINTS:] = 0.0
        bent, rigid = (mbd_ros.pose(model, one, 'hand')[:, :3, 3] for one in (run.q, straight))
        off.append(bent - rigid - sag)
    return off, hertz, way.duration + by.delays[-1]


def draw(times, names, straight, bent, file):
    """Print the peaks of torques (K, 4), and draw these and what swings in the second half."""
    from matplotlib import pyplot as plt

    later = times >= 1.0
    print('| joint | rigid [N m] | flexible [N m] | difference [N m] | swings after 1 s at [Hz] | '
          'by [N m] |\n|---|---|---|---|---|---|')
    figure, axes = plt.subplots(JOINTS, 2, figsize=(9.0, 9.0), constrained_layout=True)
    for name, (left, right), one, other in zip(names, axes, straight.T, bent.T):
        hertz, size = swing(other[later], times[1])
        most = size[1:60].argmax() + 1
        print(f'| {name} | {np.abs(one).max():.4g} | {np.abs(other).max():.4g} | '
              f'{np.abs(other - one).max():.3g} | {hertz[most]:.3g} | {size[most]:.3g} |')
        left.plot(times, one, label='rigid')
        left.plot(times, other, label='flexible')
        left.set_ylabel(f'{name} [N m]')
        right.semilogy(hertz[1:60], size[1:60])
        right.set_ylabel('[N m]')
    axes[0, 0].legend()
    axes[-1, 0].set_xlabel('t [s]')
    axes[-1, 1].set_xlabel('f [Hz], after 1 s')
    figure.savefig(file, dpi=110)
    plt.close(figure)


def main() -> None:
    """Write the figures and print the tables."""
    from matplotlib import pyplot as plt   # here, as tests need no figure

    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / 'docs' / 'images'
    file = ROOT / 'urdf' / 'flexible_arm.urdf'
    model, rigid = mbd_ros.load(file), mbd_ros.load(file, flexible=False)
    times = np.linspace(0.0, 2.0, 2001)
    bent, _ = torques(model, times, rtol=1e-6, atol=1e-8)
    straight = mbd_ros.inverse_dynamics(rigid, *(
        np.array(part) for part in zip(*map(quintic, times))))
    draw(times, model.joint_names, straight, bent, folder / 'flexible_torques.png')
    bent, straight = shaken(model, rigid, times, rtol=1e-6, atol=1e-8)
    draw(times, model.joint_names, straight, bent, folder / 'flexible_shaken.png')
    times = np.linspace(0.0, 3.0, 1501)
    (unshaped, quiet), hertz, end = slews(model, times, rtol=1e-6, atol=1e-8)
    figure, axis = plt.subplots(figsize=(7.0, 3.5), constrained_layout=True)
    axis.plot(times, 1e3 * np.linalg.norm(unshaped, axis=1), label='unshaped, ends at 1 s')
    axis.plot(times, 1e3 * np.linalg.norm(quiet, axis=1), label=f'shaped, ends at {end:.2f} s')
    axis.set(xlabel='t [s]', ylabel='deflection of the hand [mm]')
    axis.legend()
    figure.savefig(folder / 'flexible_shaping.png', dpi=110)
    after = times >= end
    swings = [1e3 * np.linalg.norm(off[after], axis=1).max() for off in (unshaped, quiet)]
    print(f'{hertz[:4].round(2)} Hz; the hand swings after {end:.2f} s by {swings[0]:.3g} and '
          f'{swings[1]:.3g} mm')


if __name__ == '__main__':
    main()
