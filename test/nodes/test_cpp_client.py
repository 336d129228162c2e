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
The C++ program of the tutorial on services, as the page has it, beside dynamics_server.

The headers of mbd_msgs are those that the real generators make. Where there is no rclcpp, as in
the environment of ``make real``, test/support/rclcpp_standin has the names that the program uses.

"""

import os
from pathlib import Path
import re
import shutil
import subprocess

from ament_index_python.packages import get_package_prefix, PackageNotFoundError
import numpy as np
import pytest

import mbd_ros

ROOT = Path(__file__).resolve().parents[2]
STANDIN = ROOT / 'test' / 'support' / 'rclcpp_standin'
PAGE = (ROOT / 'docs' / 'tutorials' / 'services.md').read_text(encoding='utf-8')
HEADER = 'include/mbd_msgs/mbd_msgs/srv/inverse_dynamics.hpp'
PROJECT = """
cmake_minimum_required(VERSION 3.16)
project(asker CXX)
add_compile_options(-Wall -Wextra -Wpedantic -Werror)
"""

pytestmark = pytest.mark.nodes


def quoted(language):
    """Return the only block of the page in a language."""
    block, = re.findall(rf'^```{language}\n(.*?)^```$', PAGE, re.DOTALL | re.MULTILINE)
    return block


def has(package, file=''):
    """Return whether a package is there, with a file if one is named."""
    try:
        return (Path(get_package_prefix(package)) / file).exists()
    except PackageNotFoundError:
        return False


@pytest.fixture(scope='module')
def asker(tmp_path_factory):
    """Return the program, compiled as the page says."""
    if not has('mbd_msgs', HEADER):
        pytest.skip('mbd_msgs has no C++ headers here; colcon makes them, and make real')
    if not (shutil.which('cmake') and shutil.which('g++')):
        pytest.skip('cmake or g++ is not installed')
    source = tmp_path_factory.mktemp('asker')
    (source / 'src').mkdir()
    (source / 'src' / 'asker.cpp').write_text(quoted('cpp'), encoding='utf-8')
    (source / 'CMakeLists.txt').write_text(PROJECT + quoted('cmake'), encoding='utf-8')
    where = [f'-DCMAKE_PREFIX_PATH={os.environ["AMENT_PREFIX_PATH"].replace(os.pathsep, ";")}']
    if not has('rclcpp'):
        where.append(f'-Drclcpp_DIR={STANDIN}')
    for command in (['cmake', '-S', source, '-B', source / 'build', *where],
                    ['cmake', '--build', source / 'build']):
        done = subprocess.run(command, text=True, capture_output=True, timeout=600, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return source / 'build' / 'asker'


def ask(program):
    """Run it, and return what it says, without stamps, and its code."""
    done = subprocess.run([program], text=True, capture_output=True, timeout=120, check=False)
    output = done.stdout + done.stderr
    return re.findall(r'^\[(\w+)\] \[[\d.]+\] \[asker\]: (.*)$', output, re.M), done.returncode


def test_the_program_says_what_holds_the_arm(asker, launch, urdf):
    launch('dynamics_server.launch.py', 'robot:=three_link_arm')
    said, code = ask(asker)
    model = mbd_ros.load(urdf('three_link_arm'))
    tau = mbd_ros.gravity_forces(model, np.array([0.0, -0.5, 1.0]))
    assert said == [('INFO', f'{name}: {value:g}') for name, value in zip(model.joint_names, tau)]
    assert code == 0


def test_the_program_says_why_it_is_not_answered(asker, launch):
    launch('dynamics_server.launch.py', 'robot:=panda')
    said, code = ask(asker)
    (level, words), = said
    assert level == 'ERROR' and words.startswith('joint_names') and 'missing: joint4' in words
    assert code == 1
