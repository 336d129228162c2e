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

"""``mbd_ros analyse``: what the formulations of forward dynamics cost for a robot."""

from __future__ import annotations

import argparse

from mbd_ros.cli.robot_file import add_robot, reading
from mbd_ros.dynamics.analysis.analyse import analyse, Report
from mbd_ros.dynamics.analysis.measure import measure, Measured
from mbd_ros.errors import InvalidValueError, UnsupportedError
from mbd_ros.model import load

MANY = 1000
"""States of the batch that is measured."""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommand to its parser."""
    parser.description = (
        'Prints what forward dynamics of a robot costs by each formulation: '
        'operations, critical path, steps of a list schedule on p processors; and '
        'which one is fastest on this machine.')
    add_robot(parser)
    parser.add_argument('--processors', default='1,2,4,8', metavar='P,P,...',
                        help='numbers of processors (%(default)s)')
    parser.add_argument('--communication', type=int, default=0, metavar='STEPS',
                        help='steps that a result takes to another processor (%(default)s)')
    parser.add_argument('--plot', metavar='FILE.png',
                        help='plot the efficiency over the number of processors')
    parser.add_argument('--floating-base', action='store_true',
                        help='the root link moves freely')
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the costs."""
    try:
        processors = [int(word) for word in arguments.processors.split(',')]
    except ValueError:
        raise InvalidValueError('--processors', arguments.processors,
                                'whole numbers with commas between them') from None
    model = load(arguments.file, **reading(arguments), floating_base=arguments.floating_base)
    report = analyse(model, processors, communication=arguments.communication)
    print(report.table())
    print(f'fastest on this machine: {_fastest(measure(model))} for one state, '
          f'{_fastest(measure(model, MANY))} in a batch of {MANY}')
    if arguments.plot:
        plot(report, arguments.plot)
    return 0


def _fastest(measured: list[Measured]) -> str:
    best = measured[0]
    return f"'{best.formulation}' ({best.executor}), {1e6 * best.seconds:.3g} us"


def plot(report: Report, file: str) -> None:
    """
    Plot the efficiency: serial steps of the best formulation over p times the steps on p.

    Raises
    ------
    UnsupportedError
        If there is no matplotlib.

    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UnsupportedError('--plot without matplotlib',
                               "pip install 'mbd_ros[docs]'") from None
    best = min(cost.total for cost in report.costs)
    figure = Figure(figsize=(7.0, 4.5), layout='constrained')
    axes = figure.subplots()
    for cost in report.costs:
        axes.plot(list(cost.schedule), [
            best / (count * steps) for count, steps in cost.schedule.items()], 'o-',
            label=cost.formulation)
    axes.set(xscale='log', xlabel='processors p', ylabel='efficiency: best T1 / (p Tp)',
             title=f'{report.robot}, communication {report.communication} steps')
    axes.legend()
    figure.savefig(file, dpi=120)
