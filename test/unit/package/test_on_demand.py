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

"""Names that are imported when somebody asks for them are there like all others."""

import ast
import importlib
from pathlib import Path
import pickle
import subprocess
import sys

from parsed import tree_of
import pytest

import mbd_ros
from mbd_ros.on_demand import on_demand

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = sorted(path for path in ROOT.glob('mbd_ros/**/__init__.py')
                  if 'on_demand(' in path.read_text(encoding='utf-8'))


def name_of(path: Path) -> str:
    """Return the dotted name of a package."""
    return '.'.join(path.parent.relative_to(ROOT).parts)


def checked_names(path: Path) -> set[str]:
    """Return the names that a package imports for type checkers only."""
    block, = (node for node in tree_of(path).body
              if isinstance(node, ast.If) and ast.unparse(node.test) == 'TYPE_CHECKING')
    return {alias.asname or alias.name for node in block.body for alias in node.names}


def run(script: str) -> str:
    """Return what a script prints in a process of its own."""
    return subprocess.run([sys.executable, '-c', script], check=True, capture_output=True,
                          text=True, cwd=ROOT).stdout


@pytest.mark.parametrize('path', PACKAGES, ids=name_of)
def test_what_type_checkers_see_is_what_runs(path):
    package = importlib.import_module(name_of(path))
    for name in checked_names(path):
        assert getattr(package, name) is not None
    cells = [cell.cell_contents for cell in vars(package)['__getattr__'].__closure__]
    offered = {name for cell in cells if isinstance(cell, (dict, tuple)) for name in cell}
    assert offered == checked_names(path)


@pytest.mark.parametrize('path', PACKAGES, ids=name_of)
def test_all_names_are_listed_and_can_be_imported(path):
    name = name_of(path)
    print(run(f'import {name}; assert {set(checked_names(path))} <= set(dir({name})); '
              f'from {name} import *; '
              f'assert not {{"on_demand", "TYPE_CHECKING"}} & set(dir({name})); '
              f'assert all(key in globals() for key in getattr({name}, "__all__", ()))'))


def test_an_unknown_name_is_an_ordinary_error():
    with pytest.raises(AttributeError, match=r"module 'mbd_ros' has no attribute 'simulat'"):
        mbd_ros.simulat  # noqa: B018
    with pytest.raises(ImportError, match=r"cannot import name 'simulat' from 'mbd_ros'"):
        exec('from mbd_ros import simulat')


def test_a_name_that_a_module_would_hide_is_refused():
    with pytest.raises(ValueError, match=r"modules of the names \['pose'\], which would hide"):
        on_demand('robot', {'robot.pose': ('pose',)})


def test_importing_the_package_alone_imports_nothing_else():
    # So that a node can answer Ctrl-C before it has what takes a second.
    loaded = run('import sys, mbd_ros; print(*(name for name in sys.modules '
                 "if name.startswith('mbd_ros') or name == 'numpy'))")
    assert set(loaded.split()) == {'mbd_ros', 'mbd_ros.on_demand'}


@pytest.mark.parametrize('room', ['spatial', 'model', 'execution', 'dynamics', 'control'])
def test_a_room_can_be_the_first_to_be_imported(room):
    assert run(f'import mbd_ros; print(mbd_ros.{room}.__name__)').strip() == f'mbd_ros.{room}'


def test_functions_and_classes_of_the_package_pickle():
    values = [getattr(mbd_ros, name) for name in mbd_ros.__all__]
    for value in filter(callable, values):  # not the rooms, which are modules
        assert pickle.loads(pickle.dumps(value)) is value


def test_the_first_answer_of_a_tree_needs_no_other_subsystem():
    # Each took a tenth of the time from the start of a process to its first answer, or more.
    urdf = ROOT / 'urdf' / 'panda.urdf'
    loaded = run('import sys, mbd_ros; model = mbd_ros.load('
                 f'{str(urdf)!r}); zero = [0.0] * model.nv; '
                 'mbd_ros.compile(model).forward_dynamics(zero, zero, zero); '
                 'print(*sys.modules)').split()
    unneeded = {'mbd_ros.control', 'mbd_ros.simulation', 'mbd_ros.description.mjcf.robot',
                'mbd_ros.description.sdf.robot', 'mbd_ros.description.modules.records',
                'mbd_ros.description.urdf.loops_yaml', 'mbd_ros.description.xml.xacro_file',
                'scipy', 'yaml', 'statistics'}
    assert not unneeded & set(loaded)


@pytest.mark.parametrize('node', ['dynamics_server', 'gait', 'module_manager', 'simulator'])
def test_a_node_starts_without_what_only_some_robots_need(node):
    # SciPy's parts took a quarter of the time that a node needs to start.
    pytest.importorskip('rclpy')
    loaded = run(f'import sys, mbd_ros.nodes.{node}; print(*sys.modules)').split()
    unneeded = {'scipy.linalg', 'scipy.spatial', 'scipy.special', 'scipy.interpolate',
                'scipy.optimize', 'scipy.integrate', 'matplotlib', 'networkx', 'trimesh', 'viser',
                'yourdfpy', 'unittest'}
    assert not unneeded & set(loaded)


def test_threads_that_ask_first_at_once_get_the_same():
    assert run("""
import sys, threading
sys.setswitchinterval(1e-5)
import mbd_ros
start = threading.Barrier(8)
found = []
def ask():
    start.wait()
    found.append((mbd_ros.simulate, mbd_ros.close_loops, mbd_ros.control, mbd_ros.stream))
threads = [threading.Thread(target=ask) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(found), len(set(found)))
""").split() == ['8', '1']
