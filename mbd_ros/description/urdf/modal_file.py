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
``<modal file>`` of ``<mbd:flexible>``: shapes, matrices and integrals in a file of arrays.

What the file holds is put into the description, as the elements that it could have held itself,
so that a description that is passed on as text is all that there is.

"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from lxml import etree
import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.modal import MOST_COLUMNS
from mbd_ros.description.records.numbers import numbers_in
from mbd_ros.description.records.report import nearest, Report, TEXT
from mbd_ros.description.urdf.modal import LARGEST, MOST_MODES
from mbd_ros.description.write.loops import numbers_text
from mbd_ros.description.xml.arrays import read_arrays
from mbd_ros.description.xml.file_content import read_content, utf8_text
from mbd_ros.description.xml.packages import file_path
from mbd_ros.description.xml.yaml_tree import MAX_BYTES, Node, parse_yaml
from mbd_ros.errors import DescriptionError

Array = NDArray[np.float64]

LOADS = 12
"""Unit loads of geometric stiffness: three accelerations, three angular ones, six products."""
ROUNDING = 1e-6
"""Of the largest entry of a load: matrices of all degrees of freedom are summed up with signs."""
SHAPES: dict[str, str] = {
    'stiffness': 'n n', 'damping': 'n n', 'mass': 'e e', 'first_moments': '3 e',
    'couplings': 'e 3 3', 'second_couplings': 'e e 3 3', 'geometric_stiffness': 'l n n',
    'points': 'k 3', 'shapes': 'k 3 e', 'pairs': '2 p', 'second_stiffness': 'p p'}
"""Of arrays: n modes, p products, e = n + p, k points, l = 12 loads."""
OF_JOINT: dict[str, str] = {'position': '3', 'displacement': '3 e', 'rotation': '3 n',
                            'geometric_stiffness': '3 n n'}
"""Of arrays ``position_NAME`` and so on, with the name of a joint."""
MOST_NUMBERS = 9 * MOST_COLUMNS ** 2
"""Of the shapes of all points: as many as the largest second couplings have."""
NEEDED = ('stiffness', 'mass', 'first_moments', 'couplings', 'second_couplings')


def included(element: Any, what: str, carried: Sequence[str], report: Report) -> Report:
    """
    Put what the file of a ``<modal>`` holds in its place.

    Parameters
    ----------
    element : lxml element
        The ``<mbd:flexible>`` with a ``<modal>``, which is changed.
    what : str
        How messages begin.
    carried : sequence of str
        The joints on the link.
    report : Report
        Of the description.

    Returns
    -------
    Report
        That words errors of what the element holds now.

    Raises
    ------
    DescriptionError
        If the description came as text, or the file holds something else.

    """
    part = element.find('modal')
    source = report.source(part)
    others = [one.tag for one in element.iterchildren('*') if one.tag not in ('modal', 'origin')]
    if others:
        raise report.error(f'{what} has a <modal> and a <{others[0]}>; allowed: <origin> beside '
                           'it', source)
    if source.file is None or source.file == TEXT:
        raise report.error(f'{what} names the file of its <modal>, and came as text, for which '
                           'no file is opened; allowed: the file put in: load the description '
                           'and pass its text on', source)
    name = part.get('file').strip()
    file = report.file.removesuffix(' (expanded)')   # xacro: that which names the others
    path = Path(file).parent / file_path(name, report.packages, near=(file,))
    inner = Report(str(path))
    if path.suffix not in ('.npz', '.yaml', '.yml'):
        raise report.error(f'{what}: file="{name}" of <modal>; allowed: *.npz or *.yaml', source)
    arrays = read_modal_arrays(path, carried)
    element.remove(part)
    element.extend(_elements(arrays, carried))
    return inner


