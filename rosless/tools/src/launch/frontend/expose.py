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

"""What tags and ``$(...)`` stand for; other packages add theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import functools
import importlib
import importlib.metadata
from typing import Any
import warnings

ACTIONS: dict[str, Any] = {}
SUBSTITUTIONS: dict[str, Any] = {}
OURS = ('launch.frontend.actions', 'launch.frontend.substitutions', 'launch_ros.frontend')
GROUP = 'launch.frontend.launch_extension'


def normalized(name: str) -> str:
    """Return a tag or attribute as it is looked up: ``-`` and ``_`` are the same."""
    return name.replace('-', '_')


def expose_action(name: str) -> Callable[[Any], Any]:
    """
    Return a decorator that makes an action known to launch files.

    It takes a function of an entity and a parser that returns the action, or a class with a
    method ``parse`` of both that returns a class and its keyword arguments, as the function may.

    """
    return _exposer(ACTIONS, name, 'action')


def expose_substitution(name: str) -> Callable[[Any], Any]:
    """
    Return a decorator that makes a substitution known as ``$(name ...)``.

    It takes a function of a list of arguments, each a list of substitutions, that returns the
    substitution, or a class with a method ``parse`` of the list that returns the class and its
    keyword arguments.

    """
    return _exposer(SUBSTITUTIONS, name, 'substitution')


@functools.lru_cache(maxsize=1)
def load_extensions() -> None:
    """Have all packages expose what they offer: launch, launch_ros, and others by entry point."""
    for module in OURS:
        importlib.import_module(module)
    load_entry_points()


def load_entry_points() -> None:
    """Have other packages expose what they offer; warn of those that cannot be loaded."""
    for point in entry_points(GROUP):
        try:
            point.load()
        except Exception as error:
            warnings.warn(f"Failed to load the launch extension '{point.name}': {error}",
                          stacklevel=2)


def entry_points(group: str) -> Iterable[Any]:
    """Return the entry points of a group."""
    found: Any = importlib.metadata.entry_points()
    return found.select(group=group) if hasattr(found, 'select') else found.get(group, ())


def make(exposed: Any, *arguments: Any) -> Any:
    """Return what an exposed function or class makes of the arguments."""
    made = exposed(*arguments)
    if isinstance(made, tuple):
        kind, keywords = made
        return kind(**keywords)
    return made


def _exposer(registry: dict[str, Any], name: str, kind: str) -> Callable[[Any], Any]:
    def expose(exposed: Any) -> Any:
        parse = exposed.parse if isinstance(exposed, type) and hasattr(exposed, 'parse') \
            else exposed
        if isinstance(exposed, type) and parse is exposed or not callable(parse):
            raise RuntimeError(f'Exposed {kind} parser for {name} is not a callable or a class'
                               ' containg a parse method')   # these words, as in ROS 2
        key = normalized(name)
        if registry.get(key, parse) != parse and not _is_ours(registry[key]):
            raise RuntimeError(f'Two {kind} parsers exposed with the same name: {name}')
        registry[key] = parse
        return exposed
    return expose


def _is_ours(exposed: Any) -> bool:
    """Tell whether something is exposed by this package, which others may replace."""
    return str(getattr(exposed, '__module__', '')).startswith(OURS)


def __expose_impl(name: str, register: dict[str, Any], exposed_type: str) -> Callable[[Any], Any]:
    """Return a decorator that notes a parser in a register, under the name of ROS 2."""
    return _exposer(register, name, exposed_type)
