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

"""Texts of tasks as somebody may send them: each is read, or refused in one clear line."""

from pathlib import Path
import random
import time

from mbd_msgs.action import FollowPath

import mbd_ros
from mbd_ros.control import Task
from mbd_ros.control.tasks.task import motion_for
from mbd_ros.errors import MbdError
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.messages.trajectories.path_goals import read_task
from mbd_ros.nodes.controlling.task_parameters import listed

ARM = Path(__file__).resolve().parents[2] / 'urdf' / 'three_link_arm.urdf'

LONGEST = 10.0
"""CPU time that no text may take [s]; a tenth is usual, and a busy machine makes it longer."""

TASKS = (
    '{link: tool, path: {kind: line, start: [1, 0.7, 1.2], end: [1, 1, 1], duration: 3}}',
    '{path: {kind: ellipse, center: [1, 0, 1], a: [0.2, 0, 0], b: [0, 0.2, 0], period: 6.0}, '
    'axes: xyz, metric: mass}',
    '{path: {kind: circle, center: [1, 0, 1], radius: 0.1, normal: [0, 0, 1]}, axes: xz}',
    '{path: {kind: lissajous, center: [1, 0, 1], amplitude: [0.1, 0.1, 0.1], turns: [1, 2, 3]}}',
    '{path: {kind: spline, points: [[1, 0, 1], [1, 0.1, 1], [1, 0.2, 1.1]], duration: 4.0, '
    'closed: false}, posture: [0.1, 0.2, 0.3], posture_stiffness: [20.0]}',
    'constraints:\n- {kind: joint_coupling, coefficients: {joint1: 1.0, joint2: -1.0}, value: 0}\n'
    '- {kind: on_surface, link: tool, surfaces: [{kind: plane, point: [0, 0, 1], normal: [0, 0, '
    '1]}, {kind: sphere, center: [0, 0, 1], radius: 1}]}\n',
    'constraints: [{kind: tool_pose, link: tool, path: {kind: line, start: [1, 0, 1], end: [1, 1, '
    '1], duration: 3}, orientation: {start: [0, 0, 0, 1], end: [0, 0, 1, 0], duration: 2}}, '
    '{kind: joint_path, joints: [joint1], times: [0, 1, 2], positions: [[0], [1], [0]]}, '
    '{kind: tool_direction, link: tool, axis: [0, 0, 1], direction: [0, 0, -1]}, '
    '{kind: no_sideslip, link: tool, axis: [1, 0, 0]}, {kind: joint_speed, coefficients: '
    '{joint3: 1}, value: 0.1}]',
)
"""What can be followed."""

VALUES = (
    '2001-99-99', '2001-01-01', '1:30:00', '3', '-1e308', '1e400', '.nan', '.inf', '-.inf', '0x1F',
    '0o17', '1_000', '9' * 5000, '1' + '0' * 400, 'abc', "''", '""', '~', 'null', 'true', 'yes',
    '[]', '{}', '[[]]', '[1, [2, [3]]]', '{a: 1}', '[[1, 2], [3]]', '[1, abc, 3]', '[1, 2]',
    '[1, 2, 3, 4, 5]', '&a [1]', '*a', '!!python/object/apply:os.system [ls]', '!!binary aGk=',
    '!!set {a}', '!!float 3', '<<: {a: 1}', '? a', '"\\x00\\ud800"', '\u202e\u0000', '\ufeff', 'é',
    "'3'", '1e-320', '-0.0', '5 deg', '=', '|\n text', '>-\n text', '# only a remark', '%TAG ! x',
    '---', '...', '@a', '`a`', '{1: 2, 1: 3}', '{[1]: 2}', '[' * 400, '{a: ' * 400, '- ' * 400,
    '"' + 'x' * 3000 + '"', '[' + '0,' * 20000 + ']', '[' + '[0, 0, 0],' * 5000 + ']',
    '{' + ', '.join(f'k{k}: 1' for k in range(2000)) + '}', 'x' * 200_000, '[a, a, a, a]',
    'line', 'tool', 'joint1', 'circle', 'mass', 'xyz', 'zzz', '[joint1, joint1]', '1e300', '0')
"""What may stand where something else should."""


def mutated(rng, text):
    """Return a text with something else in some places."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        where = [k for k, letter in enumerate(text) if letter in '[]{},:' or letter.isalnum()]
        if not where:
            break
        kind, at = rng.randrange(6), rng.choice(where)
        ends = [k for k in range(at, len(text)) if text[k] in ',]}\n']
        end = ends[0] if ends else len(text)
        if kind == 0:      # another value
            begin = max((text.rfind(mark, 0, at) + len(mark) for mark in (': ', '[', ', ')),
                        default=at)
            text = text[:min(begin, end)] + rng.choice(VALUES) + text[end:]
        elif kind == 1:    # a piece is lost
            text = text[:at] + text[at + rng.randrange(1, 12):]
        elif kind == 2:    # a piece comes twice
            text = text[:at] + text[at:at + rng.randrange(1, 60)] + text[at:]
        elif kind == 3:    # one character is another
            text = text[:at] + chr(rng.choice((0, 9, 10, 32, 34, 45, 123, 0x85, 0x2028, 0xfffe,
                                               rng.randrange(32, 127)))) + text[at + 1:]
        elif kind == 4:    # a value after a field of any name
            text = text[:at] + f', {rng.choice(NAMES)}: {rng.choice(VALUES)}' + text[at:]
        else:              # two texts are mixed
            other = rng.choice(TASKS)
            text = text[:at] + other[rng.randrange(len(other)):]
    return text


NAMES = ('link', 'path', 'axes', 'constraints', 'metric', 'posture', 'posture_stiffness', 'kind',
         'start', 'end', 'duration', 'period', 'points', 'coefficients', 'surfaces', 'orientation')


def made(rng):
    """Return a text."""
    kind = rng.randrange(10)
    if kind == 0:
        return '{' + ', '.join(f'{name}: {rng.choice(VALUES)}' for name in rng.sample(
            NAMES, rng.randrange(1, 4))) + '}'
    if kind == 1:
        return ''.join(chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x20, 0x2fff))))
                       for _ in range(rng.randrange(200)))
    if kind == 2:
        return rng.choice(VALUES)
    return mutated(rng, rng.choice(TASKS))


def run(cases, seed):
    """
    Read generated texts as goals and as parameters.

    Parameters
    ----------
    cases : int
        How many.
    seed : int
        Of the generator.

    Returns
    -------
    int, list of str
        How many were tried, and what failed.

    """
    rng, failures = random.Random(seed), []
    model = mbd_ros.load(str(ARM))
    dyn, commands = mbd_ros.compile(model), EffortCommands(model, ())
    base = Task.from_data({'link': 'tool', 'path': {}})
    for text in TASKS:
        motion_for(dyn, read_task(FollowPath.Goal(task=text), base, commands))
    for case in range(cases):
        text = made(rng)
        begin = time.process_time()
        for what in ('goal', 'parameter'):
            try:
                if what == 'goal':
                    motion_for(dyn, read_task(FollowPath.Goal(task=text), base, commands))
                else:
                    listed('constraints', text)
            except MbdError as error:
                if '\n' in str(error) or not 20 < len(str(error)) < 3000:
                    failures.append(f'case {case}, {what}: no clear line: {str(error)[:300]!r}')
            except Exception as error:
                failures.append(f'case {case}, {what}: {error!r:.200} for {text[:300]!r}')
        taken = time.process_time() - begin
        if taken > LONGEST:
            failures.append(f'case {case}: {taken:.1f} s of CPU time for {text[:300]!r}')
    return cases, failures
