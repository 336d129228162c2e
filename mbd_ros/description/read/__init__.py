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

"""Read a robot description, whatever its form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
import os
import re
from typing import Any, Literal

from mbd_ros.description.records.budget import reading
from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.description.records.report import IGNORABLE, Place, Report, tag_name, TEXT
from mbd_ros.description.records.side_file import side_file
from mbd_ros.description.urdf.loops_gepetto import closed_loops_beside
from mbd_ros.description.urdf.robot import read_urdf
from mbd_ros.description.xml.file_content import is_xacro, read_content
from mbd_ros.description.xml.packages import file_path, Folders
from mbd_ros.description.xml.xml_tree import parse_xml
from mbd_ros.errors import InvalidValueError, MbdError

_DECLARATION = re.compile(r'<\?xml\s[^>]*\?>')


@reading()
def read(path_or_text: str | os.PathLike[str], *, mimic: bool = False,
         inertia: Literal['checked', 'unchecked', 'from_shapes'] = 'checked',
         xacro: Literal['checked', 'trusted'] = 'checked',
         arguments: Mapping[str, object] | None = None, model: str | None = None,
         packages: Folders | None = None,
         folders: Sequence[str | os.PathLike[str]] = (),
         rotor_inertia: Literal['described', 'transmissions'] = 'described',
         ignore: Sequence[str] = ()) -> Mechanism:
    """
    Read a robot description.

    Parameters
    ----------
    path_or_text : str or path
        Path of a ``.urdf``, ``.xacro`` or ``.yaml`` (module graph) file, or the XML text itself. A
        path may begin with ``~`` or ``package://NAME/``.
    mimic : bool
        Whether mimic joints will be coupled to the joint they mimic; else they are findings.
    inertia : {'checked', 'unchecked', 'from_shapes'}
        Whether mass properties no body can have are refused, or remarked only; or whether links
        without any have those of their shapes, see ``inertias_from_shapes``.
    xacro : {'checked', 'trusted'}
        Whether expressions in xacro are arithmetic only and files lie in known folders, or may do
        all that xacro allows, which includes running code.
    arguments : mapping, optional
        Values of the ``<xacro:arg>`` of a xacro file.
    model : str, optional
        Which ``<model>`` of an SDFormat file; by default the only one that is not static.
    packages : mapping, optional
        Folders of packages by name, for ``$(find NAME)`` and ``package://NAME``.
    folders : sequence of str or path, optional
        Folders that the description may include files of, besides those of ``Roots``.
    rotor_inertia : {'described', 'transmissions'}
        Whether joints have the rotors that ``<transmission>`` gives, too, see ``add_rotors``.
    ignore : sequence of str, optional
        What of ``IGNORABLE`` is left out instead of being refused.

    Returns
    -------
    Mechanism
        The records, with findings.

    Raises
    ------
    DescriptionError
        If it cannot be read; the message has file and line.
    UnsupportedError
        If it has something this version cannot do.
    InvalidValueError
        If there are arguments, and the file is no xacro; or ``rotor_inertia`` or ``ignore`` is
        something else.

    """
    unknown = [ignore] if isinstance(ignore, str) else [
        one for one in ignore if one not in IGNORABLE]
    if unknown:
        raise InvalidValueError('ignore', unknown[0], 'a list of '
                                f'{", ".join(map(repr, IGNORABLE))}')
    if rotor_inertia not in ('described', 'transmissions'):
        raise InvalidValueError('rotor_inertia', rotor_inertia, "'described' or 'transmissions'")
    from_shapes = inertia == 'from_shapes'
    mechanism = _read(path_or_text, partial(
        Report, checked=inertia != 'unchecked', mimic=mimic, folders=folders,
        from_shapes=from_shapes, rotors=rotor_inertia == 'transmissions', packages=packages,
        ignore=tuple(ignore)),
        xacro, arguments, model, packages)
    mechanism = replace(mechanism, packages=tuple(
        (name, os.fspath(folder)) for name, folder in (packages or {}).items()))
    if from_shapes:
        from mbd_ros.description.urdf.shape_inertia import inertias_from_shapes
        return inertias_from_shapes(mechanism)
    return mechanism


def _read(path_or_text: str | os.PathLike[str], report_of: Callable[..., Report],
          xacro: str, arguments: Mapping[str, object] | None, model: str | None,
          packages: Folders | None) -> Mechanism:
    is_text = isinstance(path_or_text, str) and _is_xml(path_or_text)
    if isinstance(path_or_text, str) and is_text:
        _refuse_arguments(arguments)
        return _read_xml(_encoded(path_or_text), report_of(TEXT, folders=()), None, model)
    path = file_path(path_or_text, packages)
    file = str(path)
    if path.suffix in ('.yaml', '.yml'):
        _refuse_arguments(arguments)
        from mbd_ros.description.modules import assemble, read_module_graph_file
        return assemble(read_module_graph_file(path, checked=report_of(file).checked))
    data, places = read_content(path), tuple[Place, ...]()
    if is_xacro(path, data):
        from mbd_ros.description.xml.xacro_file import expand_with_places
        data, places = expand_with_places(
            file, trusted=xacro == 'trusted', arguments=arguments, packages=packages,
            folders=report_of(file).folders)
        file = f'{file} (expanded)'
    else:
        _refuse_arguments(arguments)
    beside = side_file(path)
    side = (read_content(beside), str(beside)) if beside.exists() else None
    further = closed_loops_beside(path) if side is None else None
    return _read_xml(data, report_of(file), side, model, further, places)


def _refuse_arguments(arguments: Mapping[str, object] | None) -> None:
    if arguments:
        raise InvalidValueError('arguments', dict(arguments), 'arguments of a xacro file only')


@reading()
def read_text(text: str, *, mimic: bool = False,
              inertia: Literal['checked', 'unchecked'] = 'checked',
              model: str | None = None) -> Mechanism:
    """
    Read a robot description that came as text, from a topic or service.

    No file is opened for it: it is no path, what it includes is refused, and xacro in it is an
    error. Meshes that it names are opened by the viewer only.

    Parameters
    ----------
    text : str
        URDF, MJCF or SDFormat.
    mimic, inertia, model
        As for ``read``.

    Raises
    ------
    InvalidValueError
        If it is not XML.
    DescriptionError, UnsupportedError
        As for ``read``.

    """
    if not _is_xml(text):
        raise InvalidValueError('robot_description', text, 'XML text; no file is '
                                'opened for what a topic or service brings')
    report = Report(TEXT, checked=inertia == 'checked', mimic=mimic)
    return _read_xml(_encoded(text), report, None, model)


def _is_xml(text: str) -> bool:
    return text.lstrip('\ufeff \t\r\n').startswith('<')


def _read_xml(data: bytes, report: Report,
              side: tuple[bytes, str] | None = None, model: str | None = None,
              further: tuple[bytes, str] | None = None, places: Sequence[Place] = ()
              ) -> Mechanism:
    """Read XML; an error brings what was remarked before it."""
    try:
        root = parse_xml(data, report)
        if root.tag == 'robot':   # others include files, relative to that in which they stand
            report.number(root, places)
        return _read_root(root, report, side, model, further)
    except MbdError as error:
        error.findings = tuple(report.findings)
        raise


def _read_root(root: Any, report: Report, side: tuple[bytes, str] | None,
               model: str | None, further: tuple[bytes, str] | None) -> Mechanism:
    """Read the format that a root element names."""
    if model is not None and root.tag != 'sdf':
        raise InvalidValueError('model', model, 'a name where the file is SDFormat, which may '
                                'have several models')
    if root.tag == 'robot':
        return read_urdf(root, report, side=side, further=further)
    if side is not None:
        raise report.error(f'the file {side[1]} is beside a description that is no URDF; loops '
                           'are closed in the description itself', Source(side[1]))
    if root.tag == 'mujoco':
        from mbd_ros.description.mjcf import read_mjcf  # formats that most programs do not need
        return read_mjcf(root, report)
    if root.tag == 'sdf':
        from mbd_ros.description.sdf import read_sdf
        return read_sdf(root, report, model_name=model)
    raise report.error(f'the root element is <{tag_name(root)}>; allowed: <robot> (URDF), '
                       '<mujoco> (MJCF) or <sdf> (SDFormat)', report.source(root))


def _encoded(text: str) -> bytes:
    """Return XML text as bytes, without a declaration, whose encoding is true of files only."""
    text = text.lstrip('\ufeff')
    start = len(text) - len(text.lstrip())
    declaration = _DECLARATION.match(text, start)
    if declaration is not None:
        text = text[:start] + text[declaration.end():]
    return text.encode('utf-8', errors='xmlcharrefreplace')
