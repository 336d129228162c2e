"""Ask for the class of something."""

from __future__ import annotations

import inspect
from typing import Any


def is_a(obj: Any, entity_type: type) -> bool:
    """Tell whether an object is of a class."""
    return isinstance(obj, entity_type)


def is_a_subclass(obj: Any, entity_type: type) -> bool:
    """Tell whether an object is of a class, or is a class below it."""
    return is_a(obj, entity_type) or (inspect.isclass(obj) and issubclass(obj, entity_type))


def isclassinstance(obj: Any) -> bool:
    """Tell whether an object is no plain value, function, module or class."""
    return hasattr(obj, '__dict__') and not inspect.isroutine(obj) and not inspect.isclass(obj) \
        and not inspect.ismodule(obj)
