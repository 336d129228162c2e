"""The finder that makes interface packages importable: `from sensor_msgs.msg import JointState`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from .. import interfaces
from .errors import InterfaceNotFound
from .resolve import interface_class


class InterfaceFinder(MetaPathFinder):
    """
    Finds `pkg`, `pkg.msg`, `pkg.srv` and `pkg.action` of packages that have interface texts.

    A Python package of the same name is left alone (only the sub-module it lacks is provided); a
    plain folder of that name on the path is not mistaken for it.

    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of an interface package or of its `msg`, `srv` or `action` module."""
        package, _, tail = fullname.partition('.')
        if tail and tail not in interfaces.KINDS:
            return None
        if not interfaces.has_package(package):
            return None
        if not tail:
            found = PathFinder.find_spec(fullname)
            if found is not None and found.loader is not None:
                return None
            return ModuleSpec(fullname, PackageLoader(), is_package=True)
        found = PathFinder.find_spec(fullname, list(path)) if path else None
        if found is not None and found.loader is not None and found.origin is not None:
            return None
        if not (interfaces.share_directory(package) / tail).is_dir():
            return None
        return ModuleSpec(fullname, KindLoader(package, tail), is_package=True)


class PackageLoader(Loader):
    """Loads an interface package: an empty package."""

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave the creation to the import system."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Fill the module."""
        module.__doc__ = f'Interfaces of the package {module.__name__}.'


class KindLoader(Loader):
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

        def __getattr__(name: str) -> Any:
            if name.startswith('__') or not name[:1].isupper():
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
        module.__dict__['__getattr__'] = __getattr__
        module.__dict__['__dir__'] = lambda: sorted({*names, *module.__dict__})


def install() -> None:
    """Put the finder in front of `sys.meta_path`, once."""
    if not any(type(finder).__name__ == 'InterfaceFinder' for finder in sys.meta_path):
        sys.meta_path.insert(0, InterfaceFinder())
