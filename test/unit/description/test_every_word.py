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
No word of a description is read past: files that use everything, edited in every way.

Whatever is removed, doubled, renamed or changed in a file, the mechanism is another one, or a
finding or an error says so.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
import re
from typing import Any

from lxml import etree
import numpy as np
import pytest

from mbd_ros.description import read
from mbd_ros.description.records.vocabulary import ADDED_MASS, Element, ROBOT
from mbd_ros.description.urdf.visuals import read_visuals
from mbd_ros.errors import DescriptionError, UnsupportedError

FOLDER = Path(__file__).resolve().parents[2] / 'data' / 'complete'
FILES = sorted(FOLDER.iterdir())
NUMBER = re.compile(r'(?<!\S)[-+]?[0-9.]+(?:e[-+]?[0-9]+)?(?!\S)')
WHOLE = ('modes', 'pairs', 'group', 'inertiagrouprange', '{urn:mbd_ros}generation')
HARMLESS = (
    'name: <visual', 'name: <material name="own"', 'doubled: <material', 'doubled: <compiler',
    'doubled: <joint damping', 'doubled: <geom density', 'doubled: <pose>1 2 3 0.1',
    'doubled: <size', 'doubled: <radius', 'doubled: <length')
"""Edits that change nothing: names and doubles of what is drawn, settings and defaults twice."""

NONE = '0 0 0'
DEFAULTS: dict[str, dict[str, str]] = {
    'origin': {'xyz': NONE, 'rpy': NONE}, 'link1': {'xyz': NONE, 'rpy': NONE},
    'link2': {'xyz': NONE, 'quat_xyzw': '0 0 0 1'}, 'parent_origin': {'xyz': NONE, 'rpy': NONE},
    'child_origin': {'xyz': NONE, 'rpy': NONE},
    'dynamics': {'damping': '0', 'friction': '0', '{urn:mbd_ros}quadratic_damping': '0',
                 '{urn:mbd_ros}cubic_damping': '0'},
    'mimic': {'multiplier': '1', 'offset': '0'},
    'fluid_added_mass': dict.fromkeys(ADDED_MASS, '0'),
    'linear_drag': {'force': NONE, 'moment': NONE},
    'quadratic_drag': {'force': NONE, 'moment': NONE}, 'friction': {'slip_speed': '0.01'},
    'beam': {'damping_ratio': '0', 'rayleigh': '0 0', 'rotary_inertia': '0 0',
             'shear_stiffness': '0 0', 'taper': '1', 'tip_mass': '0', 'boundary': 'free',
             'stiffening': 'true', 'theory': 'euler_bernoulli', 'torsional_stiffness': '0'},
    '{urn:mbd_ros}series_elastic': {'damping': '0'},
    '{urn:mbd_ros}spring_damper': {'stiffness': '0', 'damping': '0', 'length': '0', 'slack': '0'},
    '{urn:mbd_ros}spring': {'quadratic_stiffness': '0', 'cubic_stiffness': '0',
                            'slack': '0'},   # no reference is zero, of all kinds of joints
    'compiler': {'angle': 'degree', 'eulerseq': 'xyz', 'inertiagrouprange': '0 5',
                 'settotalmass': '-1'},
    'body': {'pos': NONE, 'quat': '1 0 0 0', 'euler': NONE, 'axisangle': '0 0 1 0',
             'zaxis': '0 0 1'},
    'frame': {'pos': NONE, 'euler': NONE}, 'site': {'pos': NONE, 'quat': '1 0 0 0'},
    'joint': {'axis': '0 0 1', 'pos': NONE, 'ref': '0', 'frictionloss': '0', 'armature': '0',
              'polycoef': '0 1'},
    'geom': {'pos': NONE, 'axisangle': '0 0 1 0', 'zaxis': '0 0 1', 'xyaxes': '1 0 0 0 1 0',
             'density': '3000', 'group': '1'},
    'weld': {'relpose': '0 0 0 0 0 0 0', 'body2': 'world'}, 'connect': {'body2': 'world'}}
"""What attributes are where they are left out, by the documents of URDF and MJCF."""
TEXTS = {
    'pose': '0 0 0 0 0 0', 'mass': '1', 'ixx': '1', 'iyy': '1', 'izz': '1', 'ixy': '0', 'ixz': '0',
    'iyz': '0', **dict.fromkeys(ADDED_MASS, '0'), 'xyz': '0 0 1', 'lower': '-1e16',
    'upper': '1e16', 'effort': 'inf', 'velocity': 'inf', 'damping': '0', 'friction': '0',
    'multiplier': '1', 'offset': '0', 'reference': '0'}
"""What elements hold where they are left out, by the documents of SDFormat."""


def parsed(path: Path) -> Any:
    """Return the root of a file."""
    return etree.fromstring(path.read_bytes(), etree.XMLParser(remove_comments=True))


def seen(root: Any) -> tuple[str, list[str]]:
    """Return what is read of a document, without lines, and what is remarked."""
    mechanism = read(etree.tostring(root, encoding='unicode'))
    with np.printoptions(precision=17):
        shapes = repr(read_visuals(mechanism))
    records = repr(replace(mechanism, findings=(), text='', file=None)) + shapes
    return (re.sub(r'source=Source\([^)]*\)', '', records),
            [finding.message for finding in mechanism.findings])


