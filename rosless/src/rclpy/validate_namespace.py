"""Rules for namespaces."""

from __future__ import annotations

from rosless import names

from .exceptions import InvalidNamespaceException


def validate_namespace(namespace: str) -> bool:
    """Return True, or raise `InvalidNamespaceException`."""
    problem = names.namespace_problem(namespace)
    if problem is not None:
        raise InvalidNamespaceException(namespace, *problem)
    return True
