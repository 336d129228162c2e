"""Descriptions as somebody may send them: each is a robot, or refused in one clear line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import random
import re
import tempfile
import time

import numpy as np

import mbd_ros
from mbd_ros.description import read
from mbd_ros.description.module_graph import assemble, read_module_graph
from mbd_ros.errors import MbdError
from mbd_ros.model import build_model
from mbd_ros.model.state import neutral

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 20.0
"""CPU time that no description may take [s]; a hundredth is usual."""
LONGEST_LINE = 2000
MOST_JOINTS = 60
"""Robots of more coordinates are read only: their dynamics would take most of the time."""

VALUES = (
    '', ' ', '0', '-0', '1e400', '-1e308', '1e-320', 'nan', 'inf', '-inf', '1,5', '0x10', '1_0',
    '9' * 5000, '٣', '1 2', '1 2 3 4', '0 0 0', 'nan nan nan', '1e308 1e308 1e308', 'x', 'base',
    'world', '${1/0}', '${[1]*10**9}', '${().__class__}', '$(find nowhere)', '$(eval 1)', '&x;',
    '/dev/zero', '../../../etc/passwd', 'file:///etc/passwd', 'package://nowhere/x.stl', '&lt;',
    '&#0;', '\u202e', '😀', '\x00', 'a' * 100_000, 'a/b', 'a::b', 'revolute', 'fixed', 'floating',
    'planar', 'free', 'ball', 'hinge', 'spherical', 'continuous', 'prismatic', 'screw', 'true',
    '-1', '1e16')
"""What may stand in the place of a value."""

XACRO = """<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="n" value="3"/><xacro:property name="r" value="${0.1 * n}"/>
<xacro:macro name="rod" params="k parent *place size:=1.0"><link name="l${k}"><inertial>
<mass value="${size * pi}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
</link><joint name="j${k}" type="continuous"><parent link="${parent}"/><child link="l${k}"/>
<xacro:insert_block name="place"/><axis xyz="0 0 1"/></joint>
<xacro:if value="${k &lt; n}"><xacro:rod k="${k + 1}" parent="l${k}"><origin xyz="0 0 ${r}"/>
</xacro:rod></xacro:if></xacro:macro><link name="base"/>
<xacro:rod k="1" parent="base"><origin xyz="0 0 1"/></xacro:rod></robot>"""


def run(cases: int, seed: int) -> tuple[int, list[str]]:
    """
    Read random changes of robots that can be read.

    Parameters
    ----------
    cases : int
        How many.
    seed : int
        Of all that is random.

    Returns
    -------
    int
        How many were tried.
    list of str
        What was not as it has to be.

    """
    rng, failures = random.Random(seed), []
    seeds = [(kind, text) for kind, text in _texts() if len(text) < 100_000]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / 'robot.xacro'
        for number in range(cases):
            kind, text = rng.choice(seeds)
            for _ in range(rng.choice([1, 1, 1, 2, 4, 8])):
                text = rng.choice(CHANGES)(rng, text)
            begin = time.process_time()
            try:
                _try(kind, text, file)
            except Exception as error:   # what is to be found
                failures.append(f'seed {seed}, case {number} ({kind}): {type(error).__name__}: '
                                f'{str(error)[:200]}')
            took = time.process_time() - begin
            if took > LONGEST:
                failures.append(f'seed {seed}, case {number} ({kind}): {took:.1f} s, allowed '
                                f'{LONGEST} s')
    return cases, failures


def _texts() -> list[tuple[str, str]]:
    """Return descriptions of all kinds."""
    return [('xml', file.read_text()) for folder, pattern in (
        ('urdf', '*.urdf'), ('test/data/mjcf', '**/*.xml'), ('test/data/sdf', '**/*.sdf'),
        ('test/data/ladder', '*.urdf')) for file in sorted((ROOT / folder).glob(pattern))] + [
        ('graph', file.read_text()) for file in sorted((ROOT / 'config/modules').glob('*.yaml'))
    ] + [('xacro', XACRO)] * 5


def _try(kind: str, text: str, file: Path) -> None:
    """Read a description and compute with the robot; both may refuse in one line."""
    try:
        if kind == 'graph':
            mechanism = assemble(read_module_graph(text, '<fuzz>', folder=str(file.parent)))
        elif kind == 'xacro':
            file.write_text(text, errors='replace')
            mechanism = read(file)
        else:
            mechanism = read(text if text.lstrip().startswith('<') else f'<{text}')
        model = build_model(mechanism)
        if model.nv > MOST_JOINTS:
            return
        rest = np.zeros(model.nv)
        accelerations = mbd_ros.forward_dynamics(
            model, neutral(model), rest, rest, executor='interpreted')
    except MbdError as error:
        line = str(error)
        assert line and '\n' not in line, f'several lines: {line!r}'
        assert len(line) <= LONGEST_LINE, f'a line of {len(line)} characters: {line}'
        return
    assert np.isfinite(accelerations).all(), f'accelerations {accelerations}'


def _value(rng: random.Random, text: str) -> str:
    """Give an attribute, or a number of YAML, another value."""
    places = [found.span(1) for found in re.finditer(r'="([^"]*)"|: ([-\d.]+)', text)
              if found[1] is not None] or [found.span() for found in re.finditer(r'[-\d.]+', text)]
    if not places:
        return text
    begin, end = rng.choice(places)
    return text[:begin] + rng.choice(VALUES) + text[end:]


def _borrowed(rng: random.Random, text: str) -> str:
    """Give an attribute the value of another."""
    places = [found.span(1) for found in re.finditer(r'="([^"]*)"', text)]
    if len(places) < 2:
        return text
    (begin, end), (other, last) = rng.choice(places), rng.choice(places)
    return text[:begin] + text[other:last] + text[end:]


def _element(rng: random.Random, text: str) -> str:
    """Remove, double or move an element without children, or a line."""
    places = [found.span() for found in re.finditer(r'<[^<>]*/>|\n[^\n]*', text)]
    if not places:
        return text
    begin, end = rng.choice(places)
    where, one = rng.choice(places)[0], text[begin:end]
    how = rng.randrange(4)
    if how == 0:
        return text[:begin] + text[end:]
    if how == 1:
        return text[:end] + one + text[end:]
    return text[:where] + one * (1 if how == 2 else rng.choice([2, 50])) + text[where:]


def _letters(rng: random.Random, text: str) -> str:
    """Change a few letters."""
    place = rng.randrange(len(text) + 1)
    put = rng.choice(['', '<', '>', '"', '&', '\0', '{', '}', ':', '\n', 'e', '\ud800', '<!--',
                      ']]>', '<![CDATA[', '<?x?>'])
    return text[:place] + put + text[place + rng.choice([0, 1, 1, 2, 20]):]


def _cut(rng: random.Random, text: str) -> str:
    """Cut the text."""
    return text[:rng.randrange(len(text) + 1)]


def _word(rng: random.Random, text: str) -> str:
    """Put a word of the text in the place of another, wherever it stands."""
    words = re.findall(r'[A-Za-z_]\w*', text)
    if not words:
        return text
    return re.sub(rf'\b{rng.choice(words)}\b', rng.choice(words), text,
                  count=rng.choice([0, 1, 2]))


CHANGES: list[Callable[[random.Random, str], str]] = [
    _value, _value, _value, _value, _borrowed, _borrowed, _element, _element, _letters, _cut,
    _word]
