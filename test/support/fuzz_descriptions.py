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

"""Damaged descriptions of all formats: each is read, or refused in one clear line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import random
import re
import tempfile
import time

from modules import ARM, CUBE, docked, document
import numpy as np

import mbd_ros
from mbd_ros.description import read
from mbd_ros.description.modules import assemble, read_module_graph
from mbd_ros.description.read import read_text
from mbd_ros.description.records.report import Report
from mbd_ros.description.urdf.loops_yaml import read_loops_yaml
from mbd_ros.errors import DescriptionError, MbdError
from mbd_ros.model import load_text, Model
from mbd_ros.model.state import neutral

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / 'test' / 'data'
XML = sorted([*ROOT.glob('urdf/*.urdf'), *DATA.glob('ladder/*.urdf'), *DATA.glob('mjcf/*.xml'),
              *DATA.glob('sdf/*.sdf'), *DATA.glob('loops/*.urdf'), DATA / 'annotated.urdf'])
XACRO = sorted(ROOT.glob('urdf/*.xacro'))
SIDE = DATA / 'loops' / 'dialects.loops.yaml'
GRAPHS = {
    'quadruped': (ROOT / 'config' / 'modules' / 'quadruped.yaml').read_text(),
    'ring': document('a: cube, b: arm, c: cube', docked('a.front', 'b.hand'),
                     docked('b.foot', 'c.rigid', '90 deg'),
                     'parent: a.top, child: c.top, closes_loop: true', types=CUBE + ARM)}

LONGEST = 20.0
"""CPU time that no text may take [s]; a tenth is usual, and a busy machine makes it longer."""

MOST_JOINTS = 60
"""Robots of more coordinates are read only: their dynamics would take most of the time."""

LONGEST_MESSAGE = 4500
"""Characters: ``errors.LONGEST_MESSAGE``, and the path of the file."""

NUMBERS = ('', '0', '-1', 'nan', '.inf', 'inf', '1e400', '1e-320', '1e300', '-1e200', 'abc',
           '0 0 0', '1 2', '0 0 0 0', '1' * 400, '9' * 5000, '1 ' * 3000, 'x' * 100_000, '-0',
           '1,5', '0x10', '1_0', '٣', 'nan nan nan', '1e308 1e308 1e308', '1e16', ' ', 'true')
"""What may stand where a number should."""
WORDS = (*NUMBERS, '<', '&', '&amp;', 'link', 'joint', 'base', 'fixed', 'floating', 'planar',
         'revolute', '\x00', 'é', '\ud800', '\u2028', '\x1b[31m', '"', "'", '>', '/', '<!--',
         ']]>', '/dev/zero', '../../../etc/passwd', 'file:///etc/passwd', '&lt;', '&#0;', '\u202e',
         'package://nowhere/x.stl', 'world', 'a/b', 'a::b', 'free', 'ball', 'hinge', 'spherical',
         'continuous', 'prismatic', 'screw', '&x;', '<?x?>', '$(eval 1)', '${().__class__}',
         '<![CDATA[', 'xacro:', 'mbd:', '{', '%s', '${1/0}', '${', '$(find x)', '$(env HOME)',
         '${[a for a in range(99999)]}', "${'a' * 99999}", '${python.type}')
YAML = (*NUMBERS, '[', ']', '{', '}', ':', '-', '*a', '&a', '!!python/object:os.system', '!a', '|',
        '>', '%YAML 1.1', '---', '...', '? ', '\t', '\x00', '\ud800', 'é', '"', "'", '#',
        '[' * 3000, '- ' * 3000, 'true', 'null', '~', '<<', '2026-01-01', 'part: /dev/zero',
        'a.b.c', '1' * 30 + ' deg')

_QUOTED = re.compile(r'"[^"]*"')
_TOKEN = re.compile(r'"[^"]*"|</?[\w:]+|[\w.]+|\S')
_ELEMENT = re.compile(r'<(\w+)[^>]*/>|<(\w+)[^>]*>.*?</\2>', re.DOTALL)
_WORD = re.compile(r'[\w.]+|\S')
_LINE = re.compile(r'.+\n')
_DEFAULTS = '<default><default class="bar"><geom type="capsule" size="0.02"/></default></default>'
_INCLUDE = '<include file="parts/defaults.xml"/>'


def mutated(text: str, rng: random.Random, *, yaml: bool = False) -> str:
    """Return a text with values replaced, elements or lines cut or doubled, or tokens damaged."""
    kinds, words = ((_WORD, _WORD, _LINE), YAML) if yaml else ((_QUOTED, _ELEMENT, _TOKEN), WORDS)
    for _ in range(rng.randint(1, 3)):
        kind = rng.choices(kinds, (0.5, 0.3, 0.2))[0]
        spans = [match.span() for match in kind.finditer(text)]
        if not spans:
            return text
        start, end = rng.choice(spans)
        other = text[slice(*rng.choice(spans))]
        if kind is _QUOTED:
            new = rng.choice((other, f'"{rng.choice(words)}"'))
        else:
            new = rng.choice(('', text[start:end] * rng.choice((2, 2, 50)), other,
                              rng.choice(words)))
        text = text[:start] + new + text[end:]
    return text


def wrong(error: Exception) -> str:
    """Return what is wrong with an error; empty if it is one clear line."""
    message = str(error)
    if not isinstance(error, MbdError):
        return f'{type(error).__name__}: {message[:300]}'
    if not message.isprintable() or not 20 < len(message) < LONGEST_MESSAGE:
        return f'no clear line: {message[:300]!r} ({len(message)} characters)'
    if isinstance(error, DescriptionError) and not message.startswith(
            f'{error.file}:{error.line}: '):
        return f'no file and line: {message[:300]}'
    return ''


def read_xml(text: str, rng: random.Random) -> None:
    """Read a description as a topic brings it."""
    inertia = rng.choice(('checked', 'unchecked'))
    if not read_text(text, inertia=inertia).loop_joints:
        model = load_text(text, floating_base=rng.random() < 0.3, inertia=inertia)
        if inertia == 'checked':
            move(model)


def move(model: Model) -> None:
    """Compute accelerations from rest; all are finite, or an error says why not."""
    if model.nv > MOST_JOINTS:
        return
    rest = np.zeros(model.nv)
    accelerations = mbd_ros.forward_dynamics(
        model, neutral(model), rest, rest, executor='interpreted')
    if not np.isfinite(accelerations).all():
        raise ValueError(f'accelerations {accelerations}')


def read_xacro(text: str, _: random.Random) -> None:
    """Read a xacro file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, 'robot.urdf.xacro')
        file.write_text(text, encoding='utf-8', errors='surrogatepass')
        read(file)


