"""Rules for names of nodes."""

from __future__ import annotations

from rosless import names

from .exceptions import InvalidNodeNameException


def validate_node_name(node_name: str) -> bool:
    """Return True, or raise `InvalidNodeNameException`."""
    problem = names.node_name_problem(node_name)
    if problem is not None:
        raise InvalidNodeNameException(node_name, *problem)
    return True
