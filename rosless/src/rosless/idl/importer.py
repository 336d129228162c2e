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

"""The modules of interface packages; `rosless.hook` finds them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from .build import interface_class
from .errors import InterfaceNotFound
from .. import interfaces


def make_spec(fullname: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """
    Return the spec of an interface package, or of its `msg`, `srv` or `action` module.

    Parameters
    ----------
    fullname : str
        ``'pkg'`` or ``'pkg.msg'`` of a package that has interfaces.
    path : Sequence[str], optional
        The parent's search path.

    Returns
    -------
    ModuleSpec or None
        None if a Python package provides the module.

    """
    package, _, kind = fullname.partition('.')
    if not kind:
        found = PathFinder.find_spec(fullname)
        if found is not None and found.loader is not None:
            return None
        return _package_spec(fullname, PackageLoader())
    found = PathFinder.find_spec(fullname, list(path)) if path else None
    if found is not None and found.loader is not None and found.origin is not None:
        return None
    if not interfaces.interface_names(package, kind):
        return None
    return _package_spec(fullname, KindLoader(package, kind))


def _package_spec(name: str, loader: Any) -> ModuleSpec:
    return ModuleSpec(name, loader, is_package=True)


class PackageLoader:
    """Loads an interface package: an empty package."""

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave the creation to the import system."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Fill the module."""
        module.__doc__ = f'Interfaces of the package {module.__name__}.'


class KindLoader:
    """Loads `pkg.msg`, `pkg.srv` or `pkg.action`; classes are made when they are first used."""

    def __init__(self, package: str, kind: str) -> None:
        self.package = package
        self.kind = kind

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave the creation to the import system."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Fill the module with a `__getattr__` that makes classes."""
        package, kind = self.package, self.kind

        def make(name: str) -> Any:
            if not name[:1].isupper():
                raise AttributeError(f'module {module.__name__!r} has no attribute {name!r}')
            try:
                cls = interface_class(f'{package}/{kind}/{name}')
            except InterfaceNotFound as error:
                raise AttributeError(
                    f'module {module.__name__!r} has no attribute {name!r}: {error}'
                ) from None
            setattr(module, name, cls)
            return cls

        names = [name.partition('/')[2] for name in interfaces.interface_names(package, kind)]
        module.__doc__ = f'Interfaces of the package {package}, from their {kind} files.'
        module.__dict__['__all__'] = names
        module.__dict__['__getattr__'] = make
        module.__dict__['__dir__'] = lambda: sorted({*names, *module.__dict__})
