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

"""XML: broken, hostile and merely odd documents."""

import time

from described import bare, link, robot
import pytest

from mbd_ros.description import read
from mbd_ros.description.records.budget import ELEMENTS
from mbd_ros.description.urdf.visuals import read_visuals
from mbd_ros.description.xml.xml_tree import MAX_ATTRIBUTES
from mbd_ros.errors import DescriptionError


@pytest.mark.parametrize(('text', 'message'), [
    ('<robot name="r">\n<link name="a">\n</robot>',
     '<string>:3: this is not well-formed XML: Opening and ending tag mismatch: '
     'link line 2 and robot'),
    ('<robot name="r"><link name="a" name="b"/></robot>',
     '<string>:1: this is not well-formed XML: Attribute name redefined'),
    ('<robot name="r"><link name="a"/>',
     '<string>:1: this is not well-formed XML: '),
    ('<robot name="r">&nothing;</robot>',
     "<string>:1: this is not well-formed XML: Entity 'nothing' not defined"),
    ('<robot name="r"><mbd: name="a"/></robot>',
     "<string>:1: this is not well-formed XML: Failed to parse QName 'mbd:'"),
    ('<', '<string>:1: this is not well-formed XML: '),
    ('<svg version="1.7"/>', '<string>:1: the root element is <svg>; allowed: <robot> (URDF), '
     '<mujoco> (MJCF) or <sdf> (SDFormat)'),
])
def test_broken_xml_is_named_with_its_line(text, message):
    with pytest.raises(DescriptionError) as caught:
        read(text)
    assert str(caught.value).startswith(message)


def test_a_file_that_begins_with_a_zero_is_refused(tmp_path):
    path = tmp_path / 'zero.urdf'
    path.write_bytes(b'\x00<robot name="r"/>')
    with pytest.raises(DescriptionError, match=r'zero.urdf:1: this is not well-formed XML'):
        read(path)


def test_an_empty_file_is_refused(tmp_path):
    path = tmp_path / 'empty.urdf'
    path.write_text(' \n')
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value) == (f'{path}: the description is empty; allowed: XML with the root '
                                 '<robot>')


def test_files_outside_cannot_be_read_by_an_entity(tmp_path):
    secret = tmp_path / 'secret'
    secret.write_text('secret')
    text = (f'<!-- a -->\n<!DOCTYPE robot [<!ENTITY x SYSTEM "{secret}">]>\n'
            '<robot name="r"><link name="a"/>&x;</robot>')
    with pytest.raises(DescriptionError) as caught:
        read(text)
    assert str(caught.value) == ('<string>:2: a document type (<!DOCTYPE ...>) is not allowed; '
                                 'remove it')


@pytest.mark.parametrize('place', ['<link name="{}"/>', '<link name="a"/>{}'])
def test_an_entity_bomb_is_refused_at_once(place):
    entities = ''.join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 20}">' for i in range(1, 12))
    text = (f'<!DOCTYPE robot [<!ENTITY e0 "bomb">{entities}]>'
            f'<robot name="r">{place.format("&e11;")}</robot>')
    start = time.thread_time()
    with pytest.raises(DescriptionError, match=r'entity|document type'):
        read(text)
    assert time.thread_time() - start < 1.0  # 1 ms; expanded it would be 20^11 words


def test_a_prefix_without_namespace_is_read_and_remarked():
    # Old robots (PR2) have such elements for Gazebo; urdfdom never minded.
    mechanism = read(robot(bare('a'), '<gazebo><body:map/></gazebo>'))
    assert str(mechanism.findings[0]) == ('<string>:3: info: Namespace prefix body on map is not '
                                          'defined; it is read as part of the name')


def test_a_prefix_without_namespace_does_no_harm_among_numbers():
    prefixed = link('a').replace('<mass', '<my:tag/><mass my:note="heavy"')
    mechanism = read(robot(prefixed))
    assert mechanism.links == read(robot(link('a'))).links
    assert [finding.severity for finding in mechanism.findings] == ['info'] * 2 + ['warning'] * 2


def test_comments_and_processing_instructions_are_no_elements():
    mechanism = read('<?xml version="1.0"?><!-- a --><robot name="r"><?pi x?><link name="a">'
                     '<!-- b --></link></robot>')
    assert [link.name for link in mechanism.links] == ['a']
    assert mechanism.findings == ()


def test_the_encoding_of_a_file_is_respected(tmp_path):
    path = tmp_path / 'latin.urdf'
    path.write_bytes('<?xml version="1.0" encoding="iso-8859-1"?><robot name="r"><link '
                     'name="Füße"/></robot>'.encode('iso-8859-1'))
    mechanism = read(path)
    assert mechanism.root == 'Füße'
    assert read(mechanism.text).root == 'Füße'


def test_text_with_an_encoding_declaration_is_read():
    text = '<?xml version="1.0" encoding="iso-8859-1"?>\n<robot name="r"><link name="ü"/></robot>'
    mechanism = read(text)
    assert mechanism.root == 'ü'
    assert mechanism.links[0].source.line == 2


def test_deep_nesting_is_refused():
    with pytest.raises(DescriptionError, match='this is not well-formed XML: Excessive depth'):
        read('<robot name="r">' + '<a>' * 5000 + '</a>' * 5000 + '</robot>')


def test_a_namespace_of_the_document_is_not_looked_at():
    # As in descriptions of Drake; urdfdom knows no namespaces.
    text = ('<robot name="r" xmlns="http://drake.mit.edu" xmlns:drake="http://drake.mit.edu">'
            '<link name="a"><visual><geometry><box size="1 1 1"/></geometry></visual></link>'
            '<drake:acceleration/></robot>')
    mechanism = read(text)
    assert [link.name for link in mechanism.links] == ['a']
    assert [shape.kind for shape in read_visuals(mechanism)[0]] == ['box']
    assert [str(finding) for finding in mechanism.findings] == [
        "<string>:1: info: the namespace 'http://drake.mit.edu' of the document is not looked at",
        '<string>:1: warning: element <drake:acceleration> is unknown and not used']


@pytest.mark.parametrize('root', ['robot', 'mujoco', 'sdf'])
@pytest.mark.parametrize('depth', [0, 1, 5])
def test_too_many_attributes_are_refused_before_they_are_listed(root, depth):
    """Listing the attributes of an element takes a time quadratic in their number."""
    many = ' '.join(f'a{k}="1"' for k in range(100_000))
    tags = [root, *(['link'] * depth)]
    text = (''.join(f'<{tag}>' for tag in tags[:-1]) + f'<{tags[-1]} {many}/>'
            + ''.join(f'</{tag}>' for tag in reversed(tags[:-1])))
    before = time.process_time()
    with pytest.raises(DescriptionError) as error:
        read(text)
    assert str(error.value) == (
        f'<string>:1: <{tags[-1]}> has 100000 attributes; allowed: {MAX_ATTRIBUTES}')
    assert time.process_time() - before < 10.0   # 0.1 s; it was minutes


@pytest.mark.parametrize('root', ['robot', 'mujoco', 'sdf'])
def test_too_many_elements_are_refused_before_they_are_read(root):
    before = time.process_time()
    with pytest.raises(DescriptionError, match=(
            f'^<string>:2: the description has more than {ELEMENTS} elements, as no robot')):
        read(f'<{root}>\n' + '<link name="a"/>' * ELEMENTS + f'</{root}>')
    assert time.process_time() - before < 10.0   # 0.3 s
