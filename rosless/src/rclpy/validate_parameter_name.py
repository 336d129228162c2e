"""Rules for names of parameters."""

from __future__ import annotations

from .exceptions import InvalidParameterException
from .parameter_rules import check_name


def validate_parameter_name(name: str) -> bool:
    """Return True, or raise `InvalidParameterException`."""
    if not check_name(name):
        raise InvalidParameterException(name)
    return True
