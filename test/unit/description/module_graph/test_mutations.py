"""Thousands of damaged documents: each is read or refused by name, none breaks the reader."""

from pathlib import Path
import random
import re

from modules import ARM, CUBE, docked, document
import pytest

from mbd_ros.description.module_graph import assemble, read_module_graph
from mbd_ros.errors import MbdError

ROOT = Path(__file__).resolve().parents[4]
TEXTS = {
    'quadruped': (ROOT / 'config' / 'modules' / 'quadruped.yaml').read_text(),
    'ring': document('a: cube, b: arm, c: cube', docked('a.front', 'b.hand'),
                     docked('b.foot', 'c.rigid', '90 deg'),
                     'parent: a.top, child: c.top, closes_loop: true', types=CUBE + ARM),
}
WORDS = ('', '0', '-1', 'nan', '.inf', '1e400', '1e-320', 'abc', '[', ']', '{', '}', ':', '-',
         '*a', '&a', '!!python/object:os.system', '!a', '|', '>', '%YAML 1.1', '---', '...', '? ',
         '\t', '\x00', '\ud800', 'é', '"', "'", '#', '[' * 3000, '- ' * 3000, '9' * 400, 'true',
         'null', '~', '<<', '2026-01-01', 'part: /dev/zero', 'a.b.c', '1' * 30 + ' deg')
TOKEN = re.compile(r'[\w.]+|\S')
LINE = re.compile(r'.+\n')
PER_TEXT = 1000


def mutated(text, rng):
    """Return a text with tokens or lines cut, doubled or replaced."""
    for _ in range(rng.randint(1, 3)):
        kind = rng.choices((TOKEN, LINE), (0.7, 0.3))[0]
        spans = [match.span() for match in kind.finditer(text)]
        if not spans:
            return text
        start, end = rng.choice(spans)
        other = text[slice(*rng.choice(spans))]
        new = rng.choice(('', text[start:end] * 2, other, rng.choice(WORDS)))
        text = text[:start] + new + text[end:]
    return text


@pytest.mark.parametrize('name', TEXTS)
def test_mutations(name):
    rng = random.Random(name)
    refused = 0
    for number in range(PER_TEXT):
        text = mutated(TEXTS[name], rng)
        try:
            assemble(read_module_graph(text, 'robot.yaml'))
        except MbdError:
            refused += 1
        except Exception as error:
            pytest.fail(f'mutation {number} of {name}: {type(error).__name__}: {error}\n{text}')
    assert 0.1 * PER_TEXT < refused < PER_TEXT
