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
The reader of yourdfpy without trimesh.

yourdfpy imports trimesh for the sake of meshes, which takes ten times as long as all the rest of
it. Where no shapes are read, it calls one function of it: that for the pose of an ``<origin>``.
Its module is therefore run with an ``import`` of its own, which hands it that function and fetches
whatever else it may ask for from trimesh at that moment. Nothing outside this file notices: who
imports yourdfpy or trimesh elsewhere gets modules of his own.

"""

from __future__ import annotations

import builtins
import functools
import importlib
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transforms3d.euler import euler2mat

_LATE = ('trimesh', 'trimesh.transformations')
_IN_ANNOTATIONS = ('Scene', 'Trimesh')


@functools.cache
def urdf_reader() -> Any:
    """
    Return yourdfpy's class ``URDF``.

    Returns
    -------
    type
        Its ``load`` imports trimesh only if it is told to build scenes or to load meshes.

    """
    package = find_spec('yourdfpy')
    file = Path(package.origin or '').with_name('urdf.py') if package else Path()
    spec = spec_from_file_location('yourdfpy.urdf', file) if file.is_file() else None
    if spec is None or spec.loader is None:  # put together otherwise than the versions known
        return importlib.import_module('yourdfpy').URDF
    trimesh, transformations = (_Late(name) for name in _LATE)
    trimesh.__dict__.update(transformations=transformations, **dict.fromkeys(_IN_ANNOTATIONS))
    transformations.__dict__['compose_matrix'] = _compose_matrix

    def import_late(name: str, globals_: Any = None, locals_: Any = None,
                    fromlist: Any = (), level: int = 0) -> ModuleType:
        if name in _LATE and not fromlist:
            return trimesh
        return builtins.__import__(name, globals_, locals_, fromlist, level)

    module = module_from_spec(spec)
    module.__dict__['__builtins__'] = {**vars(builtins), '__import__': import_late}
    spec.loader.exec_module(module)
    for name in _IN_ANNOTATIONS:
        del trimesh.__dict__[name]
    return module.URDF


class _Late(ModuleType):
    """A module that is imported when something is asked for that is not here yet."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)


def _compose_matrix(*, translate: NDArray[np.float64], angles: NDArray[np.float64]
                    ) -> NDArray[np.float64]:
    """Return the transform (4, 4) of a translation and of angles about fixed axes x, y, z."""
    matrix = np.eye(4)
    matrix[:3, :3] = euler2mat(*angles, axes='sxyz')
    matrix[:3, 3] = translate
    return matrix
