# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

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
import functools
import importlib
import sys
from types import ModuleType
from typing import Any
import warnings


def on_demand(package: str, places: Mapping[str, Sequence[str]], modules: Sequence[str] = (),
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
        For each module the names that the package has from it, ``'name'`` or ``'name as other'``.
    modules : sequence of str
        Modules of the package that are there without being imported by name.

    Returns
    -------
    tuple of callable
        What Python calls for a name that the package does not have yet, and for its ``dir``.

    Raises
    ------
    ValueError
        If a name is also that of a module of the package: importing the module sets the name.

    """
    where = {}
    for module, entries in places.items():
        for entry in entries:
            source, _, alias = entry.partition(' as ')
            where[alias or source] = module, source
    hidden = [name for name, (module, _) in where.items() if module == f'{package}.{name}']
    if hidden:
        raise ValueError(f'{package} has modules of the names {hidden}, which would hide these')

    def get(name: str) -> Any:
        if name in modules:
            return importlib.import_module(f'{package}.{name}')  # which sets the name
        if name not in where:
            raise AttributeError(f'module {package!r} has no attribute {name!r}', name=name,
                                 obj=sys.modules[package])
        module, source = where[name]
        value = getattr(importlib.import_module(module), source)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        known = vars(sys.modules[package])   # what it imports for itself is no name of it
        return sorted({*(name for name in known if name.startswith('_') or isinstance(
            known[name], ModuleType)), *where, *modules})

    return get, names


def former(name: str, now: Callable[..., Any]) -> Callable[..., Any]:
    """
    Return a function, or method, under the name that it had in the release before.

    Parameters
    ----------
    name : str
        Its former name.
    now : callable
        The function.

    Returns
    -------
    callable
        Does the same, with a DeprecationWarning that says the present name.

    """
    @functools.wraps(now)
    def called(*arguments: Any, **named: Any) -> Any:
        warnings.warn(f'{name} is {now.__name__} now; the former name goes with the next release',
                      DeprecationWarning, stacklevel=2)
        return now(*arguments, **named)
    called.__doc__ = f'Former name of ``{now.__name__}``.'
    return called
