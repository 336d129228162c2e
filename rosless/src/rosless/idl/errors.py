"""Errors of the interface layer."""

from __future__ import annotations


class InterfaceError(Exception):
    """An interface text cannot be read; the message says where, what was found and allowed."""


class InterfaceNotFound(InterfaceError, LookupError):
    """No text of that interface on the search path."""


class DeserializationError(ValueError):
    """Received octets are not a message of the expected type."""
