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

"""The table of what works, differs and is absent: complete, and true as far as names go."""

import ast
import functools
import importlib
import importlib.util
from pathlib import Path

import pytest
from ros2cli.commands import ABSENT
from ros2cli.commands import COMMANDS

ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location(
    'rosless_conformance_of_tools', ROOT / 'test' / 'conformance_of_tools.py')
assert _spec is not None
assert _spec.loader is not None
conformance = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(conformance)
TABLES = conformance.TABLES
MODULES = (
    'ament_index_python', 'launch', 'launch.actions', 'launch.conditions', 'launch.event_handlers',
    'launch.events', 'launch.frontend', 'launch.launch_description_sources',
    'launch.substitutions', 'launch.utilities', 'launch_ros', 'launch_ros.actions',
    'launch_ros.event_handlers', 'launch_ros.events', 'launch_ros.events.lifecycle',
    'launch_ros.substitutions', 'launch_ros.utilities', 'launch_testing',
    'launch_testing.actions', 'launch_testing.asserts', 'launch_testing.event_handlers',
    'launch_testing.markers', 'launch_testing.tools', 'launch_testing.util', 'message_filters',
    'sensor_msgs_py.point_cloud2', 'tf2_geometry_msgs', 'tf2_py', 'tf2_ros')


@functools.lru_cache
def functions_of(path):
    tree = ast.parse((ROOT / path).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def rows():
    return {row['api']: row for name in TABLES for row in conformance.rows(name)}


@pytest.mark.parametrize('name', TABLES)
def test_rows_are_complete_and_their_tests_exist(name):
    for row in conformance.rows(name):
        assert set(row) == {'api', 'state', 'tests', 'note'}
        assert row['state'] in ('works', 'differs', 'absent'), row
        assert row['tests'] or row['state'] == 'absent', row
        assert row['note'] or row['state'] == 'works', row
        for test in row['tests']:
            path, _, function = test.partition('::')
            assert function in functions_of(path), test


def test_the_page_is_up_to_date():
    assert conformance.TABLE.read_text() == conformance.rendered(), \
        'run `python rosless/test/conformance_of_tools.py`'


def test_every_public_name_and_every_verb_has_a_row():
    wanted = {f'{module}.{name}' for module in MODULES
              for name in importlib.import_module(module).__all__}
    for name, command in COMMANDS.items():
        wanted |= {f'ros2 {name} {verb}' for verb in (*command.verbs, *command.absent)}
        wanted |= set() if command.verbs else {f'ros2 {name}'}
    wanted |= {f'ros2 {name}' for name in ABSENT}
    assert wanted - set(rows()) == set()
    assert len(rows()) == sum(len(conformance.rows(name)) for name in TABLES)


def test_names_are_there_or_say_that_they_are_not():
    for api, row in rows().items():
        module, _, name = api.rpartition('.')
        if ' ' in api or not module:
            continue
        imported = importlib.import_module(module)
        if row['state'] == 'absent':
            with pytest.raises(ImportError, match='is not available in rosless: '):
                getattr(imported, name)
        else:
            getattr(imported, name)
