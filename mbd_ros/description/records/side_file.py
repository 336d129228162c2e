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

"""The names of files beside a description: ``arm.loops.yaml`` for ``arm.urdf``."""

from __future__ import annotations

from pathlib import Path

SUFFIX = '.loops.yaml'


def stem_of(path: Path) -> str:
    """Return the name of a description's file without its endings."""
    stem = path.name
    for suffix in ('.xacro', '.urdf', '.xml', '.mjcf', '.sdf'):
        stem = stem.removesuffix(suffix)
    return stem


def side_file(path: Path) -> Path:
    """Return the name of the file beside a description that closes its loops."""
    return path.with_name(stem_of(path) + SUFFIX)
