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
Put what our packages need in the place of their names, for pip.

    .venv/bin/python scripts/needed.py < names > requirements

pip must not be asked for our own packages by name: they are installed from their folders and are
on no registry, but others' packages bear such a name there (``rosless`` on PyPI), and pip tries
these as soon as what ours need cannot be had. Lines are requirements; those of others stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import distribution
import sys

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name

OURS = frozenset({'mbd-msgs', 'mbd-ros', 'rosless', 'rosless-tools'})


def needed(requirement: Requirement) -> Iterator[str]:
    """Yield the requirement itself, or for one of ours all that it needs."""
    if canonicalize_name(requirement.name) not in OURS:
        yield str(requirement)
        return
    for line in distribution(requirement.name).requires or ():
        one = Requirement(line)
        if one.marker is None or any(one.marker.evaluate({'extra': extra})
                                     for extra in ('', *requirement.extras)):
            one.marker = None
            yield from needed(one)


if __name__ == '__main__':
    for name in sys.stdin.read().split():
        for line in needed(Requirement(name)):
            print(line)
