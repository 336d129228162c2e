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

"""Values in a YAML document: each is taken once, and what is left over is an error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import math
import re
from typing import NoReturn

import numpy as np
from transforms3d.euler import euler2mat
from transforms3d.quaternions import quat2mat

from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.mechanism import Pose, Vector3
from mbd_ros.description.records.poses import clean, matrix3
from mbd_ros.description.records.report import nearest, Report
from mbd_ros.description.xml.yaml_tree import Node

NAME = re.compile(r'[A-Za-z_][A-Za-z0-9_-]{0,99}', re.ASCII)
NAME_IN_WORDS = 'letters, digits, _ and -, not a digit or - first, at most 100'

_NUMBER = re.compile(r'([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)( *deg)?', re.ASCII)


class Value:
    """
    A value in the document, with its place in words.

    Parameters
    ----------
    node : Node
        What stands there.
    what : str
        What it is, as messages call it: ``"port 'front' of type 'cube'"``.
    report : Report
        Words the errors.

    """

    def __init__(self, node: Node, what: str, report: Report) -> None:
        self.node = node
        self.what = what
        self.report = report

    @property
    def source(self) -> Source:
        """Where it stands."""
        return Source(self.report.file, self.node.line)

    def fail(self, problem: str) -> NoReturn:
        """Raise the error that something is wrong with this value."""
        raise self.report.error(f'{self.what} {problem}', self.source)

    def text(self) -> str:
        """Return a scalar."""
        if not isinstance(self.node.value, str):
            self.fail(f'is {self.node.kind}; allowed: a scalar')
        return self.node.value

    def word(self) -> str:
        """Return a scalar that is not empty."""
        text = self.text()
        if not text.strip():
            self.fail('is empty; allowed: a text')
        return text

    def name(self) -> str:
        """Return a name of modules and what they consist of."""
        text = self.text()
        if not NAME.fullmatch(text):
            self.fail(f"is '{text[:60]}'; allowed: {NAME_IN_WORDS}")
        return text

    def choice(self, allowed: Sequence[str]) -> str:
        """Return one of several words."""
        text = self.text()
        if text not in allowed:
            self.fail(f"is '{text[:60]}'; allowed: {', '.join(allowed)}{nearest(text, allowed)}")
        return text

    def number(self, *, angle: bool = False) -> float:
        """Return a finite number; an angle in radians, or in degrees as ``90 deg``."""
        text = self.text()
        match = _NUMBER.fullmatch(text)
        value = float(match[1]) if match else math.inf
        if match is None or not math.isfinite(value) or (match[2] and not angle):
            self.fail(f"is '{text[:60]}'; allowed: a finite number"
                      f"{', in rad, or in degrees as in 90 deg' if angle else ''}")
        return math.radians(value) if match[2] else value

    def truth(self) -> bool:
        """Return true or false."""
        return self.choice(('true', 'false')) == 'true'

    def items(self) -> list[Value]:
        """Return the entries of a list."""
        if not isinstance(self.node.value, list):
            self.fail(f'is {self.node.kind}; allowed: a list')
        return [Value(node, f'entry {index} of {self.what}', self.report)
                for index, node in enumerate(self.node.value, 1)]

    def numbers(self, count: int, *, angle: bool = False) -> tuple[float, ...]:
        """Return a list of so many finite numbers."""
        values = self.items()
        if len(values) != count:
            self.fail(f'has {len(values)} entries; allowed: {count} numbers')
        return tuple(value.number(angle=angle) for value in values)

    def vector(self) -> Vector3:
        """Return three finite numbers."""
        x, y, z = self.numbers(3)
        return x, y, z

    def entries(self, what: str) -> Iterator[tuple[str, Value]]:
        """Yield name and value of each entry of a mapping whose keys are names."""
        if not isinstance(self.node.value, dict):
            self.fail(f'is {self.node.kind}; allowed: a mapping, name to {what}')
        for key, node in self.node.value.items():
            if not NAME.fullmatch(key):
                raise self.report.error(f"the name of {what} '{key[:60]}' of {self.what} is not "
                                        f'allowed; allowed: {NAME_IN_WORDS}',
                                        Source(self.report.file, node.line))
            yield key, Value(node, f"{what} '{key}'", self.report)

    def fields(self, *allowed: str) -> Fields:
        """Return the fields of a mapping, which may have no others than the allowed ones."""
        if not isinstance(self.node.value, dict):
            self.fail(f'is {self.node.kind}; allowed: a mapping with {", ".join(allowed)}')
        for key, node in self.node.value.items():
            if key not in allowed:
                raise self.report.error(
                    f"{self.what} has the unknown key '{key[:60]}'; allowed: "
                    f'{", ".join(allowed)}{nearest(key, allowed)}',
                    Source(self.report.file, node.line))
        return Fields(self, self.node.value)


class Fields:
    """The fields of a mapping, each by its key."""

    def __init__(self, owner: Value, nodes: dict[str, Node]) -> None:
        self.owner = owner
        self._nodes = nodes

    def __contains__(self, key: str) -> bool:
        """Tell whether a field is there."""
        return key in self._nodes

    def __getitem__(self, key: str) -> Value:
        """Return a field that must be there."""
        if key not in self._nodes:
            self.owner.fail(f"has no '{key}', which must be given")
        return Value(self._nodes[key], f'{key} of {self.owner.what}', self.owner.report)

    def number(self, key: str, default: float, *, angle: bool = False) -> float:
        """Return a number, or the default."""
        return self[key].number(angle=angle) if key in self else default

    def not_negative(self, key: str, default: float = 0.0) -> float:
        """Return a number of at least zero, or the default."""
        value = self.number(key, default)
        if value < 0.0:
            self[key].fail(f'is {value:.9g}; allowed: 0 or more')
        return value

    def pose(self) -> Pose:
        """
        Return the pose that ``position`` and ``orientation`` give.

        The orientation is roll, pitch, yaw about the fixed axes x, y, z, as in URDF, or a
        quaternion x, y, z, w.
        """
        place = self['position'].vector() if 'position' in self else (0.0, 0.0, 0.0)
        if 'orientation' not in self:
            return Pose(translation=place)
        value = self['orientation']
        count = len(value.items())
        if count == 3:
            rotation = euler2mat(*value.numbers(3, angle=True), axes='sxyz')
        elif count == 4:
            x, y, z, w = value.numbers(4)
            length = math.sqrt(x * x + y * y + z * z + w * w)
            if abs(length - 1.0) > 1e-6:
                value.fail(f'has the length {length:.6g}; allowed: a unit quaternion x y z w')
            rotation = quat2mat((w, x, y, z))
        else:
            value.fail(f'has {count} entries; allowed: roll, pitch, yaw, or x, y, z, w')
        return Pose(matrix3(clean(rotation)), place)

    def axis(self, default: Vector3) -> Vector3:
        """Return the unit vector that ``axis`` gives."""
        if 'axis' not in self:
            return default
        vector = np.array(self['axis'].vector())
        length = float(np.linalg.norm(vector))
        if not 1e-9 < length < 1e9:
            self['axis'].fail(f'has the length {length:.6g}; allowed: a vector that is not zero')
        x, y, z = (vector / length + 0.0).tolist()
        return x, y, z
