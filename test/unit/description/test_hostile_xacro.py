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

"""Xacro files made to run code, read files, or use much time or memory."""

import time
import tracemalloc

import pytest

from mbd_ros.description import read
from mbd_ros.description.records import budget
from mbd_ros.errors import DescriptionError

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
MOST_SECONDS = 45.0
"""Of computing: the 30 s of ``records.budget`` and one step beyond, under ``tracemalloc``."""
MOST_BYTES = 512 * 1024 ** 2
LINK = '<link name="${%s}"/>'


def doubling(count: int) -> str:
    """Return properties each of which is twice the one before."""
    return '<xacro:property name="p0" value="aaaaaaaa"/>' + ''.join(
        f'<xacro:property name="p{k + 1}" value="${{p{k}}}${{p{k}}}"/>' for k in range(count)
    ) + LINK % f'p{count}'


FILES = {
    'frames of a generator': LINK % '(c for c in [1]).gi_frame.f_back.f_globals',
    'frames in a generator': LINK % '[g.gi_frame.f_back.f_back for g in [(c for c in [1])]][0]',
    'strings as names': LINK % "python['type']",
    'names of a namespace': LINK % "math['sqrt'](2)",
    'a system call': LINK % (
        "[g.gi_frame.f_back.f_builtins['__import__']('os').system('true') "
        'for g in [(c for c in [1])]]'),
    'a function in a list': LINK % '[sin][0](1)',
    'a method as a value': LINK % "'a'.join",
    'many large products': LINK % 'list(map(len, [range(99999)] * 9))' + ''.join(
        f'<xacro:property name="big{k}" value="${{[{k} + 0.5] * 90000}}"/>'
        + LINK % f'[x * 2 for x in big{k}]' for k in range(300)),
    'long sums': ''.join(LINK % 'python.sum([exp(x * 0.001) for x in range(99999)])'
                         for _ in range(2000)),
    'sums of sums': LINK % ('python.sum([python.sum([exp(b) for b in range(700)]) for a in '
                            'range(99999)])'),
    'maps of large numbers': LINK % 'list(map(pow, range(99999), range(99999)))' + LINK % (
        '[2 ** 9999 for x in range(99999)]'),
    'a sum of lists': LINK % 'python.sum([[x] for x in range(90000)], [])',
    'a comparison of nests': LINK % ('[[[0] * 300] * 300] * 300 == [[[0] * 300] * 300] * 300'),
    'digits': LINK % 'round(1, -99999999)',
    'a template': LINK % "'%(a)s' * 9000 % dict(a='x' * 90000)",
    'doubled properties': doubling(40),
    'one property a million times': (
        '<xacro:property name="p" value="${\'a\' * 90000}"/><link name="'
        + '${p}' * 100_000 + '"/>'),
    'one argument a million times': (
        f'<xacro:arg name="a" default="{"a" * 90000}"/><link name="' + '$(arg a)' * 100_000
        + '"/>'),
    'dollars': f'<link name="{"$${" * 1_000_000}"/>',
    'parameters of a macro': f'<xacro:macro name="m" params="a:={"b" * 60}\'"><a/></xacro:macro>',
    'many parameters of a macro': (
        f'<xacro:macro name="m" params="{"a " * 1_000_000}"><a/></xacro:macro>'),
    'separators': LINK % "xacro.tokenize('a' * 90000 + '!', '](a+)+$|[') * 2",
    'a macro in itself': (
        '<xacro:macro name="m"><xacro:m/>' + f'<g>{"<a/>" * 10_000}</g>'
        + '</xacro:macro><xacro:m/>'),
    'a block in itself': (
        '<xacro:macro name="m" params="*b"><xacro:insert_block name="b"/></xacro:macro>'
        f'<xacro:m><g><xacro:insert_block name="b"/>{"<a/>" * 20_000}</g></xacro:m>'),
    'comments': '<!-- -->' * 200_000 + '<xacro:property name="a" value="1"/>',
    'deep elements': '<a>' * 20_000 + '</a>' * 20_000,
    'brackets': LINK % ('(' * 500 + '1' + ')' * 500),
    'signs': LINK % ('-' * 1900 + '1'),
    'a pattern of folders': '<xacro:include filename="/*/*/*/*/*/*"/>',
    'entities': '<link name="a"/>',
}
YAML = {
    'aliases': 'a0: &a0 [1, 1]\n' + ''.join(
        f'a{k + 1}: &a{k + 1} [{", ".join([f"*a{k}"] * 9)}]\n' for k in range(9)),
    'merges': 'a0: &a0 {x: 1}\n' + ''.join(
        f'a{k + 1}: &a{k + 1} {{<<: [{", ".join([f"*a{k}"] * 9)}]}}\n' for k in range(9)),
    'an alias in itself': 'a: &a [*a]',
    'depth': '[' * 100_000,
    'many entries': f'[{"1, " * 200_000}]',
    'a long number': '9' * 900_000,
    'code': '!!python/object/apply:os.system [true]',
    'code in a unit': '!degrees "(c for c in [1]).gi_frame"',
    'base 60': ':'.join(['59'] * 50_000),
}


TAKE_TIME = ('long sums', 'sums of sums', 'deep elements', 'comments')
"""Whose memory is not measured, as that takes several times as long."""


def refused(path, text: str, *, measured: bool = True) -> str:
    """Return the message with which a file is refused, in bounded time and memory."""
    path.write_text(text)
    begin = time.thread_time()
    if measured:
        tracemalloc.start()
    try:
        with pytest.raises(DescriptionError) as caught:
            read(path)
        peak = tracemalloc.get_traced_memory()[1] if measured else 0
    finally:
        tracemalloc.stop()
    assert time.thread_time() - begin < MOST_SECONDS
    assert peak < MOST_BYTES
    message = str(caught.value)
    assert len(message) < 5000 and '\n' not in message
    return message


@pytest.mark.parametrize('name', FILES)
def test_a_hostile_file_is_refused(tmp_path, name, monkeypatch):
    monkeypatch.setattr(budget, 'ELEMENTS', 50_000)
    path = tmp_path / 'r.xacro'
    head = HEAD if name != 'entities' else '<!DOCTYPE r [<!ENTITY a "b">]>' + HEAD
    message = refused(path, f'{head}{FILES[name]}</robot>', measured=name not in TAKE_TIME)
    assert message.startswith(f'{path}')


@pytest.mark.parametrize('name', YAML)
def test_hostile_yaml_is_refused(tmp_path, name):
    (tmp_path / 'values.yaml').write_text(YAML[name])
    message = refused(tmp_path / 'r.xacro', f'{HEAD}<xacro:property name="v" '
                      'value="${xacro.load_yaml(\'values.yaml\')}"/>\n<link name="${v}"/></robot>')
    assert ':3: xacro cannot expand this: ' in message
