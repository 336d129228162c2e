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

"""Machine code for processors with shorter vectors, which this one runs as well."""

import os
from pathlib import Path
import platform
import subprocess
import sys

import pytest

SUPPORT = str(Path(__file__).resolve().parents[2] / 'support')
SCRIPT = """
import sys
import llvmlite.binding as llvm
import numpy as np
name, lanes, support, *without = sys.argv[1:]
sys.path.append(support)
features = llvm.get_host_cpu_features()
for feature in features:
    if feature.startswith(tuple(without)):
        features[feature] = False
llvm.get_host_cpu_features = lambda: features
llvm.get_host_cpu_name = lambda: name

from robots import chain, model_of, random_state
import mbd_ros
from mbd_ros import Compiled, Interpreted, Lanes
from mbd_ros.execution.ir.machine_code import target_machine, vector_lanes

assert vector_lanes() == int(lanes)
module = llvm.parse_assembly(
    'define <8 x double> @f(<8 x double> %x, <8 x double> %y) {\\n'
    '  %z = fadd <8 x double> %x, %y\\n  ret <8 x double> %z\\n}')
text = target_machine().emit_assembly(module)
print('zmm' in text, 'ymm' in text)

joints = ['floating', 'spherical', 'revolute', 'planar', 'prismatic', 'revolute']
mixed, long = model_of([0, 1, 2, 1, 4, 1], joints, 9), mbd_ros.load(chain(12, 1))
for model, executor, function in (
        (mixed, Compiled(), 'forward_dynamics'), (mixed, Compiled('rolled'), 'inverse_dynamics'),
        (mixed, Lanes(), 'mass_matrix'), (long, Compiled(), 'forward_dynamics'),
        (long, Compiled('rolled'), 'forward_dynamics_derivatives')):
    states = [np.array(part) for part in zip(*(random_state(model, k) for k in range(11)))]
    for rows in (0, slice(None)):
        given = [part[rows] for part in states][:1 if function == 'mass_matrix' else 3]
        found, right = (np.asarray(getattr(mbd_ros.compile(model, executor=one), function)(*given))
                        for one in (executor, Interpreted()))
        # 1e-10: the condition of the mass matrices is below 1e5, and derivatives have two.
        error = np.abs(found - right).max() / np.abs(right).max()
        assert error <= 1e-10, (executor, function, error)
"""


@pytest.mark.skipif(platform.machine() not in ('x86_64', 'AMD64'), reason='has other vectors')
@pytest.mark.parametrize(('name', 'without', 'lanes', 'vectors'), [
    ('haswell', ['avx512', 'avx10'], 4, 'False True\n'),
    ('x86-64', ['avx', 'vaes', 'vpclmul', 'gfni', 'fma', 'f16c', 'xop', 'sse3', 'ssse3', 'sse4'],
     2, 'False False\n')])
def test_every_shape_of_code_is_right(name, without, lanes, vectors):
    if lanes == 4 and 'avx2' not in Path('/proc/cpuinfo').read_text():
        pytest.skip('this processor has no AVX2 either')
    done = subprocess.run(
        [sys.executable, '-c', SCRIPT, name, str(lanes), SUPPORT, *without], check=False,
        capture_output=True, text=True, timeout=600, env={**os.environ, 'MBD_ROS_CACHE': 'off'})
    assert done.returncode == 0, done.stderr
    assert done.stdout == vectors
