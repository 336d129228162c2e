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


"""Which files of what a user names are robots, and what is known of them already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
import os
from pathlib import Path
from typing import Any

from mbd_ros.cli.comparison.table import json_of, of_json
from mbd_ros.cli.comparison.verdict import Case, format_of, FORMATS, root_of, Verdict
from mbd_ros.errors import DescriptionError

_ROOTS = {'.urdf': ('robot',), '.sdf': ('sdf',), '.world': ('sdf',), '.xml': tuple(FORMATS),
          '.mjcf': ('mujoco',), '.xacro': ('robot',)}
"""By the ending of a file's name: the root elements of robots."""


def cases_of(names: Sequence[str], reading: Mapping[str, Any], tolerance: float,
             compiled: bool, most: int = 0, written: bool = False) -> list[Case]:
    """
    Return what there is to compare.

    Parameters
    ----------
    names : sequence of str
        Files, and folders whose robots are looked for at any depth.
    reading : mapping
        Arguments of ``read``.
    tolerance, compiled
        As for ``Case``.
    most : int
        Of a folder that has more, as many, evenly over it; 0: all.
    written
        As for ``Case``.

    Raises
    ------
    DescriptionError
        If a name is neither a file nor a folder.

    The source of a robot is the folder that was named; of files that were named, the folder below
    the one that has them all.

    """
    cases: list[Case] = []
    above = _above(names)
    for name in names:
        path = Path(name).expanduser()
        if not path.exists():
            raise DescriptionError('there is no such file or folder', file=name)
        if path.is_dir():
            source, files = path, list(_robots(path))
            files = [files[k * len(files) // most] for k in range(most)] if (
                0 < most < len(files)) else files
        else:
            inner = path.absolute().relative_to(above).parts
            source, files = Path(inner[0]) if inner[1:] else path.absolute().parent, [path]
        cases += [Case(str(file), str(source), format_of(file), reading, tolerance, compiled,
                       written)
                  for file in files]
    return cases


@contextmanager
def kept(name: str | None) -> Iterator[tuple[list[Verdict], Callable[[Verdict], object]]]:
    """
    Hold a file of verdicts open, and give those that are in it and what writes a further one.

    A last line that was cut off, by a power cut say, is left out and written over.

    Parameters
    ----------
    name : str or None
        The file, which need not exist; None: there is none, and nothing is kept.

    Raises
    ------
    DescriptionError
        If something else is in the file, or it cannot be written.

    """
    if name is None:
        yield [], lambda verdict: None
        return
    try:
        with open(name, 'a+', encoding='utf-8') as file:
            file.seek(0)
            whole, lines = 0, []
            for line in file:
                if line.endswith('\n'):
                    whole += len(line.encode())
                    lines.append(line)
            file.truncate(whole)
            found = [of_json(line) for line in lines]

            def write(verdict: Verdict) -> None:
                file.write(f'{json_of(verdict)}\n')
                file.flush()

            yield found, write
    except (OSError, ValueError) as error:
        raise DescriptionError(f'this is no file of verdicts that can be continued: {error}',
                               file=name) from None


def _above(names: Sequence[str]) -> Path:
    """Return the folder that all files are in."""
    folders = [str(Path(name).expanduser().absolute().parent) for name in names]
    return Path(os.path.commonpath(folders) if folders else os.sep)


def _robots(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder whose ending and root element are those of a robot."""
    for here, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = Path(here) / name
            roots = _ROOTS.get(path.suffix.lower(), ())
            if roots and path.is_file() and root_of(path) in roots:
                yield path
