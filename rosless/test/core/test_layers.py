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

"""The files of rosless import one way: no circle, and no layer imports a higher one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / 'src'
LAYERS = {
    'interfaces': 'rosless rosless.* rosless.idl rosless.idl.* rosidl_parser rosidl_parser.* '
                  'rosless.dds.config',   # settings, of what is read, too
    'dds': 'rosless.dds rosless.dds.*',
    'graph': 'rosless.graph rosless.graph.*',
    'values': 'absent rcl_errors exceptions constants clock_type duration time time_source_errors '
              'handle type_hash type_support qos topic_endpoint_info callback_groups task '
              'parameter parameter_rules impl impl.logging_severity impl.log_files '
              'impl.log_output impl.rcutils_logger logging validate_* expand_topic_name '
              'topic_or_service_is_hidden subscription_content_filter_options serialization',
    'context': 'context utilities clock best_available',
    'entities': 'entity topic_entity publisher subscription client service service_channel '
                'service_introspection early_answers waiting_requests timer guard_condition '
                'waitable qos_event qos_overriding_options event_handler handles',
    'node': 'node node_* time_source parameter_service logging_service _rosless',
    'executor': 'executors executor_queue executor_tasks wait_for_message '
                'parameter_client parameter_event_handler',
    'action': 'action action.* lifecycle lifecycle.*',
    'program': ' signals experimental experimental.* type_description_service '
               '_rclpy_pybind11 impl.implementation_singleton',
}
"""From the lowest to the highest; those without a dot at the front are files of rclpy."""


def modules() -> dict[str, Path]:
    """Return all files by the names of their modules."""
    found = {}
    for path in SOURCES.rglob('*.py'):
        parts = path.relative_to(SOURCES).with_suffix('').parts
        found['.'.join(parts[:-1] if parts[-1] == '__init__' else parts)] = path
    return found


def imports(name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Yield what a file imports: also in functions, and for annotations only."""
    package = name if path.name == '__init__.py' else name.rpartition('.')[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            wanted = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = package.split('.')
            base = '.'.join(parts[:len(parts) - node.level + 1]) if node.level else ''
            base = '.'.join(filter(None, [base, node.module]))
            wanted = [f'{base}.{each.name}' if f'{base}.{each.name}' in known else base
                      for each in node.names]
        else:
            continue
        yield from (each for each in wanted if each in known and each != name)


def layer(name: str) -> int:
    """Return the place of a module's layer."""
    for place, patterns in enumerate(LAYERS.values()):
        for pattern in patterns.split():
            full = pattern if pattern.startswith(('rosless', 'rosidl')) else f'rclpy.{pattern}'
            if name == full or (full.endswith('*') and name.startswith(full[:-1])
                                and '.' not in name[len(full) - 1:]):
                return place
    assert name in ('rclpy', 'rosidl_parser', 'rosless'), f'{name} is in no layer'
    return len(LAYERS)


def test_there_is_no_circle() -> None:
    known = modules()
    waiting = {name: set(imports(name, path, known)) for name, path in known.items()}
    while True:
        free = {name for name, needs in waiting.items() if not needs & waiting.keys()}
        if not free:
            break
        for name in free:
            del waiting[name]
    assert not waiting, f'files that import each other, or such files: {sorted(waiting)}'


def test_no_layer_imports_a_higher_one() -> None:
    known = modules()
    upwards = [
        f'{name} imports {other}' for name, path in known.items()
        for other in imports(name, path, known) if layer(other) > layer(name)
    ]
    assert upwards == []
