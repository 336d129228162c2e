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

"""An MJCF document with its includes put in, its defaults applied, and its settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import pi
import os
from pathlib import Path
from typing import Any

from mbd_ros.description.records.mechanism import STANDARD_GRAVITY, Vector3
from mbd_ros.description.records.numbers import numbers_in
from mbd_ros.description.records.report import FILE, nearest, Report, TEXT
from mbd_ros.description.xml.roots import Roots
from mbd_ros.description.xml.xml_tree import children, MAX_BYTES, parse_xml
from mbd_ros.errors import DescriptionError

MAX_INCLUDES = 200
PARTIAL = frozenset(('size', 'damping', 'stiffness'))
"""Attributes of which fewer numbers than in the default leave the rest of it as it is."""
_ACTUATORS = ('general', 'motor', 'position', 'velocity', 'intvelocity', 'pid', 'damper',
              'cylinder', 'muscle', 'adhesion', 'dcmotor', 'plugin')
SHARED = {'spatial': ('tendon',), 'fixed': ('tendon',)} | {
    tag: (*(other for other in _ACTUATORS if other != tag), tag) for tag in _ACTUATORS}
"""Tags whose defaults an element takes, the last first: a class has one default actuator."""
FLAGS = {'gravity': ('gravity',), 'damper': ('damper',), 'spring': ('spring',),
         'passive': ('damper', 'spring'), 'frictionloss': ('frictionloss',), 'limit': ('limit',),
         'equality': ('equality',), 'constraint': ('frictionloss', 'limit', 'equality')}
"""What each flag switches off, of what enters the equations here."""


@dataclass
class Settings:
    """
    What ``<compiler>`` says.

    Attributes
    ----------
    angle : float
        Of an angle in the file: 1 for radians, pi / 180 for degrees, MJCF's default.
    sequence : str
        Of Euler angles; small letters turn about the axes already turned, capitals about fixed.
    limited : bool
        Whether a range alone makes a limit.
    geoms : {'auto', 'true', 'false'}
        Whether inertias come from geoms: where none is given, always, or never.
    groups : (int, int)
        Groups of the geoms that count.
    mass, moment : float
        The least mass and principal moment of a body [kg], [kg m^2].
    balances : bool
        Whether principal moments that no body has are replaced by their mean.
    total : float
        The mass that all bodies are scaled to have together [kg]; as they are unless positive.
    free_aligned : bool
        Whether the frame of a free body without children is moved to its inertia's axes.
    fits_boxes : bool
        Whether solids are fitted to the boxes around meshes, not to their inertias.
    exact_meshes : bool
        Whether meshes weigh what they enclose unless they say otherwise, as files before MuJoCo 4
        may have it.
    mesh_folder : str
        Where files of meshes are, from the folder of the file.
    strips_paths : bool
        Whether folders in the names of files do not count.
    gravity : (3,) tuple
        Of ``<option>`` [m/s^2].
    disabled : set of str
        What ``<flag>`` switches off, of ``FLAGS``.
    density, viscosity : float
        Of the medium [kg/m^3, Pa s].

    """

    angle: float = pi / 180.0
    sequence: str = 'xyz'
    limited: bool = True
    geoms: str = 'auto'
    groups: tuple[int, int] = (0, 5)
    mass: float = 0.0
    moment: float = 0.0
    balances: bool = False
    total: float = -1.0
    free_aligned: bool = False
    fits_boxes: bool = False
    exact_meshes: bool = False
    mesh_folder: str = ''
    strips_paths: bool = False
    gravity: Vector3 = STANDARD_GRAVITY
    disabled: set[str] = field(default_factory=set)
    density: float = 0.0
    viscosity: float = 0.0


@dataclass
class Document:
    """
    A document, or a part of it that stands several times in the robot.

    Attributes
    ----------
    root : lxml element
        The ``<mujoco>``.
    report : Report
        Knows the file that was asked for; takes the findings.
    file : str
        The file it is; includes and meshes are beside it.
    settings : Settings
        What ``<compiler>`` and ``<option>`` say.
    defaults : dict
        Attributes by class and tag.
    prefix, suffix : str
        Around all names, where it is attached or replicated.
    names : set of str
        What stands in it once, as the file calls it.
    copies : list of Document
        Parts of it that were replicated.

    """

    root: Any
    report: Report
    file: str
    settings: Settings = field(default_factory=Settings)
    defaults: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    prefix: str = ''
    suffix: str = ''
    names: set[str] = field(default_factory=set)
    copies: list[Document] = field(default_factory=list)

    def named(self, name: str) -> str:
        """Return what the robot calls something that the file gives a name."""
        return f'{self.prefix}{name}{self.suffix}'

    def replicated(self, suffix: str) -> Document:
        """Return a part of it that is one of several copies."""
        part = replace(self, suffix=suffix + self.suffix, names=set())
        self.copies.append(part)
        return part

    def error(self, element: Any, message: str) -> DescriptionError:
        """Return the error to raise about an element."""
        return self.report.error(message, self.report.source(element))

    def item(self, element: Any, childclass: str) -> Item:
        """Return an element with its defaults."""
        name = element.get('class', childclass)
        if name not in self.defaults:
            raise self.error(element, f"<{element.tag}> has the unknown class '{name}'"
                             f'{nearest(name, self.defaults)}')
        values = dict(element.attrib)
        for tag in reversed(SHARED.get(str(element.tag), (str(element.tag),))):
            values = _over(self.defaults[name].get(tag, {}), values)
        values.pop(FILE, None)
        return Item(element, values, self)


@dataclass
class Item:
    """An element whose attributes are looked up in its defaults, too."""

    element: Any
    values: dict[str, str]
    document: Document

    def text(self, name: str, default: str = '') -> str:
        """Return an attribute as it stands."""
        return self.values.get(name, default)

    def numbers(self, name: str, *counts: int) -> tuple[float, ...] | None:
        """Return the numbers of an attribute, as many as one of the counts; None without it."""
        text = self.values.get(name)
        if text is None:
            return None
        count = len(text.split())
        numbers = numbers_in(text, count if count in counts else counts[-1])
        if isinstance(numbers, str):
            raise self.document.error(self.element, f'{self.called()}: {name}="{text}" {numbers}')
        return numbers

    def number(self, name: str, default: float) -> float:
        """Return the number of an attribute."""
        values = self.numbers(name, 1)
        return default if values is None else values[0]

    def reference(self, name: str, default: str = '') -> str:
        """Return the name in the robot of what an attribute names in the file."""
        text = self.text(name)
        return self.document.named(text) if text and text != default else default

    @property
    def name(self) -> str:
        """Return the name of the element in the robot, empty without one."""
        name = self.element.get('name')
        return self.document.named(name) if name else ''

    def polynomial(self, name: str) -> tuple[float, float, float]:
        """Return the coefficients of an attribute of one to three numbers; zeros without it."""
        first, second, third, *_ = *(self.numbers(name, 1, 2, 3) or ()), 0.0, 0.0, 0.0
        return first, second, third

    def choice(self, name: str, allowed: Iterable[str], default: str) -> str:
        """Return an attribute that is one of several words."""
        known = tuple(allowed)
        value = self.values.get(name, default)
        if value not in known:
            raise self.document.error(
                self.element, f"{self.called()}: {name} is '{value}'; allowed: "
                f'{", ".join(known)}{nearest(value, known)}')
        return value

    def called(self) -> str:
        """Return what messages call the element."""
        return f"{self.element.tag} '{self.name}'" if self.name else f'<{self.element.tag}>'


def open_document(root: Any, report: Report, file: str) -> Document:
    """
    Put in the includes, and read settings and defaults.

    Raises
    ------
    DescriptionError
        If a file is included that is not allowed or twice, or a setting has no meaning.

    """
    document = Document(root, report, file)
    _include(root, document, report)
    for compiler in root.iterfind('compiler'):
        _read_settings(Item(compiler, dict(compiler.attrib), document), document.settings)
    for option in root.iterfind('option'):
        _read_option(Item(option, dict(option.attrib), document), document.settings)
    document.defaults['main'] = {}
    for number, default in enumerate(root.iterfind('default')):
        before = {} if number == 0 else document.defaults['main']
        _read_defaults(default, before, document, top=True)
    return document


def _over(defaults: dict[str, str], given: dict[str, str]) -> dict[str, str]:
    """
    Return attributes over their defaults.

    Of those with up to some count of numbers, such as ``damping="1 2 3"``, the last ones of the
    default stay where fewer are given, as in MuJoCo.
    """
    result = defaults | given
    for name in PARTIAL & defaults.keys() & given.keys():
        own = given[name].split()
        result[name] = ' '.join((*own, *defaults[name].split()[len(own):]))
    return result


def _include(root: Any, document: Document, report: Report) -> None:
    """Replace every ``<include>`` by what the file holds, as often as there are any."""
    folder = Path(document.file).parent
    roots = None if report.file == TEXT else Roots(report.file, max_bytes=MAX_BYTES,
                                                   folders=report.folders)
    seen: set[str] = set()   # as they are named: links to one file are several, as in MuJoCo
    while (include := next(root.iter('include'), None)) is not None:
        name = include.get('file', '')
        if roots is None:
            raise document.error(include, f"<include> of '{name}' in a text that has no folder; "
                                 'allowed: in files')
        try:
            path = roots.check(folder / name)
        except (DescriptionError, OSError, ValueError) as error:
            what = error.what if isinstance(error, DescriptionError) else str(error)
            raise document.error(include, f"<include> of '{name}': {what}") from None
        named = os.path.normpath(folder / name)
        if named in seen or len(seen) >= MAX_INCLUDES:
            raise document.error(include, f"'{name}' is included twice" if named in seen else
                                 f"<include> of '{name}': the files are more than {MAX_INCLUDES}")
        seen.add(named)
        inner = Report(str(path))
        included = parse_xml(path.read_bytes(), inner)
        report.findings.extend(inner.findings)
        report.mark(included, str(path))
        parent = include.getparent()
        place = parent.index(include)
        parent[place:place + 1] = list(included)


def _read_settings(item: Item, settings: Settings) -> None:
    angles = {'degree': pi / 180.0, 'radian': 1.0}
    if 'angle' in item.values:
        settings.angle = angles[item.choice('angle', angles, 'degree')]
    item.choice('coordinate', ('local',), 'local')
    sequence = item.text('eulerseq', settings.sequence)
    if len(sequence) != 3 or set(sequence.lower()) - set('xyz'):
        raise item.document.error(item.element, f"<compiler>: eulerseq is '{sequence}'; allowed: "
                                  'three letters of x, y, z, X, Y, Z')
    settings.sequence = sequence
    settings.limited = item.choice('autolimits', ('true', 'false'), (
        'true' if settings.limited else 'false')) == 'true'
    settings.geoms = item.choice('inertiafromgeom', ('auto', 'true', 'false'), settings.geoms)
    groups = item.numbers('inertiagrouprange', 2)
    if groups is not None:
        settings.groups = (int(groups[0]), int(groups[1]))
    settings.mass = item.number('boundmass', settings.mass)
    settings.moment = item.number('boundinertia', settings.moment)
    settings.balances = item.choice('balanceinertia', ('true', 'false'), (
        'true' if settings.balances else 'false')) == 'true'
    settings.total = item.number('settotalmass', settings.total)
    settings.mesh_folder = item.text('meshdir', item.text('assetdir', settings.mesh_folder))
    settings.strips_paths = item.choice('strippath', ('true', 'false'), (
        'true' if settings.strips_paths else 'false')) == 'true'
    settings.exact_meshes = item.choice('exactmeshinertia', ('true', 'false'), (
        'true' if settings.exact_meshes else 'false')) == 'true'
    settings.fits_boxes = item.choice('fitaabb', ('true', 'false'), (
        'true' if settings.fits_boxes else 'false')) == 'true'
    settings.free_aligned = item.choice('alignfree', ('true', 'false'), (
        'true' if settings.free_aligned else 'false')) == 'true'


def _read_option(item: Item, settings: Settings) -> None:
    """Read gravity, and what flags switch off of what enters the equations."""
    gravity = item.numbers('gravity', 3)
    if gravity is not None:
        x, y, z = gravity
        settings.gravity = (x, y, z)
    settings.density = item.number('density', settings.density)
    settings.viscosity = item.number('viscosity', settings.viscosity)
    if min(settings.density, settings.viscosity) < 0.0:
        raise item.document.error(item.element, f'<option>: density {settings.density:.9g} and '
                                  f'viscosity {settings.viscosity:.9g}; allowed: 0 or more')
    if (settings.density or settings.viscosity) and any(item.numbers('wind', 3) or ()):
        item.document.report.leave_out('fluid', 'wind of <option>',
                                       item.document.report.source(item.element))
    for element in item.element.iterfind('flag'):
        flag = Item(element, dict(element.attrib), item.document)
        for name, parts in FLAGS.items():
            if flag.choice(name, ('enable', 'disable'), 'enable') == 'disable':
                settings.disabled.update(parts)
                item.document.report.remark('info', f'<flag {name}="disable">: the robot is read '
                                            f'without {", ".join(parts)}',
                                            item.document.report.source(element))
    if 'gravity' in settings.disabled:
        settings.gravity = (0.0, 0.0, 0.0)


def _read_defaults(element: Any, inherited: dict[str, dict[str, str]], document: Document, *,
                   top: bool) -> None:
    """Read a class of defaults and, by a stack, those within it."""
    waiting = [(element, inherited, top)]
    while waiting:
        current, before, first = waiting.pop()
        name = current.get('class', 'main' if first else '')
        if not name or (name in document.defaults and name != 'main'):
            raise document.error(current, f"<default> has the class '{name}'; allowed: a new name")
        own = {tag: dict(values) for tag, values in before.items()}
        inner = []
        for child in children(current):
            if child.tag == 'default':
                inner.append(child)
            else:
                own[child.tag] = _over(own.get(child.tag, {}), dict(child.attrib))
        document.defaults[name] = own
        waiting.extend((child, own, False) for child in inner)
