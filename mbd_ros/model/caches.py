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
Results that follow from a robot and end with it.

A cache of a module, such as ``functools.lru_cache``, holds its last 64 robots with all their
machine code for as long as the process lives. Here results are kept with the robot (or with its
prepared dynamics, or whatever the function is given first): once nobody uses it, robot and results
are garbage together. Robots that are equal share them, and a few that were new last stay, so that
who reads the same description again and again compiles once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import functools
from typing import Any, Generic, ParamSpec, TypeVar
import weakref

P = ParamSpec('P')
T = TypeVar('T')

RECENT = 4
"""Owners compared by their content that stay, as an equal one may come again."""
MOST = 64
"""Results of one function for one owner."""
_first: weakref.WeakKeyDictionary[Any, weakref.ref[Any]] = weakref.WeakKeyDictionary()
"""For each owner the first of those equal to it, which nothing here keeps alive."""
_recent: deque[Any] = deque(maxlen=RECENT)


class OwnedCache(Generic[P, T]):
    """
    A function whose results are kept with one of its arguments.

    Parameters
    ----------
    function : callable
        Its arguments besides the owner can be hashed.
    place : int
        Which of its arguments, given by position, is the owner.
    most : int
        Results that are kept for one owner; that which was used least lately goes.

    Attributes
    ----------
    made : int
        Results that were computed, not found.

    """

    __wrapped__: Callable[P, T]
    __qualname__: str

    def __init__(self, function: Callable[P, T], place: int, most: int) -> None:
        functools.update_wrapper(self, function)
        self._place, self._most = place, most
        self.made = 0

    def __call__(self, *args: P.args, **more: P.kwargs) -> T:
        """Return the result, computed now or earlier."""
        place = self._place
        try:
            results = args[place]._results  # type: ignore[attr-defined]
        except AttributeError:
            try:
                results = _results_of(args[place])
            except TypeError:   # no such object: the function says what is wrong with it
                return self.__wrapped__(*args, **more)
        cached = results.get(self) or results.setdefault(self, self._cache(args[place]))
        result: T = cached(*args[:place], *args[place + 1:], **more)
        return result

    def __reduce__(self) -> str:
        """Pickle as the function of a module that it is."""
        return self.__qualname__

    def _cache(self, owner: Any) -> Callable[..., T]:
        """Return the cache for one owner."""
        place = self._place

        @functools.lru_cache(maxsize=self._most)
        def compute(*args: Any, **more: Any) -> T:
            self.made += 1
            return self.__wrapped__(*args[:place], owner, *args[place:], **more)
        return compute


def owned(place: int = 0, most: int = MOST
          ) -> Callable[[Callable[P, T]], OwnedCache[P, T]]:
    """
    Return a decorator: results are kept with an argument and end with it.

    Parameters
    ----------
    place : int, optional
        Which argument; it is always given by position.
    most : int, optional
        Results of the function for one owner.

    Returns
    -------
    callable
        From a function to its ``OwnedCache``.

    """
    return lambda function: OwnedCache(function, place, most)


class OwnedTable(Generic[T]):
    """
    Something that is kept with each robot, found by one look-up.

    Parameters
    ----------
    make : callable
        From a robot to what is kept with it.

    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make

    def of(self, owner: Any) -> T:
        """Return what is kept with an owner, made now or earlier."""
        try:
            found: T = owner._results[self]
        except (AttributeError, KeyError):   # first, as it says what is wrong with others
            found = self._make(owner)
            found = _results_of(owner).setdefault(self, found)
        return found


def _results_of(owner: Any) -> dict[Any, Any]:
    """Return where results of an owner are kept, shared with an equal one that is alive."""
    first = _first.setdefault(owner, weakref.ref(owner))() or owner
    results: dict[Any, Any] | None = getattr(first, '_results', None)
    if results is None:   # two threads at once: one of them computes again
        results = {}
        object.__setattr__(first, '_results', results)
        if '__eq__' in vars(type(first)):
            _recent.append(first)
    object.__setattr__(owner, '_results', results)
    return results
