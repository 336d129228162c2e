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


"""Parameters of other nodes, given for all nodes at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

ALL = '/**'
"""Key of a file of parameters for all nodes."""
OF_STATE_PUBLISHER = frozenset((
    'robot_description', 'frame_prefix', 'publish_frequency', 'ignore_timestamp'))
"""Parameters of robot_state_publisher, which runs beside our nodes."""


def for_all(arguments: Sequence[str]) -> frozenset[str]:
    """
    Return the names of parameters that files give for all nodes.

    Parameters
    ----------
    arguments : sequence of str
        Of the process; each ``--params-file`` is read, what is none is passed over.

    """
    files = [name for option, name in pairwise(arguments) if option == '--params-file']
    given: set[str] = set()
    for file in files:
        try:
            content = yaml.safe_load(Path(file).read_text(encoding='utf-8'))
        except (OSError, ValueError, yaml.YAMLError):
            continue   # the client library has said so
        node = content.get(ALL) if isinstance(content, Mapping) else None
        names = node.get('ros__parameters') if isinstance(node, Mapping) else None
        if isinstance(names, Mapping):
            given.update(_flat(names))
    return frozenset(given)


def _flat(names: Mapping[Any, Any], group: str = '') -> Iterator[str]:
    """Give full names."""
    for name, value in names.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f'{group}{name}.')
        else:
            yield f'{group}{name}'
