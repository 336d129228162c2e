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

"""``ros2 param dump``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ros2cli.graph import add_node_arguments
from ros2cli.graph import find_node
from ros2cli.graph import graph_node
from ros2cli.parameters import names_of
from ros2cli.parameters import to_python
from ros2cli.parameters import values_of
import yaml


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_node_arguments(parser)
    parser.add_argument('--output-dir', metavar='DIR',
                        help='The path where to save the generated file, instead of printing it')
    parser.add_argument('--print', action='store_true',
                        help='Accepted for compatibility: it prints unless told otherwise')


def main(args: argparse.Namespace) -> None:
    """Print all parameters of a node in the form of a parameter file."""
    with graph_node(args) as node:
        target = find_node(node, args.node_name, args.include_hidden_nodes)
        names = names_of(node, target.full_name)
        values = [to_python(value) for value in values_of(node, target.full_name, names)]
    content = {target.full_name: {'ros__parameters': nested(dict(zip(names, values)))}}
    text = yaml.safe_dump(content, default_flow_style=False, allow_unicode=True)
    if args.output_dir is None:
        print(text)
        return
    path = Path(args.output_dir, f"{target.full_name.strip('/').replace('/', '__')}.yaml")
    print(f'Saving to:  {path}')
    path.write_text(text, encoding='utf-8')


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    """Return parameters with dotted names as dictionaries within dictionaries."""
    result: dict[str, Any] = {}
    for name, value in flat.items():
        *groups, last = name.split('.')
        place = result
        for group in groups:
            inner = place.setdefault(group, {})
            if not isinstance(inner, dict):
                place, last = result, name
                break
            place = inner
        place[last] = value
    return result
