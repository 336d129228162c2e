"""Rules for full names of topics and services."""

from __future__ import annotations

from rosless import names

from .exceptions import InvalidServiceNameException, InvalidTopicNameException


def validate_full_topic_name(name: str, *, is_service: bool = False) -> bool:
    """Return True, or raise `InvalidTopicNameException` or `InvalidServiceNameException`."""
    what = 'service' if is_service else 'topic'
    problem = names.full_name_problem(name, what=what)
    if problem is not None:
        error = InvalidServiceNameException if is_service else InvalidTopicNameException
        raise error(name, *problem)
    return True
