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

"""README and its first pages keep their promises: examples run, files and targets exist."""

import inspect
from pathlib import Path
import re
import runpy
import subprocess
import sys

import pytest

import mbd_ros

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / 'README.md').read_text(encoding='utf-8')
LAUNCHES = (ROOT / 'docs' / 'launches.md').read_text(encoding='utf-8')
FUNCTIONS = (ROOT / 'docs' / 'functions.md').read_text(encoding='utf-8')

CHECKS = (
    """
assert np.abs(mbd_ros.forward_dynamics(model, q, v, mbd_ros.inverse_dynamics(
    model, q, v, np.zeros(6)))).max() < 1e-9  # rest is rounding, times 1 / inertia
assert M.shape == J.shape == (6, 6) and X.shape == (4, 4)
assert QDD.shape == Q.shape and qdd.shape == (6,)
""", """
assert vdot.shape == q.shape and by_parameters.shape == (model.nv, len(dyn.values))
""", """
assert linear.A.shape == step.A.shape == (2, 2) and linear.B.shape == (2, 1)
""", """
assert gradients.start.shape == (6,) and gradients.efforts.shape == (50, 3)
""", """
assert solution.rank == 2 and len(solution.redundant) == 3  # a planar four-bar
assert abs(run.violation).max() < 1e-12  # projected to rounding
""", """
assert np.abs(mbd_ros.bias_forces(model, q, v)[len(model.joint_names):]).max() < 1e-9
assert len(hertz) == len(model.elastic_names) and hertz[0] > 0.0
""")
"""What the blocks of Python show; that they run is a test of all pages."""


@pytest.mark.parametrize('number', range(len(CHECKS)))
def test_the_examples_show_what_they_say(number):
    block = re.findall(r'```python\n(.*?)```', README + FUNCTIONS, re.DOTALL)[number]
    done = subprocess.run([sys.executable, '-c', block + CHECKS[number]], cwd=ROOT, text=True,
                          capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize('link', sorted(set(re.findall(r'\]\(([^)#:]+)\)', README))))
def test_links_lead_somewhere(link):
    assert (ROOT / link).exists()


def test_make_targets_exist():
    targets = set(re.findall(r'^([a-z-]+):', (ROOT / 'Makefile').read_text(), re.MULTILINE))
    text = README + (ROOT / 'CONTRIBUTING.md').read_text(encoding='utf-8')
    named = set(re.findall(r'(?:^|`)make ([a-z-]+)', text, re.MULTILINE))
    assert named <= targets


def test_every_dependency_has_its_reason():
    setup = (ROOT / 'setup.py').read_text()
    names = set(re.findall(r"^        '([\w-]+)[<>=]", setup, re.MULTILINE))
    assert names
    missing = {name for name in names if not re.search(rf'^\|.*\b{name}\b', README, re.MULTILINE)}
    assert not missing


def test_every_public_function_is_on_its_page():
    functions = {name for name in mbd_ros.__all__ if inspect.isfunction(getattr(mbd_ros, name))}
    assert functions <= {'load', 'compile'} | set(re.findall(r'`(\w+)`', FUNCTIONS))


def test_every_launch_is_soaked():
    """Those of the page's table, and with each robot that their launch files know."""
    run = {' '.join(words) for words in runpy.run_path(
        str(ROOT / 'test' / 'soak' / '__main__.py'))['LAUNCHES'].values()}
    table = re.findall(r'^\| `ros2 launch mbd_ros ([^`]+)`', LAUNCHES, re.MULTILINE)
    assert len(table) > 7
    for line in table:
        file, *words = line.split()
        if words and words[0].startswith('description:='):   # of a file that the reader has
            assert any(f'{file} description:=' in one for one in run)
        else:
            assert line in run or f'{line} robot:=nine_modules' in run
        if 'simulator' not in (ROOT / 'launch' / file).read_text():   # nothing moves
            continue
        robots = re.search(r'^ROBOTS = \((.*?)\)$', (ROOT / 'launch' / file).read_text(),
                           re.DOTALL | re.MULTILINE)
        for robot in re.findall(r"'(\w+)'", robots[1]) if robots else ():
            assert f'{file} robot:={robot}' in run
