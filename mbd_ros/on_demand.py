"""
Names of a package that are imported when somebody first asks for them (PEP 562).

Where half of a package is not needed by most programs, its ``__init__`` says so in two places::

    if TYPE_CHECKING:
        from package.part import name
    else:
        __getattr__, __dir__ = on_demand(__name__, {'package.part': ('name',)})

The first is what type checkers and editors read, the second what runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import importlib
import sys
from typing import Any


def on_demand(package: str, places: Mapping[str, Sequence[str]]
              ) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """
    Return ``__getattr__`` and ``__dir__`` of a package.

    Several threads may ask at once: Python imports a module once, and the name is the same object
    for all of them.

    Parameters
    ----------
    package : str
        Its name.
    places : mapping of str to sequence of str
        For each module the names that the package has from it; a module without names is itself
        what the package has, under the last part of its name.

    Returns
    -------
    tuple of callable
        What Python calls for a name that the package does not have yet, and for its ``dir``.

    Raises
    ------
    ValueError
        If a name is also that of a module of the package: importing the module sets the name.

    """
    where = {name: module for module, names in places.items() for name in names}
    where.update({module.rpartition('.')[2]: '' for module, names in places.items() if not names})

    hidden = [name for name, module in where.items() if module == f'{package}.{name}']
    if hidden:
        raise ValueError(f'{package} has modules of the names {hidden}, which would hide these')

    def get(name: str) -> Any:
        if name not in where:
            raise AttributeError(f'module {package!r} has no attribute {name!r}', name=name,
                                 obj=sys.modules[package])
        if not where[name]:
            return importlib.import_module(f'{package}.{name}')  # which sets the attribute
        value = getattr(importlib.import_module(where[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *where})

    return get, names
