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
Recordings in tables: arrays of ``*.npz``, columns of ``*.csv``, and what their names say.

An array or a column is time, position, velocity, acceleration or effort by its name, as it is
usual (``KINDS``). Columns bear the name of their joint as well, or its number, before or after:
``q_joint1``, ``joint1.effort``, ``tau[0]``, ``velocity 3``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.finding import Finding
from mbd_ros.description.xml.arrays import read_arrays
from mbd_ros.description.xml.file_content import require_regular
from mbd_ros.errors import DescriptionError, InvalidValueError
from mbd_ros.model import Model
from mbd_ros.simulation.bags import coordinate_names, is_bag, read_bag, states_in

Array = NDArray[np.float64]
KINDS = {
    'time': ('time', 'times', 't', 'stamp', 'stamps', 'timestamp', 'timestamps'),
    'q': ('q', 'position', 'positions', 'pos', 'angle', 'angles', 'actual_q'),
    'v': ('v', 'qd', 'dq', 'qdot', 'velocity', 'velocities', 'vel', 'speed', 'speeds',
          'actual_qd'),
    'qdd': ('qdd', 'ddq', 'qddot', 'vdot', 'acceleration', 'accelerations', 'acc'),
    'tau': ('tau', 'effort', 'efforts', 'torque', 'torques', 'current', 'currents',
            'actual_current'),
}
"""What names of arrays and columns mean, in lower case."""
NAMES = ('columns', 'names', 'column_names', 'name', 'joint_names', 'joints')
"""Arrays of text with the names of columns, or of joints."""
LARGEST = 1024 ** 3
"""Bytes of a table of text."""


class MotionRecord(NamedTuple):
    """
    A motion of a robot as recorded; what was not is None.

    Attributes
    ----------
    time : array, optional
        (N,) [s].
    q, v, qdd, tau : array
        (N, nq), (N, nv), (N, nv), (N, nv).
    findings : tuple of Finding
        What was passed over.

    """

    time: Array | None
    q: Array
    v: Array | None
    qdd: Array | None
    tau: Array | None
    findings: tuple[Finding, ...] = ()


def read_motion(path: Path, model: Model, topic: str | None = None,
                columns: Mapping[str, str] | None = None) -> MotionRecord:
    """
    Return the motion of a robot in a bag, ``*.npz`` or ``*.csv``.

    Parameters
    ----------
    path : Path
        A bag (a folder, ``*.mcap``, ``*.db3``), arrays, or a table with names in its first line.
    model : Model
        The robot.
    topic : str, optional
        Of joint states in a bag.
    columns : mapping of str to str, optional
        Names of arrays for ``time``, ``q``, ``v``, ``qdd`` and ``tau`` that are not usual.

    Raises
    ------
    DescriptionError
        If the file holds no such thing.
    InvalidValueError
        If a topic is named without a bag.

    """
    if is_bag(path):
        recording = read_bag(path, topic)
        q, v, tau = states_in(recording, model)
        return MotionRecord(recording.time, q, None if recording.velocity is None else v, None,
                            tau, recording.findings)
    if topic is not None:
        raise InvalidValueError('--topic', topic, 'none without a bag')
    if path.suffix == '.csv':
        names, values = _table(path)
        return _of_columns(path, names, values, model, columns or {})
    what = 'bag, no *.csv, and no file *.npz with time, q, v and tau'
    arrays = read_arrays(path, what)
    table = next((key for key in NAMES if key in arrays and arrays[key].dtype.kind in 'US'), None)
    wide = [name for name, array in arrays.items()
            if table and array.ndim == 2 and array.shape[1] == arrays[table].size]
    try:
        if table and wide:
            names = [str(name) for name in arrays[table].ravel()]
            kinds = {name: _kind(name, columns or {}) for name in wide}
            if not any(kinds.values()):
                return _of_columns(path, names, np.asarray(arrays[wide[0]], np.float64), model,
                                   columns or {})
            parts = [(kind, np.asarray(arrays[name], np.float64))   # names are those of joints
                     for name, kind in kinds.items() if kind is not None]
            parts += [('time', np.asarray(array, np.float64)[:, None])
                      for name, array in arrays.items()
                      if _kind(name, columns or {}) == 'time' and array.ndim == 1]
            return _of_columns(
                path, [f'{kind}_{name}' if kind != 'time' else kind for kind, array in parts
                       for name in (names if kind != 'time' else [''])],
                np.concatenate([array for _, array in parts], axis=1), model, {})
        found = {}
        for name, array in arrays.items():
            kind = _kind(name, columns or {})
            if kind is not None and kind not in found:
                found[kind] = np.asarray(array, np.float64)
    except (ValueError, TypeError) as error:
        raise DescriptionError(f'this is no {what}: {error}', file=str(path)) from None
    missing = [kind for kind in ('q', 'tau') if kind not in found]
    if missing:
        raise DescriptionError(
            f'this is no {what}: there is no array that could be {missing[0]} among '
            f"{', '.join(sorted(arrays)[:12])}", file=str(path))
    return _checked(path, found, model)