def read_modal_arrays(path: Path, carried: Sequence[str]) -> dict[str, Array]:
    """
    Return the arrays of a modal file, of known names and fitting sizes, finite.

    Raises
    ------
    DescriptionError
        If the file holds something else.

    """
    data, file = read_content(path), str(path)

    def fail(problem: str) -> NoReturn:
        raise DescriptionError(problem, file=file)

    if len(data) > MAX_BYTES:
        fail(f'this is larger than {MAX_BYTES} bytes, which no modal file is')
    found: Mapping[str, Any] = _of_yaml(data, file) if path.suffix != '.npz' else read_arrays(
        path, 'modal file', data=data, largest=MAX_BYTES)
    known = dict(SHAPES) | {f'{kind}_{joint}': shape for joint in carried
                            for kind, shape in OF_JOINT.items()}
    sizes = {'3': 3, '2': 2, 'l': LOADS}
    arrays: dict[str, Array] = {}
    for name in found:
        if name not in known:
            fail(f"the array '{name}' is unknown{nearest(name, known)}")
    for name in NEEDED:
        if name not in found:
            fail(f"the array '{name}' is missing")
    sizes |= {'n': len(_real(found, 'stiffness', fail)),
              'p': _real(found, 'pairs', fail).shape[-1] if 'pairs' in found else 0}
    sizes |= {'e': sizes['n'] + sizes['p'],
              'k': len(_real(found, 'points', fail)) if 'points' in found else 0}
    _bounded(sizes, any(name.startswith('geometric_stiffness') for name in found), fail)
    for name, letters in known.items():
        if name not in found:
            continue
        array = _real(found, name, fail)
        expected = tuple(sizes[letter] for letter in letters.split())
        inner = tuple(sizes['n' if letter == 'e' else letter] for letter in letters.split())
        if array.shape != expected and (name not in ('mass', 'second_couplings')
                                        or array.shape != inner):
            fail(f"the array '{name}' is of the shape {array.shape}; allowed: {expected}")
        arrays[name] = array.astype(np.float64)
        if not np.isfinite(arrays[name]).all():
            fail(f"the array '{name}' has an entry that is not finite")
        if (largest := np.abs(arrays[name]).max()) > LARGEST:
            fail(f"the array '{name}' has the entry {largest:.3g}; allowed: up to {LARGEST:g}")
    for joint in carried:
        if any(f'{kind}_{joint}' in arrays for kind in OF_JOINT):
            for kind in ('position', 'displacement', 'rotation'):
                if f'{kind}_{joint}' not in arrays:
                    fail(f"the array '{kind}_{joint}' is missing")
    for name, array in arrays.items():
        if name.startswith('geometric_stiffness'):
            off = np.abs(array - array.transpose(0, 2, 1)).max()
            if off > ROUNDING * np.abs(array).max():
                fail(f"the array '{name}' is off by {off:.3g} from symmetric matrices")
    if ('points' in arrays) != ('shapes' in arrays):
        fail("only one of the arrays 'points' and 'shapes' is there; allowed: both or none")
    if sizes['p'] and any(name.startswith('geometric_stiffness') for name in arrays):
        fail("both 'pairs' and 'geometric_stiffness' are there; allowed: one of them")
    return arrays


