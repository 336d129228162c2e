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

"""The house: rooms import one way, and each knows only what it may know."""

import ast
import functools
from pathlib import Path
import sys

from parsed import nodes_of, tree_of
import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / 'mbd_ros'
ROSLESS = ROOT / 'rosless' / 'src'
ROSLESS_TOOLS = ROOT / 'rosless' / 'tools' / 'src'

# A room uses only rooms before it.
ROOMS = (
    'on_demand', 'errors', 'spatial', 'description', 'model', 'execution', 'environment',
    'dynamics', 'simulation', 'control', 'export', 'messages', 'nodes', 'cli')
NUMERIC = ROOMS[:ROOMS.index('messages')]
# Sub-rooms in the order of their imports, of every room that has them.
SUB_ROOMS = {
    'description': ('records', 'xml', 'write', 'urdf', 'mjcf', 'sdf', 'modules', 'read', 'doctor'),
    'execution': ('program', 'ir', 'unrolled', 'rolled', 'threads', 'compiled_calls', 'stacks',
                  'executors'),
    'dynamics': ('algorithms', 'quantities', 'prepared', 'loops', 'inverse_kinematics',
                 'functions', 'identification', 'analysis'),
    'control': ('references', 'constraints', 'udwadia_kalaba', 'tracking', 'control_step', 'tasks',
                'gaits'),
    'messages': ('fields', 'diagnostics', 'states', 'trajectories', 'dynamics'),
    'nodes': ('every_node', 'page', 'controlling', 'simulating', 'serving', 'reconfiguring',
              'viewing'),
}
NODES = sorted((*PACKAGE.glob('nodes/*.py'), *PACKAGE.glob('nodes/every_node/*.py'),
                *PACKAGE.glob('nodes/controlling/*.py'), *PACKAGE.glob('nodes/simulating/*.py'),
                *PACKAGE.glob('nodes/serving/*.py'), *PACKAGE.glob('nodes/reconfiguring/*.py'),
                *PACKAGE.glob('nodes/viewing/*.py')))
# What wiring needs of NumPy: to make an array, to name its type, to see that it is sound.
HANDED_OVER = {'array', 'asarray', 'empty', 'float32', 'float64', 'full', 'isfinite', 'ndarray',
               'zeros'}
NUMERIC_LIBRARIES = {
    'llvmlite', 'lxml', 'matplotlib', 'mbd_ros', 'mpl_toolkits', 'numpy', 'rosbags', 'scipy',
    'transforms3d', 'trimesh', 'xacro', 'yaml',
    'yourdfpy'}   # matplotlib, rosbags: only when a run is plotted, or is a bag


def room_of(path: Path) -> str:
    """Return the room a file of mbd_ros belongs to; the public API in ``__init__`` is none."""
    return path.relative_to(PACKAGE).parts[0].removesuffix('.py')


@functools.cache
def imported(path: Path) -> set[str]:
    """Return the dotted names that a file imports anywhere, relative ones made absolute."""
    found = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ''
            if node.level:
                package = path.relative_to(ROOT).with_suffix('').parts[:-node.level]
                base = '.'.join(filter(None, ('.'.join(package), base)))
            found.update((f'{base}.{alias.name}' for alias in node.names), {base})
    return found


@functools.cache
def files(*rooms: str) -> list[Path]:
    """Return the Python files of the given rooms, or of the whole package."""
    return sorted(
        path for path in PACKAGE.rglob('*.py')
        if not rooms or room_of(path) in rooms)


def rooms_used(path: Path) -> set[str]:
    """Return the rooms of mbd_ros that a file imports."""
    parts = (name.split('.') for name in imported(path))
    return {name[1] for name in parts if name[0] == 'mbd_ros' and len(name) > 1}


def test_every_folder_is_a_room_of_the_plan():
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()} - {'__pycache__'}
    assert folders <= set(ROOMS), f'rooms that no plan knows: {folders - set(ROOMS)}'


@pytest.mark.parametrize('room', ROOMS)
def test_a_room_uses_only_rooms_before_it(room):
    allowed = set(ROOMS[:ROOMS.index(room) + 1])
    wrong = {
        str(path.relative_to(ROOT)): sorted(rooms_used(path) & set(ROOMS) - allowed)
        for path in files(room) if rooms_used(path) & set(ROOMS) - allowed}
    assert not wrong, f'{room} may use only {sorted(allowed)}'


def sub_rooms_used(path: Path, room: str) -> set[str]:
    """Return the sub-rooms of a room that a file imports."""
    parts = (name.split('.') for name in imported(path))
    return {name[2] for name in parts if name[:2] == ['mbd_ros', room] and len(name) > 2}


@pytest.mark.parametrize('room', SUB_ROOMS)
def test_every_folder_of_a_room_is_a_sub_room_of_the_plan(room):
    folders = {path.name for path in (PACKAGE / room).iterdir() if path.is_dir()}
    assert folders - {'__pycache__'} == set(SUB_ROOMS[room])
    # The executables of `nodes` use all of its folders, no folder uses them.
    beside = {path.stem for path in (PACKAGE / room).glob('*.py')} - {'__init__'}
    assert not beside or room == 'nodes'
    assert not {name for path in (PACKAGE / room).rglob('*/*.py')
                for name in sub_rooms_used(path, room) & beside}


