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

"""Launch files in XML and YAML, and the texts in them."""

import json
import random
import re

from launch import InvalidLaunchFileError
from launch import LaunchContext
from launch.frontend import parse_substitution
from launch.frontend.actions import words
from launch.frontend.parse_substitution import SubstitutionSyntaxError
from launch.launch_description_sources import \
    get_launch_description_from_frontend_launch_file
from launch.utilities import perform_substitutions
import pytest
import yaml


def text_of(source, **configurations):
    context = LaunchContext()
    context.launch_configurations.update(configurations)
    return perform_substitutions(context, parse_substitution(source))


@pytest.mark.parametrize(('source', 'expected'), [
    ('', ''),
    ('plain ) text', 'plain ) text'),
    ('a$(var x)b', 'aVb'),
    ('$(var none "de fault")', 'de fault'),
    ("$(var none 'a $(var x) b')", 'a V b'),
    ('$(var $(var name))', 'V'),
    (r'\$(var x) \\ \n', r'$(var x) \ \n'),
    ("$(var none 'it\\'s')", "it's"),
    ("$(eval '2 * $(var number) + 1')", '7'),
    ("$(eval '\"$(var x)\" == \"V\"')", 'True'),
    ('$(command "echo out")', 'out\n'),
    ('$(optenv NOT_SET_HERE)', ''),
    ('$(env NOT_SET_HERE else)', 'else'),
    ('$(not true)$(and true 1)$(or 0 0)$(any 0 1)$(all)', 'falsetruefalsetruetrue'),
    ('$(equals $(var x) V) $(not-equals $(var x) V)', 'true false'),
    ('$(if true a b)$(if false a)', 'a'),
    ('$(path-join a $(var x) c.yaml)', 'a/V/c.yaml'),
    ('$(string-join , a b)', 'a,b'),
])
def test_texts(source, expected):
    assert text_of(source, x='V', name='x', number='3') == expected


@pytest.mark.parametrize(('source', 'message'), [
    ('$(var x', r"a parenthesis or quote is not closed in '\$\(var x'"),
    ("$(var 'x)", 'a parenthesis or quote is not closed'),
    ('$()', r'\$\(\) is empty'),
    ('$(vra x)', "unknown substitution 'vra', did you mean 'var'\\?, in"),
    ('$(var)', r'\$\(var \.\.\.\): expects 1 to 2 argument\(s\), found 0'),
    ('$(dirname a)', r'expects 0 argument\(s\), found 1'),
    ('$(index i)', "there is no loop with 'i' around it"),
])
def test_texts_that_cannot_be_read(source, message):
    with pytest.raises(SubstitutionSyntaxError, match=message):
        parse_substitution(source)


@pytest.mark.parametrize(('line', 'expected'), [
    ('a  b', ['a', 'b']),
    ('"a b" c\'d e\'f ""', ['a b', 'cd ef', '']),
    ("x$(var x)y '$(var x) z'", ['xVy', 'V z']),
    (' $(var x) ', ['V']),
    ('', []),
])
def test_words_of_a_command_line(line, expected):
    context = LaunchContext()
    context.launch_configurations['x'] = 'V'
    found = words(parse_substitution(line))
    assert [perform_substitutions(context, word) for word in found] == expected


XML = """<launch version="0.1.1">
  <!-- a comment -->
  <arg name="robot" default="arm" description="Which one">
    <choice value="arm"/>
    <choice value="leg"/>
  </arg>
  <let name="gain" value="2.5"/>
  <set_env name="GREETING" value="hello $(var robot)"/>
  <group>
    <push-ros-namespace namespace="a"/>
    <set_remap from="all" to="every"/>
    <node pkg="shows" exec="show" name="$(var robot)" namespace="b" output="screen"
          args="--flag 'x y' $(var robot)" ros_args="--log-level debug">
      <param name="gain" value="$(var gain)"/>
      <param name="whole" value="3"/>
      <param name="text" value="007" type="str"/>
      <param name="list" value="1;2;$(var gain)" value-sep=";"/>
      <param name="names" value="1,2" value-sep="," type="list_of_str"/>
      <param name="nest"><param name="inner" value="true"/></param>
      <param from="$(find-pkg-share shows)/config/p.yaml" allow_substs="true"/>
      <remap from="x" to="/y"/>
      <env name="EXTRA" value="1"/>
    </node>
  </group>
  <group if="$(eval '&quot;$(var robot)&quot; == &quot;leg&quot;')"><log message="walks"/></group>
  <include file="$(dirname)/inner.launch.py"><arg name="word" value="from xml"/></include>
  <for len="2" name="i"><log message="index $(index i)"/></for>
  <for_each values="{name: a, id: 1}; {name: b, id: 2}">
    <log message="$(for-var name)$(for-var id)$(for-var none '-')" level="WARNING"/>
  </for_each>
  <executable cmd="echo $(env GREETING) | tr a-z A-Z" shell="true" output="screen" name="loud"/>
  <timer period="0.05"><log message="later" unless="false"/></timer>
</launch>
"""