def outcome(root: Any) -> tuple[str, list[str]]:
    """Return what ``seen`` does, or the error in its place."""
    try:
        return seen(root)
    except (DescriptionError, UnsupportedError) as error:
        return str(error), []


def short(element: Any) -> str:
    """Return how an element begins."""
    text = etree.tostring(element, encoding='unicode')
    return ' '.join(re.sub(r' xmlns:\w+="[^"]*"', '', text).split())[:100]


def edits(root: Any) -> Iterator[tuple[str, Any]]:
    """Yield every way to remove, double or rename a part, with what was done."""
    for number, element in enumerate(root.iter()):
        for way in ('removed', 'doubled', 'renamed', *element.attrib):
            copy = deepcopy(root)
            part = next(one for k, one in enumerate(copy.iter()) if k == number)
            if way == 'renamed':
                part.tag += 'x'
            elif way in element.attrib:
                del part.attrib[way]
            elif part is copy:
                continue
            elif way == 'removed':
                part.getparent().remove(part)
            else:
                part.addnext(deepcopy(part))
            yield f'{way}: {short(element)}', copy


def numbers(root: Any) -> Iterator[tuple[str, list[Any]]]:
    """Yield documents with one number a thousandth above and below, and where it stands."""
    for number, element in enumerate(root.iter()):
        for name, text in (('', element.text or ''), *element.items()):
            if name == 'version' or not all(map(NUMBER.fullmatch, text.split())):
                continue
            for match in NUMBER.finditer(text):
                value, found = float(match[0]), []
                step = 1 if name in WHOLE else 1e-3 * (1.0 + abs(value))
                for other in (value + step, value - step):
                    copy = deepcopy(root)
                    part = next(one for k, one in enumerate(copy.iter()) if k == number)
                    changed = f'{text[:match.start()]}{other:.17g}{text[match.end():]}'
                    if name:
                        part.set(name, changed)
                    else:
                        part.text = changed
                    found.append(copy)
                yield f'{match[0]} of {short(element)}', found


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.suffix)
def test_nothing_is_remarked_but_what_is_simplified(path):
    _, remarks = seen(parsed(path))
    assert all('mimics' in remark or 'closes a loop' in remark for remark in remarks)


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.suffix)
def test_nothing_is_read_past(path):
    root = parsed(path)
    whole = seen(root)
    assert not re.search(r'-0\.0\b', whole[0])   # the same robot in the same words
    assert [what for what, edited in edits(root)
            if outcome(edited) == whole and not what.startswith(HARMLESS)] == []


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.suffix)
def test_every_number_changes_the_mechanism(path):
    root = parsed(path)
    records, _ = seen(root)
    assert [what for what, edited in numbers(root)
            if all(outcome(one)[0] == records for one in edited)] == []


def left_out(root: Any, suffix: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield documents without one attribute or element, and with its default."""
    for number, element in enumerate(root.iter()):
        inherits = element.getparent() is not None and element.getparent().tag == 'default'
        known = {} if inherits else DEFAULTS.get(element.tag, {})
        for name in (name for name in element.attrib if name in known):
            without, given = deepcopy(root), deepcopy(root)
            del [*without.iter()][number].attrib[name]
            [*given.iter()][number].set(name, known[name])
            yield f'{name}: {short(element)}', without, given
        if suffix == '.sdf' and element.tag in TEXTS and not element.attrib:
            without, given = deepcopy(root), deepcopy(root)
            part = [*without.iter()][number]
            part.getparent().remove(part)
            [*given.iter()][number].text = TEXTS[element.tag]
            yield short(element), without, given


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.suffix)
def test_what_is_left_out_is_the_default(path):
    pairs = [*left_out(parsed(path), path.suffix)]
    assert len(pairs) > 30
    assert [what for what, without, given in pairs if outcome(without)[0] != outcome(given)[0]
            ] == []


def words(element: Element, tag: str = 'robot') -> Iterator[tuple[str, str]]:
    """Yield the tags with the attributes that may stand in an element and all below it."""
    yield tag, ''
    yield from ((tag, name) for name in element.attributes)
    for inner, child in element.children.items():
        if not child.unused:
            yield from words(child.element, inner)


def test_the_file_uses_everything_that_urdf_has():
    used = {(element.tag, name) for element in parsed(FOLDER / 'robot.urdf').iter()
            for name in ('', *element.attrib)}
    assert {tag for tag, _ in set(words(ROBOT)) - used if not tag.startswith('drake:')} == {
        'collision', 'mesh', 'texture', 'robot',   # of <robot> the version, tested elsewhere
        'inertial',   # as_published, of moments that no body has: test_inertia_check.py
        'modal',   # names a file, which texts must not; test_modal_files.py
        'link1', 'link2', 'parent_origin', 'child_origin',   # either rpy or quat_xyzw
        *(f'{{http://drake.mit.edu}}distance_constraint_{part}' for part in (
            'stiffness', 'damping'))}   # not used: distances are kept exactly
