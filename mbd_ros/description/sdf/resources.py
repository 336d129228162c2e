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


"""Where the models and meshes are that an SDFormat file names."""

from __future__ import annotations

from collections.abc import Iterator
import os
from pathlib import Path
import re
from urllib.parse import unquote

from lxml import etree

from mbd_ros.description.records.report import Report, TEXT
from mbd_ros.description.xml.packages import find_package
from mbd_ros.description.xml.roots import around, Roots
from mbd_ros.description.xml.xml_tree import MAX_BYTES
from mbd_ros.errors import DescriptionError

PATHS = ('GZ_SIM_RESOURCE_PATH', 'SDF_PATH', 'IGN_GAZEBO_RESOURCE_PATH', 'GAZEBO_MODEL_PATH')
"""Environment variables with folders of models, as Gazebo has them."""
CONFIG = 'model.config'

_SCHEME = re.compile(r'([A-Za-z][A-Za-z0-9+.-]*)://')
_MOST_CONFIG = 256 * 1024


class Resources:
    """
    Files that a description names by ``model://``, ``package://``, ``file://`` or a path.

    Parameters
    ----------
    report : Report
        Knows the file and the folders that its user named.

    """

    def __init__(self, report: Report) -> None:
        self._text = report.file == TEXT
        self._file = Path(report.file)
        self._named = [Path(one).expanduser() for one in report.folders]
        self._packages = report.packages
        self._roots = Roots(report.file, max_bytes=MAX_BYTES, folders=report.folders)

    def find(self, uri: str, beside: str) -> Path:
        """
        Return the path of a file, or of the description in the folder of a model.

        ``model://NAME`` is looked for in the folders of the environment variables ``PATHS``, in
        those that the user named, beside the file and above it within what it may read, and among
        packages: those that the user named, that of the file, and those that are installed.

        Parameters
        ----------
        uri : str
            As written.
        beside : str
            The file in which it is written.

        Raises
        ------
        DescriptionError
            If there is no such file, or it may not be opened.

        """
        if self._text:
            raise DescriptionError('a description that came as text opens no files')
        scheme = _SCHEME.match(uri)
        kind, rest = ('', uri) if scheme is None else (scheme[1], unquote(uri[scheme.end():]))
        if kind in ('model', 'package'):
            path = self._of_model(*rest.partition('/')[::2])
        elif kind in ('', 'file'):
            path = Path(beside).parent / rest
        else:
            raise DescriptionError(f'{kind}:// is not read; allowed: model://, package://, '
                                   'file:// and paths')
        return self._roots.check(_described(path) if path.is_dir() else path)

    def _of_model(self, name: str, rest: str) -> Path:
        if not name or name in ('.', '..'):
            raise DescriptionError(f"'{name}' is no name of a model")
        for folder in self._folders():
            if (folder / name / rest).exists():
                self._roots.add(folder / name)
                return folder / name / rest
        try:
            found = Path(find_package(name, packages=self._packages, near=(self._file,)))
        except LookupError:
            raise DescriptionError(
                f"there is no model or package '{name}' in the folders of {', '.join(PATHS)}, "
                'nor beside the file; allowed, too: folders=[...] and packages={...} of load, '
                '--folder and --package of the command') from None
        self._roots.add(found)
        return found / rest

    def _folders(self) -> Iterator[Path]:
        for variable in PATHS:
            for entry in filter(None, os.environ.get(variable, '').split(os.pathsep)):
                yield Path(entry)
        yield from self._named
        for above in self._file.resolve().parents:
            yield above
            if above == around(self._file):
                break


def _described(folder: Path) -> Path:
    """Return the description of the latest version that a ``model.config`` names."""
    config = folder / CONFIG
    if not config.is_file():
        return folder / 'model.sdf'
    with config.open('rb') as file:
        data = file.read(_MOST_CONFIG)
    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True,
                                                      load_dtd=False, recover=True))
    except etree.XMLSyntaxError:
        root = None
    if root is None:
        raise DescriptionError(f'{config} is not XML')
    names = [(_version(sdf.get('version', '')), (sdf.text or '').strip())
             for sdf in root.iterfind('sdf') if (sdf.text or '').strip()]
    return folder / (max(names)[1] if names else 'model.sdf')


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in re.findall(r'\d{1,6}', text))
