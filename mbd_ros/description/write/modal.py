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

"""Files of arrays that ``<modal file>`` of ``<mbd:flexible>`` names."""

from __future__ import annotations

from dataclasses import fields
from math import isqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
import yaml

from mbd_ros.description.records.mechanism import FlexibleBody
from mbd_ros.description.records.modal import ShapeIntegrals
from mbd_ros.errors import InvalidValueError, MbdError

Array = NDArray[np.float64]


def modal_arrays(body: FlexibleBody) -> dict[str, Array]:
    """
    Return the arrays of a link that is known by integrals, as ``docs/description.md`` lists them.

    Parameters
    ----------
    body : FlexibleBody
        With ``integrals``.

    """
    assert body.integrals is not None
    count, products = isqrt(len(body.stiffness)), len(body.integrals.pairs) // 2
    columns = count + products
    shapes = {'first_moments': (3, columns), 'couplings': (columns, 3, 3), 'pairs': (2, products),
              'second_stiffness': (products, products)}
    found = {'stiffness': np.reshape(body.stiffness, (count, count)),
             'damping': np.reshape(body.damping, (count, count))}
    for field in fields(ShapeIntegrals):
        values = getattr(body.integrals, field.name)
        if values:
            block = (3, 3) if field.name == 'second_couplings' else ()
            size = isqrt(len(values) // (9 if block else 1))
            found[field.name] = np.reshape(values, shapes.get(
                field.name, (size, size, *block)))
    shown = [point for point in body.points if not point.joint]
    if shown:
        found['points'] = np.array([point.position for point in shown])
        found['shapes'] = np.reshape([point.shape for point in shown], (-1, 3, columns))
    for point in body.points:
        if point.joint:
            found[f'position_{point.joint}'] = np.array(point.position)
            found[f'displacement_{point.joint}'] = np.reshape(point.shape, (3, columns))
            found[f'rotation_{point.joint}'] = np.reshape(point.rotation, (3, count))
    return found


def write_modal(path: str, arrays: dict[str, Array]) -> None:
    """
    Write arrays as ``*.npz`` or ``*.yaml``.

    Raises
    ------
    InvalidValueError
        If the file has another name.
    MbdError
        If it cannot be written.

    """
    suffix = Path(path).suffix
    if suffix not in ('.npz', '.yaml', '.yml'):
        raise InvalidValueError('--modal', path, 'a file *.npz or *.yaml')
    try:
        if suffix == '.npz':
            np.savez_compressed(path, allow_pickle=False, **arrays)
        else:
            lists = {name: array.tolist() for name, array in arrays.items()}
            Path(path).write_text(yaml.safe_dump(lists, default_flow_style=None, width=99,
                                                 sort_keys=False), encoding='utf-8')
    except OSError as error:
        raise MbdError(f'{path} cannot be written: {error.strerror}') from None
