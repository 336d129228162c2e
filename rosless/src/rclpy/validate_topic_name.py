"""Rules for names of topics and services."""

from __future__ import annotations

from rosless import names

from .exceptions import InvalidServiceNameException, InvalidTopicNameException

TOPIC_SEPARATOR_STRING = '/'


def validate_topic_name(name: str, *, is_service: bool = False) -> bool:
    """Return True, or raise `InvalidTopicNameException` or `InvalidServiceNameException`."""
    problem = names.topic_problem(name, what='service' if is_service else 'topic')
    if problem is not None:
        error = InvalidServiceNameException if is_service else InvalidTopicNameException
        raise error(name, *problem)
    return True
