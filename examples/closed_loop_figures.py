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
Redo what Malczyk and Fraczek computed with closed loops, and draw it.

``python examples/closed_loop_figures.py [FOLDER]`` writes three figures as PNG, to docs/images by
default: the slider-crank under the torque 0.01 exp(-t), how the time of an evaluation grows with
the number of links of a ring and what two threads and two lanes gain, and the drift under
Baumgarte's stabilization. Needs matplotlib (the extra ``docs``).
"""

from __future__ import annotations

import math
from pathlib import Path
import sys
import time

from matplotlib import pyplot as plt
import numpy as np

import mbd_ros
from mbd_ros import Compiled, Threads

ROOT = Path(__file__).resolve().parents[1]
SIZES = (7, 15, 31, 51, 101, 151, 201, 251, 301)
PAPER = {15: 'slight gain of 2 CPUs', 151: 'below 2',
         251: 'across a network'}
SHARED, THREADS = 'code of all robots', 'code of all robots, halves on 2 threads'
STRAIGHT, DEFAULT = 'straight-line code', 'what runs by default: halves in 2 lanes'
WAYS = {SHARED: Compiled('rolled'), THREADS: Threads(2, Compiled('rolled'), within_state=True),
        STRAIGHT: Compiled('unrolled'), DEFAULT: Compiled()}
"""Who runs a ring."""
FEWEST = 20
"""Bodies from which on threads take part."""


def slider_crank():
    """Return the slider-crank, its state with the crank upright, and the torque on the crank."""
    model = mbd_ros.load(ROOT / 'urdf' / 'slider_crank.urdf')
    unit = (np.array(model.joint_names) == 'crank_joint').astype(float)
    q, v = mbd_ros.close_loops(model, 0.05 * unit, 0.0 * unit, known=['crank_joint'])
    return model, q, v, lambda t, q, v: 0.01 * math.exp(-t) * unit


def ring(size):
    """Return a ring of rods of 1 m and 1 kg in a plane, and its state as a regular polygon."""
    half, turn = (size - 1) // 2, 2.0 * math.pi / size
    lines = ['<robot name="ring"><link name="base"/>']
    for side in 'ab':
        for k in range(half):
            name, parent = f'{side}{k:03}', f'{side}{k - 1:03}' if k else 'base'
            lines.append(
                f'<link name="{name}"><inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia '
                f'ixx="1e-3" iyy="{1 / 12}" izz="{1 / 12}" ixy="0" ixz="0" iyz="0"/></inertial>'
                f'</link><joint name="j{name}" type="continuous"><parent link="{parent}"/>'
                f'<child link="{name}"/><origin xyz="{1.0 if side == "b" or k else 0.0} 0 0"/>'
                '<axis xyz="0 0 1"/></joint>')
    model = mbd_ros.load(''.join([
        *lines, '<loop_joint name="cut" type="revolute">'
        f'<link1 link="a{half - 1:03}" xyz="1 0 0"/><link2 link="b{half - 1:03}" xyz="1 0 0"/>'
        '</loop_joint></robot>']))
    return model, np.array([math.pi + turn] + [turn] * (half - 1) + [-turn] * half)


def draw_slider_crank(axes):
    """Draw 20 s of the slider-crank."""
    model, q, v, tau = slider_crank()
    run = mbd_ros.simulate(model, q, v, 20.0, tau=tau, method='dop853', rtol=1e-9,
                           times=np.linspace(0.0, 20.0, 2001))
    slider, crank = (model.joint_names.index(name) for name in ('slider_joint', 'crank_joint'))
    axes[0].plot(run.time, run.v[:, crank])
    axes[0].set_ylabel('crank [rad/s]')
    axes[1].plot(run.time, 0.3 + run.q[:, slider])
    axes[1].set_ylabel('slider [m]')
    axes[1].set_xlabel('t [s]')
    axes[0].set_title(f'slider-crank: energy balance within {np.abs(run.balance).max():.0e} J, '
                      f'loop within {run.violation.max():.0e} m')


def best_times(size):
    """Return the least time [us] of one evaluation of a ring by each of ``WAYS``."""
    model, q = ring(size)
    zero = np.zeros(model.nv)
    calls = {name: mbd_ros.compile(model, executor=executor).forward_dynamics
             for name, executor in WAYS.items()}
    best = dict.fromkeys(calls, math.inf)
    for _ in range(60):  # in turn, so that what else the machine does hits all alike
        for name, call in calls.items():
            call(q, zero, zero)
            begin = time.perf_counter()
            for _ in range(20):
                call(q, zero, zero)
            best[name] = min(best[name], (time.perf_counter() - begin) / 20 * 1e6)
    return best


def draw_rings(axes):
    """Draw the time of one evaluation against the number of links, and what two CPUs gain."""
    times = [best_times(size) for size in SIZES]
    for name in WAYS:
        axes[0].loglog(SIZES, [one[name] for one in times], 'o-', label=name)
    for name, alone, least in ((DEFAULT, STRAIGHT, 0), (THREADS, SHARED, FEWEST)):
        sizes, gains = zip(*((size, one[alone] / one[name])
                             for size, one in zip(SIZES, times) if size > least))
        axes[1].semilogx(sizes, gains, 'o-', label=name)
    for k, (size, text) in enumerate(PAPER.items()):
        axes[1].axvline(size, color='0.7', linewidth=0.8)
        axes[1].text(size, 0.45 + 0.12 * k, f'2006: {text}', ha='center', fontsize=6)
    axes[0].set_ylabel('one evaluation [us]')
    axes[0].set_title('planar rings')
    axes[1].set_ylabel('times as fast as one')
    axes[1].set_ylim(0.4, 2.4)
    axes[1].set_xlabel('links')
    for one in axes:
        one.legend(fontsize=6, loc='upper left')


def draw_baumgarte(axes):
    """Draw how far the loop of the slider-crank opens."""
    model, q, v, tau = slider_crank()
    for label, options in (('none', {'stabilization': 'none'}),
                           *((f'alpha = beta = {a}/s', {'stabilization': 'baumgarte', 'alpha': a,
                                                        'beta': a}) for a in (1, 5, 20)),
                           ('projection', {'stabilization': 'projection'})):
        run = mbd_ros.simulate(model, q, v, 10.0, tau=tau, method='dop853', rtol=1e-5, atol=1e-7,
                               **options)
        axes.semilogy(run.time, np.maximum(run.violation, 1e-18), label=label)
    axes.set_xlabel('t [s]')
    axes.set_ylabel('loop open by [m]')
    axes.legend()
    axes.set_title('stabilization, rtol 1e-5')


def main() -> None:
    """Write the figures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / 'docs' / 'images'
    for name, rows, draw in (('slider_crank', 2, draw_slider_crank), ('rings', 2, draw_rings),
                             ('baumgarte', 1, draw_baumgarte)):
        figure, axes = plt.subplots(rows, 1, figsize=(7.0, 5.4 if rows > 1 else 4.2),
                                    sharex=rows > 1, layout='constrained')
        draw(axes)
        figure.savefig(folder / f'closed_loop_{name}.png', dpi=100)
        print(folder / f'closed_loop_{name}.png')


if __name__ == '__main__':
    main()
