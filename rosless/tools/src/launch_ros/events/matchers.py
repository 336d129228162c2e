"""Tell nodes apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def matches_node_name(node_name: str) -> Callable[[Any], bool]:
    """Return a matcher of node actions by the full name of the node."""
    wanted = node_name if node_name.startswith('/') else f'/{node_name}'
    return lambda action: getattr(action, 'node_name', None) == wanted
