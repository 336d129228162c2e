"""Which topics and services tools leave out."""

from __future__ import annotations

from rosless import names

HIDDEN_TOPIC_PREFIX = '_'


def topic_or_service_is_hidden(topic_or_service_name: str) -> bool:
    """Tell whether a part of the name begins with an underscore."""
    return names.is_hidden(topic_or_service_name)
