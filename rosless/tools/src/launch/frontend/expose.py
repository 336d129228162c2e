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

from collections.abc import Callable
import functools
import importlib
import importlib.metadata
from typing import Any

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
    method ``parse`` of both that returns the class and its keyword arguments.

    """
    return _exposer(ACTIONS, name)


def expose_substitution(name: str) -> Callable[[Any], Any]:
    """
    Return a decorator that makes a substitution known as ``$(name ...)``.

    It takes a function of a list of arguments, each a list of substitutions, that returns the
    substitution, or a class with a method ``parse`` of the list that returns the class and its
    keyword arguments.

    """
    return _exposer(SUBSTITUTIONS, name)


@functools.lru_cache(maxsize=1)
def load_extensions() -> None:
    """Have all packages expose what they offer: launch, launch_ros, and others by entry point."""
    for module in OURS:
        importlib.import_module(module)
    for point in importlib.metadata.entry_points(group=GROUP):
        point.load()


def make(exposed: Any, *arguments: Any) -> Any:
    """Return what an exposed function or class makes of the arguments."""
    if isinstance(exposed, type):
        kind, keywords = exposed.parse(*arguments)  # type: ignore[attr-defined]
        return kind(**keywords)
    return exposed(*arguments)


def _exposer(registry: dict[str, Any], name: str) -> Callable[[Any], Any]:
    def expose(exposed: Any) -> Any:
        registry[normalized(name)] = exposed
        return exposed
    return expose
