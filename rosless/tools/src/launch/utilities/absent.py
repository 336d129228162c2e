"""Say clearly that a name of the original is not here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def absent(module: str, reasons: Mapping[str, str]) -> Callable[[str], Any]:
    """
    Return a ``__getattr__`` for a module that lacks some names.

    Parameters
    ----------
    module : str
        Name of the module.
    reasons : mapping
        What the original has and this module has not, and why, or what to use instead.

    Returns
    -------
    callable
        Raises ImportError for these names, AttributeError for any other.

    """
    def getattribute(name: str) -> Any:
        if name in reasons:
            raise ImportError(f'{module}.{name} is not available in rosless: {reasons[name]}')
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return getattribute
