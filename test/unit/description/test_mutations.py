"""Thousands of damaged descriptions: each is read or refused by name, none breaks the reader."""

from pathlib import Path
import random
import re

import pytest

from mbd_ros.description import read
from mbd_ros.description.loops_yaml import read_loops_yaml
from mbd_ros.description.report import Report
from mbd_ros.errors import MbdError
from mbd_ros.model import load

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / 'test' / 'data'
FILES = sorted([*ROOT.glob('urdf/*.urdf'), *DATA.glob('ladder/*.urdf'), *DATA.glob('mjcf/*.xml'),
                *DATA.glob('sdf/*.sdf'), *DATA.glob('loops/*.urdf'), DATA / 'annotated.urdf'])
SIDE = DATA / 'loops' / 'dialects.loops.yaml'
WORDS = ('', '0', '-1', 'nan', 'inf', '1e400', '1e-320', '1e300', '-1e200', 'abc', '0 0 0', '1 2',
         '0 0 0 0', '<', '&', '&amp;', 'link', 'joint', 'base', 'fixed', 'floating', 'planar',
         'revolute', '\x00', 'é', '"', '>', '/', '<!--', ']]>', '<![CDATA[', 'xacro:', 'mbd:',
         '{', '%s', '1' * 400)
QUOTED = re.compile(r'"[^"]*"')
TOKEN = re.compile(r'"[^"]*"|</?[\w:]+|[\w.]+|\S')
ELEMENT = re.compile(r'<(\w+)[^>]*/>|<(\w+)[^>]*>.*?</\2>', re.DOTALL)
DEFAULTS = '<default><default class="bar"><geom type="capsule" size="0.02"/></default></default>'
PER_FILE = 200


def mutated(text: str, rng: random.Random) -> str:
    """Return a text with values replaced, elements cut or doubled, or any token damaged."""
    for _ in range(rng.randint(1, 3)):
        kind = rng.choices((QUOTED, ELEMENT, TOKEN), (0.5, 0.3, 0.2))[0]
        spans = [match.span() for match in kind.finditer(text)]
        if not spans:
            return text
        start, end = rng.choice(spans)
        other = text[slice(*rng.choice(spans))]
        if kind is QUOTED:
            new = rng.choice((other, f'"{rng.choice(WORDS)}"'))
        else:
            new = rng.choice(('', text[start:end] * 2, other, rng.choice(WORDS)))
        text = text[:start] + new + text[end:]
    return text


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_mutations(path, caplog):
    rng = random.Random(path.stem)
    source = path.read_text().replace('<include file="parts/defaults.xml"/>', DEFAULTS)
    refused = 0
    for number in range(PER_FILE):
        text = mutated(source, rng)
        try:
            inertia = rng.choice(('checked', 'unchecked'))
            if not read(text, inertia=inertia).loop_joints:
                load(text, floating_base=rng.random() < 0.3, inertia=inertia)
        except MbdError:
            refused += 1
        except Exception as error:
            pytest.fail(f'mutation {number} of {path.name}: {type(error).__name__}: {error}\n'
                        f'{text}')
    assert 0.1 * PER_FILE < refused < PER_FILE
    assert not caplog.records  # yourdfpy logs what it cannot parse; it must not get there


def test_mutations_of_a_side_file():
    rng = random.Random(5)
    source = SIDE.read_text()
    refused = 0
    for number in range(PER_FILE * 2):
        text = mutated(source, rng)
        try:
            read_loops_yaml(text.encode(errors='surrogatepass'), Report('side.yaml'))
        except MbdError:
            refused += 1
        except Exception as error:
            pytest.fail(f'mutation {number}: {type(error).__name__}: {error}\n{text}')
    assert 0.1 * PER_FILE < refused < PER_FILE * 2
