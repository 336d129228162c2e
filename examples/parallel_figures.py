"""
Steps of forward dynamics on many processors: the claim of Lu, Zhang and Chen, and long chains.

``python examples/parallel_figures.py [FOLDER]`` writes the figures as PNG, to docs/images by
default; it needs matplotlib (extra ``docs``).

"""

from pathlib import Path
import sys

from matplotlib import pyplot as plt

import mbd_ros
from mbd_ros.dynamics.analysis.scaling import cyclic_reduction, recursion

LINKS = (2, 3, 6, 9, 12, 16, 20)
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


def claim(folder):
    """Draw counted operations over links, and steps on two processors and on one per link."""
    reports = {count: mbd_ros.analyse(chain(count), (1, 2, count)) for count in LINKS}
    figure, axes = plt.subplots(1, 3, figsize=(11.0, 3.8), sharey=True, layout='constrained')
    for axis, title, steps in zip(axes, ('one processor', 'two processors', 'one for each link'), (
            lambda cost, count: cost.total, lambda cost, count: cost.schedule[2],
            lambda cost, count: cost.schedule[count])):
        for k, cost in enumerate(reports[LINKS[0]].costs):
            axis.semilogy(LINKS, [steps(report.costs[k], count)
                                  for count, report in reports.items()], label=cost.formulation)
        axis.set(title=title, xlabel='links')
    axes[0].set_ylabel('steps of a list schedule')
    axes[0].legend(fontsize=7)
    figure.savefig(folder / 'parallel_claim.png', dpi=90)


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
    claim(folder)
    long_chains(folder)


if __name__ == '__main__':
    main()