def _bounded(sizes: Mapping[str, int], geometric: bool, fail: Callable[[str], NoReturn]) -> None:
    """Refuse more modes, products and points than a link has, before anything is made of them."""
    modes, points = sizes['n'], sizes['k']
    if modes > MOST_MODES:
        fail(f"the array 'stiffness' has {modes} modes; allowed: 1 to {MOST_MODES}")
    products = modes * (modes + 1) // 2 if geometric else sizes['p']
    if modes + products > MOST_COLUMNS:
        fail(f'{modes} modes with {products} products, of '
             f"{'geometric stiffness' if geometric else 'pairs'}; "
             f'allowed: {MOST_COLUMNS} together')
    if points > (most := MOST_NUMBERS // (3 * (modes + products))):
        fail(f"the array 'points' has {points} points; allowed beside {modes} modes and "
             f'{products} products: up to {most}')


def _real(found: Mapping[str, Any], name: str, fail: Any) -> NDArray[Any]:
    array = np.asarray(found[name])
    if array.dtype.kind not in 'fiu' or array.dtype.itemsize > 8 or not array.ndim or (
            not array.size):
        fail(f"the array '{name}' holds {array.size} entries of the type {array.dtype}, in "
             f'{array.ndim} dimensions; allowed: real numbers')
    return array


def _of_yaml(data: bytes, file: str) -> dict[str, Array]:
    """Return a mapping of names to nested lists of numbers as arrays."""
    report = Report(file)
    root = parse_yaml(utf8_text(data, file), report)
    if not isinstance(root.value, dict):
        raise report.error(f'this is {root.kind}; allowed: a mapping of names to lists of numbers',
                           Source(file, root.line))

    def numbers(node: Node) -> Any:
        if isinstance(node.value, list):
            return [numbers(one) for one in node.value]
        read = numbers_in(node.value, 1) if isinstance(node.value, str) else 'is a mapping'
        if isinstance(read, str):
            raise report.error(f'an entry {read}; allowed: numbers in lists',
                               Source(file, node.line))
        return read[0]

    arrays = {}
    for name, node in root.value.items():
        try:
            arrays[name] = np.array(numbers(node), np.float64)
        except ValueError:
            raise report.error(f"'{name}' has rows of different lengths; allowed: all alike",
                               Source(file, node.line)) from None
    return arrays


def _elements(arrays: Mapping[str, Array], carried: Sequence[str]) -> list[Any]:
    """Return arrays as the elements of ``<mbd:flexible>``."""
    arrays = with_products(arrays, carried)
    found = [_element('point', xyz=place, mass=np.zeros(1), shape=shape) for place, shape in zip(
        arrays.get('points', ()), arrays.get('shapes', ()))]
    for joint in carried:
        if f'position_{joint}' in arrays:
            found.append(_element('interface', xyz=arrays[f'position_{joint}'],
                                  shape=arrays[f'displacement_{joint}'],
                                  rotation=arrays[f'rotation_{joint}']))
            found[-1].set('joint', joint)
    found += [_element(name, values=arrays[name]) for name in ('stiffness', 'damping')
              if name in arrays]
    found.append(_element('integrals', **{name: arrays[name] for name in (
        'mass', 'first_moments', 'couplings', 'second_couplings', 'second_stiffness')
        if name in arrays}))
    if 'pairs' in arrays:
        found[-1].set('pairs', ' '.join(f'{value:.15g}' for value in arrays['pairs'].ravel()))
    return found


def _element(tag: str, **values: Array) -> Any:
    return etree.Element(tag, {name: numbers_text(one.ravel()) for name, one in values.items()})


def with_products(arrays: Mapping[str, Array], carried: Sequence[str]) -> dict[str, Array]:
    """
    Return arrays with geometric stiffness as integrals of products of coordinates.

    A displacement u of second order, ``sum a_j a_k u_jk`` over pairs j <= k, that a load moves
    through is the same as a stiffness. Under a unit acceleration of the frame it is ``sum m u_jk``
    for j < k and twice that for j = k; likewise for angular acceleration; under ``w w^T`` it is
    ``-w . N_jk w``; under a force at a joint the displacement there, negative.

    Parameters
    ----------
    arrays : mapping of str to array
        Of a modal file.
    carried : sequence of str
        Joints on the link, and what else is attached to it.

    """
    result = dict(arrays)
    if not any(name.startswith('geometric_stiffness') for name in arrays):
        return result
    count = len(arrays['stiffness'])
    j, k = np.triu_indices(count)
    share = np.where(j == k, 0.5, 1.0)

    def columns(name: str, loads: int) -> Array:
        given = result.pop(name, np.zeros((loads, count, count)))
        symmetric = 0.5 * (given + given.transpose(0, 2, 1))
        return np.asarray(share * symmetric[:, j, k])

    loads = columns('geometric_stiffness', LOADS)
    xx, yy, zz, xy, xz, yz = -loads[6:]
    x, y, z = -0.5 * loads[3:6]   # N - N^T is the matrix of -sum m p x phi
    symmetric = [[xx, 0.5 * xy, 0.5 * xz], [0.5 * xy, yy, 0.5 * yz], [0.5 * xz, 0.5 * yz, zz]]
    skew = [[0.0 * x, -z, y], [z, 0.0 * x, -x], [-y, x, 0.0 * x]]
    coupled = np.array(symmetric) + np.array(skew)
    result['pairs'] = np.array([j, k], np.float64)
    result['first_moments'] = np.hstack([arrays['first_moments'], loads[:3]])
    result['couplings'] = np.concatenate([arrays['couplings'], coupled.transpose(2, 0, 1)])
    if 'shapes' in arrays:
        result['shapes'] = np.pad(arrays['shapes'], ((0, 0), (0, 0), (0, len(j))))
    for joint in carried:
        if f'displacement_{joint}' in arrays:
            result[f'displacement_{joint}'] = np.hstack([
                arrays[f'displacement_{joint}'], -columns(f'geometric_stiffness_{joint}', 3)])
    return result
