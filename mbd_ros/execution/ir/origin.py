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
Cache keys of machine code, from what it is generated from.

To trace a program takes longer than to read its machine code from disk. The *origin* of code is a
text that names all that it follows from: the program, the arrays of the model, and the source text
of this package's rooms that trace and write code. Programs with functions from elsewhere have
none, for whether these changed cannot be told; their code is then found by its IR text.

"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import functools
import hashlib
from pathlib import Path
import pickle

import numpy as np

from mbd_ros.execution.ir.object_cache import key_of, object_cache
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.program.ties import loop_ties, spring_ties, ties_of
from mbd_ros.execution.program.tree import acting_laws, tree_of
from mbd_ros.model import Model
from mbd_ros.model.caches import owned
from mbd_ros.model.flexible.on_segments import on_segments

_PACKAGE = Path(__file__).parents[2]
_ROOMS = ('dynamics', 'environment', 'execution', 'spatial')


def origin_of(program: Program, model: Model | None, *more: object) -> str | None:
    """
    Return the origin of code.

    Parameters
    ----------
    program : Program
        The program.
    model : Model or None
        The model whose constants are folded into the code, if there is one.
    *more
        What else it follows from, with a telling ``repr``.

    Returns
    -------
    str or None
        None where it cannot be told, or where nothing is kept on disk.

    """
    if object_cache() is None:
        return None
    try:
        text = pickle.dumps(program)
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
    if not all(module.startswith(tuple(f'mbd_ros.{room}.' for room in _ROOMS))
               for module in _modules((program, model.laws if model else ()))):
        return None
    digest = hashlib.blake2b(text, digest_size=20)
    if model is not None:
        digest.update(model_digest(model))
    return '\n'.join(['origin', _sources(_ROOMS), digest.hexdigest(), *map(repr, more)])


def origin_of_function(function: Callable[..., object], *more: object) -> str | None:
    """
    Return the origin of code that a plain function of this package was turned into.

    Parameters
    ----------
    function : callable
        The function; what it calls and its numbers are in the package, too.
    *more
        What else it follows from, with a telling ``repr``.

    Returns
    -------
    str or None
        None for functions from elsewhere, or where nothing is kept on disk.

    """
    if object_cache() is None or not function.__module__.startswith('mbd_ros.'):
        return None
    return '\n'.join(['origin of a function', _sources((*_ROOMS, 'control')),
                      f'{function.__module__} {function.__qualname__}', *map(repr, more)])


def kept(origin: str | None, make: Callable[[], bytes]) -> bytes:
    """Return a result that follows from an origin alone, read from disk or made and kept."""
    cache = object_cache()
    if cache is None or origin is None:
        return make()
    key = key_of(origin)
    found = cache.load(key)
    if found is None:
        found = make()
        cache.store(key, found)
    return found


def _modules(part: object) -> Iterator[str]:
    """Yield the modules of all functions and classes of a program."""
    if isinstance(part, functools.partial):
        yield from _modules((part.func, part.args, part.keywords))
    elif isinstance(part, dict):
        yield from _modules(tuple(part.values()))
    elif isinstance(part, (tuple, list)):
        if hasattr(part, '_fields'):
            yield type(part).__module__
        for one in part:
            yield from _modules(one)
    elif callable(part):
        yield part.__module__
    elif hasattr(part, '__dataclass_fields__'):
        yield type(part).__module__
        yield from _modules(tuple(vars(part).values()))


@owned()
def model_digest(model: Model) -> bytes:
    """Return a digest of all of a model that programs see."""
    digest = hashlib.blake2b(digest_size=20)
    for part in (model.parents, model.joint_types, model.q_offsets, model.v_offsets):
        digest.update(repr(part).encode())
    for array in (model.rotations, model.translations, model.masses, model.mass_centers,
                  model.inertias, model.armature, model.damping, model.friction):
        digest.update(np.ascontiguousarray(array).tobytes())
    for frame in model.links.values():
        digest.update(np.array([frame.body, *frame.translation, *np.ravel(frame.rotation)],
                               np.float64).tobytes())
    if model.elastic is not None:
        there = on_segments(model)
        digest.update(pickle.dumps(model.elastic.segments))
        digest.update(repr((loop_ties(there), spring_ties(there), [
            acting_laws(there, i) for i in range(len(model.elastic.segments))])).encode())
    around = [body.around for body in tree_of(model).bodies]
    digest.update(repr((ties_of(model), [loop.rows for loop in model.loops], around)).encode())
    return digest.digest()


@functools.cache
def _sources(rooms: tuple[str, ...]) -> str:
    """Return a digest of the source text that code follows from."""
    digest = hashlib.blake2b(digest_size=20)
    for room in rooms:
        for path in sorted((_PACKAGE / room).rglob('*.py')):
            digest.update(str(path.relative_to(_PACKAGE)).encode() + path.read_bytes())
    return digest.hexdigest()
