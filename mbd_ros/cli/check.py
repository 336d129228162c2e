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

"""``mbd_ros check``: the model doctor."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
import json
from pathlib import Path
from typing import Any

from mbd_ros.cli.convert import keep_inputs, write_whole
from mbd_ros.cli.robot_file import add_robot, reading
from mbd_ros.description.read import read
from mbd_ros.dynamics.loops.diagnosis import check, Diagnosis, SEVERITIES
from mbd_ros.errors import InvalidValueError


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommand to its parser."""
    parser.description = (
        'Prints what is wrong with robot descriptions or suspicious about them, with '
        'the line and what to do. Exit code: 1 if there is a finding of the severity --fail-on or '
        'worse, 0 otherwise.')
    add_robot(parser, many=True)
    parser.add_argument('--floating-base', action='store_true',
                        help='the root link moves freely, so that its mass counts')
    parser.add_argument('--level', choices=SEVERITIES, default='info',
                        help='leave out what is less severe (default: %(default)s)')
    parser.add_argument('--fail-on', choices=SEVERITIES, default='error',
                        help='severity that makes the exit code 1 (default: %(default)s)')
    parser.add_argument('--fix', action='store_true',
                        help='write FILE_fixed.urdf into the working folder, with the <inertial> '
                        'of links that have none from their shapes, and say what it is')
    parser.add_argument('--compare', action='store_true',
                        help='compare with the home engine of each file, where it is installed, '
                        'and print a table; FILE may be a folder. Exit code: 1 if something is '
                        'not equal')
    parser.add_argument('--compiled', action='store_true',
                        help='with --compare: compare machine code with the interpreter, too')
    parser.add_argument('--written', action='store_true',
                        help='with --compare: write each robot as URDF, MJCF and SDFormat, too, '
                        'and compare what this package, Pinocchio and MuJoCo read then')
    parser.add_argument('--tolerance', type=float, default=1e-9, metavar='X',
                        help='with --compare: what counts as equal (default: %(default)g)')
    parser.add_argument('--seconds', type=float, default=60.0, metavar='S',
                        help='with --compare: for reading, and for comparing each file (default: '
                        '%(default)g)')
    parser.add_argument('--most', type=int, default=0, metavar='N',
                        help='with --compare: of a folder at most N files, evenly over it')
    parser.add_argument('--record', metavar='FILE',
                        help='with --compare: keep what came out in FILE, a line of JSON for each '
                        'robot, and do not compare again what is in it: a run that was ended goes '
                        'on, and the table is that of all')
    parser.add_argument('--json', action='store_true', help='print JSON, one object for each file')
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check the files and print what is found."""
    if arguments.compare:
        return _compare(arguments)
    failed = False
    for file in arguments.files:
        diagnosis = check(file, floating_base=arguments.floating_base, **reading(arguments))
        shown = diagnosis._replace(findings=tuple(
            finding for finding in diagnosis.findings
            if SEVERITIES.index(finding.severity) >= SEVERITIES.index(arguments.level)))
        print(_as_json(file, shown) if arguments.json else _as_text(file, shown))
        if arguments.fix:
            _fix(file, reading(arguments))
        failed = failed or (diagnosis.worst is not None and SEVERITIES.index(
            diagnosis.worst) >= SEVERITIES.index(arguments.fail_on))
    return int(failed)


def _compare(arguments: argparse.Namespace) -> int:
    """Compare the files with their home engines and print how equal they are."""
    from mbd_ros.cli.comparison.files import cases_of, kept
    from mbd_ros.cli.comparison.isolated import verdicts
    from mbd_ros.cli.comparison.table import json_of, line_of, table
    from mbd_ros.cli.comparison.verdict import FAILED, NOT_EQUAL
    for word, value in (('--tolerance', arguments.tolerance), ('--seconds', arguments.seconds)):
        if not 0.0 < value < float('inf'):
            raise InvalidValueError(word, value, 'a positive number')
    cases = cases_of(arguments.files, reading(arguments), arguments.tolerance, arguments.compiled,
                     arguments.most, arguments.written)
    with kept(arguments.record) as (before, keep):
        known = {verdict.file: verdict for verdict in before}
        found = [known[case.file] for case in cases if case.file in known]
        for verdict in verdicts([case for case in cases if case.file not in known],
                                arguments.seconds):
            print(json_of(verdict) if arguments.json else line_of(verdict), flush=True)
            keep(verdict)
            found.append(verdict)
    if not arguments.json:
        print(f'\n{table(found)}')
    return int(any(verdict.status in (NOT_EQUAL, FAILED) for verdict in found))


def _fix(file: str, given: Mapping[str, Any]) -> None:
    """Write a robot as URDF with the inertias that its shapes have, unless it lacks none."""
    before = read(file, inertia='unchecked', **given)
    after = read(file, inertia='from_shapes', **given)
    found = after.findings[len(before.findings):]
    for finding in found:
        print(finding)
    if after.text == before.text:
        print(f'{file}: no link lacks an <inertial> that shapes could give')
        return
    path = Path(f'{Path(file).name.partition(".")[0]}_fixed.urdf')
    keep_inputs(str(path), file)
    write_whole(str(path), after.text)
    print(f'{file}: written with {len(found)} of them as {path}')


def _as_text(file: str, diagnosis: Diagnosis) -> str:
    lines = []
    for finding in diagnosis.findings:
        lines.append(str(finding))
        if finding.remedy:
            lines.append(f'    {finding.remedy}')
    counts = ', '.join(f'{diagnosis.count(severity)} {name}' for severity, name in (
        ('error', 'errors'), ('warning', 'warnings'), ('info', 'remarks')))
    return '\n'.join([*lines, f'{file}: {counts}'])


def _as_json(file: str, diagnosis: Diagnosis) -> str:
    return json.dumps({
        'file': file, 'readable': diagnosis.model is not None,
        'findings': [finding._asdict() for finding in diagnosis.findings]})