@pytest.mark.parametrize(('room', 'name'), [
    (room, name) for room, names in SUB_ROOMS.items() for name in names])
def test_a_sub_room_uses_only_sub_rooms_before_it(room, name):
    later = set(SUB_ROOMS[room][SUB_ROOMS[room].index(name) + 1:])
    wrong = {
        str(path.relative_to(ROOT)): sorted(found)
        for path in sorted((PACKAGE / room / name).rglob('*.py'))
        for found in [sub_rooms_used(path, room)] if found & later}
    assert not wrong, f'{room}/{name} may not use {sorted(later)}'
    assert not [path for path in sorted((PACKAGE / room / name).rglob('*.py'))
                if f'mbd_ros.{room}' in imported(path)], 'reaches all of the room at once'


@functools.cache
def files_used(path: Path) -> set[Path]:
    """
    Return the files of mbd_ros that a file imports, at its head or later; not for types alone.

    With ``import package as lazily`` those are meant whose names follow, ``lazily.file``.
    """
    packages = {alias.asname: alias.name for node in nodes_of(path)
                if isinstance(node, ast.Import) for alias in node.names if alias.asname}
    found, todo = set(), [tree_of(path)]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and 'TYPE_CHECKING' in ast.unparse(node.test):
            todo += node.orelse
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update(f'{node.module}.{alias.name}' for alias in node.names)
            found.add(node.module)
        elif (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
              and node.value.id in packages):
            found.add(f'{packages[node.value.id]}.{node.attr}')
        todo += ast.iter_child_nodes(node)
    places = (ROOT / Path(*name.split('.')) for name in found)
    return {place.with_suffix('.py') for place in places} & {*files()} - {path}


def circles() -> list[str]:
    """Return files that import each other, by way of others or not, and those between circles."""
    left = {path: files_used(path) for path in files()}
    while True:   # take away, again and again, what imports or is imported by nothing that is left
        used = set().union(*left.values())
        ends = [path for path in left if not left[path] & left.keys() or path not in used]
        if not ends:
            break
        for path in ends:
            del left[path]
    return sorted(str(path.relative_to(PACKAGE)) for path in left)


def test_no_files_import_each_other_in_a_circle():
    assert not circles()


def test_a_name_imported_from_mbd_ros_is_always_a_room():
    # `from mbd_ros import load` inside a room would reach every room through the public API.
    wrong = {
        str(path.relative_to(ROOT)): sorted(rooms_used(path) - set(ROOMS))
        for path in files(*ROOMS[:-1]) if rooms_used(path) - set(ROOMS)}
    assert not wrong


def test_numeric_rooms_know_numbers_only():
    allowed = NUMERIC_LIBRARIES | set(sys.stdlib_module_names)
    wrong = {}
    for path in files(*NUMERIC):
        foreign = {name.split('.')[0] for name in imported(path)} - allowed
        if foreign:
            wrong[str(path.relative_to(ROOT))] = sorted(foreign)
    assert not wrong, f'neither ROS nor other libraries than {sorted(NUMERIC_LIBRARIES)}'


def arithmetic(path: Path) -> list[str]:
    """Return the places where a file does more with arrays than make them and hand them over."""
    found = []
    for node in nodes_of(path):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ('np', 'numpy'):
            wrong = node.attr not in HANDED_OVER
        else:
            wrong = isinstance(node, ast.MatMult)
        if wrong:
            found.append(ast.unparse(node) if isinstance(node, ast.Attribute) else '@')
    return found


@pytest.mark.parametrize('path', NODES, ids=lambda path: path.stem)
def test_nodes_do_no_arithmetic(path):
    roots = {name.split('.')[0] for name in imported(path)}
    assert not roots & {'scipy', 'math', 'cmath'}
    assert not arithmetic(path), 'belongs to a numeric room'


def test_the_page_of_the_browser_knows_no_ros():
    for path in PACKAGE.glob('nodes/page/**/*.py'):
        assert not {name.split('.')[0] for name in imported(path)} & {'rclpy', 'mbd_msgs'}, path


def test_rosless_knows_nothing_of_mbd_ros():
    for path in sorted((*ROSLESS.rglob('*.py'), *ROSLESS_TOOLS.rglob('*.py'))):
        roots = {name.split('.')[0] for name in imported(path)}
        assert not roots & {'mbd_ros', 'mbd_msgs'}, path


def test_the_client_library_of_rosless_knows_nothing_of_its_tools():
    tools = {path.name for path in ROSLESS_TOOLS.iterdir() if path.is_dir()}
    for path in sorted(ROSLESS.rglob('*.py')):
        assert not {name.split('.')[0] for name in imported(path)} & tools, path


def test_nodes_are_plain_ros():
    # Nodes run on ROS 2 as they are: nothing of rosless by its own name, no switch between both.
    for path in files():
        assert 'rosless' not in {name.split('.')[0] for name in imported(path)}, path
