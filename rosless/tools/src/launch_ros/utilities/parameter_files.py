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

"""Write parameter files for nodes."""

from __future__ import annotations

from collections.abc import Mapping
import tempfile
from typing import Any, TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

FOLDER = 'launch_ros_parameter_folder'


class _Dumper(getattr(yaml, 'CSafeDumper', yaml.SafeDumper)):  # type: ignore[misc]
    """For parameter files: a robot description may be long, and aliases are not allowed."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def write_parameter_file(
    context: LaunchContext, node: str, parameters: Mapping[str, Any],
) -> str:
    """
    Write parameters to a temporary file, which goes when the launch does.

    Parameters
    ----------
    context : LaunchContext
        State of the launch.
    node : str
        Full name of the node, or ``'/**'`` for all nodes of the process.
    parameters : mapping
        Names and values.

    Returns
    -------
    str
        Path of the file.

    """
    text = yaml.dump({node: {'ros__parameters': dict(parameters)}}, Dumper=_Dumper,
                     default_flow_style=False, allow_unicode=True, sort_keys=False)
    return write_temporary_file(context, text)


def write_temporary_file(context: LaunchContext, text: str) -> str:
    """Write a text to a temporary file, which goes when the launch does; return its path."""
    folder = context.get_locals_as_dict().get(FOLDER)
    if folder is None:
        folder = tempfile.TemporaryDirectory(prefix='launch_params_')
        context.extend_globals({FOLDER: folder})
    with tempfile.NamedTemporaryFile(
            mode='w', dir=folder.name, suffix='.yaml', delete=False, encoding='utf-8') as file:
        file.write(text)
    return file.name
