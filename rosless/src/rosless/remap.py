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

"""Remapping of names: `from:=to`, `node:from:=to`, `__node:=name`, `__ns:=/namespace`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from . import names

PREFIXES = {'rostopic://': 'topic', 'rosservice://': 'service'}


@dataclass(frozen=True)
class RemapRule:
    """
    One rule.

    Attributes
    ----------
    node : str
        Name of the node it is for; empty for all.
    kind : str
        ``'node'``, ``'namespace'``, ``'topic'``, ``'service'`` or ``'any'`` (topics and services).
    source, target : str
        The name to replace and its replacement.

    """

    node: str
    kind: str
    source: str
    target: str


def parse_remap_rule(text: str) -> RemapRule:
    """
    Parse a rule.

    Raises
    ------
    ValueError
        If it does not have the form ``[node:]from:=to``.

    """
    left, separator, target = text.partition(':=')
    if not separator or not left or not target:
        raise ValueError("expected '[node:]from:=to'")
    node, kind, source = '', 'any', left
    for prefix, name in PREFIXES.items():
        if prefix in left:
            node, _, source = left.rpartition(prefix)
            kind = name
            node = node.rstrip(':')
            break
    else:
        if ':' in left:
            node, _, source = left.partition(':')
    if source in ('__node', '__name'):
        problem = names.node_name_problem(target)
        if problem is not None:
            raise ValueError(f'{target!r}: {problem[0]}')
        return RemapRule(node, 'node', '', target)
    if source == '__ns':
        problem = names.namespace_problem(target)
        if problem is not None:
            raise ValueError(f'{target!r}: {problem[0]}')
        return RemapRule(node, 'namespace', '', target)
    for name in (source, target):
        problem = names.topic_problem(name)
        if problem is not None:
            raise ValueError(f'{name!r}: {problem[0]}')
    return RemapRule(node, kind, source, target)


def remap_node(rules: Iterable[RemapRule], name: str, namespace: str) -> tuple[str, str]:
    """Return name and namespace of a node after remapping."""
    rules = list(rules)
    mine = [rule for rule in rules if rule.node in ('', name)]
    new_name = next((rule.target for rule in mine if rule.kind == 'node'), name)
    mine = [rule for rule in rules if rule.node in ('', name, new_name)]
    new_namespace = next((rule.target for rule in mine if rule.kind == 'namespace'), namespace)
    return new_name, new_namespace


def remap_name(
    rules: Iterable[RemapRule], kind: str, full_name: str, node_name: str, namespace: str
) -> str:
    """
    Return the full name of a topic or service after remapping.

    Parameters
    ----------
    rules : Iterable[RemapRule]
        The first rule that fits is applied.
    kind : str
        ``'topic'`` or ``'service'``.
    full_name : str
        The expanded name.
    node_name, namespace : str
        The node, after its own remapping.

    """
    for rule in rules:
        if rule.kind not in ('any', kind) or rule.node not in ('', node_name):
            continue
        if names.expand(rule.source, node_name, namespace) == full_name:
            return names.expand(rule.target, node_name, namespace)
    return full_name