YAML = """
launch:
- arg:
    name: robot
    default: arm
    description: Which one
    choice:
    - value: arm
    - value: leg
- let: {name: gain, value: '2.5'}
- set_env: {name: GREETING, value: hello $(var robot)}
- group:
  - push_ros_namespace: {namespace: a}
  - set_remap: {from: all, to: every}
  - node:
      pkg: shows
      exec: show
      name: $(var robot)
      namespace: b
      output: screen
      args: --flag 'x y' $(var robot)
      ros_args: --log-level debug
      param:
      - {name: gain, value: $(var gain)}
      - {name: whole, value: 3}
      - {name: text, value: '007', type: str}
      - {name: list, value: [1.0, 2.0, $(var gain)]}
      - {name: names, value: ['1', '2'], type: list_of_str}
      - name: nest
        param:
        - {name: inner, value: true}
      - from: $(find-pkg-share shows)/config/p.yaml
        allow_substs: true
      remap:
      - {from: x, to: /y}
      env:
      - {name: EXTRA, value: '1'}
- group:
    if: $(eval '"$(var robot)" == "leg"')
    children:
    - log: {message: walks}
- include:
    file: $(dirname)/inner.launch.py
    arg:
    - {name: word, value: from xml}
- for:
    len: 2
    name: i
    children:
    - log: {message: index $(index i)}
- for_each:
    values: '{name: a, id: 1}; {name: b, id: 2}'
    children:
    - log: {message: "$(for-var name)$(for-var id)$(for-var none '-')", level: WARNING}
- executable:
    cmd: echo $(env GREETING) | tr a-z A-Z
    shell: true
    output: screen
    name: loud
- timer:
    period: 0.05
    children:
    - log: {message: later, unless: false}
"""


@pytest.mark.parametrize(('name', 'content'), [('a.launch.xml', XML), ('a.launch.yaml', YAML)])
def test_a_file_with_everything(ros2, launch_file, prefix, name, content):
    folder = prefix / 'share' / 'shows'
    (folder / 'launch').mkdir()
    (folder / 'launch' / name).write_text(content)
    (folder / 'config' / 'p.yaml').write_text('/**: {ros__parameters: {y: $(var gain)}}\n')
    inner = launch_file(
        "DeclareLaunchArgument('word')", "LogInfo(msg=LaunchConfiguration('word'))",
        name='inner.launch.py')
    inner.rename(folder / 'launch' / inner.name)
    env = {'AMENT_PREFIX_PATH': str(prefix)}
    launched = ros2('launch', 'shows', name, 'robot:=leg', env=env)
    assert launched.finish() == 0, launched.text
    (item,) = [json.loads(line.partition('] ')[2]) for line in launched.lines
               if line.startswith('[show-')]
    argv = [word for word in item['argv'] if not word.endswith('.yaml')]
    assert argv == [
        '--flag', 'x y', 'leg', '--ros-args', '-r', '__node:=leg', '-r', '__ns:=/a/b',
        *['--params-file'] * 7, '-r', 'all:=every', '-r', 'x:=/y', '--log-level', 'debug']
    values = {}
    for text in item['files']:
        values.update(next(iter(yaml.safe_load(text).values()))['ros__parameters'])
    assert values == {'gain': 2.5, 'whole': 3, 'text': '007', 'list': [1.0, 2.0, 2.5],
                      'names': ['1', '2'], 'nest.inner': True, 'y': 2.5}
    for line in ('walks', 'from xml', 'index 0', 'index 1', 'later'):
        assert f'[INFO] [launch.user]: {line}' in launched.lines
    for line in ('a1-', 'b2-'):
        assert f'[WARNING] [launch.user]: {line}' in launched.lines
    assert '[loud-2] HELLO LEG' in launched.lines
    shown = ros2('launch', 'shows', name, '--show-args', env=env)
    assert shown.finish() == 0
    assert "    'robot':" in shown.lines
    assert "        Which one. Valid choices are: ['arm', 'leg']" in shown.lines


