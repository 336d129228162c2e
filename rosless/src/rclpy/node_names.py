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

"""The names of a node, and how it makes full names of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rosless import names
from rosless.remap import remap_name, RemapRule

from .exceptions import InvalidServiceNameException, InvalidTopicNameException


class NodeNames:
    """What `Node` can do with names; the node is the only user of this class."""

    _name: str
    _namespace: str
    _remap_rules: list[RemapRule]
    require_handle: Callable[[], None]

    def get_name(self) -> str:
        """Return the name."""
        self.require_handle()
        return self._name

    def get_namespace(self) -> str:
        """Return the namespace."""
        self.require_handle()
        return self._namespace

    def get_fully_qualified_name(self) -> str:
        """Return namespace and name."""
        self.require_handle()
        return names.full_node_name(self._name, self._namespace)

    def resolve_topic_name(self, topic: str, *, only_expand: bool = False) -> str:
        """Return the full name of a topic, after remapping unless `only_expand`."""
        return self._resolve(topic, 'topic', InvalidTopicNameException, only_expand)

    def resolve_service_name(self, service: str, *, only_expand: bool = False) -> str:
        """Return the full name of a service, after remapping unless `only_expand`."""
        return self._resolve(service, 'service', InvalidServiceNameException, only_expand)

    def _resolve(self, name: str, kind: str, error: Any, only_expand: bool) -> str:
        if not isinstance(name, str):
            raise TypeError(f'{kind} name must be a str, not {type(name).__name__}')
        problem = names.topic_problem(name)
        if problem is not None:
            raise error(name, *problem)
        node, namespace = self._name, self._namespace
        try:
            full_name = names.expand(name, node, namespace)
        except KeyError as unknown:
            raise error(name, f'unknown substitution {unknown}', name.index('{')) from None
        if not only_expand:
            full_name = remap_name(self._remap_rules, kind, full_name, node, namespace)
        problem = names.full_name_problem(full_name)
        if problem is not None:
            raise error(full_name, *problem)
        return full_name
