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
What of the tools is here, and which tests show it.

``python test/conformance_of_tools.py`` writes ``docs/conformance_tools.md`` from the rows in
``docs/conformance/``; that of rclpy is made by ``conformance.py``.

"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / 'docs' / 'conformance_tools.md'
TABLES = ('launch', 'launch_ros', 'launch_testing', 'ros2cli', 'tf2_ros', 'robot_state_publisher',
          'ament_index_python', 'message_filters', 'sensor_msgs_py',
          'rosidl_runtime_py')

HEAD = """# What of launch, tf2, the command ros2 and other tools is here

The public names of Humble and Jazzy, and the tests that show them. *works*: as in ROS 2.
*differs*: see the remark. *absent*: importing or running it says that it is not here, and why.
This file is written by `python rosless/test/conformance_of_tools.py` from `docs/conformance/`; a
test fails when it is stale, when a row names a test that does not exist, or when a public name has
no row. For rclpy see [conformance.md](conformance.md).

"""


def rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of a package."""
    path = ROOT / 'docs' / 'conformance' / f'{name}.yaml'
    found: list[dict[str, Any]] = yaml.safe_load(path.read_text(encoding='utf-8'))
    return found


def rendered() -> str:
    """Return the page."""
    everything = [row for name in TABLES for row in rows(name)]
    count = Counter(row['state'] for row in everything)
    parts = [HEAD, f"{len(everything)} names: {count['works']} works, {count['differs']} differs, "
             f"{count['absent']} absent.\n"]
    for name in TABLES:
        parts.append(f'\n## {name}\n\n| name | | how | shown by |\n|---|---|---|---|\n')
        parts += [_line(row) for row in rows(name)]
    return ''.join(parts)


def _line(row: dict[str, Any]) -> str:
    tests = ', '.join(f"`{test.removeprefix('test/')}`" for test in row['tests'])
    note = row['note'].replace('|', r'\|')
    return f"| `{row['api']}` | {row['state']} | {note} | {tests} |\n"


if __name__ == '__main__':
    TABLE.write_text(rendered(), encoding='utf-8')