@pytest.mark.parametrize(('name', 'content', 'message'), [
    ('a.xml', '<launch><nod pkg="a"/></launch>',
     "a.xml:1: Unrecognized entity of the type: 'nod', did you mean 'node'?"),
    ('a.xml', '<launch>\n<node pkg="a"/></launch>',
     "a.xml:2: `node`: attribute 'exec' is missing (given: pkg)"),
    ('a.xml', '<launch><log message="a" to="b"/></launch>',
     'a.xml:1: `log`: unexpected attribute(s): to (known: if, level, message, unless)'),
    ('a.xml', '<launch><log message="a"><x/></log></launch>',
     'a.xml:1: `log`: unexpected nested tag(s): x'),
    ('a.xml', '<launch><let name="a" value="$(var"/></launch>',
     "a.xml:1: `let`: a parenthesis or quote is not closed in '$(var'"),
    ('a.xml', '<launch><timer period="soon"/></launch>',
     "a.xml:1: `timer`: attribute 'period' must be a number, found 'soon'"),
    ('a.xml', '<launch>words</launch>', "a.xml:1: `launch`: unexpected text 'words'"),
    ('a.xml', '<launch>\n<a></launch>', 'a.xml:2: Opening and ending tag mismatch'),
    ('a.xml', '<launches/>', "expected 'launch' as the outermost entity, found 'launches'"),
    ('a.xml', '<launch><node_container pkg="p"/></launch>',
     'composable nodes are not available in rosless: they are shared libraries in C++'),
    ('a.xml', '<launch><log message="a" if="true" unless="true"/></launch>',
     "'if' and 'unless' cannot be used together"),
    ('a.yaml', 'launch:\n- arg: {name: a, default: 0}\n',
     "a.yaml:2: `arg`: attribute 'default' must be a text, found 0: put quotes around it"),
    ('a.yaml', 'launch:\n- log: {message: a}\n  arg: {}\n',
     'a.yaml:2: expected an entity: a mapping with one key'),
    ('a.yaml', 'launch: [', 'a.yaml:1: not YAML: expected the node content'),
    ('a.yaml', '- a', "a.yaml:1: a launch file in YAML holds one key, 'launch'"),
])
def test_files_that_cannot_be_used(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InvalidLaunchFileError, match=re.escape(message)):
        get_launch_description_from_frontend_launch_file(str(path))


def test_a_file_that_cannot_be_used_ends_the_command(ros2, tmp_path):
    path = tmp_path / 'a.launch.xml'
    path.write_text('<launch><nod/></launch>')
    launched = ros2('launch', path)
    assert launched.finish() == 1
    assert launched.text.endswith("Unrecognized entity of the type: 'nod', did you mean 'node'?")
    assert 'Traceback' not in launched.text


def test_document_types_do_not_read_files(ros2, tmp_path):
    (tmp_path / 'secret').write_text('secret words')
    path = tmp_path / 'a.launch.xml'
    path.write_text(f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{tmp_path}/secret">]>'
                    '<launch><log message="a &e;"/></launch>')
    launched = ros2('launch', path)
    launched.finish()
    assert 'secret words' not in launched.text


def test_sources_by_name(ros2, tmp_path, launch_file):
    (tmp_path / 'a.xml').write_text('<launch><log message="xml"/></launch>')
    (tmp_path / 'a.yaml').write_text('launch: [{log: {message: yaml}}]')
    launched = ros2('launch', launch_file(
        *(f'IncludeLaunchDescription({kind}(r"{tmp_path}/{name}"))' for kind, name in (
            ('XMLLaunchDescriptionSource', 'a.xml'), ('YAMLLaunchDescriptionSource', 'a.yaml'),
            ('FrontendLaunchDescriptionSource', 'a.xml'),
            ('AnyLaunchDescriptionSource', 'a.yaml'))),
        before='from launch_xml.launch_description_sources import XMLLaunchDescriptionSource\n'
        'from launch_yaml.launch_description_sources import YAMLLaunchDescriptionSource\n'
        'from launch.launch_description_sources import *\n'))
    assert launched.finish() == 0
    said = [line.rpartition(' ')[2] for line in launched.lines if '[launch.user]' in line]
    assert said == ['xml', 'yaml', 'xml', 'yaml']


def test_any_text_is_read_or_refused():
    generator = random.Random(1)
    for _ in range(3000):
        length = generator.randrange(12)
        text = ''.join(generator.choice('$$((()))\\\'" ab') for _ in range(length))
        try:
            parts = parse_substitution(text)
        except SubstitutionSyntaxError:
            continue
        if '$(' not in text and '\\' not in text:
            assert perform_substitutions(LaunchContext(), parts) == text
