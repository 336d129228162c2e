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

"""Names of nodes, topics and services: rules, expansion, and how they look on the wire."""

from __future__ import annotations

import re

TOPIC_CHARACTERS = re.compile(r'[A-Za-z0-9_/~{}]')
NAME_CHARACTERS = re.compile(r'[A-Za-z0-9_]')
TOKEN_WITH_NUMBER = re.compile(r'(^|/)[0-9]')
SUBSTITUTION = re.compile(r'\{([^{}]*)\}')
MAX_NODE_NAME = 255
MAX_TOPIC_NAME = 247  # of a full name: DDS allows 255, eight of which may stand around it
MAX_NAMESPACE = 245  # so that a name of one letter fits behind it
Problem = tuple[str, int]


def topic_problem(name: str) -> Problem | None:
    """
    Return what is wrong with the name of a topic or service, and where in it, or None.

    The words are those of rcl, which programs look for; it says "topic" of services, too.

    """
    if not name:
        return 'topic name must not be empty string', 0
    if name.endswith('/'):
        return 'topic name must not end with a forward slash', len(name) - 1
    for index, character in enumerate(name):
        if not TOPIC_CHARACTERS.match(character):
            return (
                'topic name must not contain characters other than alphanumerics, '
                "'_', '~', '{', or '}'",
                index,
            )
    match = TOKEN_WITH_NUMBER.search(name)
    if match:
        return 'topic name token must not start with a number', match.end() - 1
    if '~' in name[1:]:
        where = name.index('~', 1)
        return "topic name must not have tilde '~' unless it is the first character", where
    rest = SUBSTITUTION.sub(lambda found: ' ' * len(found.group(0)), name)
    match = re.search('[{}]', rest)
    if match:
        problem = "topic name must not have unmatched (unbalanced) curly braces '{}'"
        return problem, match.start()
    for found in SUBSTITUTION.finditer(name):
        if found.group(1)[:1].isdigit():
            return 'substitution name must not start with a number', found.start(1)
        match = re.search(r'[^A-Za-z0-9_]', found.group(1))
        if match:
            return (
                "substitution name must not contain characters other than alphanumerics or '_'",
                found.start(1) + match.start(),
            )
    if name[0] == '~' and len(name) > 2 and name[1] != '/':  # rcl does not look at ~a
        return (
            "topic name must not have a tilde '~' that is not followed by a forward slash '/'", 1)
    return None


def full_name_problem(name: str) -> Problem | None:
    """Return what is wrong with the full name of a topic or service, and where, or None."""
    problem = _absolute_problem(name, 'topic name', "topic name must not end with a '/'")
    if problem is None and len(name) > MAX_TOPIC_NAME:
        problem = f"topic length should not exceed '{MAX_TOPIC_NAME}'", MAX_TOPIC_NAME
    return problem


def _absolute_problem(name: str, what: str, end: str) -> Problem | None:
    """Return what is wrong with an absolute name, in the words of rmw."""
    if not name:
        return f'{what} must not be empty', 0
    if name[0] != '/':
        return f"{what} must be absolute, it must lead with a '/'", 0
    if name.endswith('/'):
        return end, len(name) - 1
    for index, character in enumerate(name):
        if not NAME_CHARACTERS.match(character) and character != '/':
            return (
                f"{what} must not contain characters other than alphanumerics, '_', or '/'",
                index,
            )
    if '//' in name:
        return f"{what} must not contain repeated '/'", name.index('//') + 1
    match = TOKEN_WITH_NUMBER.search(name)
    if match:
        return f'{what} must not have a token that starts with a number', match.end() - 1
    return None


def node_name_problem(name: str) -> Problem | None:
    """Return what is wrong with the name of a node, and where in it, or None."""
    if not name:
        return 'node name must not be empty', 0
    for index, character in enumerate(name):
        if not NAME_CHARACTERS.match(character):
            return "node name must not contain characters other than alphanumerics or '_'", index
    if name[0].isdigit():
        return 'node name must not start with a number', 0
    if len(name) > MAX_NODE_NAME:
        return f"node name length should not exceed '{MAX_NODE_NAME}'", MAX_NODE_NAME
    return None


def namespace_problem(namespace: str) -> Problem | None:
    """Return what is wrong with an absolute namespace, and where in it, or None."""
    if namespace == '/':
        return None
    end = "namespace must not end with a '/', unless only a '/'"
    problem = _absolute_problem(namespace, 'namespace', end)
    if problem is None and len(namespace) > MAX_NAMESPACE:
        problem = f"namespace should not exceed '{MAX_NAMESPACE}'", MAX_NAMESPACE
    return problem


def expand(name: str, node_name: str, namespace: str) -> str:
    """
    Return the full name of a topic or service.

    Parameters
    ----------
    name : str
        Relative (``'chatter'``), private (``'~/state'``) or absolute name, possibly with the
        substitutions ``{node}``, ``{ns}`` and ``{namespace}``.
    node_name, namespace : str
        Name and absolute namespace of the node.

    Raises
    ------
    KeyError
        If a substitution is unknown.

    """
    base = namespace.rstrip('/')
    if name.startswith('~'):
        name = f'{base}/{node_name}{name[1:]}'
    if '{' in name:
        known = {'node': node_name, 'ns': namespace, 'namespace': namespace}
        name = SUBSTITUTION.sub(lambda match: known[match.group(1)], name)
    if not name.startswith('/'):
        name = f'{base}/{name}'
    return name


def full_node_name(name: str, namespace: str) -> str:
    """Return namespace and name as one path."""
    return f'{namespace.rstrip("/")}/{name}'


def topic_on_wire(name: str) -> str:
    """Return the DDS name of a topic."""
    return 'rt' + name


def service_on_wire(name: str) -> tuple[str, str]:
    """Return the DDS names of a service's requests and replies."""
    return f'rq{name}Request', f'rr{name}Reply'


def type_on_wire(name: str) -> str:
    """Return the DDS name of a message type: ``'std_msgs::msg::dds_::String_'``."""
    package, kind, base = name.split('/')
    return f'{package}::{kind}::dds_::{base}_'


def type_from_wire(name: str) -> str | None:
    """Return the ROS name of a DDS type, or None if it is not a ROS type."""
    head, separator, base = name.partition('::dds_::')
    if not separator or not base.endswith('_'):
        return None
    return f'{head.replace("::", "/")}/{base[:-1]}'


def topic_from_wire(name: str) -> str | None:
    """Return the ROS name of a DDS topic, or None if it is not a ROS topic."""
    return name[2:] if name.startswith('rt/') else None


def service_from_wire(name: str) -> str | None:
    """Return the name of the service that a DDS topic belongs to, or None."""
    if name.startswith('rq/') and name.endswith('Request'):
        return name[2:-7]
    if name.startswith('rr/') and name.endswith('Reply'):
        return name[2:-5]
    return None


def service_type_from_wire(name: str) -> str | None:
    """Return the ROS name of the service that a DDS type belongs to, or None."""
    ros = type_from_wire(name)
    if ros is None:
        return None
    for suffix in ('_Request', '_Response'):
        if ros.endswith(suffix):
            return ros[: -len(suffix)]
    return None


def is_hidden(name: str) -> bool:
    """Tell whether a part of the name begins with an underscore."""
    return any(part.startswith('_') for part in name.split('/') if part)
