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

"""Hashes of types, which newer releases announce with their endpoints."""

from __future__ import annotations

from typing import Any

SIZE = 32  # octets
PREFIX = 'RIHS'


class TypeHash:
    """
    A hash of a type.

    Parameters
    ----------
    version : int
        Of the algorithm; -1 if there is no hash.
    value : bytes
        32 octets.

    """

    __slots__ = ('value', 'version')

    def __init__(self, version: int = -1, value: bytes = bytes(SIZE)) -> None:
        self.version = version
        self.value = value

    @classmethod
    def from_text(cls, text: str) -> TypeHash:
        """Return the hash written as ``RIHS01_<64 hexadecimal digits>``; no hash otherwise."""
        head, _, digits = text.partition('_')
        try:
            version, value = int(head.removeprefix(PREFIX)), bytes.fromhex(digits)
        except ValueError:
            return cls()
        return cls(version, value) if len(value) == SIZE else cls()

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, TypeHash):
            return False
        return (self.version, self.value) == (other.version, other.value)

    def __hash__(self) -> int:
        return hash((self.version, self.value))

    def __str__(self) -> str:
        if self.version <= 0:
            return 'INVALID'
        return f'{PREFIX}{self.version:02d}_{self.value.hex()}'

    def __repr__(self) -> str:
        return f'TypeHash(version={self.version}, value={self.value!r})'
