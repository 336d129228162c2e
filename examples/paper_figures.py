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
Draw Figures 2 to 6 of Lyu and Liu (2018) and compute tables beside them.

``python examples/paper_figures.py [FOLDER]`` writes the figures as PNG, to docs/images by default,
and prints tables in Markdown: step sizes, how accuracy depends on the number of corrections, and
Baumgarte's stabilization on its parameters. Needs matplotlib (the extra ``docs``).
"""

from __future__ import annotations

from pathlib import Path
import sys

from matplotlib import pyplot as plt
import numpy as np

import mbd_ros
from mbd_ros.control import (
    Baumgarte, ConstrainedMotion, DirectElimination, Ellipse, ToolPosition)

ROOT = Path(__file__).resolve().parents[1]
PATH = Ellipse([1, 0, 1], [0.25, 0.3, 0], [0, 1, 0.5])

# Angles in radians and rates in rad/s: exact, as the paper prints them, and far off the path.
EXACT = ([0.235544981, -0.872716323, 1.745432646], [0.756429652, -0.236638151, -0.304633539])
PRINTED = (np.radians([13.5, -50.0, 100.0]), [0.75, -0.24, -0.30])
INCONSISTENT = (np.radians([45.0, -45.0, 90.0]), [0.0, 0.0, 0.0])


def motion(dyn, method):
    """Return the constrained motion of a method: its name as in ``METHODS``."""
    constraint = ToolPosition(dyn, 'tool', PATH)
    if method == 'Baumgarte 50/400':
        return ConstrainedMotion(dyn, Baumgarte(constraint), elimination=None)
    elimination = DirectElimination.as_printed() if method == 'direct 2 + 1' else None
    return ConstrainedMotion(dyn, constraint, elimination=elimination)


def run(dyn, start, method, step=0.01, duration=20.0):
    """Return the run of a method."""
    return mbd_ros.simulate(dyn.model, *start, duration, step=step, motion=motion(dyn, method))


def tool(dyn, trajectory):
    """Return where the tool goes, (k, 3) [m]."""
    return np.array([dyn.pose(q, 'tool')[:3, 3] for q in trajectory.q])


def exact_start(dyn):
    """Return the exact state at time 0, to rounding."""
    found = DirectElimination(tolerance=1e-15).eliminate(
        dyn, ToolPosition(dyn, 'tool', PATH), np.array(EXACT[0]), np.array(EXACT[1]), 0.0)
    return found.q, found.v


def figures_2_to_4(dyn, folder):
    """Draw the drift: angles, rates and way of the tool from the printed initial state."""
    drifting, exact = run(dyn, PRINTED, 'none'), run(dyn, exact_start(dyn), 'direct 2 + 1')
    for number, name, values in ((2, 'joint angle [deg]', lambda t: np.degrees(t.q)),
                                 (3, 'joint velocity [rad/s]', lambda t: t.v)):
        figure, axes = plt.subplots(3, 1, sharex=True, figsize=(6.4, 5.6))
        for joint, axis in enumerate(axes):
            axis.plot(exact.time, values(exact)[:, joint], 'k', lw=0.8, label='exact')
            axis.plot(drifting.time, values(drifting)[:, joint], 'C3', lw=1.8, alpha=0.8,
                      label='no correction')
            axis.set_ylabel(f'joint {joint + 1}')
            axis.grid(alpha=0.3)
        axes[0].legend(loc='upper right')
        axes[-1].set_xlabel('time [s]')
        finish(figure, f'Figure {number}: {name}', folder / f'paper_figure_{number}.png')
    figure = plt.figure(figsize=(6.4, 5.2))
    axis = figure.add_subplot(projection='3d')
    axis.plot(*tool(dyn, exact).T, 'k', lw=0.8, label='ellipse')
    axis.plot(*tool(dyn, drifting).T, 'C3', lw=1.5, label='no correction')
    label_space(axis)
    finish(figure, 'Figure 4: way of the tool', folder / 'paper_figure_4.png')


def figures_5_and_6(dyn, folder):
    """Draw how the methods lead from the inconsistent start to the ellipse, and their errors."""
    angles = np.linspace(0.0, 2.0 * np.pi, 200)
    ellipse = np.array([PATH.at(t).position for t in angles])
    runs = {method: run(dyn, INCONSISTENT, method, duration=6.3)
            for method in ('Baumgarte 50/400', 'direct 2 + 1')}
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.6), subplot_kw={'projection': '3d'})
    for axis, (method, trajectory) in zip(axes, runs.items()):
        axis.plot(*ellipse.T, 'k', lw=0.8)
        axis.plot(*tool(dyn, trajectory).T, 'C0', lw=1.5, label=method)
        label_space(axis)
    finish(figure, 'Figure 5: from (45, -45, 90) degrees to the ellipse',
           folder / 'paper_figure_5.png')
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.8))
    drifting = run(dyn, PRINTED, 'none')
    long_runs = {method: run(dyn, INCONSISTENT, method)
                 for method in ('Baumgarte 50/400', 'direct 2 + 1')}
    for axis, last in zip(axes, (1.0, 20.0)):
        for (method, trajectory), style in zip(
                [('no correction, printed start', drifting), *long_runs.items()],
                ('C3-.', 'C2--', 'C0')):
            shown = trajectory.time <= last
            axis.plot(trajectory.time[shown], trajectory.violation[shown], style, label=method)
        axis.set_xlabel('time [s]')
        axis.grid(alpha=0.3)
    axes[0].set_ylabel('distance from the ellipse [m]')
    axes[1].set_yscale('log')
    axes[1].legend()
    finish(figure, 'Figure 6: error over time', folder / 'paper_figure_6.png')


def label_space(axis):
    """Label the axes of space."""
    axis.set_xlabel('x [m]')
    axis.set_ylabel('y [m]')
    axis.set_zlabel('z [m]')
    axis.legend(loc='upper right')


def finish(figure, title, file):
    """Title and write a figure."""
    figure.suptitle(title, fontsize=11)
    figure.tight_layout()
    figure.savefig(file, dpi=90)
    plt.close(figure)


def table(dyn):
    """Return the table of step sizes: largest violation from 5 s on [m]."""
    starts = {'none, exact start': (exact_start(dyn), 'none'),
              'none, printed start': (PRINTED, 'none'),
              'Baumgarte 50/400': (INCONSISTENT, 'Baumgarte 50/400'),
              'direct 2 + 1': (INCONSISTENT, 'direct 2 + 1')}
    lines = ['| step [s] | ' + ' | '.join(starts) + ' |', '|---' * (1 + len(starts)) + '|']
    for step in (0.04, 0.02, 0.01, 0.005):
        cells = []
        for start, method in starts.values():
            trajectory = run(dyn, start, method, step=step)
            cells.append(f'{trajectory.violation[trajectory.time >= 5.0].max():.1e}')
        lines.append(f'| {step} | ' + ' | '.join(cells) + ' |')
    return '\n'.join(lines)


def corrections(dyn, counts=(0, 1, 2, 3)):
    """
    Yield by number of position corrections the violation after steps 1 to 4 and from 5 s on [m].

    Each step ends with as many corrections of q as said, and one of v.
    """
    constraint = ToolPosition(dyn, 'tool', PATH)
    for count in counts:
        motion = ConstrainedMotion(dyn, constraint,
                                   elimination=DirectElimination.as_printed(count))
        out = mbd_ros.simulate(dyn.model, *INCONSISTENT, 6.0, step=0.01, motion=motion)
        yield count, out.violation[1:5], out.violation[out.time >= 5.0].max()


GAINS = ((10, 25), (20, 100), (40, 400), (50, 400), (100, 2500), (200, 10000), (500, 40000))
"""Baumgarte's alpha [1/s] and beta [1/s^2]; the paper's are the fourth."""


def gains(dyn, pairs=GAINS):
    """
    Yield by Baumgarte's parameters when the tool is within 1 mm [s], and how far from 5 s on [m].

    Both are infinite where the run breaks.
    """
    constraint = ToolPosition(dyn, 'tool', PATH)
    for alpha, beta in pairs:
        motion = ConstrainedMotion(dyn, Baumgarte(constraint, alpha, beta), elimination=None)
        try:
            with np.errstate(over='ignore', invalid='ignore'):
                out = mbd_ros.simulate(dyn.model, *INCONSISTENT, 20.0, step=0.01, motion=motion)
        except mbd_ros.errors.DivergedError:
            yield (alpha, beta), np.inf, np.inf
            continue
        late = np.flatnonzero(out.violation > 1e-3)[-1] + 1
        yield (alpha, beta), out.time[late], out.violation[out.time >= 5.0].max()


def print_further_tables(dyn):
    """Print how accuracy depends on corrections, and on Baumgarte's parameters."""
    print('\n| corrections of q, of v | after step 1 | 2 | 3 | 4 | largest from 5 s on |\n'
          '|---|---|---|---|---|---|')
    for count, first, last in corrections(dyn):
        print(f'| {count} + 1 | ' + ' | '.join(f'{one:.1e}' for one in (*first, last)) + ' |')
    print('\n| alpha, beta | poles [1/s] | within 1 mm after [s] | largest from 5 s on [m] |\n'
          '|---|---|---|---|')
    for pair, soon, last in gains(dyn):
        poles = ', '.join(f'{pole:.0f}' for pole in sorted(np.roots([1, *pair]).real))
        print(f'| {pair[0]}, {pair[1]} | {poles} | '
              + (f'{soon:.2f} | {last:.1e} |' if soon < np.inf else 'breaks | – |'))


def main():
    """Write the figures and print the tables."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / 'docs' / 'images'
    plt.switch_backend('Agg')
    folder.mkdir(parents=True, exist_ok=True)
    dyn = mbd_ros.compile(mbd_ros.load(ROOT / 'urdf' / 'three_link_arm.urdf'))
    figures_2_to_4(dyn, folder)
    figures_5_and_6(dyn, folder)
    print(table(dyn))
    print_further_tables(dyn)


if __name__ == '__main__':
    main()
