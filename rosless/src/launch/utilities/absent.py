"""Say clearly that a name of the original is not here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def absent(
    module: str, names: Iterable[str], reason: str = 'not available in this version of rosless',
) -> Callable[[str], Any]:
    """
    Return a ``__getattr__`` for a module that lacks some names.

    Parameters
    ----------
    module : str
        Name of the module.
    names : iterable of str
        What the original has and this module has not.
    reason : str
        What to say.

    Returns
    -------
    callable
        Raises ImportError for these names, AttributeError for any other.

    """
    known = frozenset(names)

    def getattribute(name: str) -> Any:
        if name in known:
            raise ImportError(f'{module}.{name} is {reason}')
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return getattribute
