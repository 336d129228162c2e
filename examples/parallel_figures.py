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
Steps of forward dynamics on many processors: the claim of Lu, Zhang and Chen, and long chains.

``python examples/parallel_figures.py [FOLDER]`` prints what the paper's example costs and writes
the figures as PNG, to docs/images by default; it needs matplotlib (extra ``docs``).

"""

from pathlib import Path
import statistics
import sys
import time

from matplotlib import pyplot as plt
import numpy as np

import mbd_ros
from mbd_ros import Lanes, Threads
from mbd_ros.dynamics.analysis.scaling import cyclic_reduction, recursion

LINKS = (2, 3, 6, 9, 12, 16, 20)
ROUNDS, CALLS = 15, 20
INERTIA = ('<inertial><origin xyz="0.3 0.02 0.01"/><mass value="1"/><inertia ixx="0.01" '
           'ixy="0.002" ixz="0.001" iyy="0.09" iyz="0.003" izz="0.08"/></inertial>')


def chain(count):
    """Return a chain in general position: no constant of it is zero or one."""
    parts = ['<robot name="chain"><link name="l0"/>']
    for i in range(1, count + 1):
        parts.append(
            f'<link name="l{i}">{INERTIA}</link><joint name="j{i:03d}" type="continuous">'
            f'<origin xyz="0.5 0.1 0.2" rpy="0.3 {0.1 * (i % 5) + 0.1} 0.4"/>'
            f'<parent link="l{i - 1}"/><child link="l{i}"/><axis xyz="0.6 0 0.8"/></joint>')
    return mbd_ros.load(''.join(parts) + '</robot>')


def composite_bodies(model):
    """Return forward dynamics by composite bodies, whose system LAPACK solves."""
    dyn = mbd_ros.compile(model)
    return lambda q, v, tau: np.linalg.solve(dyn.mass_matrix(q), tau - dyn.bias_forces(q, v))


def calls(model):
    """Return what runs here for each counted way, on one thread and, where it can, on two."""
    found = {('composite bodies', 1): composite_bodies(model), ('augmented, cyclic', 1):
             mbd_ros.compile(model, formulation='augmented', executor=Lanes()).forward_dynamics}
    for name in ('recursive', 'jourdain', 'augmented', 'kane'):
        found.update({(name, count): mbd_ros.compile(
            model, formulation=name, executor=Threads(count)).forward_dynamics
            for count in (1, 2)})
    return found


def measured(models):
    """Return by number of links the microseconds of a call of each, the medians of turns."""
    ways = {count: calls(model) for count, model in models.items()}
    times = {count: {key: [] for key in found} for count, found in ways.items()}
    for _ in range(ROUNDS):
        for count, found in ways.items():
            state = np.random.default_rng(1).normal(size=(3, models[count].nv))
            for key, call in found.items():
                call(*state)   # compiles, and finds its data again
                begin = time.perf_counter()
                for _ in range(CALLS):
                    call(*state)
                times[count][key].append((time.perf_counter() - begin) / CALLS * 1e6)
    return {count: {key: statistics.median(values) for key, values in found.items()}
            for count, found in times.items()}


def claim(folder):
    """Draw counted operations over links and steps on more processors; then what is measured."""
    models = {count: chain(count) for count in LINKS}
    reports = {count: mbd_ros.analyse(model, (1, 2, count)) for count, model in models.items()}
    figure, axes = plt.subplots(1, 4, figsize=(14.0, 3.8), layout='constrained')
    for axis, title, steps in zip(axes, ('one processor', 'two processors', 'one for each link'), (
            lambda cost, count: cost.total, lambda cost, count: cost.schedule[2],
            lambda cost, count: cost.schedule[count])):
        for k, cost in enumerate(reports[LINKS[0]].costs):
            axis.semilogy(LINKS, [steps(report.costs[k], count)
                                  for count, report in reports.items()], label=cost.formulation)
        axis.sharey(axes[0])
        axis.set(title='counted, ' + title, xlabel='links')
    axes[0].set_ylabel('steps of a list schedule')
    axes[0].legend(fontsize=7)
    times = measured(models)
    names = [cost.formulation for cost in reports[LINKS[0]].costs]
    for name, threads in times[LINKS[0]]:
        axes[3].semilogy(LINKS, [one[name, threads] for one in times.values()],
                         '--' if threads == 2 else '-', color=f'C{names.index(name)}')
    axes[3].set(title='measured; dashed: two threads', xlabel='links',
                ylabel='time of a call [us]')
    for name, threads in times[LINKS[0]]:
        print(f'| {name}, {threads} | ' + ' | '.join(
            f'{one[name, threads]:.3g}' for one in times.values()) + ' |')
    figure.savefig(folder / 'parallel_claim.png', dpi=90)


def three_links(processors=(1, 2, 3, 6, 12)):
    """Return the paper's example: what three links of a PUMA 560 cost, its wrist locked."""
    model = mbd_ros.load(Path(__file__).parents[1] / 'urdf' / 'puma560.urdf')
    wrist = dict.fromkeys(model.joint_names[3:], 0.0)
    return mbd_ros.analyse(mbd_ros.lock(model, wrist), processors).costs


def print_three_links():
    """Print their steps on some processors."""
    costs = three_links()
    counts = list(costs[0].schedule)
    print('| steps on processors | ' + ' | '.join(map(str, counts)) + ' |\n|---'
          + '|---:' * len(counts) + '|')
    for cost in costs:
        print(f'| {cost.formulation} | '
              + ' | '.join(str(cost.schedule[count]) for count in counts) + ' |')


def long_chains(folder):
    """Draw steps over processors for long chains, with free messages and with dear ones."""
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.8), sharey=True, layout='constrained')
    processors = [2**power for power in range(13)]
    for axis, communication in zip(axes, (0.0, 1e5)):
        for count in (100, 1000, 10_000, 100_000):
            (line,) = axis.loglog(processors, [
                cyclic_reduction(count, p, communication) for p in processors],
                label=f'{count} links')
            axis.axhline(recursion(count), color=line.get_color(), linestyle=':')
        axis.set(title=f'a message takes {communication:g} steps', xlabel='processors')
    axes[0].set_ylabel('steps; dotted: recursion on one')
    axes[0].legend(fontsize=7)
    figure.savefig(folder / 'parallel_long_chains.png', dpi=90)


def main():
    """Write the figures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / 'docs/images'
    folder.mkdir(parents=True, exist_ok=True)
    print_three_links()
    claim(folder)
    long_chains(folder)


if __name__ == '__main__':
    main()
