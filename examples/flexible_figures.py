"""
Move the four-joint arm with rigid and with flexible links, as Lin did, and draw the torques.

``python examples/flexible_figures.py [FOLDER]`` prints a table of peaks and writes torques and
their spectra as PNG, to docs/images by default. The arm is that of ``urdf/flexible_arm.urdf``; its
joints move from one posture to the other in 1 s along a quintic and hold for 1 s, while the links
swing as they must. Needs matplotlib (extra ``docs``).
"""

from __future__ import annotations

from pathlib import Path
import sys

import numpy as np

import mbd_ros

ROOT = Path(__file__).resolve().parents[1]
START, END = np.array([0.0, -0.9, 1.2, 0.3]), np.array([1.0, -0.3, 0.6, -0.4])
JOINTS = 4


def quintic(t):
    """Return positions, velocities and accelerations of the joints at a time."""
    s, way = min(max(t, 0.0), 1.0), END - START
    return (START + way * s ** 3 * (10.0 - 15.0 * s + 6.0 * s * s),
            way * 30.0 * s * s * (1.0 - s) ** 2, way * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s))


class Driven:
    """The joints follow the quintic, the links move as they must: hybrid dynamics."""

    def __init__(self, model):
        self._model, self._hybrid = model, mbd_ros.compile(model).hybrid_dynamics(
            tuple(range(JOINTS)))
        self._none = np.zeros(model.nv)

    def both(self, t, q, v):
        """Return accelerations and efforts (2, nv)."""
        given = self._none.copy()
        given[:JOINTS] = quintic(t)[2]
        return self._hybrid(q, v, self._none, given)

    def acceleration(self, t, q, v):
        """Return all accelerations."""
        return self.both(t, q, v)[0]

    def correct(self, t, q, v):
        """Return the state as it is."""
        return q, v

    def violation(self, t, q):
        """Return zero: nothing can be violated."""
        return 0.0


def torques(model, times, **options):
    """Return the four torques at K times (K, 4), and the run of links that bend."""
    q, rest = np.zeros(model.nq), np.zeros(model.nv)
    q[:JOINTS] = START
    q[JOINTS:] = mbd_ros.static_deflection(model, q)
    motion = Driven(model)
    run = mbd_ros.simulate(model, q, rest, times[-1], motion=motion, times=times,
                           method='dop853', step=1e-3, **options)   # at rest all steps look short
    return np.array([motion.both(*state)[1, :JOINTS] for state in zip(
        run.time, run.q, run.v)]), run


def main() -> None:
    """Write the figure and print the table."""
    from matplotlib import pyplot as plt   # here, as tests need no figure

    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / 'docs' / 'images'
    file = ROOT / 'urdf' / 'flexible_arm.urdf'
    model, rigid = mbd_ros.load(file), mbd_ros.load(file, flexible=False)
    times = np.linspace(0.0, 2.0, 2001)
    bent, _ = torques(model, times, rtol=1e-6, atol=1e-8)
    straight = mbd_ros.inverse_dynamics(rigid, *(
        np.array(part) for part in zip(*map(quintic, times))))
    print('| joint | rigid [N m] | flexible [N m] | difference [N m] |\n|---|---|---|---|')
    for name, one, other in zip(model.joint_names, straight.T, bent.T):
        print(f'| {name} | {np.abs(one).max():.4g} | {np.abs(other).max():.4g} | '
              f'{np.abs(other - one).max():.3g} |')
    figure, axes = plt.subplots(JOINTS, 2, figsize=(9.0, 9.0), constrained_layout=True)
    hold = times >= 1.0
    hertz = np.fft.rfftfreq(hold.sum(), times[1])
    for name, (left, right), one, other in zip(model.joint_names, axes, straight.T, bent.T):
        left.plot(times, one, label='rigid')
        left.plot(times, other, label='flexible')
        left.set_ylabel(f'{name} [N m]')
        swing = np.abs(np.fft.rfft(other[hold] - other[hold].mean())) * 2.0 / hold.sum()
        right.semilogy(hertz[1:60], swing[1:60])
        right.set_ylabel('[N m]')
    axes[0, 0].legend()
    axes[-1, 0].set_xlabel('t [s]')
    axes[-1, 1].set_xlabel('f [Hz], while holding')
    figure.savefig(folder / 'flexible_torques.png', dpi=110)


if __name__ == '__main__':
    main()
