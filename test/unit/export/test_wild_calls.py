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

"""Wild arguments under AddressSanitizer and UBSan; ``make chaos ARGS=libraries`` has them all."""

from pathlib import Path

from exported import answers, build, COMPILERS, export, strange_state
from library_fuzz import fuzzed, SANITIZED, sanitizing
import pytest

import mbd_ros
from mbd_ros.control.tasks.task import TASKS
from mbd_ros.export.entry_ir import CODES

URDF = Path(__file__).resolve().parents[3] / 'urdf'
MOST = ('forward_dynamics', 'inverse_dynamics_derivatives', 'rk4_step')


@pytest.mark.parametrize(('robot', 'given'), [
    ('three_link_arm', {'functions': MOST, 'payload': 'hand'}),
    ('four_bar', {'functions': (*MOST, 'loop_reactions'), 'real': 'float'}),
    ('rov', {'functions': MOST, 'parameters': True}),   # a floating base, and water
    ('three_link_arm', {'functions': ('joint_control_step',), 'task': {
        **TASKS['three_link_arm'], 'start': 'as_given'}}),
], ids=['payload', 'loop in floats', 'world', 'control'])
def test_no_sanitizer_says_anything(robot, given, tmp_path):
    model = mbd_ros.load(URDF / f'{robot}.urdf')
    if given.get('payload'):
        given = {**given, 'payload': list(model.links)[-1]}
    library = export(model, tmp_path, **given)
    codes = fuzzed(library, 4000, 1, sanitizing()[-1])
    wanted = {'OK', 'NULL', 'NOT_FINITE', 'OVERLAP', 'COUNT'}
    assert wanted | ({'UNUSUAL'} if 'task' in given else set()) <= set(codes), codes
    # Numbers reach the example as text, by its standard input.
    program = build(library, COMPILERS[0], SANITIZED)
    for seed in range(8):
        for symbol, (code, numbers) in answers(
                program, library, strange_state(library, seed)).items():
            assert 0 <= code < len(CODES) and (code == 0) == (numbers.size > 0), symbol