XACRO_RECURSION = """<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="n" value="3"/><xacro:property name="r" value="${0.1 * n}"/>
<xacro:macro name="rod" params="k parent *place size:=1.0"><link name="l${k}"><inertial>
<mass value="${size * pi}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
</link><joint name="j${k}" type="continuous"><parent link="${parent}"/><child link="l${k}"/>
<xacro:insert_block name="place"/><axis xyz="0 0 1"/></joint>
<xacro:if value="${k &lt; n}"><xacro:rod k="${k + 1}" parent="l${k}"><origin xyz="0 0 ${r}"/>
</xacro:rod></xacro:if></xacro:macro><link name="base"/>
<xacro:rod k="1" parent="base"><origin xyz="0 0 1"/></xacro:rod></robot>"""


def read_side(text: str, _: random.Random) -> None:
    """Read a file beside a description."""
    read_loops_yaml(text.encode(errors='surrogatepass'), Report('side.yaml'))


def read_graph(text: str, _: random.Random) -> None:
    """Read a module graph as a service brings it."""
    assemble(read_module_graph(text, 'robot.yaml', types={}))


Reader = Callable[[str, random.Random], None]


def sources() -> list[tuple[str, str, Reader, bool]]:
    """Return descriptions with a name each, what reads them, and whether they are YAML."""
    return [*((path.stem, path.read_text().replace(_INCLUDE, _DEFAULTS), read_xml, False)
              for path in XML),
            *((path.stem, path.read_text(), read_xacro, False) for path in XACRO),
            ('macros', XACRO_RECURSION, read_xacro, False),
            ('side file', SIDE.read_text(), read_side, True),
            *((name, text, read_graph, True) for name, text in GRAPHS.items())]


def tried(text: str, reader: Reader, rng: random.Random) -> tuple[bool, str]:
    """Return whether a text is refused, and what is wrong with how."""
    begin = time.process_time()
    refused, problem = False, ''
    try:
        reader(text, rng)
    except Exception as error:
        refused, problem = True, wrong(error)
    taken = time.process_time() - begin
    return refused, problem or (f'{taken:.1f} s of computing' if taken > LONGEST else '')


def run(cases: int, seed: int) -> tuple[int, list[str]]:
    """
    Read generated descriptions.

    Parameters
    ----------
    cases : int
        How many.
    seed : int
        Of the generator.

    Returns
    -------
    int, list of str
        How many were tried, and what failed.

    """
    rng, failures, texts = random.Random(seed), [], sources()
    for case in range(cases):
        name, text, reader, yaml = texts[case % len(texts)]
        damaged = mutated(text, rng, yaml=yaml)
        _, problem = tried(damaged, reader, rng)
        if problem:
            failures.append(f'case {case}, {name}: {problem}')
    return cases, failures