def _kind(name: str, columns: Mapping[str, str]) -> str | None:
    """Return what an array is by its name."""
    for kind, own in columns.items():
        if name == own:
            return kind
    return next((kind for kind, known in KINDS.items()
                 if kind not in columns and name.strip().lower() in known), None)


def _checked(path: Path, found: Mapping[str, Array], model: Model) -> MotionRecord:
    """Return a record whose arrays are of as many states of this robot."""
    count = found['q'].shape[0] if found['q'].ndim else -1
    for name, width in (('q', model.nq), ('v', model.nv), ('qdd', model.nv), ('tau', model.nv),
                        ('time', 0)):
        one = found.get(name)
        if one is not None and one.shape != ((count, width) if width or name != 'time'
                                             else (count,)):
            raise DescriptionError(
                f"its arrays are not of as many states: '{name}' has shape {one.shape}, 'q' "
                f"{found['q'].shape}; the robot has {model.nq if name == 'q' else model.nv} "
                f"entries of '{name}'", file=str(path))
    return MotionRecord(found.get('time'), found['q'], found.get('v'), found.get('qdd'),
                        found.get('tau'))


def _table(path: Path) -> tuple[list[str], Array]:
    """Return the names and the numbers (N, k) of a table of text."""
    try:
        require_regular(path)
        if path.stat().st_size > LARGEST:
            raise DescriptionError(f'it holds more than {LARGEST} bytes', file=str(path))
        with path.open(encoding='utf-8-sig') as file:
            first = file.readline()
            comma = next((one for one in ',;\t' if one in first), None)
            names = [name.strip().strip('"') for name in first.lstrip('#').split(comma)]
            values = np.loadtxt(file, delimiter=comma, ndmin=2)
    except FileNotFoundError:
        raise DescriptionError('there is no such file', file=str(path)) from None
    except (OSError, ValueError) as error:
        said = ' '.join(str(error).split())
        raise DescriptionError(f'this is no table of numbers with names in its first line: {said}',
                               file=str(path)) from None
    if values.shape[1] != len(names):
        raise DescriptionError(f'its first line has {len(names)} names, the others '
                               f'{values.shape[1]} numbers', file=str(path))
    return names, values


def _of_columns(path: Path, names: Sequence[str], values: Array, model: Model,
                columns: Mapping[str, str]) -> MotionRecord:
    """Return a record of the columns whose names say what they are."""
    joints = coordinate_names(model)
    kinds = {known: kind for kind, all_known in KINDS.items() for known in all_known}
    kinds |= {own.lower(): kind for kind, own in columns.items()}
    found: dict[str, Array] = {}
    numbered: dict[str, dict[int, int]] = {}
    for place, name in enumerate(names):
        if kinds.get(name.lower()) == 'time':
            found['time'] = values[:, place]
            continue
        kind, joint = _kind_and_joint(name, joints, kinds)
        if kind is not None and kind != 'time':
            numbered.setdefault(kind, {})[joint] = place
    for kind, places in numbered.items():
        own = {key: place for key, place in places.items() if key >= 0}
        counted = {-1 - key: place for key, place in places.items() if key < 0}
        if not own and counted:   # numbers from 0 or from 1
            first = min(counted)
            own = {key - first: place for key, place in counted.items()}
        missing = [name for k, name in enumerate(joints) if k not in own]
        if missing:
            if kind in ('q', 'tau'):
                raise DescriptionError(
                    f"no column says what is {kind} of joint '{missing[0]}'; names are those such "
                    f"as '{kind}_{missing[0]}', not {', '.join(map(repr, names[:8]))}",
                    file=str(path))
            continue
        found[kind] = values[:, [own[k] for k in range(len(joints))]]
    if 'q' not in found or 'tau' not in found:
        raise DescriptionError(
            f"no columns for {'q' if 'q' not in found else 'tau'}; names are those such as "
            f"'q_{joints[0]}' and 'tau_{joints[0]}', not {', '.join(map(repr, names[:8]))}",
            file=str(path))
    return _checked(path, found, model)


def _kind_and_joint(name: str, joints: Sequence[str], kinds: Mapping[str, str]
                    ) -> tuple[str | None, Any]:
    """Return what a column is and of which joint: its place, or -1 less its number."""
    text = name.lower()
    for k in sorted(range(len(joints)), key=lambda k: -len(joints[k])):
        joint = joints[k].lower()
        for rest in (text.removesuffix(joint) if text.endswith(joint) else None,
                     text.removeprefix(joint) if text.startswith(joint) else None):
            kind = None if rest is None else kinds.get(rest.strip(' ._/-[]:()'))
            if kind is not None:
                return kind, k
    matched = re.fullmatch(r'(.*?)[ ._/\-\[(:]*(\d+)[\])]?', text)
    if matched and matched[1].strip(' ._/-[]') in kinds:
        return kinds[matched[1].strip(' ._/-[]')], -1 - int(matched[2])
    return None, 0
