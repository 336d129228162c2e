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

"""The definitions of mbd_msgs: complete lists, documented fields, one set of error codes."""

import os
from pathlib import Path
import re
import shutil
import subprocess
import sys

import pytest

from mbd_ros import errors

MSGS = Path(__file__).resolve().parents[3] / 'interfaces' / 'mbd_msgs'
DEFINITIONS = sorted(
    path.relative_to(MSGS).as_posix()
    for pattern in ('action/*.action', 'msg/*.msg', 'srv/*.srv') for path in MSGS.glob(pattern))

SERVICES = [name for name in DEFINITIONS if name.startswith('srv/')]

# What a stand-in for ROS 2's CMake functions writes when CMakeLists.txt calls them.
STAND_IN = """
function(rosidl_generate_interfaces target)
  string(JOIN " " arguments ${ARGN})
  file(APPEND ${CMAKE_BINARY_DIR}/calls "generate ${target} ${arguments}\\n")
endfunction()
function(ament_export_dependencies)
  file(APPEND ${CMAKE_BINARY_DIR}/calls "export ${ARGN}\\n")
endfunction()
function(ament_package)
  file(APPEND ${CMAKE_BINARY_DIR}/calls "package\\n")
endfunction()
"""


def kinds_of_error(kind: type = errors.MbdError) -> set[str]:
    """Return the codes of an error class and of all that derive from it."""
    return {kind.code}.union(*map(kinds_of_error, kind.__subclasses__()))


def constants(name: str) -> dict[str, int]:
    """Return the integer constants of a definition."""
    found = re.findall(r'^\w+ ([A-Z_]+)=(-?\d+)', (MSGS / name).read_text(), re.MULTILINE)
    return {key: int(value) for key, value in found}


def test_cmake_lists_every_definition():
    text = (MSGS / 'CMakeLists.txt').read_text()
    listed = re.findall(r'^  ((?:action|msg|srv)/\w+\.(?:action|msg|srv))', text, re.MULTILINE)
    assert listed == DEFINITIONS


def test_every_error_has_a_code_of_its_own():
    codes = constants('msg/ErrorCode.msg')
    assert kinds_of_error() <= set(codes)
    assert len(set(codes.values())) == len(codes)
    assert codes['SUCCESS'] == 0


@pytest.mark.parametrize('name', SERVICES)
def test_every_answer_says_whether_what_and_of_which_robot(name):
    _, answer = (MSGS / name).read_text().split('\n---\n')
    for field in ('bool success', 'int32 error_code', 'string message', 'string name_at_fault',
                  'uint64 model_generation'):
        assert re.search('^' + re.escape(field) + r'\b', answer, re.MULTILINE), field


@pytest.mark.parametrize('name', ['Attach', 'Detach', 'Move'])
def test_changes_of_modules_answer_with_energies(name):
    _, answer = (MSGS / 'srv' / f'{name}Module.srv').read_text().split('\n---\n')
    assert 'mbd_msgs/StateTransfer transfer' in answer


@pytest.mark.parametrize('name', [
    'ForwardDynamics', 'InverseDynamics', 'JointWrenches', 'MassMatrix'])
def test_dynamics_services_keep_the_common_contract(name):
    request, answer = (MSGS / 'srv' / f'{name}.srv').read_text().split('\n---\n')
    assert re.search(r'^string\[\] joint_names', request, re.MULTILINE)
    assert re.search(r'^trajectory_msgs/JointTrajectoryPoint\[\] points', request, re.MULTILINE)
    for field in ('string formulation', 'string executor', 'float64 computation_time',
                  'string[] joint_names'):
        assert re.search('^' + re.escape(field) + r'\b', answer, re.MULTILINE), field


@pytest.mark.parametrize('name', DEFINITIONS)
def test_every_field_is_explained(name):
    # A comment on the field's line, or above the block of fields it belongs to.
    above = ''
    for line in (MSGS / name).read_text().splitlines():
        if not line.strip() or line == '---':
            above = ''
        elif line.startswith('#'):
            above = line
        else:
            assert '#' in line or above, f'{name}: {line}'


def test_with_ros_2_the_definitions_are_generated(tmp_path):
    """CMakeLists.txt takes the ROS 2 branch as soon as ament_cmake is there."""
    cmake = shutil.which('cmake', path=os.pathsep.join(
        [str(Path(sys.executable).parent), os.environ.get('PATH', os.defpath)]))
    if cmake is None:
        pytest.skip('cmake is not installed; make test installs it')
    for package in ('ament_cmake', 'rosidl_default_generators', 'action_msgs',
                    'builtin_interfaces', 'geometry_msgs', 'std_msgs', 'trajectory_msgs'):
        folder = tmp_path / 'ros' / 'share' / package / 'cmake'
        folder.mkdir(parents=True)
        text = STAND_IN if package == 'ament_cmake' else ''
        (folder / f'{package}Config.cmake').write_text(text)
    subprocess.run(
        [cmake, '-S', MSGS, '-B', tmp_path / 'build',
         f'-DCMAKE_PREFIX_PATH={tmp_path / "ros"}'],
        check=True, capture_output=True, timeout=120)
    generate, export, package = (tmp_path / 'build' / 'calls').read_text().splitlines()
    assert generate.split() == [
        'generate', 'mbd_msgs', *DEFINITIONS,
        'DEPENDENCIES', 'action_msgs', 'builtin_interfaces', 'geometry_msgs', 'std_msgs',
        'trajectory_msgs']
    assert (export, package) == ('export rosidl_default_runtime', 'package')
