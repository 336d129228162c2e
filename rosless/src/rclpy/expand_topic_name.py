"""Full names from names that nodes use."""

from __future__ import annotations

from rosless import names

from .exceptions import InvalidTopicNameException
from .validate_namespace import validate_namespace
from .validate_node_name import validate_node_name
from .validate_topic_name import validate_topic_name


def expand_topic_name(topic_name: str, node_name: str, node_namespace: str) -> str:
    """
    Return the full name of a topic, without remapping.

    Raises
    ------
    NameValidationException
        If one of the names is invalid.

    """
    validate_topic_name(topic_name)
    validate_node_name(node_name)
    validate_namespace(node_namespace)
    try:
        return names.expand(topic_name, node_name, node_namespace)
    except KeyError as unknown:
        raise InvalidTopicNameException(topic_name, f'unknown substitution {unknown}', 0) from None
